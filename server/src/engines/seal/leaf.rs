//! An entry as it is sealed: one line of JSON, to the byte. Ids only: names change.

use crate::model::{ActorKind, AuditId, Role, text, trail::Entry};
use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

/// The members, in this order.
#[derive(Serialize)]
struct Leaf<'a> {
    index: u64,
    id: AuditId,
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
    actor: Thing<ActorKind>,
    role: Option<Role>,
    action: &'a str,
    target: Option<Thing<&'a str>>,
    version: Option<i32>,
    request_id: &'a str,
    session_id: Option<Uuid>,
    digest: Option<String>,
    details: Option<Value>,
}

#[derive(Serialize)]
struct Thing<T> {
    #[serde(rename = "type")]
    kind: T,
    id: Uuid,
}

/// The bytes whose hash is a leaf of the tree.
pub fn text_of(entry: &Entry, index: u64) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Leaf {
        index,
        id: entry.id,
        at: entry.at,
        actor: Thing { kind: entry.actor.kind, id: entry.actor.id },
        role: entry.role,
        action: &entry.action,
        target: entry.target.as_ref().map(|(kind, id)| Thing { kind: kind.as_str(), id: *id }),
        version: entry.version,
        request_id: &entry.request_id,
        session_id: entry.session_id,
        digest: entry.digest.as_deref().map(text::hex),
        details: entry.details.as_ref().map(in_order),
    })
}

/// Members sorted by name, whatever order they were read in.
fn in_order(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            Value::Object(sorted.into_iter().map(|(name, value)| (name.clone(), in_order(value))).collect())
        }
        Value::Array(all) => Value::Array(all.iter().map(in_order).collect()),
        other => other.clone(),
    }
}
