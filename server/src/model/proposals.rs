//! Proposals: memories that wait for review, with what speaks for them.

use super::{Actor, Kind, MemoryId, PersonId, ProposalId, SessionId, memory::words};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use time::OffsetDateTime;

words!(
    /// Why something waits for review.
    Origin, "origin" {
        /// Learned from a run's log.
        Capture = "capture",
        /// It contradicts something that is known.
        Conflict = "conflict",
        /// Its text speaks to the model.
        Suspicious = "suspicious",
        /// The workspace wants to look at what agents write of its kind, or this unsure.
        Policy = "policy",
        /// A curation run would have it so.
        Dream = "dream",
    }
);

words!(
    /// Where a proposal stands.
    ProposalState, "state" {
        Open = "open",
        Approved = "approved",
        /// It does not come back.
        Rejected = "rejected",
    }
);

/// A run that shows it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Sighting {
    /// The run.
    pub session_id: SessionId,
    /// How sure this run alone makes it, 0 to 1.
    pub weight: f32,
    /// The events of its log that show it.
    pub events: Vec<String>,
}

/// What approving does beyond making a waiting memory known: ids only, texts lie in memories.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Change {
    /// The waiting memory becomes known and takes the place of these.
    Remember {
        /// They are superseded by it.
        instead_of: Vec<MemoryId>,
    },
    /// These are put away.
    Archive {
        /// Which.
        memories: Vec<MemoryId>,
    },
    /// One stays, and takes the place of the others.
    Merge {
        /// The one that stays.
        keep: MemoryId,
        /// Those that are superseded by it.
        away: Vec<MemoryId>,
    },
    /// These are still true.
    Verify {
        /// Which.
        memories: Vec<MemoryId>,
    },
}

impl Change {
    /// Whether a memory waits for it.
    pub fn has_waiting(change: Option<&Self>) -> bool {
        matches!(change, None | Some(Self::Remember { .. }))
    }

    /// The memories it would change, besides the one that waits.
    pub fn touches(&self) -> Vec<MemoryId> {
        match self {
            Self::Remember { instead_of: ids } | Self::Archive { memories: ids } | Self::Verify { memories: ids } => ids.clone(),
            Self::Merge { keep, away } => std::iter::once(*keep).chain(away.iter().copied()).collect(),
        }
    }
}

/// That a memory is to wait, and why.
#[derive(Clone, Debug)]
pub struct Proposed {
    pub origin: Origin,
    /// What makes two findings the same.
    pub key: Option<String>,
    pub reason: String,
    pub confidence: f32,
    pub sightings: Vec<Sighting>,
    /// What else approving does.
    pub change: Option<Change>,
}

impl Proposed {
    /// With nothing more to it than a reason.
    pub fn because(origin: Origin, reason: String, confidence: f32) -> Self {
        Self { origin, key: None, reason, confidence, sightings: Vec::new(), change: None }
    }
}

/// Which proposals to list, and how.
#[derive(Clone, Debug, Default)]
pub struct ProposalFilter {
    pub state: Option<ProposalState>,
    pub session: Option<SessionId>,
    pub origin: Option<Origin>,
    pub kind: Option<Kind>,
    pub project: Option<String>,
    pub assigned_to: Option<PersonId>,
    pub before: Option<OffsetDateTime>,
    pub oldest_first: bool,
}

#[derive(Clone, Debug)]
pub struct Proposal {
    pub id: ProposalId,
    pub origin: Origin,
    /// The memory that waits or, where none does, the first of those that it is about.
    pub memory_id: MemoryId,
    pub change: Option<Change>,
    pub project: Option<String>,
    pub state: ProposalState,
    pub reason: String,
    pub confidence: f32,
    pub sightings: Vec<Sighting>,
    pub created_at: OffsetDateTime,
    pub decided_at: Option<OffsetDateTime>,
    pub decided_by: Option<Actor>,
    /// The person who is to look at it.
    pub assigned_to: Option<Actor>,
    /// What whoever decided said.
    pub note: Option<String>,
}

impl Proposal {
    /// One that waits from now on.
    pub fn open(memory_id: MemoryId, project: Option<String>, proposed: &Proposed, now: OffsetDateTime) -> Self {
        Self {
            id: ProposalId::new(),
            origin: proposed.origin,
            memory_id,
            change: proposed.change.clone(),
            project,
            state: ProposalState::Open,
            reason: proposed.reason.clone(),
            confidence: proposed.confidence,
            sightings: proposed.sightings.clone(),
            created_at: now,
            decided_at: None,
            decided_by: None,
            assigned_to: None,
            note: None,
        }
    }
}
