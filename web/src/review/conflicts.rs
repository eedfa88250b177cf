//! Two memories that cannot both hold, side by side, and which of them shall.

use super::{Decided, Tabs};
use crate::{
    Actor, Chrome,
    memories::{Freshness, Segment},
    query,
};
use askama::Template;
use time::OffsetDateTime;

/// All of them, or the one that the address names.
#[derive(Clone, Debug, Template)]
#[template(path = "review/conflicts.html")]
pub struct Conflicts {
    pub chrome: Chrome,
    /// The filter in the URL: “possible”, “resolved”; empty for those that are open.
    pub state: String,
    pub conflicts: Vec<Conflict>,
    pub may_decide: bool,
    /// Only one is shown, by its address.
    pub single: bool,
    /// Is this a later page, reached by a cursor?
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Conflict {
    pub id: String,
    pub open: bool,
    pub reason: String,
    /// Between 0 and 1.
    pub score: f32,
    pub certain: bool,
    pub found_at: OffsetDateTime,
    pub older: Side,
    pub newer: Side,
    /// “one”, “both”, “neither”, “revised”; none where one of the two went by itself.
    pub resolution: Option<String>,
    pub resolved: Option<Decided>,
}

#[derive(Clone, Debug)]
pub struct Side {
    pub id: String,
    pub title: String,
    pub kind: String,
    pub state: String,
    pub project: Option<String>,
    pub by: Actor,
    pub at: OffsetDateTime,
    pub verified: bool,
    pub freshness: Freshness,
    /// What differs from the other is marked.
    pub text: Vec<Segment>,
    /// It was chosen.
    pub kept: bool,
}

impl Conflicts {
    fn tabs(&self) -> Tabs {
        Tabs::of(&self.chrome, "conflicts")
    }

    fn list(&self) -> String {
        self.chrome.place("conflicts")
    }

    fn one(&self, conflict: &Conflict) -> String {
        self.chrome.one("conflicts", &conflict.id)
    }

    fn resolve(&self, conflict: &Conflict) -> String {
        format!("{}/resolve", self.one(conflict))
    }

    fn here(&self) -> String {
        if self.single { self.list() } else { self.chrome.here.clone() }
    }

    fn those(&self, state: &str) -> String {
        query::link(&self.list(), &[("state", state)])
    }

    fn is(&self, state: &str) -> bool {
        !self.single && self.state == state
    }

    fn next(&self) -> Option<String> {
        let cursor = self.next_cursor.as_deref()?;
        Some(query::link(&self.list(), &[("state", &self.state), ("cursor", cursor)]))
    }

    fn first(&self) -> String {
        query::link(&self.list(), &[("state", &self.state)])
    }
}

impl Conflict {
    fn sides(&self) -> [(&'static str, &Side); 2] {
        [("Older", &self.older), ("Newer", &self.newer)]
    }

    fn sure(&self) -> String {
        let percent = format!("{:.0} %", self.score.clamp(0.0, 1.0) * 100.0);
        if self.certain { format!("clear, {percent}") } else { format!("likely, {percent}") }
    }

    fn outcome(&self) -> &str {
        match self.resolution.as_deref() {
            Some("one") => "One was kept.",
            Some("both") => "Both hold.",
            Some("neither") => "Neither held; both were archived.",
            Some("revised") => "One was rewritten and no longer contradicts the other.",
            Some(other) => other,
            None => "One of the two is no longer active.",
        }
    }
}
