//! A deletion request: asked by one, approved by another, executed for real.

use super::{Actor, DeletionId, MemoryId, PersonId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

#[derive(Clone, Copy, PartialEq, Eq, Debug, sqlx::Type, Serialize, Deserialize, utoipa::ToSchema)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum DeletionState {
    /// Waits for another person's approval.
    Pending,
    /// Approved, not yet executed.
    Approved,
    /// Done: what it named is gone.
    Executed,
    Rejected,
    /// Stopped by a legal hold.
    Blocked,
}

impl DeletionState {
    pub const ALL: [Self; 5] = [Self::Pending, Self::Approved, Self::Executed, Self::Rejected, Self::Blocked];

    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Executed => "executed",
            Self::Rejected => "rejected",
            Self::Blocked => "blocked",
        }
    }
}

#[derive(Clone, Debug)]
pub struct DeletionRequest {
    pub id: DeletionId,
    pub state: DeletionState,
    /// Why; after the execution only its keyed hash is left, and this is empty.
    pub reason: Option<String>,
    pub memory_ids: Vec<MemoryId>,
    pub asked_at: OffsetDateTime,
    pub asked_by: Actor,
    /// The person whose request it counts as.
    pub asked_for: PersonId,
    pub decided_at: Option<OffsetDateTime>,
    pub decided_by: Option<Actor>,
    pub executed_at: Option<OffsetDateTime>,
    pub executed_by: Option<Actor>,
    /// What was erased, by table.
    pub counts: Option<serde_json::Value>,
}

/// One memory that a request touches, as long as it is there.
#[derive(Clone, Debug)]
pub struct Touched {
    pub memory_id: MemoryId,
    pub path: Option<String>,
    pub title: Option<String>,
    pub versions: i64,
}
