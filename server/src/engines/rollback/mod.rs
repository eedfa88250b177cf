//! What a rollback does with each memory: first by the memory's own history, then by what stands around it. No I/O.

mod history;
mod plan;
#[cfg(test)]
mod tests;

pub use plan::{Blocker, Other, Plan};

use crate::model::{Kind, MemoryId, PersonId, State, StoreId};
use std::sync::Arc;

/// A version, as far as undoing needs it.
#[derive(Clone, Debug)]
pub struct Past {
    pub version: i32,
    /// It is to be undone.
    pub selected: bool,
    /// A rollback wrote it: the version whose state it has, or 0 for none.
    pub restores: Option<i32>,
    pub standing: Standing,
    pub content_sha256: Option<Vec<u8>>,
    pub redacted: bool,
}

/// Where a memory stands in a version.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    pub state: State,
    pub kind: Kind,
    pub store: StoreId,
    pub path: Arc<str>,
    pub project: Option<Arc<str>>,
    pub owner: Option<PersonId>,
    pub supersedes: Option<MemoryId>,
    pub superseded_by: Option<MemoryId>,
}

impl Standing {
    /// It has its path to itself, and counts against the quota.
    pub fn is_there(&self) -> bool {
        matches!(self.state, State::Active | State::Proposed)
    }

    /// Put away: it was not there before.
    fn away(&self) -> Self {
        Self { state: State::Archived, supersedes: None, superseded_by: None, ..self.clone() }
    }
}

/// A memory's versions, oldest first, as far as they are to be seen; the last is the current one.
#[derive(Clone, Debug)]
pub struct Thread {
    pub id: MemoryId,
    pub versions: Vec<Past>,
}

impl Thread {
    pub fn current(&self) -> Option<&Past> {
        self.versions.last()
    }

    pub fn at(&self, version: i32) -> Option<&Past> {
        self.versions.binary_search_by_key(&version, |past| past.version).ok().map(|n| &self.versions[n])
    }
}
