//! A checkpoint that the server is not there for: it is kept with what the hooks keep, and sent with it.

use super::Request;
use crate::{
    commands::Here,
    places,
    spool::{Origin, RunningSessions},
};
use serde_json::{Map, Value};

/// Whether the request is a checkpoint, and is kept now.
pub fn checkpoint(here: &Here, request: &Request) -> bool {
    let params = &request.message["params"];
    let Some(sent) = params["arguments"].as_object().filter(|_| request.method == "tools/call" && params["name"] == "checkpoint") else {
        return false;
    };
    let mut body: Map<String, Value> = sent.clone();
    let mut take = |name: &str| body.remove(name).and_then(|said| said.as_str().map(str::to_owned));
    let (session, task, project) = (take("session_id"), take("task"), take("project"));
    let says = ["text", "decisions", "progress", "discoveries", "next_step"]
        .iter()
        .any(|part| body.get(*part).is_some_and(|part| !part.is_null()));
    says && here.keep_checkpoint(origin(here, session, task, project), &Value::Object(body)).is_ok()
}

/// The run of this repository, if it does this work; else one that the server takes for the agent's own on it.
fn origin(here: &Here, session: Option<String>, task: Option<String>, project: Option<String>) -> Origin {
    let agrees = |asked: &Option<String>, is: &Option<String>| asked.is_none() || asked == is;
    let running = here.running().filter(|running| {
        session.as_ref().is_none_or(|session| *session == running.id)
            && agrees(&task, &running.origin.task)
            && agrees(&project, &running.origin.project)
    });
    if let Some(running) = running {
        return running.origin;
    }
    let marked = |mark: &str, of: &Option<String>| of.as_ref().map(|of| format!(" {mark}:{of}")).unwrap_or_default();
    let name = match &session {
        Some(session) => format!("mcp {session}"),
        None => format!("mcp{}{}", marked("task", &task), marked("project", &project)),
    };
    let (branch, commit) = (here.repository.branch(), here.repository.commit());
    let origin = Origin { tool: "mcp".to_owned(), session: name, project, task, branch, commit, ..Origin::default() };
    if let Some(session) = session {
        let spool = here.spool();
        let _ = places::make_dir(&spool.folder).and_then(|()| RunningSessions::of(&spool).started(&origin, &session).map(|_| ()));
    }
    origin
}
