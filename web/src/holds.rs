//! Legal holds: what must not be erased while they stand, and why.

use crate::{Actor, Chrome, query};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "holds/index.html")]
pub struct Holds {
    pub chrome: Chrome,
    pub holds: Vec<Hold>,
    pub typed: Typed,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Hold {
    pub id: String,
    pub reason: String,
    /// What it keeps: “2 memories”, “everything about customer-4711”.
    pub keeps: Vec<String>,
    pub placed_by: Actor,
    pub placed_at: OffsetDateTime,
}

/// What was filled in, so that nobody types it twice.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    pub memory_ids: String,
    pub session_ids: String,
    pub subject: String,
    pub reason: String,
}

impl Holds {
    fn list(&self) -> String {
        self.chrome.place("holds")
    }

    fn release(&self, hold: &Hold) -> String {
        format!("{}/release", self.chrome.one("holds", &hold.id))
    }

    fn next(&self) -> Option<String> {
        self.next_cursor.as_deref().map(|cursor| query::link(&self.list(), &[("cursor", cursor)]))
    }

    fn first(&self) -> String {
        self.list()
    }
}
