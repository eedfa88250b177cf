//! Runs of an agent: started by hand where no hook does, listed, replayed, ended.

use super::{Here, memories::fill};
use crate::{
    arguments::Session,
    clock,
    failure::Failure,
    places,
    server::{Answer, escape},
    show,
    spool::{Origin, Running, RunningSessions},
    tasks_here,
};
use serde_json::{Map, Value, json};

/// A page of a replay.
const PAGE: u64 = 200;

pub fn session(here: &Here, wish: Session) -> Result<(), Failure> {
    match wish {
        Session::Start { tool, project, task } => {
            let (_, answer) = start(here, &tool, project, task)?;
            here.print(&answer, |answer| format!("Session {} runs.", show::cell(&answer.json, "id")));
            Ok(())
        }
        Session::List { limit } => list(here, limit),
        Session::Show { id } => {
            let answer = here.server()?.get(&format!("/sessions/{}", escape(&id)))?;
            here.print(&answer, |answer| members(&answer.json));
            Ok(())
        }
        Session::Events { id } => events(here, &id),
        Session::End { id, summary } => end(here, id, summary),
    }
}

/// Starts one in this repository, so that later commands find it.
pub fn start(here: &Here, tool: &str, project: Option<String>, task: Option<String>) -> Result<(Running, Answer), Failure> {
    let origin = Origin {
        tool: tool.to_owned(),
        session: format!("cli-{}", clock::new_id()),
        cwd: std::env::current_dir().ok().map(|cwd| cwd.to_string_lossy().into_owned()),
        root: here.repository.root.as_ref().map(|root| root.to_string_lossy().into_owned()),
        workspace: here.repository.settings.workspace.clone(),
        project: here.project(project),
        task: task.or_else(|| tasks_here::current(&here.repository)),
        branch: here.repository.branch(),
        commit: here.repository.commit(),
    };
    let mut body = Map::new();
    let of = |value: &Option<String>| value.clone().map(Value::from);
    let parts = [
        ("agent_tool", Some(json!(origin.tool))),
        ("external_id", Some(json!(origin.session))),
        ("project", of(&origin.project)),
        ("task", of(&origin.task)),
        ("branch", of(&origin.branch)),
        ("commit", of(&origin.commit)),
        ("cwd", of(&origin.cwd)),
    ];
    fill(&mut body, parts);
    let answer = here.server()?.post("/sessions", &Value::Object(body))?;
    let spool = here.spool();
    places::make_dir(&spool.folder).map_err(|wrong| Failure::file("make", &spool.folder, &wrong))?;
    let running = RunningSessions::of(&spool)
        .started(&origin, answer.json["id"].as_str().unwrap_or_default())
        .map_err(|wrong| Failure::file("write", &spool.folder, &wrong))?;
    Ok((running, answer))
}

fn list(here: &Here, limit: u64) -> Result<(), Failure> {
    let answer = here.server()?.get(&format!("/sessions?limit={limit}"))?;
    here.print(&answer, |answer| {
        let rows: Vec<Vec<String>> = answer.json["data"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|session| {
                let started = show::ago(session["started_at"].as_str());
                let mut row: Vec<String> = ["id", "agent_tool", "state", "event_count"].map(|name| show::cell(session, name)).into();
                row.extend([started, show::cell(session, "project"), show::cell(session, "task"), show::cell(session, "branch")]);
                row
            })
            .collect();
        if rows.is_empty() {
            return "No session yet. `cairn install TOOL` makes a tool report its own.".to_owned();
        }
        show::table(&["id", "tool", "state", "events", "started", "project", "task", "branch"], &rows)
    });
    Ok(())
}

fn events(here: &Here, id: &str) -> Result<(), Failure> {
    let server = here.server()?;
    let mut cursor: Option<String> = None;
    loop {
        let page = cursor.as_deref().map(|cursor| format!("&cursor={}", escape(cursor))).unwrap_or_default();
        let answer = server.get(&format!("/sessions/{}/events?limit={PAGE}{page}", escape(id)))?;
        here.print(&answer, |answer| answer.json["data"].as_array().into_iter().flatten().map(event_line).collect());
        cursor = answer.json["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            return Ok(());
        }
    }
}

fn event_line(event: &Value) -> String {
    let told = ["command", "path", "text", "tool"].iter().find_map(|name| event[*name].as_str()).unwrap_or("");
    let code = event["exit_code"].as_i64().filter(|code| *code != 0).map(|code| format!(" (exit {code})")).unwrap_or_default();
    format!("{}  {:<11} {}{code}\n", show::cell(event, "at"), show::cell(event, "type"), show::one_line(told))
}

fn end(here: &Here, id: Option<String>, summary: Option<String>) -> Result<(), Failure> {
    let running = here.running().filter(|running| id.as_ref().is_none_or(|id| *id == running.id));
    let Some(id) = id.or_else(|| running.as_ref().map(|running| running.id.clone())) else {
        return Err(Failure::Failed("No session runs in this repository; name one: `cairn session end ID`.".to_owned()));
    };
    let body = summary.map_or_else(|| json!({}), |summary| json!({ "summary": summary }));
    let answer = here.server()?.post(&format!("/sessions/{}/end", escape(&id)), &body)?;
    if let Some(running) = running {
        RunningSessions::of(&here.spool()).ended(&running.origin);
    }
    here.print(&answer, |answer| {
        let proposals = answer.json["proposals"].as_array().map_or(0, Vec::len);
        let episode = answer.json["episode"]["path"].as_str().map(|path| format!(" What happened is at {path}.")).unwrap_or_default();
        format!("Ended.{episode} {proposals} proposals wait for review.")
    });
    Ok(())
}

/// An object as `name  value` lines.
pub fn members(value: &Value) -> String {
    let rows: Vec<Vec<String>> = value
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| !value.is_null() && !value.is_array() && !value.is_object())
        .map(|(name, _)| vec![name.clone(), show::cell(value, name)])
        .collect();
    show::table(&["", ""], &rows).trim_start().to_owned()
}
