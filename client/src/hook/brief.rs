//! The brief at a session's start: asked for with a deadline, else the last one that came, marked as such.

use crate::{clean::short_hash, clock, places, profiles, server::Server, spool::Origin};
use serde_json::{Value, json};
use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

/// An agent's start may wait this long, and no longer.
const DEADLINE: Duration = Duration::from_millis(1500);

pub fn fetch(origin: &Origin, destination: &str) -> Option<String> {
    let kept = kept_at(origin, destination);
    if let Some(markdown) = ask(origin, destination) {
        let _ = places::write(&kept, format!("{}\n{markdown}", clock::stamp()).as_bytes());
        return Some(markdown).filter(|markdown| !markdown.trim().is_empty());
    }
    let text = fs::read_to_string(kept).ok()?;
    let (at, markdown) = text.split_once('\n')?;
    Some(format!("(The memory server does not answer; this is its brief of {at}.)\n\n{markdown}"))
}

fn ask(origin: &Origin, destination: &str) -> Option<String> {
    let profile = profiles::open(destination).ok()?;
    let asked = Instant::now();
    let server = || {
        let left = DEADLINE.saturating_sub(asked.elapsed()).max(Duration::from_millis(1));
        Some(Server::new(&profile, left).ok()?.in_workspace(origin.workspace.as_deref()))
    };
    let mut body = json!({"format": "markdown"});
    for (name, value) in [("project", &origin.project), ("task", &origin.task), ("branch", &origin.branch)] {
        if let Some(value) = value {
            body[name] = json!(value);
        }
    }
    let answer = match server()?.post("/context", &body) {
        // The task is not there, or not there any more: the rest of the brief is.
        Err(failure) if failure.status() == Some(422) && origin.task.is_some() => {
            body["task"] = Value::Null;
            server()?.post("/context", &body)
        }
        answer => answer,
    };
    Some(answer.ok()?.json["markdown"].as_str()?.to_owned())
}

fn kept_at(origin: &Origin, destination: &str) -> PathBuf {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let (project, task, branch) = (part(&origin.project), part(&origin.task), part(&origin.branch));
    let workspace = part(&origin.workspace);
    places::state().join("briefs").join(short_hash(&format!("{destination} {workspace} {project} {task} {branch}")))
}
