//! mem0 and OpenMemory: what `get_all`, an export of the platform, or the backup's `memories.json` and its lines have.

use super::{
    super::{
        draft::{Draft, Record, moment, text, words},
        kinds,
    },
    skipped,
};
use crate::model::{
    Kind, State,
    exchange::{Format, Found, Passed},
};
use serde_json::Value;
use std::collections::HashMap;

pub fn read(whole: &Record) -> Vec<Found> {
    let lists = ["results", "memories", "records"];
    let Some(all) = lists.iter().find_map(|list| whole.get(*list)?.as_array()) else {
        // One memory alone.
        return vec![one_of(0, &Value::Object(whole.clone()), &HashMap::new())];
    };
    // A backup names its categories once.
    let named = whole.get("categories").and_then(Value::as_array).into_iter().flatten();
    let categories = named.filter_map(|one| Some((one["id"].as_str()?, one["name"].as_str()?))).collect();
    all.iter().enumerate().map(|(n, one)| one_of(n, one, &categories)).collect()
}

pub fn read_all(all: &[Value]) -> Vec<Found> {
    all.iter().enumerate().map(|(n, one)| one_of(n, one, &HashMap::new())).collect()
}

fn one_of(n: usize, one: &Value, categories: &HashMap<&str, &str>) -> Found {
    let place = format!("memory {n}");
    let Some(record) = one.as_object() else { return skipped(place, Passed::Unreadable, "It is no object.") };
    let state = text(record, "state").unwrap_or_default();
    if state == "deleted" || record.get("deleted_at").is_some_and(|at| !at.is_null()) {
        return skipped(place, Passed::DeletedThere, "It was deleted there.");
    }
    let Some(said) = ["memory", "content", "text", "data"].iter().find_map(|member| text(record, member)) else {
        return skipped(place, Passed::NothingSaid, "It has no text.");
    };
    let empty = Record::new();
    let metadata = record.get("metadata").and_then(Value::as_object).unwrap_or(&empty);
    let mut tags = words(record, "categories");
    tags.extend(words(record, "category_ids").iter().filter_map(|id| categories.get(id.as_str())).map(|name| (*name).to_owned()));
    let named = ["type", "kind", "category"].iter().filter_map(|member| text(metadata, member));
    let kind = named.chain(tags.iter().cloned()).find_map(|word| kinds::of_word(&word));
    let key = text(record, "id").or_else(|| text(record, "hash")).unwrap_or_else(|| said.clone());
    let mut draft = Draft::new(key, said, kind.unwrap_or(Kind::Fact));
    draft.tags = tags;
    draft.project = text(metadata, "project").or_else(|| text(metadata, "repo"));
    // Whose it is, there, is whom it is about.
    draft.subject = text(record, "user_id");
    draft.by = text(record, "agent_id").or_else(|| text(record, "app")).or_else(|| text(record, "actor_id"));
    draft.at = moment(record.get("created_at"));
    draft.expires_at = moment(record.get("expiration_date"));
    if matches!(state.as_str(), "archived" | "paused") {
        draft.state = State::Archived;
    }
    draft.found(Format::Mem0, place)
}
