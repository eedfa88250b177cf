//! Sessions and tasks.

use super::{HOSTILE, NOW, Sample, authors, chrome, hostile_chrome};
use crate::{
    Actor, Chrome,
    markdown::Markdown,
    sessions::{self, Learned, Line, Moment, Session},
    tasks::{self, Column, Item, May, Task},
};
use time::Duration;

const ID: &str = "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b10";

pub(super) fn samples() -> Vec<Sample> {
    let none = sessions::Index { sessions: Vec::new(), next_cursor: None, ..list("Retries are idempotent now") };
    let filters = sessions::Filters { state: "running".into(), ..sessions::Filters::default() };
    let unmatched = sessions::Index { filters, ..none.clone() };
    let empty = tasks::Index { columns: Vec::new(), ..board("x") };
    let mut completed = tasks::Index { state: Some("completed".into()), continued: true, next_cursor: Some("abc".into()), ..board("x") };
    completed.columns.truncate(1);
    let silent = sessions::Show { moments: Vec::new(), learned: Vec::new(), ..replay(chrome(), "x") };
    vec![
        Sample { name: "sessions", html: list("Retries are idempotent now").html() },
        Sample { name: "sessions-empty", html: none.html() },
        Sample { name: "sessions-none-match", html: unmatched.html() },
        Sample { name: "sessions-hostile", html: list(HOSTILE).html() },
        Sample { name: "session", html: replay(chrome(), "make the retries idempotent").html() },
        Sample { name: "session-silent", html: silent.html() },
        Sample { name: "session-hostile", html: replay(hostile_chrome(), HOSTILE).html() },
        Sample { name: "tasks", html: board("Retry failed checkouts").html() },
        Sample { name: "tasks-empty", html: empty.html() },
        Sample { name: "tasks-of-a-state", html: completed.html() },
        Sample { name: "tasks-hostile", html: board(HOSTILE).html() },
        Sample { name: "task", html: task(chrome(), "Retry failed checkouts").html() },
        Sample { name: "task-hostile", html: task(hostile_chrome(), HOSTILE).html() },
    ]
}

fn session(state: &str, word: &str) -> Session {
    Session {
        id: ID.into(),
        tool: word.into(),
        state: state.into(),
        by: Actor::agent("code-agent on ada-laptop"),
        project: Some(word.into()),
        task: Some(word.into()),
        branch: Some(word.into()),
        started_at: NOW - Duration::hours(3),
        ended_at: (state != "running").then(|| NOW - Duration::minutes(20)),
        last_event_at: Some(NOW - Duration::minutes(22)),
        events: 1204,
        summary: (state != "running").then(|| word.to_owned()),
    }
}

fn list(word: &str) -> sessions::Index {
    sessions::Index {
        chrome: chrome(),
        filters: sessions::Filters::default(),
        actors: authors(),
        projects: vec![word.into()],
        sessions: vec![session("running", word), session("ended", word), session("abandoned", word)],
        origin: "https://cairn.example.org".into(),
        continued: false,
        next_cursor: Some("abc".into()),
    }
}

fn replay(chrome: Chrome, word: &str) -> sessions::Show {
    let moment = |kind: &str, text: Option<&str>, minutes: i64| Moment {
        at: NOW - Duration::minutes(minutes),
        kind: kind.into(),
        title: word.into(),
        text: text.map(str::to_owned),
        is_cut: kind == "command",
        seq: text.map(|_| word.to_owned()),
        href: None,
        failed: false,
        lines: Vec::new(),
    };
    let line = |said: &str, memory: Option<&str>| Line { word: said.into(), text: word.into(), memory: memory.map(str::to_owned) };
    let long = "error: the test depends on the wall clock\n".repeat(12);
    sessions::Show {
        chrome,
        session: session("running", word),
        facts: vec![("Commit", word.into())],
        moments: vec![
            moment("prompt", None, 60),
            Moment { href: Some("/w/coding/receipts/1".into()), ..moment("recall", None, 58) },
            moment("file_read", None, 55),
            Moment { failed: true, ..moment("command", Some(&long), 50) },
            moment("file_edit", Some("short"), 45),
            Moment { lines: vec![line("decided", Some(ID)), line("pending", None), line("next", None)], ..moment("checkpoint", None, 40) },
        ],
        learned: vec![Learned { id: ID.into(), title: word.into(), kind: "discovery".into(), state: "proposed".into() }],
        learned_more: true,
        may_roll_back: true,
        cursor: word.into(),
        actor_id: word.into(),
        continued: true,
        next_cursor: Some("abc".into()),
    }
}

fn card(state: &str, word: &str) -> Task {
    Task {
        key: "checkout-retries".into(),
        title: word.into(),
        state: state.into(),
        project: Some(word.into()),
        next_step: Some(word.into()),
        by: Actor::agent("code-agent on ada-laptop"),
        updated_at: NOW - Duration::hours(2),
    }
}

fn board(word: &str) -> tasks::Index {
    let column = |state: &str| Column { state: state.into(), tasks: vec![card(state, word)], more: state == "completed" };
    tasks::Index {
        chrome: chrome(),
        columns: ["open", "active", "paused", "completed"].map(column).into(),
        state: None,
        continued: false,
        next_cursor: None,
    }
}

fn task(chrome: Chrome, word: &str) -> tasks::Show {
    let item = |status: &str| Item { text: word.into(), status: status.into(), note: Some(word.into()), session_id: ID.into() };
    tasks::Show {
        chrome,
        task: card("active", word),
        created_at: NOW - Duration::days(3),
        items: vec![item("completed"), item("in_progress"), item("pending")],
        sessions: vec![session("ended", word), session("running", word)],
        more_sessions: true,
        brief: Some(Markdown::new(&format!("# Task\n\n## Next step\n- {word}\n"))),
        episode: Some(ID.into()),
        may: May { pause: true, complete: true, abandon: true },
    }
}
