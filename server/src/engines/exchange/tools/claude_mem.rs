//! claude-mem: observations, summaries of sessions, and directives of the user.

use super::super::{
    draft::{Draft, Record, moment, text, words},
    kinds,
};
use crate::model::{
    Kind,
    exchange::{Format, Found, Passed},
};

pub fn read(table: &'static str, record: &Record) -> Found {
    let id = text(record, "id").unwrap_or_else(|| "?".to_owned());
    let place = format!("{table} {id}");
    // Numbers are counted anew on every machine; the session tells them apart.
    let session = text(record, "memory_session_id").or_else(|| text(record, "sdk_session_id")).unwrap_or_default();
    let key = format!("{table}:{session}:{id}");
    let mut draft = match table {
        "session_summaries" => Draft::new(key, summary(record), Kind::Episode),
        "directives" => {
            if text(record, "status").is_some_and(|status| status != "active") {
                return super::skipped(place, Passed::DeletedThere, "It is not active there.");
            }
            Draft::new(
                format!("{key}:{}", text(record, "created_at_epoch").unwrap_or_default()),
                text(record, "content").unwrap_or_default(),
                Kind::Preference,
            )
        }
        "observations" => {
            let kind = text(record, "type").and_then(|word| kinds::of_word(&word)).unwrap_or(Kind::Discovery);
            let mut draft = Draft::new(key, observation(record), kind);
            draft.title = text(record, "title");
            draft.tags = words(record, "concepts");
            draft
        }
        _ => return super::skipped(place, Passed::Unreadable, "It is no table of claude-mem."),
    };
    draft.project = text(record, "merged_into_project").or_else(|| text(record, "project"));
    draft.files = words(record, "files_modified").into_iter().chain(words(record, "files_edited")).collect();
    draft.at = moment(record.get("created_at_epoch")).or_else(|| moment(record.get("created_at")));
    draft.by = text(record, "agent_type");
    draft.found(Format::ClaudeMem, place)
}

fn observation(record: &Record) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(text(record, "subtitle"));
    parts.extend(text(record, "narrative").or_else(|| text(record, "text")));
    let facts = words(record, "facts");
    if !facts.is_empty() {
        parts.push(facts.iter().map(|fact| format!("- {fact}")).collect::<Vec<_>>().join("\n"));
    }
    if parts.is_empty() {
        parts.extend(text(record, "title"));
    }
    parts.join("\n\n")
}

fn summary(record: &Record) -> String {
    let parts = [
        ("Request", "request"),
        ("Investigated", "investigated"),
        ("Learned", "learned"),
        ("Completed", "completed"),
        ("Next steps", "next_steps"),
        ("Notes", "notes"),
    ];
    let said = parts.iter().filter_map(|(name, member)| Some(format!("{name}: {}", text(record, member)?)));
    said.collect::<Vec<_>>().join("\n\n")
}
