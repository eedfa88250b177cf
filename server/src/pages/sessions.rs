//! Runs of agents: the list, and one as it happened.

use super::{
    actors::{self, shown},
    asked::Asked,
    memories::words,
    review::{cut, shortened},
    viewer::Viewer,
};
use crate::{
    acts::{self, sessions::Replayed},
    model::{
        Power, SessionId,
        page::Limit,
        recall::Receipt,
        sessions::{Event, EventType, Kept, Session, SessionFilter},
    },
    problem::Problem,
    store::Reading,
};
use axum::{extract::Path, response::Response};
use cairn_web::sessions::{self as page, Filters, Index, Learned, Line, Moment, Show};
use std::collections::HashMap;

/// One line of what may be long.
const LINE: usize = 160;
const COMMAND: usize = 2000;

pub async fn index(viewer: Viewer<Reading>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let filter = &SessionFilter {
        state: asked.read("state", "running, ended or abandoned", |text| text.parse().ok()),
        actor: asked.read("actor", "the id of a person or an agent", |text| text.parse().ok()),
        project: asked.text("project"),
        task: asked.text("task"),
        ..SessionFilter::default()
    };
    let list = async |cursor: Option<String>| acts::sessions::list(app, scope, filter, Limit::DEFAULT, cursor.as_deref()).await;
    let found = asked.page(list).await?;
    let said = |name| asked.said(name).to_owned();
    let view = Index {
        filters: Filters { state: said("state"), actor: said("actor"), project: said("project"), task: said("task") },
        actors: actors::choices(&acts::actors::everyone(app, scope).await?),
        projects: acts::memories::labels(app, scope).await?.projects,
        sessions: found.data.iter().map(summary).collect(),
        origin: app.config().public_url(),
        continued: asked.is_continued(),
        next_cursor: found.next_cursor,
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

pub async fn show(viewer: Viewer<Reading>, Path((_, id)): Path<(String, String)>, mut asked: Asked) -> Result<Response, Problem> {
    let (app, scope) = (&viewer.app, &viewer.scope);
    let id: SessionId = id.parse().map_err(|_| Problem::NotFound)?;
    let list = async |cursor: Option<String>| acts::sessions::replay(app, scope, id, cursor.as_deref()).await;
    let replayed = match list(asked.text("cursor")).await {
        Err(Problem::Invalid(_)) if asked.is_continued() => {
            asked.mishear("cursor", "it is no page of this log, so this is the first");
            list(None).await?
        }
        replayed => replayed?,
    };
    let session = &replayed.session;
    let facts = [("Commit", &session.commit), ("Folder", &session.cwd)];
    let view = Show {
        session: summary(session),
        facts: facts.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))).collect(),
        moments: moments(&viewer, &replayed, &asked),
        learned: replayed
            .learned
            .iter()
            .map(|memory| Learned {
                id: memory.id.to_string(),
                title: memory.title.clone(),
                kind: memory.kind.word().to_owned(),
                state: memory.state.word().to_owned(),
            })
            .collect(),
        learned_more: replayed.learned_more,
        may_roll_back: viewer.may(Power::Reviewing),
        actor_id: session.created_by.id.to_string(),
        cursor: asked.said("cursor").to_owned(),
        continued: asked.is_continued(),
        next_cursor: replayed.next_cursor.clone(),
        chrome: viewer.chrome(asked.complaint()),
    };
    Ok(viewer.sees(view.html()))
}

pub fn summary(session: &Session) -> page::Session {
    page::Session {
        id: session.id.to_string(),
        tool: session.agent_tool.clone(),
        state: session.state.word().to_owned(),
        by: shown(&session.created_by),
        project: session.project.clone(),
        task: session.task.clone(),
        branch: session.branch.clone(),
        started_at: session.started_at,
        ended_at: session.ended_at,
        last_event_at: session.last_event_at,
        events: session.event_count.unsigned_abs(),
        summary: session.summary.clone().filter(|summary| !summary.trim().is_empty()),
    }
}

/// Events, checkpoints and recalls in the order in which they happened.
fn moments(viewer: &Viewer<Reading>, replayed: &Replayed, asked: &Asked) -> Vec<Moment> {
    let whole = asked.said("whole");
    let mut all: Vec<Moment> = replayed.events.iter().map(|one| event(one, whole)).collect();
    all.extend(replayed.checkpoints.iter().map(|kept| checkpoint(kept, &replayed.titles)));
    all.extend(replayed.receipts.iter().map(|receipt| recall(viewer, receipt)));
    all.sort_by_key(|moment| moment.at);
    all
}

fn event(event: &Event, wanted: &str) -> Moment {
    let text = event.text.as_deref().map(|text| words::gist(text, LINE));
    let title = match event.kind {
        EventType::Command => event.command.as_deref().map(|command| cut(command, COMMAND)),
        EventType::FileRead | EventType::FileEdit => event.path.clone(),
        EventType::ToolUse | EventType::ToolResult => event.tool.clone(),
        EventType::Search => text.clone().or_else(|| event.path.clone()),
        EventType::Compaction => Some("the context was compacted".to_owned()),
        EventType::Prompt | EventType::Message | EventType::Note => text.clone(),
    };
    let title = title.or(text).unwrap_or_else(|| event.kind.word().replace('_', " "));
    let whole = event.output.clone().or_else(|| event.text.clone()).or_else(|| event.input.as_ref().map(ToString::to_string));
    // Of a command that the line cuts, all of it stands before what it said.
    let long = event.command.as_ref().filter(|command| command.chars().nth(COMMAND).is_some());
    let whole = long.map(|command| format!("{command}\n\n{}", whole.as_deref().unwrap_or_default())).or(whole);
    let text = whole.filter(|text| text.trim() != title && !text.trim().is_empty());
    let seq = event.seq.to_string();
    let text = text.map(|text| shortened(text, wanted == seq));
    Moment {
        at: event.at,
        kind: event.kind.word().to_owned(),
        is_cut: text.as_ref().is_some_and(|(_, more)| *more),
        text: text.map(|(text, _)| text),
        seq: Some(seq),
        title,
        href: None,
        failed: event.exit_code.is_some_and(|code| code != 0),
        lines: event.exit_code.filter(|code| *code != 0).map(|code| line("exit", code.to_string(), None)).into_iter().collect(),
    }
}

fn checkpoint(kept: &Kept, titles: &HashMap<crate::model::MemoryId, String>) -> Moment {
    let mut lines = Vec::new();
    for (word, ids) in [("decided", &kept.decisions), ("found", &kept.discoveries)] {
        lines.extend(ids.iter().filter_map(|id| Some(line(word, titles.get(id)?.clone(), Some(id.to_string())))));
    }
    lines.extend(kept.progress.iter().map(|item| line(&item.status.word().replace('_', " "), item.item.clone(), None)));
    lines.extend(kept.next_step.iter().map(|step| line("next", step.clone(), None)));
    Moment {
        at: kept.at,
        kind: "checkpoint".to_owned(),
        title: "What the next run has to know".to_owned(),
        text: None,
        is_cut: false,
        seq: None,
        href: None,
        failed: false,
        lines,
    }
}

fn recall(viewer: &Viewer<Reading>, receipt: &Receipt) -> Moment {
    let told = receipt.items.len();
    Moment {
        at: receipt.at,
        kind: "recall".to_owned(),
        title: receipt.query.clone().filter(|query| !query.is_empty()).unwrap_or_else(|| "what binds here".to_owned()),
        text: None,
        is_cut: false,
        seq: None,
        href: Some(viewer.place(format_args!("receipts/{}", receipt.id))),
        failed: false,
        lines: vec![line("told", format!("{told} {}, {} tokens", if told == 1 { "memory" } else { "memories" }, receipt.tokens), None)],
    }
}

fn line(word: &str, text: String, memory: Option<String>) -> Line {
    Line { word: word.to_owned(), text, memory }
}
