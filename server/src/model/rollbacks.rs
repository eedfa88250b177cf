//! A rollback: which writes it undoes, and what became of each memory that they touched.

use super::{Actor, MemoryId, ReviewId, RollbackId, RunId, SessionId, memory::words};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use time::OffsetDateTime;
use uuid::Uuid;

/// Which writes: those that all of it fits.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Selector {
    /// Written in this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Written by this dream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dream_id: Option<Uuid>,
    /// Written by this rollback: it is taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollback_id: Option<RollbackId>,
    /// Written by what a person decided with one press of a button: it is taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_id: Option<ReviewId>,
    /// Written by this agent or person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<Uuid>,
    /// Written from this time on.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    pub from: Option<OffsetDateTime>,
    /// Written before this time.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    pub to: Option<OffsetDateTime>,
    /// Of these memories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_ids: Option<Vec<MemoryId>>,
}

impl Selector {
    /// The run it names, if it names one.
    pub fn run(&self) -> Option<RunId> {
        let session = self.session_id.map(|id| id.0);
        session.or(self.dream_id).or(self.rollback_id.map(|id| id.0)).or(self.review_id.map(|id| id.0)).map(RunId)
    }
}

words!(
    /// What became of a memory.
    Outcome as "RollbackOutcome", "outcome" {
        /// A new version has the state from before.
        Restored = "restored",
        /// The same, and it is active again: what had taken its place is put away.
        Unwound = "unwound",
        /// It was made by what was undone, and is put away.
        Archived = "archived",
        /// It is as it was; the reason says why.
        Left = "left",
    }
);

words!(
    /// Why a memory was left as it is.
    Reason, "reason" {
        /// Somebody changed it since.
        ChangedSince = "changed_since",
        /// Another memory stands in its place by now.
        PlaceTaken = "place_taken",
        /// It stands in the place of a memory that was left or that others read, or is a decision that they follow.
        StillNeeded = "still_needed",
        /// Its path, or one above or below, is another's by now.
        PathTaken = "path_taken",
        /// It would contradict a decision that is active by now.
        DecisionConflict = "decision_conflict",
        /// The state from before was redacted.
        VersionRedacted = "version_redacted",
        /// The text from before was erased and may not come back.
        ContentErased = "content_erased",
        /// The store it lies in is archived or deleted.
        StoreClosed = "store_closed",
        /// The workspace may hold no more memories.
        QuotaExceeded = "quota_exceeded",
        /// Your key is limited to a project that it is outside of.
        OutsideProject = "outside_project",
        /// The state from before is not yours to see.
        NotVisible = "not_visible",
    }
);

/// One memory that the selected writes had touched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    pub memory_id: MemoryId,
    pub outcome: Outcome,
    /// The version that was written; of one that was left, the version that stands in the way.
    pub version: Option<i32>,
    /// The version whose state it has again; 0 when there was none.
    pub back_to: Option<i32>,
    pub reason: Option<Reason>,
    /// The memory that is in the way.
    pub other: Option<MemoryId>,
}

/// An item as it is read: with what people know the memory by, and who changed it since.
#[derive(Clone, Debug)]
pub struct ShownItem {
    pub item: Item,
    pub title: Option<String>,
    pub path: Option<String>,
    pub changed: Option<(OffsetDateTime, Actor)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub restored: i32,
    pub unwound: i32,
    pub archived: i32,
    pub left: i32,
    /// Proposals that waited for a word on what is undone.
    pub withdrawn: i32,
}

impl Counts {
    pub fn of(items: &[Item]) -> Self {
        let count = |outcome| i32::try_from(items.iter().filter(|item| item.outcome == outcome).count()).unwrap_or(i32::MAX);
        Self {
            restored: count(Outcome::Restored),
            unwound: count(Outcome::Unwound),
            archived: count(Outcome::Archived),
            left: count(Outcome::Left),
            withdrawn: 0,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Rollback {
    pub id: RollbackId,
    pub selector: Selector,
    pub counts: Counts,
    pub at: OffsetDateTime,
    pub by: Actor,
}
