//! `cairn hook TOOL`: what the tool tells on stdin becomes records in the spool; at a session's start the brief is printed.
//!
//! The agent must not notice: whatever happens, the exit code is 0, nothing is printed but what the tool reads, and the
//! only waiting is for the brief, with a deadline. Sending is the business of the detached flush.

mod brief;
mod halves;
mod payloads;
mod reminder;
mod reply;
mod transcript;

use crate::{
    clean::clean,
    flush, profiles,
    repository::{self, Repository},
    spool::{self, Event, Origin, Record, Spool, What},
    tasks_here,
};
pub use payloads::Tool;
use payloads::{Heard, Moment};
use std::{
    ffi::OsStr,
    io::{IsTerminal, Read, Write},
    panic,
    path::PathBuf,
};

/// A payload larger than this is nobody's tool call.
const LARGEST: u64 = 128 * 1024 * 1024;

pub fn run(tool: Option<&OsStr>) {
    panic::set_hook(Box::new(|_| {}));
    let _ = panic::catch_unwind(|| {
        let payload = read_payload();
        let tool = tool.and_then(OsStr::to_str).and_then(Tool::parse);
        if let (Some(tool), Some(payload)) = (tool, payload) {
            hear(tool, &payload);
        }
    });
}

fn read_payload() -> Option<Vec<u8>> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return None;
    }
    let mut payload = Vec::new();
    stdin.lock().take(LARGEST).read_to_end(&mut payload).ok()?;
    Some(payload)
}

fn hear(tool: Tool, payload: &[u8]) {
    let Some(payload) = halves::read(payload) else { return };
    let Some(heard) = payloads::read(tool, &payload) else { return };
    let cwd = heard.cwd.clone().or_else(|| Some(std::env::current_dir().ok()?.to_string_lossy().into_owned()));
    let repository = repository::find(&cwd.as_deref().map(PathBuf::from).unwrap_or_default());
    let destination = profiles::destination(None, &repository);
    let spool = Spool::of(&destination);
    let origin = origin(tool, &heard, cwd, &repository);
    let records = records(&heard, &origin, &repository);
    // Kept before anything is asked of the server.
    let kept = records.is_empty() || spool::append(&spool, &records).is_ok();
    if kept && !records.is_empty() {
        flush::start_detached(&spool, &destination);
    }
    if let Some(text) = answer(tool, &heard, &origin, &destination) {
        let _ = std::io::stdout().write_all(text.as_bytes());
    }
}

fn origin(tool: Tool, heard: &Heard, cwd: Option<String>, repository: &Repository) -> Origin {
    let starts = matches!(heard.moment, Moment::Start { .. });
    Origin {
        tool: tool.name().to_owned(),
        session: heard.session.clone(),
        root: repository.root.as_ref().map(|root| root.to_string_lossy().into_owned()),
        workspace: repository.settings.workspace.clone(),
        project: repository.settings.project.clone(),
        task: tasks_here::current(repository),
        branch: repository.branch(),
        // Looked up once: it may mean reading a long list of refs.
        commit: starts.then(|| repository.commit()).flatten(),
        cwd,
    }
}

fn records(heard: &Heard, origin: &Origin, repository: &Repository) -> Vec<Record> {
    let record = |what| Record::new(origin.clone(), what);
    let mut records = Vec::new();
    match heard.moment {
        Moment::Start { .. } => records.push(record(What::Start)),
        Moment::Compaction => {
            let text = heard.transcript.as_deref().and_then(transcript::checkpoint);
            // Nobody is there to be asked: a decision that contradicts another waits for a person, the rest is written.
            let body = |text| serde_json::json!({"text": text, "on_conflict": "propose"});
            records.extend(text.map(|text| record(What::Checkpoint(body(text)))));
        }
        Moment::During | Moment::End => {}
    }
    for event in &heard.events {
        let mut event: Event = event.clone();
        event.path = event.path.map(|path| clean(&repository.relative(&path, origin.cwd.as_deref())).into_owned());
        records.push(record(What::Event(Box::new(event))));
    }
    if heard.moment == Moment::End {
        records.push(record(What::End));
    }
    records
}

/// What the tool reads from us, if anything.
fn answer(tool: Tool, heard: &Heard, origin: &Origin, destination: &str) -> Option<String> {
    match heard.moment {
        Moment::Start { compacted } if tool.takes_brief() => {
            let brief = brief::fetch(origin, destination);
            let due = reminder::take(origin) || compacted;
            let reminder = due.then_some(reminder::AFTER);
            let parts: Vec<&str> = reminder.into_iter().chain(brief.as_deref()).collect();
            let context = (!parts.is_empty()).then(|| parts.join("\n\n"));
            reply::context(tool, heard, context.as_deref())
        }
        Moment::Compaction => {
            if !tool.reports_compaction_as_start() {
                reminder::leave(origin);
            }
            reply::compaction(tool)
        }
        _ => {
            let due = reply::carries_context(tool, &heard.event_name) && reminder::take(origin);
            reply::context(tool, heard, due.then_some(reminder::AFTER))
        }
    }
}
