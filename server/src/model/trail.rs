//! An entry of the audit trail as it is read.

use super::{Actor, AuditId, Role};
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(Clone, Debug)]
pub struct Entry {
    pub id: AuditId,
    /// Its place in the sealed tree; none until it is sealed.
    pub index: Option<u64>,
    pub at: OffsetDateTime,
    pub actor: Actor,
    pub role: Option<Role>,
    pub action: String,
    pub target: Option<(String, Uuid)>,
    pub version: Option<i32>,
    pub request_id: String,
    pub session_id: Option<Uuid>,
    pub digest: Option<Vec<u8>>,
    pub details: Option<serde_json::Value>,
}

/// Which entries are wanted; all of them where nothing is said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    pub actor: Option<Uuid>,
    pub action: Option<String>,
    pub target: Option<Uuid>,
    pub from: Option<OffsetDateTime>,
    pub to: Option<OffsetDateTime>,
}
