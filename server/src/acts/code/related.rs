//! What is known about a place in the code.

use crate::{
    App,
    acts::recall::{self, Answer},
    model::{
        Project,
        code::Symbol,
        recall::{Detail, Place, Recall},
    },
    problem::Problem,
    store::{self, Permission, Read, Scope, Tx},
};

pub struct Related {
    /// What hangs on the file, that on the symbol first.
    pub memories: Answer,
    /// Files that runs used together with it.
    pub companions: Vec<Companion>,
    /// What the newest picture has in the file, with how many memories hang on each.
    pub symbols: Vec<(Symbol, i64)>,
}

/// A file that goes with another.
pub struct Companion {
    pub path: String,
    /// 1 is the closest.
    pub closeness: f32,
    /// How many memories hang on it.
    pub memories: i64,
}

/// Files that are named beside the one that was asked about.
const COMPANIONS: i64 = 12;
/// Symbols of the file likewise.
const SYMBOLS: usize = 500;

/// The memories on a file or symbol, the files that sessions touched together with it, and what is in it.
pub async fn related<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    surface: &str,
    place: Place,
    branch: Option<String>,
    detail: Detail,
    budget: Option<u32>,
) -> Result<Related, Problem> {
    let project = scope.project().map(Project::as_str);
    let mut tx = app.db().read(scope).await?;
    let close = store::code::companions(&mut tx, project, std::slice::from_ref(&place.path), COMPANIONS).await?;
    let hung = store::code::hung_on(&mut tx, close.iter().map(|(path, _)| path.as_str()).chain([place.path.as_str()])).await?;
    let count = |path: &str, symbol: Option<&str>| {
        let of = hung.iter().filter(|one| one.path == path && symbol.is_none_or(|symbol| one.symbol.as_deref() == Some(symbol)));
        i64::try_from(of.map(|one| one.memory).collect::<std::collections::HashSet<_>>().len()).unwrap_or(i64::MAX)
    };
    let symbols = symbols(&mut tx, project, &place, branch.as_deref()).await?;
    let symbols =
        symbols.into_iter().take(SYMBOLS).map(|one| (count(&place.path, Some(&one.name)), one)).map(|(n, one)| (one, n)).collect();
    drop(tx);
    let companions = close.into_iter().map(|(path, closeness)| Companion { memories: count(&path, None), path, closeness }).collect();
    let asked = Recall { anchors: vec![place], only_anchored: true, limit: 20, token_budget: budget, detail, branch, ..Recall::default() };
    Ok(Related { memories: recall::recall(app, scope, surface, asked).await?, companions, symbols })
}

/// Of the file in the one repository that is meant, in the order of its lines.
async fn symbols(tx: &mut Tx<Read>, project: Option<&str>, place: &Place, branch: Option<&str>) -> Result<Vec<Symbol>, Problem> {
    let repo = place.repo.as_deref().map(|repo| [repo]);
    let heads = store::code::heads(tx, repo.as_ref().map(|repo| &repo[..])).await?;
    let wanted = |head: &&store::code::Seen| match branch {
        Some(branch) => head.branch == branch,
        None => head.main,
    };
    let mut found = Vec::new();
    for head in heads.iter().filter(wanted).filter(|head| head.project.is_empty() || Some(head.project.as_str()) == project) {
        found.extend(store::code::files(tx, head.id, &[&place.path]).await?.remove(&place.path));
    }
    // The same path in two repositories is two files.
    let mut symbols = if found.len() == 1 { found.remove(0).symbols } else { Vec::new() };
    symbols.sort_by_key(|one| (one.start, one.end));
    Ok(symbols)
}
