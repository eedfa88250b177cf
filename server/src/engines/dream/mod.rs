//! Looks through a workspace's memories and says what to tidy up: what says the same twice, what nobody ever asked for,
//! what was found again and again, what no longer holds, what contradicts. No I/O, no model, the same answer each time,
//! in whatever order the memories come; and nothing new on a workspace that was tidied as it said.

mod clusters;
mod contradictions;
mod decay;
mod digest;
mod likeness;
mod neighbours;
mod reading;
#[cfg(test)]
mod tests;

pub use digest::DIGEST;

use crate::{
    engines::freshness::Freshness,
    model::{Kind, MemoryId, SessionId, dreams::Why},
};
use reading::{Reader, Reading};
use std::collections::HashSet;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// Memories that a core takes at a time.
const STRETCH: usize = 500;

/// What a dream may know of an active memory that the whole workspace sees.
#[derive(Clone, Debug)]
pub struct Known {
    pub id: MemoryId,
    pub version: i32,
    pub kind: Kind,
    pub project: Option<String>,
    pub title: String,
    pub content: String,
    pub tags: Vec<String>,
    pub confidence: f32,
    pub anchored: bool,
    pub author: Uuid,
    pub by_person: bool,
    pub session: Option<SessionId>,
    /// A person or a reviewer said that it holds.
    pub verified: bool,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
    /// In how many answers it stood, and how often it was of use.
    pub told: u32,
    pub helpful: u32,
    pub freshness: Freshness,
}

/// When it is now, how old is old, and what was settled before.
#[derive(Clone, Debug)]
pub struct Rules {
    pub now: OffsetDateTime,
    /// Episodes of months that ended longer ago are condensed.
    pub condense_after: Duration,
    /// What nobody asked for in so long may go.
    pub decay_after: Duration,
    /// How long a digest may become.
    pub digest_tokens: u32,
    /// Pairs whose contradiction is known or was decided on, the smaller id first.
    pub known_conflicts: HashSet<(MemoryId, MemoryId)>,
    /// Pairs that a person did not want merged or still thinks about, the smaller id first.
    pub kept_apart: HashSet<(MemoryId, MemoryId)>,
    /// What a person did not want put away or told anew, or still thinks about.
    pub left_alone: HashSet<MemoryId>,
}

impl Rules {
    pub fn at(now: OffsetDateTime) -> Self {
        Self {
            now,
            condense_after: Duration::days(60),
            decay_after: Duration::days(90),
            digest_tokens: 800,
            known_conflicts: HashSet::new(),
            kept_apart: HashSet::new(),
            left_alone: HashSet::new(),
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum Act {
    /// The first is put aside for the second.
    Merge { away: MemoryId, into: MemoryId },
    /// A discovery becomes a pattern, on the word of these, and takes the place of all.
    Promote { memory: MemoryId, like: Vec<MemoryId> },
    /// Episodes are put away, and told in short by a new one.
    Condense { episodes: Vec<MemoryId>, project: Option<String>, title: String, content: String },
    /// Put away.
    Decay { memory: MemoryId },
    /// Two that cannot both hold, the older first.
    Flag { old: MemoryId, new: MemoryId, certain: bool },
    /// Somebody should look whether it still holds.
    Verify { memory: MemoryId },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Action {
    pub act: Act,
    pub why: Why,
    /// How sure it is, 0 to 1.
    pub score: f32,
}

/// What to do with these memories, in an order that can be followed.
pub fn dream(known: &[Known], rules: &Rules) -> Vec<Action> {
    let mut known: Vec<&Known> = known.iter().collect();
    known.sort_by_key(|one| one.id);
    let mut reader = Reader::default();
    let readings: Vec<Reading> = known.iter().map(|one| reader.read(&one.title, &one.content)).collect();
    let mut run = Run { rules, readings, alive: vec![true; known.len()], kinds: known.iter().map(|one| one.kind).collect(), known };
    let mut actions = digest::condense(&mut run);
    actions.extend(clusters::promote(&mut run));
    actions.extend(decay::decay(&mut run));
    actions.extend(clusters::merge(&mut run));
    actions.extend(contradictions::flag(&run));
    actions.extend(decay::verify(&run));
    actions
}

/// Whether a text says a number, a name, an identifier or a negation that none of these says.
pub fn invents<'a>(texts: impl Iterator<Item = (&'a str, &'a str)>, title: &str, content: &str) -> bool {
    let mut reader = Reader::default();
    let said: HashSet<u64> = texts.flat_map(|(title, content)| reader.read(title, content).words).map(|word| word.hash).collect();
    reader.read(title, content).words.iter().any(|word| word.sign && !said.contains(&word.hash))
}

/// The memories, in the order of their ids, and what is left of them as the run goes on.
struct Run<'a> {
    rules: &'a Rules,
    known: Vec<&'a Known>,
    readings: Vec<Reading>,
    alive: Vec<bool>,
    /// What each will be.
    kinds: Vec<Kind>,
}

impl Run<'_> {
    fn living(&self) -> impl Iterator<Item = usize> {
        (0..self.known.len()).filter(|at| self.alive[*at])
    }

    fn is_left_alone(&self, at: usize) -> bool {
        self.rules.left_alone.contains(&self.known[at].id)
    }

    fn older_than(&self, at: usize, age: Duration) -> bool {
        self.known[at].updated_at <= self.rules.now - age
    }
}

/// A pair as it is looked up.
pub fn pair(one: MemoryId, other: MemoryId) -> (MemoryId, MemoryId) {
    (one.min(other), one.max(other))
}
