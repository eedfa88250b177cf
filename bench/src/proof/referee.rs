//! Who knows what really holds, and never tells the agent: what was seen and done before, what was decided, what the code says now.

use super::{repository::Repository, task::Question};
use crate::Failure;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub struct Referee {
    seen: BTreeSet<(String, String)>,
    done: BTreeSet<String>,
    decided: BTreeMap<String, String>,
    pub edits: usize,
    /// Tokens that were new in each stretch of work between two losses of context.
    fresh: Vec<u64>,
}

impl Referee {
    /// A run begins, or goes on with an emptied context.
    pub fn epoch(&mut self) {
        self.fresh.push(0);
    }

    pub fn epochs(&self) -> usize {
        self.fresh.len()
    }

    /// Whether nobody saw this before, in this replay.
    pub fn first_sight(&mut self, what: &str, shown: &str, tokens: u32) -> bool {
        let first = self.seen.insert((what.to_owned(), shown.to_owned()));
        if first {
            self.new_words(tokens);
        }
        first
    }

    pub fn new_words(&mut self, tokens: u32) {
        if let Some(last) = self.fresh.last_mut() {
            *last += u64::from(tokens);
        }
    }

    pub fn first_time(&mut self, item: &str) -> bool {
        self.done.insert(item.to_owned())
    }

    /// What was decided first; this, if nothing was.
    pub fn decided(&mut self, name: &str, value: &str) -> String {
        self.decided.entry(name.to_owned()).or_insert_with(|| value.to_owned()).clone()
    }

    /// What is true of a question now; None while nobody has decided.
    pub fn holds(&self, repository: &Repository, name: &str, question: &Question) -> Result<Option<String>, Failure> {
        if !question.looks.is_empty() {
            return repository.truth(question);
        }
        Ok(question.corrected.as_ref().map(|corrected| corrected.to.clone()).or_else(|| self.decided.get(name).cloned()))
    }

    /// What it would have cost to paste, at each start, everything that was ever seen and said.
    pub fn pasted(&self) -> u64 {
        let (mut before, mut cost) = (0, 0);
        for fresh in &self.fresh {
            before += fresh;
            cost += before;
        }
        cost
    }
}
