//! Proposals: memories that wait for review, with what speaks for them.

use super::{Actor, MemoryId, ProposalId, SessionId, memory::words};
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

/// That a memory is to wait, and why.
#[derive(Clone, Debug)]
pub struct Proposed {
    pub origin: Origin,
    /// What makes two findings the same.
    pub key: Option<String>,
    pub reason: String,
    pub confidence: f32,
    pub sightings: Vec<Sighting>,
}

#[derive(Clone, Debug)]
pub struct Proposal {
    pub id: ProposalId,
    pub origin: Origin,
    pub memory_id: MemoryId,
    pub project: Option<String>,
    pub state: ProposalState,
    pub reason: String,
    pub confidence: f32,
    pub sightings: Vec<Sighting>,
    pub created_at: OffsetDateTime,
    pub decided_at: Option<OffsetDateTime>,
    pub decided_by: Option<Actor>,
}
