//! How much an index holds of what somebody may see, by kind and freshness: counted from what is in memory.

use super::{
    Index,
    question::{Filter, Viewer},
};
use crate::model::Kind;

/// What is active, by kind: fresh, suspect and stale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    pub kinds: [[u64; 3]; Kind::ALL.len()],
    /// What all of it would take to read.
    pub tokens: u64,
}

impl Index {
    pub fn census(&self, viewer: Viewer<'_>, now: i64) -> Census {
        let mut census = Census::default();
        for document in self.filters.allowed(&Filter::default(), viewer, now, &self.entries) {
            let Some(entry) = self.entry(document) else { continue };
            let kind = Kind::ALL.iter().position(|kind| *kind == entry.facts.kind).unwrap_or_default();
            census.kinds[kind][entry.facts.freshness(now, None) as usize] += 1;
            census.tokens += u64::from(entry.facts.tokens);
        }
        census
    }
}
