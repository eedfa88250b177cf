//! The list of deletion requests, by state.

use super::Request;
use crate::{Chrome, query};
use askama::Template;

#[derive(Clone, Debug, Template)]
#[template(path = "deletion/index.html")]
pub struct Index {
    pub chrome: Chrome,
    /// The filter in the URL; empty for all.
    pub state: String,
    pub requests: Vec<Request>,
    /// May the viewer ask?
    pub may_ask: bool,
    /// Is this a later page, reached by a cursor?
    pub continued: bool,
    pub next_cursor: Option<String>,
}

/// A state to look at, and whether one does.
struct Tab {
    label: &'static str,
    href: String,
    current: bool,
}

impl Index {
    fn tabs(&self) -> Vec<Tab> {
        let tabs = [
            ("All", ""),
            ("Pending", "pending"),
            ("Approved", "approved"),
            ("Blocked", "blocked"),
            ("Executed", "executed"),
            ("Rejected", "rejected"),
        ];
        let href = |state| query::link(&self.chrome.deletions(), &[("state", state)]);
        tabs.map(|(label, state)| Tab { label, href: href(state), current: state == self.state }).into()
    }

    fn new_one(&self) -> String {
        self.chrome.deletion("new")
    }

    fn next(&self) -> Option<String> {
        let cursor = self.next_cursor.as_deref()?;
        Some(query::link(&self.chrome.deletions(), &[("state", &self.state), ("cursor", cursor)]))
    }

    fn first(&self) -> String {
        query::link(&self.chrome.deletions(), &[("state", &self.state)])
    }
}
