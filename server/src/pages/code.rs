//! The code that is known: a folder, a file or symbol, and what needs review.

use super::{asked::Asked, memories::words, viewer::Viewer};
use crate::{
    acts::{
        self,
        code::{Place, Seen, WEIGHED},
    },
    engines::freshness::Judgement,
    model::{
        Memory, Power,
        memory::{Anchor, ReviewOrder},
        page::Limit,
    },
    problem::Problem,
    store::{Reading, Scope},
};
use axum::response::Response;
use cairn_web::{
    Choice,
    code::{self as page, Chosen, Doubted, Entry, Picture, Rope, Ropes, Show, Symbol, Tally, Tree},
    memories::{Freshness, Row},
};

/// Branches that are offered, and symbols on one page.
const BRANCHES: usize = 200;
const SYMBOLS: usize = 200;
/// Places that are named beside a file.
const NAMED: usize = 12;
const REVIEWED: i64 = 25;
/// Longer paths than this are no paths.
const LONGEST: usize = 1024;

/// A folder, or what `path` names in it.
pub async fn show(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let pictures = acts::code::pictures(app, scope).await?;
    let picture = choose(&pictures, &mut asked);
    let path = asked
        .read("path", "a path from the repository's root", |text| (text.len() <= LONGEST).then(|| text.trim_start_matches('/').to_owned()));
    let path = path.unwrap_or_default();
    match picture {
        Some(picture) if !path.is_empty() && !path.ends_with('/') => one(&viewer, asked, &pictures, picture, path).await,
        picture => tree(&viewer, asked, &pictures, picture, path).await,
    }
}

async fn tree(
    viewer: &Viewer<Reading>,
    mut asked: Asked,
    pictures: &[Seen],
    picture: Option<&Seen>,
    folder: String,
) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let mut view = Tree {
        chosen: picture.map(|picture| chosen(pictures, picture)),
        folder,
        entries: Vec::new(),
        all: None,
        doubted: Vec::new(),
        continued: asked.is_continued(),
        next_cursor: None,
        origin: app.config().public_url(),
        chrome: viewer.chrome(None),
    };
    if let Some(picture) = picture {
        let open = async |cursor: Option<String>| acts::code::folder(app, scope, picture, &view.folder, cursor.as_deref()).await;
        let opened = match open(asked.text("cursor")).await {
            Err(Problem::Invalid(_)) if asked.is_continued() => {
                asked.mishear("cursor", "it is no page of this folder, so this is the first");
                open(None).await?
            }
            opened => opened?,
        };
        view.entries =
            opened.entries.data.into_iter().map(|one| Entry { path: one.path, there: one.there, tally: tally(one.tally) }).collect();
        view.next_cursor = opened.entries.next_cursor;
        view.all = opened.all.map(tally);
        view.doubted = opened.doubted.iter().map(|one| row(scope, one)).collect();
    }
    view.chrome = viewer.chrome(asked.complaint());
    Ok(viewer.sees(view.html()))
}

async fn one(viewer: &Viewer<Reading>, mut asked: Asked, pictures: &[Seen], picture: &Seen, path: String) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let symbol = asked.text("symbol").filter(|text| text.len() <= LONGEST);
    let from = asked.read("from", "a number", |text| text.parse::<usize>().ok());
    let place = acts::code::place(app, scope, picture, &path, symbol.as_deref()).await?;
    let named_with = named_with(&place, &path, symbol.as_deref());
    let Place { symbols, known, companions, ties } = place;
    let symbol_count = symbols.as_ref().map_or(0, Vec::len);
    // A symbol is shown with those around it.
    let at = |name: &str| symbols.as_ref()?.iter().position(|(one, _)| one.name == name);
    let from = from.or_else(|| Some(at(symbol.as_deref()?)? / SYMBOLS * SYMBOLS)).unwrap_or_default().min(symbol_count);
    let shown = |symbols: Vec<(crate::model::code::Symbol, acts::code::Tally)>| {
        let some = symbols.into_iter().skip(from).take(SYMBOLS);
        some.map(|(one, n)| Symbol { name: one.name, kind: one.kind, start: one.start, end: one.end, tally: tally(n) }).collect()
    };
    let row_of = |path: &str| companions.iter().position(|(one, ..)| one == path);
    let ties = ties.iter().filter_map(|(a, b, close)| Some((row_of(a)?, row_of(b)?, *close))).collect();
    let view = Show {
        chosen: chosen(pictures, picture),
        path,
        symbol: symbol.unwrap_or_default(),
        symbols: symbols.map(shown),
        symbol_count,
        from,
        all: known.as_ref().map(|known| tally(known.all)),
        memories: known.iter().flat_map(|known| &known.memories).map(|one| row(scope, one)).collect(),
        ropes: Ropes {
            files: companions.into_iter().map(|(path, closeness, n)| Rope { path, closeness, tally: tally(n) }).collect(),
            ties,
        },
        named_with,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

/// What is in doubt, of a repository or of all.
pub async fn review(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let order = asked.read("order", "told, use or age", |text| text.parse::<ReviewOrder>().ok()).unwrap_or(ReviewOrder::Told);
    let repo = asked.text("repo");
    let limit = Limit::parse(Some(REVIEWED))?;
    let bare = repo.as_deref().map(|repo| split(repo).1);
    let list = async |cursor: Option<String>| acts::code::doubtful(app, scope, bare, order, limit, cursor.as_deref()).await;
    let found = match list(asked.text("cursor")).await {
        Err(Problem::Invalid(_)) if asked.is_continued() => {
            asked.mishear("cursor", "it is no page of this list, so this is the first");
            list(None).await?
        }
        found => found?,
    };
    let count = found.as_ref().map(|found| found.count);
    let (rows, next_cursor) = found.map_or_else(Default::default, |found| (found.page.data, found.page.next_cursor));
    let view = page::Review {
        order: if order == ReviewOrder::Told { String::new() } else { order.word().to_owned() },
        repo: repo.unwrap_or_default(),
        count: count.map(|count| count as u64),
        weighed: count.filter(|count| *count > WEIGHED).map(|_| WEIGHED as u64),
        rows: rows
            .iter()
            .map(|one| Doubted {
                row: words::row(scope, &one.memory),
                since: one.since,
                told: one.told.unsigned_abs(),
                told_in_doubt: one.told_since.unsigned_abs(),
            })
            .collect(),
        may_verify: viewer.may(Power::Reviewing),
        continued: asked.is_continued(),
        next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

/// The picture that the address names: of the first repository and its main branch, unless it says otherwise.
fn choose<'a>(pictures: &'a [Seen], asked: &mut Asked) -> Option<&'a Seen> {
    let first = pictures.iter().find(|one| one.project.is_empty()).or(pictures.first())?;
    let named = asked.read("repo", "a repository that was synced here", |text| pictures.iter().find(|one| address(one) == text));
    let main = named.unwrap_or(first);
    let of_repo = |one: &&Seen| (&one.project, &one.repo) == (&main.project, &main.repo);
    let branch = asked.read("branch", "a branch of this repository that was synced", |text| {
        pictures.iter().filter(of_repo).find(|one| one.branch == text)
    });
    branch.or_else(|| pictures.iter().filter(of_repo).find(|one| one.main)).or(Some(main))
}

/// A project's own picture of a repository has the project before it; no repository has a colon in its name.
fn address(picture: &Seen) -> String {
    if picture.project.is_empty() { picture.repo.clone() } else { format!("{}:{}", picture.project, picture.repo) }
}

/// Project and repository of such an address.
fn split(address: &str) -> (&str, &str) {
    address.rsplit_once(':').unwrap_or(("", address))
}

fn chosen(pictures: &[Seen], picture: &Seen) -> Chosen {
    let mut repos: Vec<Choice> = Vec::new();
    for one in pictures {
        let address = address(one);
        if !repos.iter().any(|known| known.value == address) {
            let label = if one.project.is_empty() { one.repo.clone() } else { format!("{} (project {})", one.repo, one.project) };
            repos.push(Choice::new(address, label));
        }
    }
    let of_repo = |one: &&Seen| (&one.project, &one.repo) == (&picture.project, &picture.repo);
    let branches = pictures.iter().filter(of_repo).take(BRANCHES).map(|one| Choice::new(one.branch.as_str(), one.branch.as_str()));
    Chosen {
        picture: Picture {
            repo: address(picture),
            branch: picture.branch.clone(),
            commit: picture.commit.clone().unwrap_or_default(),
            main: picture.main,
            files: u64::from(picture.files.unsigned_abs()),
            symbols: u64::from(picture.symbols.unsigned_abs()),
            at: picture.at,
        },
        repos,
        branches: branches.collect(),
    }
}

/// Other places that the memories on this one hang on, the most often named first.
fn named_with(place: &Place, path: &str, symbol: Option<&str>) -> Vec<(String, Option<String>, usize)> {
    let mut named: Vec<(String, Option<String>, usize)> = Vec::new();
    let here = |anchor: &Anchor| anchor.path == path && (symbol.is_none() || anchor.symbol.as_deref() == symbol);
    for (memory, _) in place.known.iter().flat_map(|known| &known.memories) {
        let anchors: Vec<Anchor> = memory.anchors_now().map(|(anchor, _)| anchor).collect();
        if !anchors.iter().any(here) {
            continue;
        }
        for other in anchors.into_iter().filter(|anchor| !here(anchor)) {
            match named.iter_mut().find(|(path, symbol, _)| (path, symbol) == (&other.path, &other.symbol)) {
                Some((.., times)) => *times += 1,
                None => named.push((other.path, other.symbol, 1)),
            }
        }
    }
    named.sort_by_key(|(.., times)| std::cmp::Reverse(*times));
    named.truncate(NAMED);
    named
}

fn row<P>(scope: &Scope<P>, (memory, judged): &(Memory, Judgement)) -> Row {
    let freshness = Freshness { state: judged.state.word().to_owned(), reasons: judged.reasons.clone() };
    Row { freshness, ..words::row(scope, memory) }
}

fn tally(tally: acts::code::Tally) -> Tally {
    Tally { fresh: tally.fresh, suspect: tally.suspect, stale: tally.stale }
}
