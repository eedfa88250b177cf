//! The brief at a session's start: asked for with a deadline, else the last one that came, marked as such.

use crate::{briefs::Briefs, profiles, server::Server, spool::Origin};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// An agent's start may wait this long, and no longer.
const DEADLINE: Duration = Duration::from_millis(1500);

pub fn fetch(origin: &Origin, destination: &str) -> Option<String> {
    let kept = Briefs::of(destination, origin.workspace.as_deref());
    if let Some((answer, markdown)) = ask(origin, destination) {
        kept.heed(&answer);
        kept.keep(origin, &answer, &markdown);
        return Some(markdown).filter(|markdown| !markdown.trim().is_empty());
    }
    let (at, markdown) = kept.last(origin)?;
    Some(format!("(The memory server does not answer; this is its brief of {at}.)\n\n{markdown}"))
}

fn ask(origin: &Origin, destination: &str) -> Option<(Value, String)> {
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
    let answer = answer.ok()?.json;
    let markdown = answer["markdown"].as_str()?.to_owned();
    Some((answer, markdown))
}
