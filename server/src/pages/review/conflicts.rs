//! Conflicts: both sides, and which of them holds.

use super::{
    super::{actors::shown, asked::Asked, forms::Posted, memories::words::freshness, viewer::Viewer},
    decide::{back, note},
    decided,
    words::{COMPARED, LISTED, marked},
};
use crate::{
    acts::{self, conflicts::Shown},
    engines::cores::on_all_cores,
    model::{
        ConflictId, Memory, Power,
        conflicts::{ConflictFilter, ConflictState, Keep},
        page::Limit,
    },
    problem::Problem,
    store::{Reading, Reviewing, Scope},
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    Flash,
    review::{Conflict, Conflicts, Side},
};
use serde::Deserialize;

/// A page of whole texts is long enough with these.
const ON_A_PAGE: i64 = 20;
/// Memories that one press of the button looks at.
const SWEPT: usize = 2000;

/// Those that are open, that are only possible, or that were resolved.
pub async fn index(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let which = asked.read("state", "open, possible or resolved", |text| match text {
        "possible" => Some((ConflictState::Open, Some(false))),
        "open" => Some((ConflictState::Open, Some(true))),
        "resolved" => Some((ConflictState::Resolved, None)),
        _ => None,
    });
    let (state, likely) = which.unwrap_or((ConflictState::Open, Some(true)));
    let filter = &ConflictFilter { state: Some(state), likely, ..ConflictFilter::default() };
    let limit = Limit::parse(Some(ON_A_PAGE))?;
    let list = async |cursor: Option<String>| acts::conflicts::list(app, scope, filter, limit, cursor.as_deref()).await;
    let found = asked.page(list).await?;
    let view = Conflicts {
        state: asked.said("state").to_owned(),
        conflicts: side_by_side(scope, found.data, LISTED).await?,
        may_decide: viewer.may(Power::Reviewing),
        single: false,
        continued: asked.is_continued(),
        next_cursor: found.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

pub async fn show(viewer: Viewer<Reading>, Path((_, id)): Path<(String, String)>) -> Result<Response, Problem> {
    let found = acts::conflicts::find(&viewer.app, &viewer.scope, parse(&id)?).await?;
    let view = Conflicts {
        state: String::new(),
        conflicts: side_by_side(&viewer.scope, vec![found], COMPARED).await?,
        may_decide: viewer.may(Power::Reviewing),
        single: true,
        continued: false,
        next_cursor: None,
        chrome: viewer.chrome(None),
    };
    Ok(viewer.sees(view.html()))
}

#[derive(Deserialize)]
pub struct Resolved {
    keep: Option<String>,
    note: Option<String>,
    back: Option<String>,
}

pub async fn resolve(
    viewer: Viewer<Reviewing>,
    Path((_, id)): Path<(String, String)>,
    Posted(form): Posted<Resolved>,
) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let (review, scope) = acts::reviews::sit(&viewer.scope);
    let list = viewer.place("conflicts");
    let to = form.back.as_deref().map_or(list, |sent| back(&viewer, Some(sent)));
    let resolved = async {
        let keep: Keep = form.keep.as_deref().unwrap_or_default().parse()?;
        acts::conflicts::resolve(&viewer.app, &scope, id, keep, note(form.note.as_deref())?).await?;
        Ok(keep)
    };
    let done = resolved.await.map(|keep| {
        let said = match keep {
            Keep::One(_) => "Resolved: one is kept, and the other superseded by it.",
            Keep::Both => "Resolved: both hold as they are.",
            Keep::Neither => "Resolved: both are archived.",
        };
        (to.clone(), Flash::good(said).or_undo(viewer.place("review/undo"), &[("review", &review.to_string())]))
    });
    viewer.after(done, &to)
}

#[derive(Deserialize)]
pub struct Nothing {}

/// Look for contradictions among what changed since the last look.
pub async fn sweep(viewer: Viewer<Reviewing>, _: Posted<Nothing>) -> Result<Response, Problem> {
    let list = viewer.place("conflicts");
    let swept = acts::conflicts::sweep(&viewer.app, &viewer.scope, SWEPT, false).await;
    let done = swept.map(|swept| {
        let more = if swept.more { " There is more to look at: press it again." } else { "" };
        let said =
            format!("Looked at {} memories that changed since the last time, and found {} conflicts.{more}", swept.looked_at, swept.found);
        (list.clone(), Flash::good(said))
    });
    viewer.after(done, &list)
}

/// Comparing takes its time, which is nobody else's.
async fn side_by_side(scope: &Scope<Reading>, found: Vec<Shown>, most: usize) -> Result<Vec<Conflict>, Problem> {
    const FEW: usize = 4;
    let scope = scope.clone();
    let compare = move |some: &[Shown]| some.iter().map(|one| conflict(&scope, one, most)).collect::<Vec<_>>();
    let compared = tokio::task::spawn_blocking(move || on_all_cores(found.len(), FEW, |some| compare(&found[some])));
    Ok(compared.await.map_err(Problem::internal)?.into_iter().flatten().collect())
}

fn conflict(scope: &Scope<Reading>, one: &Shown, most: usize) -> Conflict {
    let [a, b] = &one.memories;
    let (older, newer) = if a.created_at <= b.created_at { (a, b) } else { (b, a) };
    let said = &one.conflict;
    Conflict {
        id: said.id.to_string(),
        open: said.state == ConflictState::Open,
        reason: one.reason.clone(),
        score: said.score,
        certain: said.certain,
        found_at: said.found_at,
        older: side(scope, older, newer, said.kept == Some(older.id), most),
        newer: side(scope, newer, older, said.kept == Some(newer.id), most),
        resolution: said.resolution.map(|how| how.word().to_owned()),
        resolved: decided(said.resolved_by.as_ref(), said.resolved_at, said.note.as_ref()),
    }
}

fn side(scope: &Scope<Reading>, memory: &Memory, other: &Memory, kept: bool, most: usize) -> Side {
    Side {
        id: memory.id.to_string(),
        title: memory.title.clone(),
        kind: memory.kind.word().to_owned(),
        state: memory.state.word().to_owned(),
        project: memory.project.clone(),
        by: shown(&memory.updated_by),
        at: memory.updated_at,
        verified: memory.verified_at.is_some(),
        freshness: freshness(scope, memory),
        text: marked(Some(&other.content), &memory.content, most),
        kept,
    }
}

fn parse(id: &str) -> Result<ConflictId, Problem> {
    id.parse().map_err(|_| Problem::NotFound)
}
