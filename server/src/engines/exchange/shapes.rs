//! What a file is, by what stands in it.

use super::{draft, front_matter, ndjson};
use crate::{
    engines::checkpoint,
    model::{MemoryId, exchange::Format},
};
use serde_json::Value;

pub enum Shape<'a> {
    Sqlite,
    Tar,
    /// Compressed: a few bytes may stand for any number.
    Packed,
    Text(&'a str),
    Binary,
}

pub fn shape(bytes: &[u8]) -> Shape<'_> {
    if bytes.starts_with(b"SQLite format 3\0") {
        return Shape::Sqlite;
    }
    if bytes.get(257..262) == Some(b"ustar") {
        return Shape::Tar;
    }
    let packed: [&[u8]; 5] = [b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"];
    if packed.iter().any(|magic| bytes.starts_with(magic)) {
        return Shape::Packed;
    }
    match std::str::from_utf8(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)) {
        Ok(text) => Shape::Text(text),
        Err(_) => Shape::Binary,
    }
}

/// Nothing for JSON that nobody knows.
pub fn format_of(text: &str, name: Option<&str>) -> Option<Format> {
    if text.trim_start().starts_with(['{', '[']) {
        return of_json(text);
    }
    let file = name.unwrap_or_default().rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    let members = front_matter::split(text).and_then(Result::ok).map(|(members, _)| members).unwrap_or_default();
    // A memory may be called as its author likes.
    let is_ours = draft::text(&members, "id").is_some_and(|id| id.parse::<MemoryId>().is_ok());
    if is_rules(&file) && !is_ours {
        return Some(Format::Rules);
    }
    if ["id", "kind", "title"].iter().any(|member| members.contains_key(*member)) {
        return Some(Format::Markdown);
    }
    let sorted = checkpoint::route(text);
    let of_a_session = !sorted.progress.is_empty() || sorted.next_step.is_some();
    Some(if of_a_session { Format::Session } else { Format::Rules })
}

/// Files by which tools are told how to work.
fn is_rules(file: &str) -> bool {
    const NAMES: [&str; 9] = [
        "claude.md",
        "claude.local.md",
        "agents.md",
        "agents.override.md",
        "gemini.md",
        "copilot-instructions.md",
        ".cursorrules",
        ".windsurfrules",
        ".clinerules",
    ];
    NAMES.contains(&file) || file.rsplit_once('.').is_some_and(|(_, end)| end == "mdc")
}

fn of_json(text: &str) -> Option<Format> {
    let first: Value = match serde_json::from_str(text) {
        Ok(whole) => whole,
        // One object a line.
        Err(_) => serde_json::from_str(text.trim_start().lines().next()?).ok()?,
    };
    let has = |member: &str| first.get(member).is_some();
    match &first {
        Value::Array(items) => items.first().is_none_or(is_mem0).then_some(Format::Mem0),
        Value::Object(members) if has("type") => ndjson::format_of(members),
        Value::Object(_) if has("export_metadata") && has("memories") => Some(Format::McpMemoryService),
        Value::Object(_) if has("memories") && (has("exportedAt") || has("observations")) => Some(Format::AgentMemory),
        Value::Object(_) if has("observations") || has("directives") => Some(Format::ClaudeMem),
        Value::Object(_) if has("results") || has("memories") || is_mem0(&first) => Some(Format::Mem0),
        _ => None,
    }
}

fn is_mem0(item: &Value) -> bool {
    item.get("memory").is_some() || item.get("content").is_some()
}
