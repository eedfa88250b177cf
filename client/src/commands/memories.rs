//! Remembering, asking, and the brief.

use super::{Here, words};
use crate::{
    arguments::{Context, Recall, Remember, word},
    failure::Failure,
    show, tasks_here,
};
use serde_json::{Map, Value, json};
use std::fmt::Write;

pub fn remember(here: &Here, wish: Remember) -> Result<(), Failure> {
    let mut body = Map::new();
    body.insert("content".to_owned(), json!(words(&wish.text, "What to remember")?));
    let anchors: Vec<Value> = wish.anchors.iter().map(|anchor| parse_anchor(anchor)).collect();
    let parts = [
        ("kind", wish.kind.map(|kind| json!(word(kind)))),
        ("title", wish.title.map(Value::from)),
        ("path", wish.path.map(Value::from)),
        ("project", here.project(wish.project).map(Value::from)),
        ("confidence", wish.confidence.map(Value::from)),
        ("supersedes", wish.supersedes.map(Value::from)),
        ("on_conflict", wish.on_conflict.map(Value::from)),
        ("stale_after", wish.stale_after.map(Value::from)),
        ("expires_at", wish.expires_at.map(Value::from)),
        ("session_id", here.running().map(|running| json!(running.id))),
        ("tags", (!wish.tags.is_empty()).then(|| json!(wish.tags))),
        ("anchors", (!anchors.is_empty()).then(|| json!(anchors))),
    ];
    fill(&mut body, parts);
    let answer = here.server()?.post("/memories", &Value::Object(body))?;
    here.print(&answer, |answer| {
        let memory = &answer.json;
        // 201 is a new memory, 200 the one that says the same to the letter.
        let known = answer.status == 200;
        let (done, end) = if known { ("Known already", "; nothing new was written") } else { ("Remembered", "") };
        let [path, kind, id] = ["path", "kind", "id"].map(|member| show::cell(memory, member));
        let mut text = format!("{done} as {path} ({kind}, {id}){end}.");
        if memory["state"] == "proposed" {
            text.push_str("\nIt waits for review.");
        }
        for conflict in memory["conflicts"].as_array().into_iter().flatten() {
            let title = conflict["title"].as_str().or_else(|| conflict["path"].as_str()).unwrap_or("another memory");
            let _ = write!(text, "\nIt may contradict: {title}");
        }
        text
    });
    Ok(())
}

pub fn recall(here: &Here, wish: Recall) -> Result<(), Failure> {
    let mut body = Map::new();
    body.insert("query".to_owned(), json!(wish.query.join(" ")));
    let kinds: Vec<String> = wish.kinds.into_iter().map(word).collect();
    let parts = [
        ("limit", wish.limit.map(Value::from)),
        ("token_budget", wish.budget.map(Value::from)),
        ("detail", wish.detail.map(|detail| json!(word(detail)))),
        ("project", here.project(wish.project).map(Value::from)),
        ("as_of", wish.as_of.map(Value::from)),
        ("branch", wish.branch.or_else(|| here.repository.branch()).map(Value::from)),
        ("kinds", (!kinds.is_empty()).then(|| json!(kinds))),
        ("tags", (!wish.tags.is_empty()).then(|| json!(wish.tags))),
        ("session_id", here.running().map(|running| json!(running.id))),
    ];
    fill(&mut body, parts);
    let answer = here.server()?.post("/recall", &Value::Object(body))?;
    here.print(&answer, |answer| told(&answer.json));
    Ok(())
}

pub fn context(here: &Here, wish: Context) -> Result<(), Failure> {
    let mut body = Map::new();
    let task = wish.task.or_else(|| tasks_here::current(&here.repository));
    let parts = [
        ("project", here.project(wish.project).map(Value::from)),
        ("task", task.map(Value::from)),
        ("branch", wish.branch.or_else(|| here.repository.branch()).map(Value::from)),
        ("token_budget", wish.budget.map(Value::from)),
    ];
    fill(&mut body, parts);
    let answer = here.server()?.post("/context", &Value::Object(body))?;
    here.print(&answer, |answer| answer.json["markdown"].as_str().unwrap_or("There is nothing to tell yet.").to_owned());
    Ok(())
}

fn told(answer: &Value) -> String {
    let items = answer["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let notes = answer["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let notes: String = notes.flat_map(|note| [note, "\n"]).collect();
    if items.is_empty() {
        return format!("{notes}Nothing is known about that.");
    }
    let mut text = notes;
    for item in items {
        // An agent may read this: what speaks to it instead of stating something is named, and not passed on.
        let flagged = item["flagged"].as_str();
        let title = match flagged {
            Some(what) => format!("[left out: its text {what}]"),
            None => item["title"].as_str().or_else(|| item["path"].as_str()).unwrap_or("?").to_owned(),
        };
        let _ = write!(text, "{title}  [{}", show::cell(item, "kind"));
        let freshness = item["freshness"]["state"].as_str().unwrap_or("fresh");
        if freshness != "fresh" {
            let reasons: Vec<&str> = item["freshness"]["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let _ = write!(text, ", {freshness}: {}", reasons.join("; "));
        }
        let author = item["provenance"]["author"]["name"].as_str().map(|name| format!("by {name}  ")).unwrap_or_default();
        let _ = writeln!(text, "]  {author}{}", show::cell(item, "memory_id"));
        for line in item["content"].as_str().filter(|_| flagged.is_none()).unwrap_or_default().lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    let omitted = answer["omitted"].as_u64().unwrap_or(0);
    let more = if omitted > 0 { format!(", {omitted} more did not fit") } else { String::new() };
    text + &format!("{} memories, {} tokens{more}; receipt {}", items.len(), answer["tokens"], show::cell(answer, "receipt_id"))
}

/// PATH, PATH#SYMBOL or REPO:PATH#SYMBOL.
fn parse_anchor(text: &str) -> Value {
    let (place, symbol) = text.split_once('#').map_or((text, None), |(place, symbol)| (place, Some(symbol)));
    let (repo, path) = place.split_once(':').map_or((None, place), |(repo, path)| (Some(repo), path));
    let mut anchor = json!({ "path": path });
    if let Some(repo) = repo {
        anchor["repo"] = json!(repo);
    }
    if let Some(symbol) = symbol {
        anchor["symbol"] = json!(symbol);
    }
    anchor
}

pub fn fill<const N: usize>(body: &mut Map<String, Value>, parts: [(&str, Option<Value>); N]) {
    for (name, value) in parts {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_read() {
        assert_eq!(parse_anchor("a.py"), json!({"path": "a.py"}));
        assert_eq!(parse_anchor("api:src/a.py#login"), json!({"repo": "api", "path": "src/a.py", "symbol": "login"}));
    }
}
