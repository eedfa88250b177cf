//! Hanging memories on code: places that were named or that the text speaks of, with what they look like now.

use crate::{
    App,
    engines::{
        anchoring,
        freshness::{Anchored, Branch, Files, Fingerprint},
    },
    model::{
        Anchor, Kind, Memory, NewMemory, Project, SessionId,
        code::{Fate, File, Standing},
        memory::AnchorState,
    },
    problem::Problem,
    store::{
        self, Permission, Scope, Tx, Write,
        code::{Change, Seen},
    },
};
use std::{cell::OnceCell, collections::HashMap};
use uuid::Uuid;

/// Something new is hung on the code it names; where nothing was said of anchors, on what its text speaks of.
pub(in crate::acts) async fn hang<P: Permission>(app: &App, scope: &Scope<P>, new: &mut NewMemory) -> Result<(), Problem> {
    // What happened in a run stays true, whatever becomes of the code.
    let looks = new.anchors.is_empty() && new.find_anchors && new.kind != Kind::Episode;
    let mentions = if looks { anchoring::mentions(new.content.as_str()) } else { Vec::new() };
    if new.anchors.is_empty() && mentions.is_empty() {
        return Ok(());
    }
    let mut tx = app.db().read(scope).await?;
    let project = new.project.as_ref().or(scope.project()).map(Project::as_str);
    let trees = Trees::find(&mut tx, project, new.session_id).await?;
    if trees.0.is_empty() {
        return Ok(());
    }
    if mentions.is_empty() {
        return trees.resolve(&mut tx, &mut new.anchors).await;
    }
    let first: Vec<&Seen> = trees.first_of_each();
    let (paths, names) = anchoring::sought(&mentions);
    let found = store::code::like_these(&mut tx, &first.iter().map(|tree| tree.id).collect::<Vec<_>>(), &paths, &names).await?;
    let files: Vec<&File> = found.iter().map(|(_, file)| file).collect();
    for named in anchoring::resolve(&mentions, &files) {
        // The same path in two repositories is two things.
        let mut of = found.iter().filter(|(_, file)| file.path == named.path);
        let (Some((tree, file)), None) = (of.next(), of.next()) else { continue };
        let Some(tree) = first.iter().find(|one| one.id == *tree) else { continue };
        let anchor = Anchor {
            repo: Some(tree.repo.clone()),
            path: named.path,
            symbol: named.symbol,
            fingerprint: None,
            state: AnchorState::Unresolved,
        };
        new.anchors.extend(seen_in(&anchor, tree, file));
    }
    Ok(())
}

/// Its anchors as the code is now: it was found to be true for that. What is gone is no longer waited for.
pub(in crate::acts) async fn renew(tx: &mut Tx<Write>, memory: &mut Memory) -> Result<(), Problem> {
    if memory.anchors.is_empty() {
        return Ok(());
    }
    let trees = Trees::find(tx, memory.project.as_deref(), memory.session_id).await?;
    if trees.0.is_empty() {
        return Ok(());
    }
    let mut anchors: Vec<Anchor> = memory.anchors_now().map(|(anchor, _)| anchor).collect();
    for (anchor, was) in anchors.iter_mut().zip(&memory.anchors) {
        anchor.fingerprint = None;
        anchor.state = AnchorState::Unresolved;
        // A name by which it is found is as good as a whole one.
        if anchor.path == was.path
            && was.symbol.as_deref().zip(anchor.symbol.as_deref()).is_some_and(|(was, now)| now.ends_with(&format!(".{was}")))
        {
            anchor.symbol.clone_from(&was.symbol);
        }
    }
    trees.resolve(tx, &mut anchors).await?;
    // What was first seen by a picture stands beside the version: it goes with what was said of it.
    if anchors == memory.anchors && !memory.code.is_empty() {
        store::code::forget(tx, memory.id).await?;
    }
    memory.anchors = anchors;
    memory.code.clear();
    Ok(())
}

/// What the other branches make of anchors that were just renewed; the memory is told with it.
pub(in crate::acts) async fn rejudge(tx: &mut Tx<Write>, memory: &mut Memory) -> Result<(), Problem> {
    let mut changes: Vec<Change> = Vec::new();
    let repos: Vec<&str> = memory.anchors.iter().filter_map(|anchor| anchor.repo.as_deref()).collect();
    let trees = Trees(store::code::heads(tx, Some(&repos)).await?).of_project(memory.project.as_deref());
    let paths: Vec<&str> = memory.anchors.iter().map(|anchor| anchor.path.as_str()).collect();
    for tree in &trees.0 {
        let main = trees.0.iter().find(|one| one.repo == tree.repo && one.main).map_or(tree.branch.as_str(), |one| &one.branch);
        let (files, none) = (store::code::files(tx, tree.id, &paths).await?, Files::new());
        let commit = tree.commit.as_deref().unwrap_or_default();
        let branch = Branch { name: &tree.branch, main, commit, before: &none, now: &none, unchanged: &files, came: OnceCell::new() };
        for (anchor, position) in memory.anchors.iter().zip(1..).filter(|(anchor, _)| anchor.repo.as_deref() == Some(&tree.repo)) {
            let Some(fingerprint) = anchor.fingerprint.as_deref().and_then(Fingerprint::read) else { continue };
            let anchored =
                Anchored { path: &anchor.path, symbol: anchor.symbol.as_deref(), fingerprint: Some(fingerprint), standing: None };
            let Some(found) = branch.judge(&anchored).filter(|found| found.verdict != Fate::Unchanged) else { continue };
            let standing = Standing {
                position,
                branch: tree.branch.clone(),
                main: tree.main,
                repo: tree.repo.clone(),
                verdict: found.verdict,
                path: found.path,
                symbol: found.symbol,
                was_path: anchor.path.clone(),
                was_symbol: anchor.symbol.clone(),
                since: found.since,
                at: memory.updated_at,
            };
            changes.push(Change { memory: memory.id, standing, fingerprint: None });
        }
    }
    store::code::put(tx, &changes).await?;
    memory.code = changes.into_iter().map(|change| change.standing).collect();
    Ok(())
}

/// Pictures that a memory may be hung on, the likeliest first: of the branch its run works on, of the main ones, the newest.
struct Trees(Vec<Seen>);

impl Trees {
    async fn find<M>(tx: &mut Tx<M>, project: Option<&str>, run: Option<SessionId>) -> Result<Self, Problem> {
        let mut trees = Self(store::code::heads(tx, None).await?).of_project(project);
        if let Some(run) = run.filter(|_| !trees.0.is_empty())
            && let Some(branch) = store::code::branch_of_run(tx, run).await?
        {
            trees.0.sort_by_key(|tree| tree.branch != branch);
        }
        Ok(trees)
    }

    /// A project's own pictures of a repository come before everybody's; another project's are not its business.
    fn of_project(mut self, project: Option<&str>) -> Self {
        let own = project.unwrap_or_default();
        self.0.retain(|tree| tree.project.is_empty() || tree.project == own);
        let with_own: Vec<String> = self.0.iter().filter(|tree| !tree.project.is_empty()).map(|tree| tree.repo.clone()).collect();
        self.0.retain(|tree| !tree.project.is_empty() || !with_own.contains(&tree.repo));
        self
    }

    fn first_of_each(&self) -> Vec<&Seen> {
        let mut first: Vec<&Seen> = Vec::new();
        for tree in &self.0 {
            if first.iter().all(|one| one.repo != tree.repo) {
                first.push(tree);
            }
        }
        first
    }

    /// Fingerprints for those that are found; of an anchor without a repository, where only one has the place.
    async fn resolve<M>(&self, tx: &mut Tx<M>, anchors: &mut [Anchor]) -> Result<(), Problem> {
        let paths: Vec<String> = anchors.iter().map(|anchor| anchor.path.clone()).collect();
        let mut files: HashMap<Uuid, Files> = HashMap::new();
        for tree in &self.0 {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            files.insert(tree.id, store::code::files(tx, tree.id, &paths).await?);
        }
        for anchor in anchors {
            let repos: Vec<&str> = match anchor.repo.as_deref() {
                Some(repo) => vec![repo],
                None => self.first_of_each().iter().map(|tree| tree.repo.as_str()).collect(),
            };
            let found = |repo: &&str| {
                let mut of = self.0.iter().filter(|tree| tree.repo == *repo);
                of.find_map(|tree| seen_in(anchor, tree, files.get(&tree.id)?.get(&anchor.path)?))
            };
            let all: Vec<Anchor> = repos.iter().filter_map(found).collect();
            if let Ok([one]) = <[Anchor; 1]>::try_from(all) {
                *anchor = one;
            }
        }
        Ok(())
    }
}

/// The anchor with what the picture shows there, if it shows it.
fn seen_in(anchor: &Anchor, tree: &Seen, file: &File) -> Option<Anchor> {
    let fingerprint = match anchor.symbol.as_deref() {
        Some(symbol) => Fingerprint::of_symbol(file.meant(symbol)?, &tree.branch),
        None => Fingerprint::of_file(file, &tree.branch),
    };
    let (repo, fingerprint) = (Some(tree.repo.clone()), Some(fingerprint.to_string()));
    Some(Anchor { repo, fingerprint, state: AnchorState::Fresh, ..anchor.clone() })
}
