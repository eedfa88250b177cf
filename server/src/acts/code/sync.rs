//! A picture of the code comes in: what it makes of every memory that hangs on it.

use crate::{
    App,
    acts::Tries,
    audit::Audit,
    engines::freshness::{self, Anchored, Branch, Files, Fingerprint, Found, Freshness},
    model::{
        AuditId, MemoryId, Project, clock,
        code::{Commit, Fate, File, Head, Picture, Standing},
    },
    problem::Problem,
    store::{
        self, CanWrite, Permission, Scope, Tx, Write,
        code::{Anchor, Change, Judging, Seen},
    },
};
use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
};
use time::OffsetDateTime;
use uuid::Uuid;

/// What a picture made of the memories that whoever sent it may see.
#[derive(Debug)]
pub struct Synced {
    pub id: Uuid,
    pub main: bool,
    /// Of a picture in parts, before the last: nothing was judged yet.
    pub waiting: bool,
    pub files: i32,
    pub symbols: i32,
    pub changed: usize,
    pub removed: usize,
    pub judged: usize,
    pub happened: Vec<Happened>,
}

/// An anchor that stands differently than before.
#[derive(Debug)]
pub struct Happened {
    pub memory: MemoryId,
    pub title: String,
    pub before: Option<Freshness>,
    pub standing: Standing,
    pub reason: String,
}

/// Take in what the code looks like now, and judge what hangs on it.
pub async fn sync<P: CanWrite>(app: &App, scope: &Scope<P>, picture: Picture) -> Result<Synced, Problem> {
    app.db().unless_answered(scope).await?;
    let mut tries = Tries::default();
    loop {
        let done = attempt(app, scope, &picture).await;
        if !tries.again(&done) {
            return done;
        }
    }
}

/// What is known of branches: of those that whoever asks would sync.
pub async fn branches<P: Permission>(app: &App, scope: &Scope<P>, repo: Option<&str>, branch: Option<&str>) -> Result<Vec<Head>, Problem> {
    let wall = scope.project().map(Project::as_str);
    store::code::list(&mut app.db().read(scope).await?, wall, repo, branch).await
}

async fn attempt<P: CanWrite>(app: &App, scope: &Scope<P>, picture: &Picture) -> Result<Synced, Problem> {
    let (now, audit) = (clock::now(), AuditId::new());
    let project = scope.project().map_or("", Project::as_str);
    let (repo, branch) = (picture.repo.as_str(), picture.branch.as_str());
    let mut tx = app.db().write(scope).await?;
    let known = store::code::hold(&mut tx, project, repo, branch).await?;
    if let Some(base) = &picture.base {
        builds_on(base, known.as_ref())?;
    }
    let head = match known {
        Some(head) => head,
        None => store::code::open(&mut tx, (project, repo, branch), now, audit).await?,
    };
    if let Some(place @ (part, parts)) = picture.part.filter(|(part, parts)| part < parts) {
        store::code::put_part(&mut tx, head.id, picture.commit.as_str(), place, (&picture.files, &picture.removed), now).await?;
        let waits = Synced { waiting: true, ..Synced::of(&head) };
        tx.commit(Audit::code_part(audit, head.id, part, parts)).await?;
        return Ok(waits);
    }
    let whole = whole(&mut tx, &head, picture).await?;
    let change = difference(&mut tx, &head, whole, picture.complete).await?;
    let synced = apply(scope, &mut tx, head, picture, &change, (now, audit)).await?;
    tx.shows(synced.happened.iter().map(|one| one.memory));
    tx.commit(Audit::code_synced(audit, synced.id, change.now.len(), change.gone.len(), synced.judged)).await?;
    Ok(synced)
}

/// A difference to a picture that is not here cannot be taken in.
fn builds_on(base: &Commit, head: Option<&Seen>) -> Result<(), Problem> {
    let known = head.and_then(|head| head.commit.as_deref());
    if known == Some(base.as_str()) {
        return Ok(());
    }
    let problem = Problem::conflict(
        "snapshot_base_unknown",
        match known {
            Some(known) => format!(
                "The newest picture of this branch is of {known}, not of {}. Send the difference to that, or a complete one.",
                base.as_str()
            ),
            None => "There is no picture of this branch yet. Send a complete one.".to_owned(),
        },
    );
    Err(match problem {
        Problem::Conflict(mut conflict) => {
            conflict.more.insert("commit".to_owned(), known.map_or(serde_json::Value::Null, Into::into));
            Problem::Conflict(conflict)
        }
        other => other,
    })
}

/// All that a picture says, with the parts that came before.
async fn whole(tx: &mut Tx<Write>, head: &Seen, picture: &Picture) -> Result<(Files, HashSet<String>), Problem> {
    let by_path = |files: &[File]| files.iter().map(|file| (file.path.clone(), file.clone())).collect::<Vec<_>>();
    let (mut files, mut removed): (Files, HashSet<String>) = (Files::new(), HashSet::new());
    if let Some((_, parts)) = picture.part.filter(|(_, parts)| *parts > 1) {
        let known = store::code::known_parts(tx, head.id, picture.commit.as_str(), parts).await?;
        if known.len() + 1 != parts as usize {
            let missing = parts as usize - known.len() - 1;
            return Err(Problem::conflict(
                "snapshot_parts_missing",
                format!("This is the last of {parts} parts, and {missing} of the others have not come. Send all of them again, in order."),
            ));
        }
        for (some, gone) in known {
            files.extend(some.into_iter().map(|file| (file.path.clone(), file)));
            removed.extend(gone);
        }
    }
    files.extend(by_path(&picture.files));
    removed.extend(picture.removed.iter().cloned());
    removed.retain(|path| !files.contains_key(path));
    Ok((files, removed))
}

struct Difference {
    /// What changed or went, as it was.
    before: Files,
    /// What changed or came, as it is.
    now: Files,
    gone: Vec<String>,
    /// Everything may have changed.
    all: bool,
}

async fn difference(
    tx: &mut Tx<Write>,
    head: &Seen,
    (mut files, removed): (Files, HashSet<String>),
    complete: bool,
) -> Result<Difference, Problem> {
    let known = if complete || files.len() > 1000 {
        store::code::digests(tx, head.id).await?
    } else {
        let paths: Vec<&str> = files.keys().chain(&removed).map(String::as_str).collect();
        let there = store::code::files(tx, head.id, &paths).await?;
        there.into_iter().map(|(path, file)| (path, file.sha256)).collect()
    };
    let gone: Vec<String> = if complete {
        known.keys().filter(|path| !files.contains_key(*path)).cloned().collect()
    } else {
        removed.into_iter().filter(|path| known.contains_key(path)).collect()
    };
    let touched: Vec<&str> = files.keys().filter(|path| known.contains_key(*path)).chain(&gone).map(String::as_str).collect();
    // A file with the digest it had is the file it was, whatever another version of the scanner makes of it.
    let same: HashSet<&str> =
        files.values().filter(|file| known.get(&file.path) == Some(&file.sha256)).map(|file| file.path.as_str()).collect();
    let changed: Vec<&str> = touched.iter().copied().filter(|path| !same.contains(path)).collect();
    let before = store::code::files(tx, head.id, &changed).await?;
    let same: HashSet<String> = same.into_iter().map(str::to_owned).collect();
    files.retain(|path, _| !same.contains(path));
    Ok(Difference { before, now: files, gone, all: head.commit.is_none() })
}

async fn apply<P: CanWrite>(
    scope: &Scope<P>,
    tx: &mut Tx<Write>,
    mut head: Seen,
    picture: &Picture,
    change: &Difference,
    (at, audit): (OffsetDateTime, AuditId),
) -> Result<Synced, Problem> {
    store::code::put_files(tx, head.id, &change.now, &change.gone).await?;
    if let Some(default) = &picture.default_branch {
        store::code::put_default(tx, &head, default.as_str()).await?;
    }
    let main = judge_on_main(tx, &head, Some(&head.branch)).await?.unwrap_or_else(|| head.branch.clone());
    let symbols = |files: &Files| files.values().map(|file| file.symbols.len()).sum::<usize>();
    let grown = |was: i32, more: usize, less: usize| {
        was.saturating_add(i32::try_from(more).unwrap_or(i32::MAX)).saturating_sub(i32::try_from(less).unwrap_or(i32::MAX))
    };
    head.files = grown(head.files, change.now.len(), change.before.len());
    head.symbols = grown(head.symbols, symbols(&change.now), symbols(&change.before));
    head.commit = Some(picture.commit.as_str().to_owned());
    head.main = head.branch == main;
    let touched: Vec<&str> = change.before.keys().chain(change.now.keys()).map(String::as_str).collect();
    let judging = Judging { project: &head.project, repo: &head.repo, branch: &head.branch, touched: (!change.all).then_some(&touched) };
    let anchors = store::code::anchors(tx, &judging).await?;
    let unchanged = rest_of(tx, &head, change, &anchors).await?;
    let branch = Branch {
        name: &head.branch,
        main: &main,
        commit: picture.commit.as_str(),
        before: &change.before,
        now: &change.now,
        unchanged: &unchanged,
        came: OnceCell::new(),
    };
    let mut found: Vec<Option<Found>> = anchors.iter().map(|anchor| branch.judge(&anchored(anchor))).collect();
    drop(branch);
    hold_texts_against(tx, &anchors, &mut found).await?;
    let changes = said_newly(&head, &anchors, found, at);
    store::code::put(tx, &changes).await?;
    store::code::put_head(tx, &head, scope.actor(), at, audit).await?;
    let happened = happened(tx, &anchors, changes).await?;
    Ok(Synced { changed: change.now.len(), removed: change.gone.len(), judged: anchors.len(), happened, ..Synced::of(&head) })
}

/// The branch that memories are judged on, which may be another than before.
pub(super) async fn judge_on_main(tx: &mut Tx<Write>, of: &Seen, coming: Option<&str>) -> Result<Option<String>, Problem> {
    let main = store::code::main_of(tx, &of.project, &of.repo, coming).await?;
    if let Some(main) = &main
        && store::code::set_main(tx, &of.project, &of.repo, main).await?
    {
        store::code::judge_on(tx, &of.project, &of.repo, main).await?;
    }
    Ok(main)
}

/// Files that did not change and that some anchor needs.
async fn rest_of(tx: &mut Tx<Write>, head: &Seen, change: &Difference, anchors: &[Anchor]) -> Result<Files, Problem> {
    let mut wanted: Vec<&str> = anchors
        .iter()
        .flat_map(|anchor| [Some(anchor.path.as_str()), anchor.standing.as_ref().map(|last| last.path.as_str())])
        .flatten()
        .filter(|path| !change.now.contains_key(*path) && !change.before.contains_key(*path))
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    store::code::files(tx, head.id, &wanted).await
}

fn anchored(anchor: &Anchor) -> Anchored<'_> {
    Anchored {
        path: &anchor.path,
        symbol: anchor.symbol.as_deref(),
        fingerprint: anchor.fingerprint.as_deref().and_then(Fingerprint::read),
        standing: anchor.standing.as_ref(),
    }
}

/// Code that is the same elsewhere leaves a memory true, unless its text says where it was.
async fn hold_texts_against(tx: &mut Tx<Write>, anchors: &[Anchor], found: &mut [Option<Found>]) -> Result<(), Problem> {
    let moved = |found: &Option<Found>| found.as_ref().is_some_and(|found| matches!(found.verdict, Fate::Moved | Fate::Renamed));
    let ids: Vec<MemoryId> = anchors.iter().zip(&*found).filter(|(_, found)| moved(found)).map(|(anchor, _)| anchor.memory).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let texts = store::code::texts(tx, &ids).await?;
    for (anchor, found) in anchors.iter().zip(found).filter(|(_, found)| moved(found)) {
        let Some(found) = found else { continue };
        let (was, now) = ((anchor.path.as_str(), anchor.symbol.as_deref()), (found.path.as_str(), found.symbol.as_deref()));
        if !texts.get(&anchor.memory).is_some_and(|text| freshness::names_the_old(text, was, now)) {
            continue;
        }
        found.verdict = Fate::TextNamesTheOld;
        let before = anchor.standing.as_ref().filter(|last| {
            last.verdict == Fate::TextNamesTheOld
                && (last.path.as_str(), last.symbol.as_deref()) == (found.path.as_str(), found.symbol.as_deref())
        });
        if let Some(last) = before {
            found.since.clone_from(&last.since);
        }
    }
    Ok(())
}

/// What is to be said of each, where it is not what was said before.
fn said_newly(head: &Seen, anchors: &[Anchor], found: Vec<Option<Found>>, at: OffsetDateTime) -> Vec<Change> {
    let mut changes = Vec::new();
    for (anchor, found) in anchors.iter().zip(found) {
        let Some(found) = found else { continue };
        let same = |last: &Standing| {
            (last.verdict, &last.path, &last.symbol, &last.since) == (found.verdict, &found.path, &found.symbol, &found.since)
        };
        if anchor.standing.as_ref().is_none_or(|last| !same(last) || last.main != head.main) {
            let since = anchor.standing.as_ref().filter(|last| last.verdict == found.verdict).map_or(at, |last| last.at);
            changes.push(said(head, anchor, found, since));
        }
    }
    changes
}

fn said(head: &Seen, anchor: &Anchor, found: Found, at: OffsetDateTime) -> Change {
    let standing = Standing {
        position: anchor.position,
        branch: head.branch.clone(),
        main: head.main,
        repo: head.repo.clone(),
        verdict: found.verdict,
        path: found.path,
        symbol: found.symbol,
        was_path: anchor.path.clone(),
        was_symbol: anchor.symbol.clone(),
        since: found.since,
        at,
    };
    Change { memory: anchor.memory, standing, fingerprint: found.first_seen.map(|seen| seen.to_string()) }
}

/// What happened to memories that whoever synced may see, where it matters.
async fn happened(tx: &mut Tx<Write>, anchors: &[Anchor], changes: Vec<Change>) -> Result<Vec<Happened>, Problem> {
    let before: HashMap<(MemoryId, i32), &Standing> =
        anchors.iter().filter_map(|anchor| Some(((anchor.memory, anchor.position), anchor.standing.as_ref()?))).collect();
    let ids: Vec<MemoryId> = changes.iter().map(|change| change.memory).collect();
    let mut titles = if ids.is_empty() { HashMap::new() } else { store::memories::titles(tx, &ids).await? };
    let mut happened = Vec::new();
    for Change { memory, standing, .. } in changes {
        let last = before.get(&(memory, standing.position));
        let moved = last.is_some_and(|last| (&last.path, &last.symbol) != (&standing.path, &standing.symbol));
        let quiet = last.is_none() && matches!(standing.verdict, Fate::Unchanged | Fate::Absent);
        let same = last.is_some_and(|last| last.verdict == standing.verdict) && !moved;
        if let Some(title) = titles.get_mut(&memory).filter(|_| !quiet && !same) {
            let before = last.and_then(|last| last.verdict.freshness());
            happened.push(Happened { memory, title: title.clone(), before, reason: freshness::reason(&standing), standing });
        }
    }
    Ok(happened)
}

impl Synced {
    fn of(head: &Seen) -> Self {
        Self {
            id: head.id,
            main: head.main,
            waiting: false,
            files: head.files,
            symbols: head.symbols,
            changed: 0,
            removed: 0,
            judged: 0,
            happened: Vec::new(),
        }
    }
}
