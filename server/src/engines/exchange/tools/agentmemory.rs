//! agentmemory: one object with a list per kind. Raw observations stay there; what was made of them comes.

use super::{
    super::{
        draft::{Draft, Record, moment, text, words},
        kinds,
    },
    mcp_memory_service::narrowed,
    skipped,
};
use crate::model::{
    Kind,
    exchange::{Format, Found, Passed},
};
use serde_json::Value;

/// How a record of a list is read.
type Reader = fn(&Record) -> Option<Draft>;

const LISTS: [(&str, Reader); 6] = [
    ("memories", memory),
    ("lessons", lesson),
    ("insights", insight),
    ("semanticMemories", semantic),
    ("proceduralMemories", procedural),
    ("summaries", summary),
];

pub fn read(whole: &Record) -> Vec<Found> {
    let mut found = Vec::new();
    for (list, draft) in LISTS {
        let all = whole.get(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        found.extend(all.iter().enumerate().map(|(n, one)| one_of(list, n, one, draft)));
    }
    found
}

fn one_of(list: &'static str, n: usize, one: &Value, draft: Reader) -> Found {
    let place = format!("{list}[{n}]");
    let Some(record) = one.as_object() else { return skipped(place, Passed::Unreadable, "It is no object.") };
    if record.get("isLatest") == Some(&Value::Bool(false)) || record.get("deleted") == Some(&Value::Bool(true)) {
        return skipped(place, Passed::DeletedThere, "It was deleted there, or a newer one took its place.");
    }
    let Some(mut draft) = draft(record) else { return skipped(place, Passed::NothingSaid, "It has no text.") };
    draft.key = format!("{list}:{}", draft.key);
    draft.project = text(record, "project");
    draft.at = moment(record.get("createdAt"));
    draft.by = text(record, "agentId");
    draft.confidence = record.get("confidence").and_then(Value::as_f64).map(narrowed);
    draft.expires_at = moment(record.get("forgetAfter"));
    draft.tags.extend(words(record, "tags"));
    draft.tags.extend(words(record, "concepts"));
    draft.found(Format::AgentMemory, place)
}

fn titled(record: &Record, said: String, kind: Kind) -> Option<Draft> {
    let mut draft = Draft::new(text(record, "id").or_else(|| text(record, "sessionId"))?, said, kind);
    draft.title = text(record, "title");
    Some(draft)
}

fn memory(record: &Record) -> Option<Draft> {
    let kind = text(record, "type").and_then(|word| kinds::of_word(&word)).unwrap_or(Kind::Fact);
    let mut draft = titled(record, text(record, "content")?, kind)?;
    draft.files = words(record, "files");
    Some(draft)
}

fn lesson(record: &Record) -> Option<Draft> {
    let said = text(record, "content")?;
    let said = text(record, "context").map_or_else(|| said.clone(), |context| format!("{said}\n\nContext: {context}"));
    titled(record, said, Kind::Discovery)
}

fn insight(record: &Record) -> Option<Draft> {
    titled(record, text(record, "content")?, Kind::Discovery)
}

fn semantic(record: &Record) -> Option<Draft> {
    titled(record, text(record, "fact")?, Kind::Fact)
}

fn procedural(record: &Record) -> Option<Draft> {
    let steps: Vec<String> = (1..).zip(words(record, "steps")).map(|(n, step)| format!("{n}. {step}")).collect();
    let name = text(record, "name")?;
    let when = text(record, "triggerCondition").map(|when| format!("When: {when}"));
    let outcome = text(record, "expectedOutcome").map(|outcome| format!("Then: {outcome}"));
    let parts: Vec<String> = [Some(name.clone()), when, Some(steps.join("\n")), outcome].into_iter().flatten().collect();
    let mut draft = titled(record, parts.join("\n\n"), Kind::Procedure)?;
    draft.title = Some(name);
    Some(draft)
}

fn summary(record: &Record) -> Option<Draft> {
    let mut said = text(record, "narrative")?;
    let decided = words(record, "keyDecisions");
    if !decided.is_empty() {
        said = format!("{said}\n\nDecided:\n{}", decided.iter().map(|one| format!("- {one}")).collect::<Vec<_>>().join("\n"));
    }
    let mut draft = titled(record, said, Kind::Episode)?;
    draft.files = words(record, "filesModified");
    Some(draft)
}
