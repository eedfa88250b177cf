//! mcp-memory-service: one table of texts with a type, tags and metadata; each goes by the hash of its text.

use super::super::{
    draft::{Draft, Record, moment, text, words},
    kinds,
};
use crate::model::{
    Kind,
    exchange::{Format, Found, Passed},
};
use serde_json::Value;

pub fn read(table: &'static str, record: &Record) -> Found {
    let hash = text(record, "content_hash");
    let place = format!("{table} {}", text(record, "id").or_else(|| hash.clone()).unwrap_or_else(|| "?".to_owned()));
    if record.get("deleted_at").is_some_and(|at| !at.is_null()) {
        return super::skipped(place, Passed::DeletedThere, "It was deleted there.");
    }
    if text(record, "superseded_by").is_some() {
        return super::skipped(place, Passed::DeletedThere, "A newer one took its place there.");
    }
    let said = text(record, "content").unwrap_or_default();
    let kind = text(record, "memory_type").and_then(|word| kinds::of_word(&word)).unwrap_or(Kind::Fact);
    let metadata = match record.get("metadata") {
        Some(Value::Object(metadata)) => metadata.clone(),
        Some(Value::String(json)) => serde_json::from_str(json).unwrap_or_default(),
        _ => Record::new(),
    };
    let mut draft = Draft::new(hash.unwrap_or_else(|| said.clone()), said, kind);
    draft.tags = words(record, "tags");
    draft.project = text(&metadata, "project");
    draft.by = text(&metadata, "agent_id").or_else(|| text(&metadata, "hostname"));
    draft.confidence = metadata.get("confidence").or_else(|| record.get("confidence")).and_then(Value::as_f64).map(narrowed);
    draft.at = moment(record.get("created_at")).or_else(|| moment(record.get("created_at_iso")));
    draft.found(Format::McpMemoryService, place)
}

#[expect(clippy::cast_possible_truncation, reason = "a confidence needs no more")]
pub fn narrowed(number: f64) -> f32 {
    number as f32
}
