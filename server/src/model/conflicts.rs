//! Conflicts: two active memories that may not both hold.

use super::{Actor, ConflictId, MemoryId, memory::words};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use time::OffsetDateTime;

words!(
    /// How a conflict came to light.
    ConflictOrigin, "origin" {
        /// When one of the two was written.
        Write = "write",
        /// When the workspace was gone through.
        Sweep = "sweep",
        /// In a curation run.
        Dream = "dream",
    }
);

words!(
    /// Where a conflict stands.
    ConflictState, "state" {
        /// Both memories are active, and nobody has said which holds.
        Open = "open",
        /// It was decided, or one of the two is no longer active.
        Resolved = "resolved",
    }
);

words!(
    /// How a conflict was resolved.
    Resolution, "resolution" {
        /// One holds; the other was superseded by it.
        One = "one",
        /// They are compatible as they are.
        Both = "both",
        /// Neither holds; both were archived.
        Neither = "neither",
        /// One of them was rewritten and no longer contradicts the other.
        Revised = "revised",
    }
);

/// A memory as it was judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judged {
    pub id: MemoryId,
    pub version: i32,
    /// Of its text: the same for versions that say the same.
    pub mark: [u8; 32],
}

/// Two memories that were found to contradict each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clash {
    pub one: Judged,
    pub other: Judged,
    pub score: f32,
    pub certain: bool,
}

#[derive(Clone, Debug)]
pub struct Conflict {
    pub id: ConflictId,
    pub a: MemoryId,
    pub b: MemoryId,
    pub versions: (i32, i32),
    pub score: f32,
    pub certain: bool,
    pub origin: ConflictOrigin,
    pub state: ConflictState,
    pub found_at: OffsetDateTime,
    /// None while it is open, and where it ended because one of the two is no longer active.
    pub resolution: Option<Resolution>,
    pub kept: Option<MemoryId>,
    pub note: Option<String>,
    pub resolved_at: Option<OffsetDateTime>,
    pub resolved_by: Option<Actor>,
}

/// Which conflicts to list.
#[derive(Clone, Debug, Default)]
pub struct ConflictFilter {
    pub state: Option<ConflictState>,
    pub project: Option<String>,
    pub memory: Option<MemoryId>,
    /// Only those that count as found, or only those that are worth a look.
    pub likely: Option<bool>,
}

/// Which of two memories shall hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    One(MemoryId),
    Both,
    Neither,
}

impl FromStr for Keep {
    type Err = Problem;
    fn from_str(word: &str) -> Result<Self, Problem> {
        match word {
            "both" => Ok(Self::Both),
            "neither" => Ok(Self::Neither),
            id => id.parse().map(Self::One).map_err(|_| Problem::invalid("keep", "must be the id of one of the two, `both` or `neither`")),
        }
    }
}
