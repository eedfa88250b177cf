//! Looking at code as it is known here: a folder at a time, one file or symbol with what hangs on it, and what is in doubt.
//! Nobody is told anything an agent would be told, so there is no receipt.

use crate::{
    App,
    acts::{
        memories,
        recall::{self, Code},
    },
    engines::{
        freshness::{self, Judgement},
        recall::hanging::Tally,
    },
    model::{
        Memory, MemoryId, Project, clock,
        code::Symbol,
        memory::ReviewOrder,
        page::{Limit, Page, decode},
    },
    problem::Problem,
    store::{self, Permission, Scope, code::Seen, memories::Doubted},
};
use std::collections::BTreeMap;

/// Files and folders of one page, and branches that may be chosen from.
const ENTRIES: i64 = 200;
/// Memories in doubt that are shown beside a folder.
const DOUBTED: usize = 6;
/// Memories of one file that are shown.
const MEMORIES: usize = 40;
/// Files that are named beside the one that is looked at.
const COMPANIONS: i64 = 12;
/// More in doubt than this are not weighed by how often they were told: those unattended the longest are.
pub const WEIGHED: usize = 500;

/// What lies in a folder of a picture.
pub struct Opened {
    pub entries: Page<Entry>,
    /// Nothing while the index is being built.
    pub all: Option<Tally>,
    /// Some of those in doubt, judged on the picture's branch.
    pub doubted: Vec<(Memory, Judgement)>,
}

/// A folder, with a slash at the end, or a file.
pub struct Entry {
    pub path: String,
    /// Whether the picture has it: memories may hang on what is gone, or never was there.
    pub there: bool,
    pub tally: Tally,
}

/// A file, or a symbol in it.
pub struct Place {
    /// In the order of lines, with what hangs on each; nothing where the picture does not have the file.
    pub symbols: Option<Vec<(Symbol, Tally)>>,
    pub known: Option<Known>,
    /// Files that runs used together with it, and which of them go with each other.
    pub companions: Vec<(String, f32, Tally)>,
    pub ties: Vec<(String, String, f32)>,
}

/// What hangs on a place.
pub struct Known {
    pub all: Tally,
    /// Those on the symbol first, the doubtful before the others.
    pub memories: Vec<(Memory, Judgement)>,
}

/// The newest pictures that are whole, those of a repository together, its main branch first, then the newest.
pub async fn pictures<P: Permission>(app: &App, scope: &Scope<P>) -> Result<Vec<Seen>, Problem> {
    store::code::heads(&mut app.db().read(scope).await?, None).await
}

/// Open a folder; the whole repository by an empty path. A cursor goes on after the last entry.
pub async fn folder<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    picture: &Seen,
    folder: &str,
    cursor: Option<&str>,
) -> Result<Opened, Problem> {
    let after = cursor.map(decode::<String>).transpose()?;
    let after = after.as_deref().filter(|last| last.starts_with(folder));
    let mut tx = app.db().read(scope).await?;
    let mut there = store::code::children(&mut tx, picture.id, folder, after, ENTRIES + 1).await?;
    drop(tx);
    let more = there.len() > usize::try_from(ENTRIES).unwrap_or_default();
    there.truncate(usize::try_from(ENTRIES).unwrap_or_default());
    let last = there.last().filter(|_| more).cloned();
    let below = recall::hung_below(app, scope, seen(picture), folder).await?;
    let mut entries: BTreeMap<String, Entry> =
        there.into_iter().map(|path| (path.clone(), Entry { path, there: true, tally: Tally::default() })).collect();
    let (mut all, mut doubted) = (None, Vec::new());
    if let Some(below) = below {
        let on_page = |path: &str| after.is_none_or(|after| path > after) && last.as_deref().is_none_or(|last| path <= last);
        for (path, tally) in below.children.into_iter().filter(|(path, _)| on_page(path)) {
            entries.entry(path.clone()).or_insert(Entry { path, there: false, tally }).tally = tally;
        }
        all = Some(below.all);
        doubted = judged(app, scope, picture, &below.doubted[..below.doubted.len().min(DOUBTED)]).await?;
    }
    let entries = Page { data: entries.into_values().collect(), next_cursor: last.map(|last| Page::<()>::place(&last)) };
    Ok(Opened { entries, all, doubted })
}

/// Look at a file or at a symbol in it.
pub async fn place<P: Permission>(app: &App, scope: &Scope<P>, picture: &Seen, path: &str, symbol: Option<&str>) -> Result<Place, Problem> {
    let wall = scope.project().map(Project::as_str).or(of_project(picture));
    let mut tx = app.db().read(scope).await?;
    let file = store::code::files(&mut tx, picture.id, &[path]).await?.remove(path);
    let close = store::code::companions(&mut tx, wall, &[path.to_owned()], COMPANIONS).await?;
    let names: Vec<String> = close.iter().map(|(path, _)| path.clone()).collect();
    let ties = store::code::ties(&mut tx, wall, &names).await?;
    drop(tx);
    let (within, tallies) = recall::hung_in(app, scope, seen(picture), (path, symbol), &names).await?.unzip();
    let tallies = tallies.unwrap_or_else(|| vec![Tally::default(); names.len()]);
    let companions = close.into_iter().zip(tallies).map(|((path, closeness), tally)| (path, closeness, tally)).collect();
    let symbols = file.map(|file| {
        let tally = |name: &str| within.as_ref().and_then(|within| within.symbols.get(name)).copied().unwrap_or_default();
        let mut symbols: Vec<(Symbol, Tally)> =
            file.symbols.into_iter().map(|one| (tally(&one.name), one)).map(|(n, one)| (one, n)).collect();
        symbols.sort_by_key(|(one, _)| (one.start, std::cmp::Reverse(one.end)));
        symbols
    });
    let known = match within {
        Some(within) => {
            let memories = judged(app, scope, picture, &within.memories[..within.memories.len().min(MEMORIES)]).await?;
            Some(Known { all: within.all, memories })
        }
        None => None,
    };
    Ok(Place { symbols, known, companions, ties })
}

/// What is in doubt and should be looked at, a page of it.
pub struct Doubtful {
    pub page: Page<Doubted>,
    /// How many are in doubt at all.
    pub count: usize,
}

/// What needs review: of a repository, or anything. Nothing while the index is being built.
pub async fn doubtful<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    repo: Option<&str>,
    order: ReviewOrder,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Option<Doubtful>, Problem> {
    let Some((count, ids)) = recall::doubted(app, scope, repo, WEIGHED).await? else { return Ok(None) };
    let page = memories::needing_review(app, scope, None, Some(&ids), order, limit, cursor).await?;
    Ok(Some(Doubtful { page, count }))
}

fn seen(picture: &Seen) -> Code<'_> {
    Code { repo: &picture.repo, project: of_project(picture), branch: branch(picture) }
}

/// Everybody's pictures have no project.
fn of_project(picture: &Seen) -> Option<&str> {
    Some(picture.project.as_str()).filter(|project| !project.is_empty())
}

/// The main one goes without saying.
fn branch(picture: &Seen) -> Option<&str> {
    (!picture.main).then_some(picture.branch.as_str())
}

async fn judged<P: Permission>(app: &App, scope: &Scope<P>, picture: &Seen, ids: &[MemoryId]) -> Result<Vec<(Memory, Judgement)>, Problem> {
    let found = store::memories::find_some(&mut app.db().read(scope).await?, ids).await?;
    let now = clock::now();
    let judge = |memory: Memory| {
        let judgement = freshness::judge_on(&memory, scope.settings(), now, branch(picture));
        (memory, judgement)
    };
    Ok(found.into_iter().map(judge).collect())
}
