//! What people do with a memory, from the forms on its page.

use super::super::{
    forms::Posted,
    viewer::{Viewer, is_local},
};
use crate::{
    acts::{self, memories::Precondition},
    model::{Memory, MemoryId, deletion::Selectors, text},
    problem::Problem,
    store::{Reviewing, Writing},
};
use axum::{extract::Path, response::Response};
use cairn_web::Flash;
use serde::Deserialize;

/// The version that was on the page when the button was pressed.
#[derive(Deserialize)]
pub struct Seen {
    seen: Option<i32>,
    /// Where to go afterwards, if not to the memory: the list that the button stands in.
    next: Option<String>,
}

#[derive(Deserialize)]
pub struct Revert {
    seen: Option<i32>,
    version: i32,
}

#[derive(Deserialize)]
pub struct AskDeletion {
    reason: Option<String>,
}

pub async fn verify(
    viewer: Viewer<Reviewing>,
    Path((_, id)): Path<(String, String)>,
    Posted(form): Posted<Seen>,
) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let done = acts::memories::verify(&viewer.app, &viewer.scope, id, Precondition(form.seen), None).await;
    let page = form.next.filter(|next| is_local(next)).unwrap_or_else(|| page(&viewer, id));
    viewer.after(done.map(|_| (page.clone(), Flash::good("Verified: it is fresh again."))), &page)
}

pub async fn archive(
    viewer: Viewer<Writing>,
    Path((_, id)): Path<(String, String)>,
    Posted(form): Posted<Seen>,
) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let done = acts::memories::archive(&viewer.app, &viewer.scope, id, Precondition(form.seen)).await;
    let page = page(&viewer, id);
    let said = |memory: Memory| {
        let seen = memory.version.to_string();
        let flash = Flash::good("Archived. No recall returns it; it can be restored.");
        (page.clone(), flash.or_undo(format!("{page}/restore"), &[("seen", seen.as_str())]))
    };
    viewer.after(done.map(said), &page)
}

pub async fn restore(
    viewer: Viewer<Writing>,
    Path((_, id)): Path<(String, String)>,
    Posted(form): Posted<Seen>,
) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let done = acts::memories::restore(&viewer.app, &viewer.scope, id, Precondition(form.seen)).await;
    settle(&viewer, id, done, "Restored.")
}

pub async fn revert(
    viewer: Viewer<Writing>,
    Path((_, id)): Path<(String, String)>,
    Posted(form): Posted<Revert>,
) -> Result<Response, Problem> {
    let id = parse(&id)?;
    let done = acts::memories::revert(&viewer.app, &viewer.scope, id, Precondition(form.seen), form.version).await;
    settle(&viewer, id, done, &format!("Back to version {}, as a new version.", form.version))
}

pub async fn ask_deletion(
    viewer: Viewer<Writing>,
    Path((_, id)): Path<(String, String)>,
    Posted(form): Posted<AskDeletion>,
) -> Result<Response, Problem> {
    let id = parse(&id)?;
    // A memory that is not there is not there, whatever the form says.
    acts::memories::find(&viewer.app, &viewer.scope, id).await?;
    let asked = async {
        let reason = form.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
        let reason = text::prose("reason", reason.ok_or_else(|| Problem::invalid("reason", "must not be empty"))?, 2000)?;
        acts::deletion::ask(&viewer.app, &viewer.scope, Selectors { memory_ids: vec![id], ..Selectors::default() }, reason).await
    };
    let done = asked.await.map(|request| {
        let said = "Asked. Another person has to approve it before anything is erased.";
        (viewer.place(format_args!("deletion-requests/{}", request.id)), Flash::good(said))
    });
    viewer.after(done, &page(&viewer, id))
}

/// Back to the memory, with a word on how it went.
fn settle<P>(viewer: &Viewer<P>, id: MemoryId, done: Result<Memory, Problem>, said: &str) -> Result<Response, Problem> {
    let page = page(viewer, id);
    viewer.after(done.map(|_| (page.clone(), Flash::good(said))), &page)
}

pub(super) fn page<P>(viewer: &Viewer<P>, id: MemoryId) -> String {
    viewer.place(format_args!("memories/{id}"))
}

pub(super) fn parse(id: &str) -> Result<MemoryId, Problem> {
    id.parse().map_err(|_| Problem::NotFound)
}
