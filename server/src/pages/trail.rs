//! The trail of a workspace: who did what to what, when.

use super::{actors, asked::Asked, forms::Posted, viewer::Viewer};
use crate::{
    acts::{
        self,
        seal::{Check, Outcome, Whose},
    },
    model::{
        Actor, ConflictId, MemoryId, Role,
        page::Limit,
        text,
        trail::{Entry, Filter},
    },
    problem::Problem,
    store::Auditing,
};
use axum::response::{IntoResponse, Redirect, Response};
use cairn_web::trail::{self as page, Filters, Index, Target};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use time::{Date, OffsetDateTime, macros::format_description};
use uuid::Uuid;

/// The list, newest first.
pub async fn index(viewer: Viewer<Auditing>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let filter = &filter(&mut asked);
    let cursor = asked.text("cursor");
    let look = match acts::trail::look(app, scope, filter, Limit::DEFAULT, cursor.as_deref()).await {
        Err(Problem::Invalid(_)) if cursor.is_some() => {
            asked.mishear("cursor", "it is no page of this list, so this is the first");
            acts::trail::look(app, scope, filter, Limit::DEFAULT, None).await?
        }
        looked => looked?,
    };
    let entries = look.page;
    let (signed, _) = acts::seal::checkpoint(app, &Whose::Workspace(scope.clone())).await?;
    let everyone = acts::actors::everyone(app, scope).await?;
    let names = names(&viewer, &entries.data, &everyone).await?;
    let view = Index {
        filters: shown(&asked),
        actors: actors::choices(&everyone),
        actions: ACTIONS.iter().map(|action| (*action).to_owned()).collect(),
        entries: entries.data.iter().map(|entry| line(entry, &names)).collect(),
        checkpoint: page::Checkpoint { size: signed.size, root: signed.root.to_string(), signer: app.notary().name()? },
        check: acts::seal::last_check(app, scope).map(check),
        until: look.until,
        continued: asked.is_continued(),
        next_cursor: entries.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

#[derive(Deserialize)]
pub struct Nothing {}

/// Compute the sealed trail anew, and say what held.
pub async fn verify(viewer: Viewer<Auditing>, _: Posted<Nothing>) -> Result<Response, Problem> {
    acts::seal::check(&viewer.app, Whose::Workspace(viewer.scope.clone())).await;
    Ok(Redirect::to(&viewer.place("trail")).into_response())
}

fn check(check: Check) -> page::Check {
    let outcome = check.outcome.map(|outcome| match outcome {
        Outcome::Holds { root, took, .. } => {
            page::Outcome::Holds { root, took_ms: u64::try_from(took.whole_milliseconds()).unwrap_or_default() }
        }
        Outcome::Broken { index, why } => page::Outcome::Broken { index, why },
        Outcome::Failed => page::Outcome::Failed,
    });
    page::Check { at: check.begun_at, entries: check.entries, size: check.size, outcome }
}

fn filter(asked: &mut Asked) -> Filter {
    Filter {
        actor: asked.read("actor", "the id of a person or an agent", |text| text.parse().ok()),
        target: asked.read("target", "an id", |text| text.trim().parse().ok()),
        action: asked.text("action").map(|action| action.trim().to_owned()),
        from: asked.read("from", "a day such as 2026-11-16", day),
        // The day itself is meant, to its end.
        to: asked.read("to", "a day such as 2026-11-16", |text| day(text)?.checked_add(time::Duration::DAY)),
    }
}

fn day(text: &str) -> Option<OffsetDateTime> {
    let date = Date::parse(text, format_description!("[year]-[month]-[day]")).ok()?;
    (1..9999).contains(&date.year()).then(|| date.midnight().assume_utc())
}

fn shown(asked: &Asked) -> Filters {
    let said = |name| asked.said(name).to_owned();
    Filters { actor: said("actor"), action: said("action"), target: said("target"), from: said("from"), to: said("to") }
}

/// What the targets of these entries are called now, as far as they are there and the viewer may see them.
async fn names(viewer: &Viewer<Auditing>, entries: &[Entry], everyone: &[Actor]) -> Result<HashMap<Uuid, String>, Problem> {
    let of = |wanted: &'static str| {
        let targets = entries.iter().filter_map(|entry| entry.target.as_ref());
        targets.filter(move |(kind, _)| kind == wanted).map(|(_, id)| *id)
    };
    let (memories, conflicts): (Vec<_>, Vec<_>) = (of("memory").map(MemoryId).collect(), of("conflict").map(ConflictId).collect());
    let titles = acts::memories::titles(&viewer.app, &viewer.scope, &memories).await?;
    let clashes = acts::conflicts::titles(&viewer.app, &viewer.scope, &conflicts).await?;
    let workspace = viewer.scope.standing().workspace();
    let named = everyone.iter().map(|actor| (actor.id, actor.name.clone())).chain([(workspace.id.0, workspace.name.clone())]);
    let clashes = clashes.into_iter().map(|(id, titles)| (id.0, titles));
    Ok(titles.into_iter().map(|(id, title)| (id.0, title)).chain(clashes).chain(named).collect())
}

fn line(entry: &Entry, names: &HashMap<Uuid, String>) -> page::Entry {
    page::Entry {
        index: entry.index.and_then(|index| i64::try_from(index).ok()),
        at: entry.at,
        actor: actors::shown(&entry.actor),
        role: entry.role.map_or("nobody", Role::word).to_owned(),
        action: entry.action.clone(),
        target: entry.target.as_ref().map(|(kind, id)| Target { kind: kind.clone(), id: id.to_string(), title: names.get(id).cloned() }),
        version: entry.version,
        request_id: entry.request_id.clone(),
        digest: entry.digest.as_deref().map(text::hex),
        session_id: entry.session_id.map(|id| id.to_string()),
        details: entry.details.as_ref().map(details).unwrap_or_default(),
        actor_id: entry.actor.id.to_string(),
    }
}

/// Ids, numbers and fixed words, a line each.
fn details(details: &Value) -> Vec<(String, String)> {
    let said = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    };
    details.as_object().into_iter().flatten().map(|(name, value)| (name.replace('_', " "), said(value))).collect()
}

/// Offered while typing; any other can be typed too.
const ACTIONS: [&str; 50] = [
    "access.refused",
    "agent.created",
    "agent.deleted",
    "agent.token_issued",
    "checkpoint.written",
    "conflict.found",
    "conflict.reopened",
    "conflict.resolved",
    "deletion.approved",
    "deletion.asked",
    "deletion.blocked",
    "deletion.executed",
    "deletion.rejected",
    "dream.ended",
    "dream.started",
    "hold.placed",
    "hold.released",
    "key.created",
    "key.revoked",
    "member.added",
    "member.removed",
    "member.role_changed",
    "memories.exported",
    "memories.imported",
    "memory.archived",
    "memory.erased",
    "memory.judged",
    "memory.remembered",
    "memory.restored",
    "memory.reverted",
    "memory.revised",
    "memory.superseded",
    "memory.verified",
    "policy.changed",
    "proposal.approved",
    "proposal.assigned",
    "proposal.made",
    "proposal.rejected",
    "proposal.reopened",
    "proposal.withdrawn",
    "rollback.executed",
    "secrets.redacted",
    "secrets.refused",
    "session.ended",
    "session.started",
    "task.advanced",
    "task.completed",
    "task.created",
    "trail.exported",
    "workspace.changed",
];

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn a_day_is_one_that_postgres_knows() {
        assert!(day("2026-11-16").is_some() && day("0001-01-01").is_some());
        for wrong in ["-2026-11-16", "0000-01-01", "9999-12-31", "2026-13-01", "yesterday", "+12026-01-01"] {
            assert!(day(wrong).is_none(), "{wrong}");
        }
    }
}
