//! `cairn checkpoint`: what a session writes so that the next one can go on.

use super::{Here, memories::fill, words};
use crate::{
    arguments::Checkpoint,
    clean::{clean, keep_value},
    clock,
    failure::Failure,
    flush, show,
    spool::{Origin, Record, Running, What, append},
};
use serde_json::{Map, Value, json};
use std::{fmt::Write, io};

pub fn checkpoint(here: &Here, wish: Checkpoint) -> Result<(), Failure> {
    let running = here.running();
    let Some(session) = wish.session.clone().or_else(|| running.as_ref().map(|running| running.id.clone())) else {
        return Err(Failure::Failed(
            "No session runs in this repository.\nStart one with `cairn session start`, or name one with `--session ID` (`cairn session list`).".to_owned(),
        ));
    };
    let body = body(wish)?;
    let sent = here.server()?.post_once(&format!("/sessions/{session}/checkpoints"), &body, &clock::new_id().to_string());
    match (sent, running.filter(|running| running.id == session)) {
        (Ok(answer), _) => {
            here.print(&answer, |answer| routed(&answer.json));
            Ok(())
        }
        (Err(failure), Some(running)) if failure.is_away() => keep(here, running, &body, failure),
        (Err(failure), _) => Err(failure),
    }
}

/// The server is away: the spool brings it there, in its place.
fn keep(here: &Here, running: Running, body: &Value, failure: Failure) -> Result<(), Failure> {
    let reason = failure.short();
    here.keep_checkpoint(running.origin, body).map_err(|_| failure)?;
    println!("The server is away: {reason}.\nThe checkpoint is kept on this machine and will be sent.");
    Ok(())
}

impl Here {
    /// Puts a checkpoint where it waits for the server.
    pub fn keep_checkpoint(&self, origin: Origin, body: &Value) -> io::Result<()> {
        let spool = self.spool();
        append(&spool, &[Record::new(origin, What::Checkpoint(keep_value(body)))])?;
        flush::start_detached(&spool, &self.destination());
        Ok(())
    }
}

fn body(wish: Checkpoint) -> Result<Value, Failure> {
    let items = |items: Vec<String>, status: &'static str| items.into_iter().map(move |item| json!({"item": item, "status": status}));
    let progress: Vec<Value> =
        items(wish.done, "completed").chain(items(wish.doing, "in_progress")).chain(items(wish.todo, "pending")).collect();
    let mut parts = Map::new();
    fill(
        &mut parts,
        [
            ("decisions", (!wish.decisions.is_empty()).then(|| json!(wish.decisions))),
            ("progress", (!progress.is_empty()).then(|| json!(progress))),
            ("discoveries", (!wish.found.is_empty()).then(|| json!(wish.found))),
            ("next_step", wish.next.map(Value::from)),
        ],
    );
    let mut body = match (parts.is_empty(), wish.text.is_empty()) {
        (true, _) => json!({ "text": clean(&words(&wish.text, "The checkpoint")?) }),
        (false, true) => Value::Object(parts),
        (false, false) => return Err(Failure::Usage("give either text or parts (--decision, --done …), not both".to_owned())),
    };
    if let Some(on_conflict) = wish.on_conflict {
        body["on_conflict"] = json!(on_conflict);
    }
    Ok(body)
}

fn routed(answer: &Value) -> String {
    let mut text = format!("Checkpoint {}:\n", show::cell(answer, "id"));
    let mut line = |mark: &str, words: &Value| {
        let words = words.as_str().or_else(|| words["text"].as_str()).or_else(|| words["title"].as_str());
        let _ = writeln!(text, "  {mark:<12} {}", show::one_line(words.unwrap_or("?")));
    };
    answer["decisions"].as_array().into_iter().flatten().for_each(|decision| line("decided", decision));
    for item in answer["progress"].as_array().into_iter().flatten() {
        line(item["status"].as_str().unwrap_or("progress"), &item["item"]);
    }
    answer["discoveries"].as_array().into_iter().flatten().for_each(|found| line("found", found));
    if !answer["next_step"].is_null() {
        line("next", &answer["next_step"]);
    }
    text
}
