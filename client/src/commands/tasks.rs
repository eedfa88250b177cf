//! Work that spans sessions.

use super::{
    Here,
    memories::fill,
    sessions::{members, start as start_session},
};
use crate::{
    arguments::{Named, Task},
    failure::Failure,
    server::escape,
    show, tasks_here,
};
use serde_json::{Map, Value, json};
use std::fmt::Write;

pub fn task(here: &Here, wish: Task) -> Result<(), Failure> {
    match wish {
        Task::Start { key, title, project } => start(here, &key, title, project),
        Task::List => list(here),
        Task::Show(task) => {
            let answer = here.server()?.get(&at(here, &task, ""))?;
            here.print(&answer, |answer| state(&answer.json));
            Ok(())
        }
        Task::Resume { task, session } => resume(here, &task, session),
        Task::Pause(task) => moved(here, &task, "pause", "Paused"),
        Task::Complete(task) => moved(here, &task, "complete", "Completed"),
        Task::Abandon(task) => moved(here, &task, "abandon", "Abandoned"),
    }
}

fn start(here: &Here, key: &str, title: Option<String>, project: Option<String>) -> Result<(), Failure> {
    let mut body = Map::new();
    let project = here.project(project);
    let parts = [
        ("key", Some(json!(key))),
        ("title", Some(json!(title.unwrap_or_else(|| key.to_owned())))),
        ("project", project.clone().map(Value::from)),
    ];
    fill(&mut body, parts);
    let answer = here.server()?.post("/tasks", &Value::Object(body))?;
    tasks_here::set(&here.repository, key);
    // The session that runs here works on it from now on.
    if let Some(running) = here.running() {
        here.server()?.post(&place(key, "/resume", project.as_deref()), &json!({"session_id": running.id}))?;
    }
    here.print(&answer, |_| format!("Task {key} is open, and this repository is at it."));
    Ok(())
}

fn resume(here: &Here, task: &Named, session: Option<String>) -> Result<(), Failure> {
    let session = match session.or_else(|| here.running().map(|running| running.id)) {
        Some(session) => session,
        None => start_session(here, "cairn", task.project.clone(), Some(task.key.clone()))?.0.id,
    };
    let answer = here.server()?.post(&at(here, task, "/resume"), &json!({"session_id": session}))?;
    tasks_here::set(&here.repository, &task.key);
    here.print(&answer, |answer| answer.json["markdown"].as_str().unwrap_or_default().to_owned());
    Ok(())
}

fn moved(here: &Here, task: &Named, verb: &str, done: &str) -> Result<(), Failure> {
    let answer = here.server()?.post(&at(here, task, &format!("/{verb}")), &json!({}))?;
    tasks_here::clear(&here.repository, &task.key);
    here.print(&answer, |_| format!("{done}: {}.", task.key));
    Ok(())
}

fn at(here: &Here, task: &Named, verb: &str) -> String {
    place(&task.key, verb, here.project(task.project.clone()).as_deref())
}

fn place(key: &str, verb: &str, project: Option<&str>) -> String {
    let project = project.map(|project| format!("?project={}", escape(project))).unwrap_or_default();
    format!("/tasks/{}{verb}{project}", escape(key))
}

fn list(here: &Here) -> Result<(), Failure> {
    let answer = here.server()?.get("/tasks?limit=200")?;
    let current = tasks_here::current(&here.repository);
    here.print(&answer, |answer| {
        let rows: Vec<Vec<String>> = answer.json["data"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|task| {
                let mark = if task["key"].as_str() == current.as_deref() && current.is_some() { "*" } else { "" };
                let updated = show::ago(task["updated_at"].as_str());
                let mut row = vec![format!("{}{mark}", show::cell(task, "key"))];
                row.extend([show::cell(task, "state"), updated, show::cell(task, "title"), show::cell(task, "next_step")]);
                row
            })
            .collect();
        if rows.is_empty() {
            return "No task yet. `cairn task start KEY --title TITLE` makes one.".to_owned();
        }
        show::table(&["key", "state", "changed", "title", "next step"], &rows)
    });
    Ok(())
}

fn state(task: &Value) -> String {
    let mut text = members(task);
    for item in task["items"].as_array().into_iter().flatten() {
        let mark = match item["status"].as_str() {
            Some("completed") => 'x',
            Some("in_progress") => '~',
            _ => ' ',
        };
        let _ = writeln!(text, "- [{mark}] {}", show::cell(item, "item"));
    }
    text
}
