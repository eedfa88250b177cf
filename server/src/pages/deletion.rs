//! Deletion requests: the list, one request with what it touches, and the decisions.

use super::{actors::shown, asked::Asked, forms::Posted, ids, viewer::Viewer};
use crate::{
    acts,
    model::{
        Actor, ActorKind, DeletionId, Power, clock,
        deletion::{DeletionRequest, DeletionState, ItemKind, Preview, Selectors, Touched, Why},
        page::Limit,
    },
    problem::Problem,
    store::{Reading, Reviewing, Writing},
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    Flash,
    deletion::{self as page, Certificate, Decision, FourEyes, Index, Items, May, New, Request, Show, Typed},
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
        may_ask: viewer.may(Power::Writing),
        requests: page.data.iter().map(summary).collect(),
        continued: asked.is_continued(),
        next_cursor: page.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

#[derive(Deserialize)]
pub struct Wanted {
    memory_ids: Option<String>,
    session_ids: Option<String>,
    subject: Option<String>,
    query: Option<String>,
    include_copies: Option<String>,
    reason: Option<String>,
}

/// The form to ask; a memory or a run may stand in the address already.
pub async fn new(viewer: Viewer<Writing>, asked: Asked) -> Response {
    let said = |name: &str| asked.said(name).to_owned();
    let typed = Typed {
        memory_ids: said("memory"),
        session_ids: said("session"),
        subject: said("subject"),
        query: said("query"),
        ..Typed::default()
    };
    viewer.sees(New { typed, error: None, chrome: viewer.chrome(None) }.html())
}

/// Ask. What cannot be understood is said above the form, with what was typed still in it.
pub async fn create(viewer: Viewer<Writing>, Posted(form): Posted<Wanted>) -> Result<Response, Problem> {
    let asked = async {
        let fields = [&form.memory_ids, &form.session_ids, &form.subject, &form.query];
        if fields.into_iter().flatten().all(|said| said.trim().is_empty()) {
            return Err(Problem::conflict(
                "nothing_named",
                "Name what has to go: memories, sessions, a person, or words that stand in it.",
            ));
        }
        let (memories, sessions) = (ids("memory_ids", form.memory_ids.as_deref())?, ids("session_ids", form.session_ids.as_deref())?);
        let asked = Selectors::of(memories, sessions, form.subject.clone())?.or_words(form.query.clone(), form.include_copies.is_some())?;
        let reason = crate::model::deletion::reason(form.reason.as_deref().unwrap_or_default())?;
        acts::deletion::ask(&viewer.app, &viewer.scope, asked, reason).await
    };
    match asked.await {
        Ok(request) => {
            let said = Flash::good("Asked. Another person has to approve it before anything is erased.");
            let page = viewer.place(format_args!("deletion-requests/{}", request.id));
            viewer.after(Ok((page.clone(), said)), &page)
        }
        Err(problem @ (Problem::Invalid(_) | Problem::Conflict(_))) => {
            let typed = Typed {
                memory_ids: form.memory_ids.unwrap_or_default(),
                session_ids: form.session_ids.unwrap_or_default(),
                subject: form.subject.unwrap_or_default(),
                query: form.query.unwrap_or_default(),
                include_copies: form.include_copies.is_some(),
                reason: form.reason.unwrap_or_default(),
            };
            Ok(viewer.sees(New { typed, error: Some(problem.told().detail), chrome: viewer.chrome(None) }.html()))
        }
        Err(problem) => Err(problem),
    }
}

/// One request: what it would take, who decided, and what the viewer may do about it.
pub async fn show(viewer: Viewer<Reading>, Path((_, id)): Path<(String, String)>) -> Result<Response, Problem> {
    let (request, preview) = acts::deletion::find(&viewer.app, &viewer.scope, parse(&id)?).await?;
    let (four_eyes, may) = decidable(&viewer, &request).await?;
    let executed = request.state == DeletionState::Executed;
    let rejected = request.state == DeletionState::Rejected;
    let decided = decision(request.decided_by.as_ref(), request.decided_at, request.alone);
    let view = Show {
        asked_for: asked_for(&request),
        touched: if executed { Vec::new() } else { preview.items.iter().map(item).collect() },
        more: if executed { 0 } else { preview.more },
        copies: if executed { Vec::new() } else { preview.copies.iter().map(item).collect() },
        more_copies: if executed { 0 } else { request.copies.saturating_sub(preview.copies.len() as u64) },
        approved: decided.clone().filter(|_| !rejected),
        rejected: decided.filter(|_| rejected),
        executed: decision(request.executed_by.as_ref(), request.executed_at, false),
        holds: holds(&viewer, &preview),
        four_eyes,
        may,
        certificate: executed.then(|| viewer.place(format_args!("deletion-requests/{}/certificate", request.id))),
        request: summary(&request),
        chrome: viewer.chrome(None),
    };
    Ok(viewer.sees(view.html()))
}

/// All that is on a request's list, page by page: what goes, or the copies that stay.
pub async fn items(viewer: Viewer<Reading>, Path((_, id)): Path<(String, String)>, mut asked: Asked) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let stays = asked.read("show", "copies", |word| (word == "copies").then_some(())).is_some();
    let (app, scope) = (&viewer.app, &viewer.scope);
    let (request, _) = acts::deletion::find(app, scope, id).await?;
    let list = async |cursor: Option<String>| acts::deletion::items(app, scope, id, !stays, Limit::DEFAULT, cursor.as_deref()).await;
    let page = asked.page(list).await?;
    let view = Items {
        request: summary(&request),
        stays,
        touched: page.data.iter().map(item).collect(),
        continued: asked.is_continued(),
        next_cursor: page.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

/// Why a hold stands is for those who decide or audit.
fn holds(viewer: &Viewer<Reading>, preview: &Preview) -> Vec<String> {
    let told = viewer.may(Power::Reviewing) || viewer.may(Power::Auditing);
    preview.holds.iter().map(|hold| if told { hold.reason.clone() } else { format!("Hold {}", hold.id) }).collect()
}

fn asked_for(request: &DeletionRequest) -> Vec<String> {
    let asked = &request.asked;
    let mut lines = Vec::new();
    let named = [(asked.memory_ids.len(), "memory", "memories"), (asked.session_ids.len(), "session", "sessions")];
    lines.extend(named.iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| format!("{} by id", counted(*n as u64, one, many))));
    lines.extend(asked.subject.iter().map(|subject| format!("everything that {subject} wrote, and everything about {subject}")));
    lines.extend(asked.query.iter().map(|query| format!("whatever has the words “{query}”")));
    lines.extend(asked.include_copies.then(|| "independent copies too".to_owned()));
    lines.extend(request.rule.map(|rule| format!("retention: memories of the kind {}, archived for {} days", rule.kind.word(), rule.days)));
    if lines.is_empty() {
        lines.push("a person or words, which were erased with what they were about".to_owned());
    }
    lines
}

/// Whether the viewer may decide, and if only four eyes stand in the way, that they do.
async fn decidable(viewer: &Viewer<Reading>, request: &DeletionRequest) -> Result<(Option<FourEyes>, May), Problem> {
    let stands = request.resumes_as.unwrap_or(request.state);
    let (pending, approved) = (stands == DeletionState::Pending, stands == DeletionState::Approved);
    if !(pending || approved) || !viewer.may(Power::Reviewing) {
        return Ok((None, May::default()));
    }
    let held = request.state == DeletionState::Blocked;
    let may = May { approve: pending, reject: pending, execute: approved && !held };
    if request.asked_for.0 != viewer.scope.actor().id {
        return Ok((None, may));
    }
    match acts::deletion::alone_from(&viewer.app, &viewer.scope, request).await? {
        Some(from) if from <= clock::now() => Ok((None, may)),
        Some(from) => Ok((Some(FourEyes::AloneUntil(from)), May { reject: pending, ..May::default() })),
        None => {
            let agent = request.asked_by.kind == ActorKind::Agent;
            let why = if agent { FourEyes::YourAgentAsked } else { FourEyes::YouAsked };
            Ok((Some(why), May { reject: pending, ..May::default() }))
        }
    }
}

/// The certificate, to be read and printed.
pub async fn certificate(viewer: Viewer<Reading>, Path((_, id)): Path<(String, String)>) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let (request, _) = acts::deletion::find(&viewer.app, &viewer.scope, id).await?;
    let signed = acts::deletion::certificate(&viewer.app, &viewer.scope, id).await?;
    let said = &signed.certificate;
    let number = |rows: &serde_json::Value| rows.as_u64().unwrap_or_default();
    let view = Certificate {
        request: summary(&request),
        workspace_id: said.workspace_id.to_string(),
        approved: decision(request.decided_by.as_ref(), request.decided_at, false),
        executed: decision(request.executed_by.as_ref(), request.executed_at, false),
        lone_approver: said.lone_approver,
        rule: said.rule.map(|rule| format!("{} memories, archived for {} days", rule.kind.word(), rule.days)),
        counts: said.counts.as_object().into_iter().flatten().map(|(table, rows)| (table.clone(), number(rows))).collect(),
        erased: said.erased.iter().map(|(sort, ids)| (sort.replace('_', " "), ids.clone())).collect(),
        matched_since: said.matched_since,
        note: signed.note,
        json: format!("/v1/workspaces/{}/deletion-requests/{id}/certificate", viewer.scope.standing().workspace().slug),
        chrome: viewer.chrome(None),
    };
    Ok(viewer.sees(view.html()))
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
        Some("yes") => acts::deletion::execute(&viewer.app, &viewer.scope, id).await.map(|done| done.request),
        _ => Err(Problem::conflict("unconfirmed", "Nothing was erased: the box that says you understand was not ticked.")),
    };
    settle(&viewer, id, done, "Erased for good.")
}

fn settle(viewer: &Viewer<Reviewing>, id: DeletionId, done: Result<DeletionRequest, Problem>, said: &str) -> Result<Response, Problem> {
    let page = viewer.place(format_args!("deletion-requests/{id}"));
    viewer.after(done.map(|_| (page.clone(), Flash::good(said))), &page)
}

fn summary(request: &DeletionRequest) -> Request {
    Request {
        id: request.id.to_string(),
        state: request.state.word().to_owned(),
        reason: request.reason.clone(),
        asked_by: shown(&request.asked_by),
        asked_at: request.asked_at,
        counts: counts(request),
    }
}

/// How much it would take, or took.
fn counts(request: &DeletionRequest) -> Vec<(u64, String)> {
    let words: [(ItemKind, &str, &str, &str); 9] = [
        (ItemKind::Memory, "memories", "memory", "memories"),
        (ItemKind::Session, "sessions", "session", "sessions"),
        (ItemKind::Event, "session_events", "event", "events"),
        (ItemKind::Checkpoint, "checkpoints", "checkpoint", "checkpoints"),
        (ItemKind::Task, "tasks", "task", "tasks"),
        (ItemKind::TaskItem, "task_items", "item of a task", "items of tasks"),
        (ItemKind::Receipt, "receipts", "question", "questions"),
        (ItemKind::Proposal, "proposals", "remark on a proposal", "remarks on proposals"),
        (ItemKind::Conflict, "conflicts", "remark on a conflict", "remarks on conflicts"),
    ];
    let of = |kind: ItemKind, table: &str| match &request.counts {
        Some(counts) => counts.get(table).and_then(serde_json::Value::as_u64),
        None => request.touches.get(kind.word()).copied(),
    };
    let all = words.into_iter().filter_map(|(kind, table, one, many)| Some((of(kind, table)?, one, many)));
    all.filter(|(number, ..)| *number > 0).map(|(number, one, many)| (number, plural(number, one, many).to_owned())).collect()
}

fn item(touched: &Touched) -> page::Touched {
    let Some(title) = &touched.title else {
        let title = "Not yours to see, or gone already".to_owned();
        return page::Touched { kind: "hidden".to_owned(), id: touched.id.to_string(), title, detail: String::new(), held: false };
    };
    let size = touched.size.unsigned_abs();
    let detail = touched.detail.as_deref().unwrap_or_default();
    let detail = match touched.kind {
        ItemKind::Memory => format!("{detail} · {}", counted(size, "version", "versions")),
        ItemKind::Session => format!("{detail} · {}", counted(size, "event", "events")),
        _ => detail.to_owned(),
    };
    let why = match touched.why {
        Why::Named | Why::Copy => "",
        Why::Wrote => " · written by this person",
        Why::Words => " · has the words",
        Why::Derived => " · made from this alone",
    };
    page::Touched {
        kind: touched.kind.word().replace('_', " "),
        id: touched.id.to_string(),
        title: title.clone(),
        detail: format!("{detail}{why}"),
        held: false,
    }
}

fn decision(by: Option<&Actor>, at: Option<OffsetDateTime>, alone: bool) -> Option<Decision> {
    let note = alone.then(|| "The same person asked: there was nobody else who could approve.".to_owned());
    by.zip(at).map(|(by, at)| Decision { by: shown(by), at, note })
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
