//! The queue: what waits, with the means to decide one or many.

use super::{Proposal, Tabs};
use crate::{Choice, Chrome, query};
use askama::Template;

#[derive(Clone, Debug, Template)]
#[template(path = "review/index.html")]
pub struct Index {
    pub chrome: Chrome,
    pub filters: Filters,
    pub proposals: Vec<Proposal>,
    /// Whose work it may be, by id.
    pub people: Vec<Choice>,
    /// May the viewer decide?
    pub may_decide: bool,
    /// Is this a later page, reached by a cursor?
    pub continued: bool,
    pub next_cursor: Option<String>,
}

/// As they stand in the URL; empty means not set.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    pub state: String,
    pub origin: String,
    pub kind: String,
    pub project: String,
    pub assigned_to: String,
    pub sort: String,
}

impl Index {
    fn tabs(&self) -> Tabs {
        Tabs::of(&self.chrome, "review")
    }

    fn list(&self) -> String {
        self.chrome.place("review")
    }

    fn action(&self, act: &str) -> String {
        self.chrome.one("review", act)
    }

    fn one(&self, proposal: &Proposal) -> String {
        self.chrome.one("review", &proposal.id)
    }

    fn decide(&self, proposal: &Proposal) -> String {
        format!("{}/decide", self.one(proposal))
    }

    /// This very page, to come back to.
    fn here(&self) -> &str {
        &self.chrome.here
    }

    fn open_ones(&self) -> bool {
        self.may_decide && self.proposals.iter().any(Proposal::is_open)
    }

    fn states() -> Vec<Choice> {
        vec![Choice::new("approved", "approved"), Choice::new("rejected", "rejected")]
    }

    fn origins() -> Vec<Choice> {
        [
            ("capture", "learned from a run"),
            ("conflict", "contradicts"),
            ("suspicious", "suspicious"),
            ("policy", "unsure, by policy"),
            ("dream", "dreamt"),
        ]
        .map(|(value, label)| Choice::new(value, label))
        .into()
    }

    fn kinds() -> Vec<Choice> {
        crate::memories::Filters::KINDS.map(|kind| Choice::new(kind, kind)).into()
    }

    fn orders() -> Vec<Choice> {
        vec![Choice::new("oldest", "oldest first")]
    }

    fn next(&self) -> Option<String> {
        let cursor = self.next_cursor.as_deref()?;
        Some(self.filters.page(&self.list(), cursor))
    }

    fn first(&self) -> String {
        self.filters.page(&self.list(), "")
    }
}

impl Filters {
    pub fn is_empty(&self) -> bool {
        self.pairs().iter().all(|(_, value)| value.is_empty())
    }

    fn page(&self, list: &str, cursor: &str) -> String {
        let mut pairs = self.pairs().to_vec();
        pairs.push(("cursor", cursor));
        query::link(list, &pairs)
    }

    fn pairs(&self) -> [(&'static str, &str); 6] {
        [
            ("state", &self.state),
            ("origin", &self.origin),
            ("kind", &self.kind),
            ("project", &self.project),
            ("assigned_to", &self.assigned_to),
            ("sort", &self.sort),
        ]
    }
}
