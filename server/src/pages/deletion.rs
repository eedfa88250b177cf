//! Deletion requests: the list, one request with what it touches, and the decisions.

use super::{actors::shown, asked::Asked, forms::Posted, viewer::Viewer};
use crate::{
    acts,
    model::{
        Actor, ActorKind, DeletionId, Power,
        deletion::{DeletionRequest, DeletionState, Touched},
        page::Limit,
    },
    problem::Problem,
    store::{Reading, Reviewing},
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    Flash,
    deletion::{self as page, Decision, FourEyes, Index, May, Request, Show},
};
use serde::Deserialize;
use time::OffsetDateTime;

/// The list, newest first.
pub async fn index(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let state = asked.read("state", "pending, approved, executed, rejected or blocked", DeletionState::named);
    let (app, scope) = (&viewer.app, &viewer.scope);
    let list = async |cursor: Option<String>| acts::deletion::list(app, scope, state, Limit::DEFAULT, cursor.as_deref()).await;
    let page = asked.page(list).await?;
    let view = Index {
        state: asked.said("state").to_owned(),
        requests: page.data.iter().map(|request| summary(request, None)).collect(),
        continued: asked.is_continued(),
        next_cursor: page.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

/// One request: what it would take, who decided, and what the viewer may do about it.
pub async fn show(viewer: Viewer<Reading>, Path((_, id)): Path<(String, String)>) -> Result<Response, Problem> {
    let (request, touched) = acts::deletion::find(&viewer.app, &viewer.scope, parse(&id)?).await?;
    let (four_eyes, may) = decidable(&viewer, &request);
    let executed = request.state == DeletionState::Executed;
    let rejected = request.state == DeletionState::Rejected;
    let decided = decision(request.decided_by.as_ref(), request.decided_at);
    let view = Show {
        request: summary(&request, Some(&touched)),
        asked_for: vec![format!("{} by id", counted(request.memory_ids.len() as u64, "memory", "memories"))],
        touched: if executed { Vec::new() } else { touched.iter().map(item).collect() },
        more: 0,
        approved: decided.clone().filter(|_| !rejected),
        rejected: decided.filter(|_| rejected),
        executed: decision(request.executed_by.as_ref(), request.executed_at),
        holds: Vec::new(),
        four_eyes,
        may,
        certificate: None,
        chrome: viewer.chrome(None),
    };
    Ok(viewer.sees(view.html()))
}

/// Whether the viewer may decide, and if only four eyes stand in the way, that they do.
fn decidable(viewer: &Viewer<Reading>, request: &DeletionRequest) -> (Option<FourEyes>, May) {
    let open = matches!(request.state, DeletionState::Pending | DeletionState::Approved);
    if !open || !viewer.may(Power::Reviewing) {
        return (None, May::default());
    }
    if request.asked_for.0 == viewer.scope.actor().id {
        let why = if request.asked_by.kind == ActorKind::Agent { FourEyes::YourAgentAsked } else { FourEyes::YouAsked };
        return (Some(why), May::default());
    }
    let pending = request.state == DeletionState::Pending;
    (None, May { approve: pending, reject: pending, execute: !pending })
}

#[derive(Deserialize)]
pub struct Decide {}

#[derive(Deserialize)]
pub struct Execute {
    confirm: Option<String>,
}

pub async fn approve(viewer: Viewer<Reviewing>, Path((_, id)): Path<(String, String)>, _: Posted<Decide>) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let done = acts::deletion::approve(&viewer.app, &viewer.scope, id).await;
    settle(&viewer, id, done, "Approved. It can be executed now.")
}

pub async fn reject(viewer: Viewer<Reviewing>, Path((_, id)): Path<(String, String)>, _: Posted<Decide>) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let done = acts::deletion::reject(&viewer.app, &viewer.scope, id).await;
    settle(&viewer, id, done, "Rejected. Nothing was erased.")
}

pub async fn execute(
    viewer: Viewer<Reviewing>,
    Path((_, id)): Path<(String, String)>,
    Posted(form): Posted<Execute>,
) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let done = match form.confirm.as_deref() {
        Some("yes") => acts::deletion::execute(&viewer.app, &viewer.scope, id).await,
        _ => Err(Problem::conflict("unconfirmed", "Nothing was erased: the box that says you understand was not ticked.")),
    };
    settle(&viewer, id, done, "Erased for good.")
}

fn settle(viewer: &Viewer<Reviewing>, id: DeletionId, done: Result<DeletionRequest, Problem>, said: &str) -> Result<Response, Problem> {
    let page = viewer.place(format_args!("deletion-requests/{id}"));
    viewer.after(done.map(|_| (page.clone(), Flash::good(said))), &page)
}

fn summary(request: &DeletionRequest, touched: Option<&[Touched]>) -> Request {
    Request {
        id: request.id.to_string(),
        state: request.state.word().to_owned(),
        reason: request.reason.clone(),
        asked_by: shown(&request.asked_by),
        asked_at: request.asked_at,
        counts: counts(request, touched),
    }
}

/// How much it would take, or took.
fn counts(request: &DeletionRequest, touched: Option<&[Touched]>) -> Vec<(u64, String)> {
    let erased = |table: &str| request.counts.as_ref().and_then(|counts| counts.get(table)?.as_u64());
    let memories = erased("memories").unwrap_or(request.memory_ids.len() as u64);
    let seen = touched.map(|touched| touched.iter().map(|one| one.versions.unsigned_abs()).sum());
    let versions = erased("memory_versions").or(seen).unwrap_or(0);
    let all = [(memories, plural(memories, "memory", "memories")), (versions, plural(versions, "version", "versions"))];
    all.into_iter().filter(|(number, _)| *number > 0).map(|(number, word)| (number, word.to_owned())).collect()
}

fn item(touched: &Touched) -> page::Touched {
    let Some(title) = &touched.title else {
        let title = "Not yours to see, or gone already".to_owned();
        return page::Touched { kind: "hidden".to_owned(), id: touched.memory_id.to_string(), title, detail: String::new(), held: false };
    };
    page::Touched {
        kind: "memory".to_owned(),
        id: touched.memory_id.to_string(),
        title: title.clone(),
        detail: format!(
            "{} · {}",
            touched.path.as_deref().unwrap_or_default(),
            counted(touched.versions.unsigned_abs(), "version", "versions")
        ),
        held: false,
    }
}

fn decision(by: Option<&Actor>, at: Option<OffsetDateTime>) -> Option<Decision> {
    by.zip(at).map(|(by, at)| Decision { by: shown(by), at, note: None })
}

fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", plural(number, one, many))
}

fn plural<'a>(number: u64, one: &'a str, many: &'a str) -> &'a str {
    if number == 1 { one } else { many }
}

fn parse(id: &str) -> Result<DeletionId, Problem> {
    id.parse().map_err(|_| Problem::NotFound)
}
