//! Legal holds: the list, placing one, lifting one.

use super::{actors::shown, asked::Asked, forms::Posted, ids, viewer::Viewer};
use crate::{
    acts,
    model::{
        HoldId,
        deletion::{self, Hold, Selectors},
        page::Limit,
    },
    problem::Problem,
    store::Auditing,
};
use axum::{extract::Path, response::Response};
use cairn_web::{
    Flash,
    holds::{self as page, Holds, Typed},
};
use serde::Deserialize;

pub async fn index(viewer: Viewer<Auditing>, asked: Asked) -> Result<Response, Problem> {
    list(&viewer, asked, Typed::default(), None).await
}

async fn list(viewer: &Viewer<Auditing>, mut asked: Asked, typed: Typed, remark: Option<Flash>) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let list = async |cursor: Option<String>| acts::deletion::list_holds(app, scope, Limit::DEFAULT, cursor.as_deref()).await;
    let found = asked.page(list).await?;
    let view = Holds {
        holds: found.data.iter().map(hold).collect(),
        typed,
        continued: asked.is_continued(),
        next_cursor: found.next_cursor,
        chrome: viewer.chrome(remark.or_else(|| asked.complaint())),
    };
    Ok(viewer.sees(view.html()))
}

#[derive(Deserialize)]
pub struct Wanted {
    memory_ids: Option<String>,
    session_ids: Option<String>,
    subject: Option<String>,
    reason: Option<String>,
}

/// Place one. What cannot be understood is said above the form, with what was typed still in it.
pub async fn create(viewer: Viewer<Auditing>, Posted(form): Posted<Wanted>) -> Result<Response, Problem> {
    let placed = async {
        let (memories, sessions) = (ids("memory_ids", form.memory_ids.as_deref())?, ids("session_ids", form.session_ids.as_deref())?);
        let asked = Selectors::of(memories, sessions, form.subject.clone())?.to_hold()?;
        let reason = deletion::reason(form.reason.as_deref().unwrap_or_default())?;
        acts::deletion::hold(&viewer.app, &viewer.scope, asked, reason).await
    };
    match placed.await {
        Ok(_) => {
            let to = viewer.place("holds");
            viewer.after(Ok((to.clone(), Flash::good("The hold stands. Nothing that it keeps is erased."))), &to)
        }
        Err(problem @ (Problem::Invalid(_) | Problem::Conflict(_))) => {
            let typed = Typed {
                memory_ids: form.memory_ids.unwrap_or_default(),
                session_ids: form.session_ids.unwrap_or_default(),
                subject: form.subject.unwrap_or_default(),
                reason: form.reason.unwrap_or_default(),
            };
            list(&viewer, Asked::default(), typed, Some(Flash::bad(problem.told().detail))).await
        }
        Err(problem) => Err(problem),
    }
}

#[derive(Deserialize)]
pub struct Nothing {}

pub async fn release(viewer: Viewer<Auditing>, Path((_, id)): Path<(String, String)>, _: Posted<Nothing>) -> Result<Response, Problem> {
    let id: HoldId = id.parse().map_err(|_| Problem::NotFound)?;
    let to = viewer.place("holds");
    let done = acts::deletion::release(&viewer.app, &viewer.scope, id).await;
    viewer.after(done.map(|()| (to.clone(), Flash::good("Lifted. What it kept can be erased again."))), &to)
}

fn hold(hold: &Hold) -> page::Hold {
    let named = [(hold.memory_ids.len(), "memory", "memories"), (hold.session_ids.len(), "session", "sessions")];
    let mut keeps: Vec<String> = named
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
        .collect();
    keeps.extend(hold.subject.iter().map(|subject| format!("everything by and about {subject}")));
    page::Hold { id: hold.id.to_string(), reason: hold.reason.clone(), keeps, placed_by: shown(&hold.placed_by), placed_at: hold.placed_at }
}
