//! What an agent has in its context. It is empty at a run's start, and after a compaction little of it is left.

use std::collections::BTreeMap;

#[derive(Default)]
pub struct Mind {
    /// What it knows, oldest first: answers by the question's name, and items that are done.
    known: Vec<(String, String)>,
    /// Files as it read them.
    files: BTreeMap<String, String>,
    /// Where the last run stopped, as the task's record tells it.
    pub traces: Vec<String>,
}

/// A summary keeps so many of the newest things.
const SUMMARY: usize = 3;
const DONE: &str = "is done";

impl Mind {
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    pub fn is_compacted(&mut self) {
        let gone = self.known.len().saturating_sub(SUMMARY);
        self.known.drain(..gone);
        self.files.clear();
    }

    pub fn fact(&self, question: &str) -> Option<String> {
        self.known.iter().rev().find(|(name, value)| name == question && value != DONE).map(|(_, value)| value.clone())
    }

    pub fn learns(&mut self, question: &str, value: &str) {
        self.known.push((question.to_owned(), value.to_owned()));
    }

    pub fn is_done(&self, item: &str) -> bool {
        self.known.iter().any(|(name, value)| name == item && value == DONE)
    }

    pub fn does(&mut self, item: &str) {
        self.known.push((item.to_owned(), DONE.to_owned()));
    }

    /// As told, not as done: older than everything it knows of itself.
    pub fn told_done(&mut self, item: String) {
        self.known.insert(0, (item, DONE.to_owned()));
    }

    pub fn has_read(&self, path: &str, text: &str) -> bool {
        self.files.get(path).is_some_and(|known| known == text)
    }

    pub fn reads(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), text.to_owned());
    }
}
