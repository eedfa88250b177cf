//! Hanging memories on code: places that were named or that the text speaks of, with what they look like now.

use crate::{
    App,
    engines::{
        anchoring::{self, Likely, Mention},
        freshness::{Anchored, Branch, Files, Fingerprint},
    },
    model::{
        Anchor, Kind, Memory, MemoryId, NewMemory, SessionId,
        code::{Fate, File, Standing},
        memory::AnchorState,
    },
    problem::Problem,
    store::{
        self, Permission, Scope, Tx, Write,
        code::{Change, Seen},
        memories::Step,
    },
};
use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap},
};
use uuid::Uuid;

/// Memories that are looked up together.
const AT_ONCE: usize = 25;
/// Files that a memory's text may mean, before it is looked at which.
const MOST: i64 = 200;

/// Something new is hung on the code it names; where nothing was said of anchors, on what its text speaks of.
pub(in crate::acts) async fn hang<P: Permission>(app: &App, scope: &Scope<P>, new: &mut NewMemory) -> Result<(), Problem> {
    hang_all(app, scope, vec![new]).await
}

/// The same of many, with a look or two for all of them.
pub(in crate::acts) async fn hang_all<P: Permission>(app: &App, scope: &Scope<P>, all: Vec<&mut NewMemory>) -> Result<(), Problem> {
    if !scope.standing().has_code() {
        return Ok(());
    }
    let mut of: BTreeMap<(Option<String>, Option<SessionId>), Vec<Hanging<'_>>> = BTreeMap::new();
    for one in all.into_iter().filter_map(Hanging::of) {
        let project = one.new.project.as_ref().or(scope.project()).map(|project| project.as_str().to_owned());
        of.entry((project, one.new.session_id)).or_default().push(one);
    }
    if of.is_empty() {
        return Ok(());
    }
    let mut tx = app.db().read(scope).await?;
    let heads = store::code::heads(&mut tx, None).await?;
    for ((project, run), mut all) in of {
        let trees = Trees(heads.clone()).of_project(project.as_deref()).first_of_run(&mut tx, run).await?;
        if trees.0.is_empty() {
            continue;
        }
        for some in all.chunks_mut(AT_ONCE) {
            look_up(&mut tx, &trees, some).await?;
            let named = some.iter_mut().filter(|one| one.mentions.is_empty()).flat_map(|one| &mut one.new.anchors);
            trees.resolve(&mut tx, named.collect()).await?;
        }
    }
    Ok(())
}

/// Something new that may hang on code, and what its text speaks of where nobody said on what.
struct Hanging<'a> {
    new: &'a mut NewMemory,
    mentions: Vec<Mention>,
}

impl<'a> Hanging<'a> {
    fn of(new: &'a mut NewMemory) -> Option<Self> {
        // What happened in a run stays true, whatever becomes of the code.
        let looks = new.anchors.is_empty() && new.find_anchors && new.kind != Kind::Episode;
        let mentions = if looks { anchoring::mentions(new.content.as_str()) } else { Vec::new() };
        (!new.anchors.is_empty() || !mentions.is_empty()).then_some(Self { new, mentions })
    }
}

/// Hangs those on what their texts speak of, where that can be one thing only.
async fn look_up<M>(tx: &mut Tx<M>, trees: &Trees, some: &mut [Hanging<'_>]) -> Result<(), Problem> {
    let first: Vec<&Seen> = trees.first_of_each();
    let ids: Vec<Uuid> = first.iter().map(|tree| tree.id).collect();
    let (mut paths, mut names) = (Vec::new(), Vec::new());
    let mut speaking = 0;
    for one in some.iter().filter(|one| !one.mentions.is_empty()) {
        let sought = anchoring::sought(&one.mentions);
        paths.extend(sought.0);
        names.extend(sought.1);
        speaking += 1;
    }
    if speaking == 0 {
        return Ok(());
    }
    let found = store::code::like_these(tx, &ids, &paths, &names, MOST * speaking).await?;
    let all = Likely::of(found.iter().map(|(_, file)| file));
    for one in some.iter_mut().filter(|one| !one.mentions.is_empty()) {
        let likely: Vec<&(Uuid, File)> = all.to(&one.mentions).into_iter().map(|n| &found[n]).collect();
        let files: Vec<&File> = likely.iter().map(|(_, file)| file).collect();
        for named in anchoring::resolve(&one.mentions, &files) {
            // The same path in two repositories is two things.
            let mut of = likely.iter().filter(|(_, file)| file.path == named.path);
            let (Some((tree, file)), None) = (of.next(), of.next()) else { continue };
            let Some(tree) = first.iter().find(|one| one.id == *tree) else { continue };
            let anchor = Anchor {
                repo: Some(tree.repo.clone()),
                path: named.path,
                symbol: named.symbol,
                fingerprint: None,
                state: AnchorState::Unresolved,
            };
            one.new.anchors.extend(seen_in(&anchor, tree, file));
        }
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
    trees.resolve(tx, anchors.iter_mut().collect()).await?;
    // What was first seen by a picture stands beside the version: it goes with what was said of it.
    if anchors == memory.anchors && !memory.code.is_empty() {
        store::code::forget(tx, memory.id).await?;
    }
    memory.anchors = anchors;
    memory.code.clear();
    Ok(())
}

/// These with what a picture first saw where they hang, if their versions do not say: whatever takes their anchors along takes
/// that along too, or it would hold for whatever the code has become.
pub(in crate::acts) async fn recall_first_sight<M>(tx: &mut Tx<M>, memories: impl Iterator<Item = &mut Memory>) -> Result<(), Problem> {
    let unseen = |memory: &&mut Memory| memory.anchors.iter().any(|anchor| anchor.fingerprint.is_none());
    let mut of: HashMap<MemoryId, &mut Memory> = memories.filter(unseen).map(|memory| (memory.id, memory)).collect();
    if of.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = of.keys().map(|id| id.0).collect();
    for (memory, position, fingerprint, home) in store::code::first_seen(tx, &ids).await? {
        let at = usize::try_from(position - 1).unwrap_or(usize::MAX);
        let Some(anchor) = of.get_mut(&memory).and_then(|memory| memory.anchors.get_mut(at)) else { continue };
        if anchor.fingerprint.is_none() {
            (anchor.fingerprint, anchor.state) = (Some(fingerprint), AnchorState::Fresh);
            anchor.repo = anchor.repo.take().or(home);
        }
    }
    Ok(())
}

/// Who only says again where a memory hangs says nothing new of the code there.
pub(in crate::acts) fn hung_as_before(before: &[Anchor], told: &[Anchor]) -> Vec<Anchor> {
    let same = |was: &&Anchor, told: &Anchor| {
        (&was.path, &was.symbol) == (&told.path, &told.symbol)
            && (told.repo.is_none() || told.repo == was.repo)
            && (told.fingerprint.is_none() || told.fingerprint == was.fingerprint)
    };
    told.iter().map(|told| before.iter().find(|was| same(was, told)).unwrap_or(told).clone()).collect()
}

/// What the other branches make of anchors that were just renewed; the memory is told with it.
pub(in crate::acts) async fn rejudge(tx: &mut Tx<Write>, memory: &mut Memory) -> Result<(), Problem> {
    rejudge_all(tx, [memory].into_iter()).await
}

/// The same for those of some steps that hang elsewhere than before: what was said of their old places went with those.
pub(in crate::acts) async fn rejudge_moved(tx: &mut Tx<Write>, steps: &mut [Step]) -> Result<(), Problem> {
    let moved = steps.iter_mut().filter(|step| step.before.anchors != step.next.anchors);
    rejudge_all(tx, moved.map(|step| &mut step.next)).await
}

async fn rejudge_all<'a>(tx: &mut Tx<Write>, memories: impl Iterator<Item = &'a mut Memory>) -> Result<(), Problem> {
    let (mut hung, free): (Vec<&mut Memory>, Vec<&mut Memory>) = memories.partition(|memory| !memory.anchors.is_empty());
    for memory in free {
        memory.code.clear();
    }
    if hung.is_empty() {
        return Ok(());
    }
    let repos: BTreeSet<&str> = hung.iter().flat_map(|memory| &memory.anchors).filter_map(|anchor| anchor.repo.as_deref()).collect();
    let heads = store::code::heads(tx, Some(&Vec::from_iter(repos))).await?;
    let ids: Vec<Uuid> = heads.iter().map(|tree| tree.id).collect();
    for some in hung.chunks_mut(AT_ONCE) {
        let paths: BTreeSet<&str> = some.iter().flat_map(|memory| &memory.anchors).map(|anchor| anchor.path.as_str()).collect();
        let files = store::code::files_of_each(tx, &ids, &Vec::from_iter(paths)).await?;
        let mut changes: Vec<Change> = Vec::new();
        for memory in some {
            memory.code = standings(memory, &Trees(heads.clone()).of_project(memory.project.as_deref()), &files);
            let change = |standing: &Standing| Change { memory: memory.id, standing: standing.clone(), fingerprint: None };
            changes.extend(memory.code.iter().map(change));
        }
        store::code::put(tx, &changes).await?;
    }
    Ok(())
}

/// What each branch makes of its anchors, where that is not what they were.
fn standings(memory: &Memory, trees: &Trees, files: &HashMap<Uuid, Files>) -> Vec<Standing> {
    let none = Files::new();
    let mut standings = Vec::new();
    for tree in &trees.0 {
        let main = trees.0.iter().find(|one| one.repo == tree.repo && one.main).map_or(tree.branch.as_str(), |one| &one.branch);
        let files = files.get(&tree.id).unwrap_or(&none);
        let commit = tree.commit.as_deref().unwrap_or_default();
        let branch = Branch { name: &tree.branch, main, commit, before: &none, now: &none, unchanged: files, came: OnceCell::new() };
        for (anchor, position) in memory.anchors.iter().zip(1..).filter(|(anchor, _)| anchor.repo.as_deref() == Some(&tree.repo)) {
            let Some(fingerprint) = anchor.fingerprint.as_deref().and_then(Fingerprint::read) else { continue };
            let anchored =
                Anchored { path: &anchor.path, symbol: anchor.symbol.as_deref(), fingerprint: Some(fingerprint), standing: None };
            let Some(found) = branch.judge(&anchored).filter(|found| found.verdict != Fate::Unchanged) else { continue };
            standings.push(Standing {
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
            });
        }
    }
    standings
}

/// Pictures that a memory may be hung on, the likeliest first: of the branch its run works on, of the main ones, the newest.
struct Trees(Vec<Seen>);

impl Trees {
    async fn find<M>(tx: &mut Tx<M>, project: Option<&str>, run: Option<SessionId>) -> Result<Self, Problem> {
        Self(store::code::heads(tx, None).await?).of_project(project).first_of_run(tx, run).await
    }

    async fn first_of_run<M>(mut self, tx: &mut Tx<M>, run: Option<SessionId>) -> Result<Self, Problem> {
        if let Some(run) = run.filter(|_| !self.0.is_empty())
            && let Some(branch) = store::code::branch_of_run(tx, run).await?
        {
            self.0.sort_by_key(|tree| tree.branch != branch);
        }
        Ok(self)
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
    async fn resolve<M>(&self, tx: &mut Tx<M>, anchors: Vec<&mut Anchor>) -> Result<(), Problem> {
        let first: Vec<Uuid> = self.first_of_each().iter().map(|tree| tree.id).collect();
        let paths: Vec<&str> = anchors.iter().map(|anchor| anchor.path.as_str()).collect();
        let mut files = store::code::files_of_each(tx, &first, &paths).await?;
        // Only what the likeliest picture of its repository does not have is looked for in the others.
        let settled = |anchor: &Anchor| {
            let tree = self.0.iter().find(|tree| Some(&tree.repo) == anchor.repo.as_ref());
            tree.and_then(|tree| seen_in(anchor, tree, files.get(&tree.id)?.get(&anchor.path)?)).is_some()
        };
        let paths: Vec<&str> = anchors.iter().filter(|anchor| !settled(anchor)).map(|anchor| anchor.path.as_str()).collect();
        let others: Vec<Uuid> = self.0.iter().map(|tree| tree.id).filter(|id| !first.contains(id)).collect();
        let more = store::code::files_of_each(tx, &others, &paths).await?;
        files.extend(more);
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
