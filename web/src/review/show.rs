//! One thing that waits, beside what is known already, with what speaks for it.

use super::Proposal;
use crate::{
    Choice, Chrome,
    memories::{Freshness, Segment},
};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "review/show.html")]
pub struct Show {
    pub chrome: Chrome,
    pub proposal: Proposal,
    /// The whole text that waits; where there is something near, what differs from it is marked.
    pub text: Vec<Segment>,
    pub path: Option<String>,
    pub tags: Vec<String>,
    /// What it would change, then what speaks of the same.
    pub beside: Vec<Beside>,
    pub runs: Vec<Run>,
    /// What can be said in other words; none where no memory waits.
    pub edit: Option<Edit>,
    /// Who could look at it, by id.
    pub people: Vec<Choice>,
    pub assigned_to: String,
    pub may_decide: bool,
    /// The id of what waits next.
    pub next: Option<String>,
}

/// A memory that is known already.
#[derive(Clone, Debug)]
pub struct Beside {
    pub id: String,
    pub title: String,
    pub kind: String,
    pub state: String,
    pub freshness: Freshness,
    pub text: Vec<Segment>,
    /// How near it is, 0 to 1; none of what would change.
    pub score: Option<f32>,
    /// What would become of it: “makes room”.
    pub becomes: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Edit {
    pub title: String,
    pub content: String,
    pub kind: String,
    pub tags: String,
    pub reason: String,
    /// It was typed before, and did not come through.
    pub open: bool,
    /// A decision is never changed; editing it makes a new one.
    pub decision: bool,
}

/// A run that shows it, with what happened there.
#[derive(Clone, Debug)]
pub struct Run {
    pub session_id: String,
    /// How sure it alone makes it, 0 to 1.
    pub weight: f32,
    pub events: Vec<Event>,
    /// Beyond those listed.
    pub more: usize,
}

#[derive(Clone, Debug)]
pub struct Event {
    /// `command`, `file_edit`, `prompt` …
    pub kind: String,
    pub at: OffsetDateTime,
    /// The command, the file or the words.
    pub what: String,
    /// The end of what came out.
    pub output: Option<String>,
    pub failed: bool,
}

impl Show {
    fn action(&self, act: &str) -> String {
        format!("{}/{act}", self.chrome.one("review", &self.proposal.id))
    }

    fn after(&self) -> String {
        match &self.next {
            Some(next) => self.chrome.one("review", next),
            None => self.chrome.place("review"),
        }
    }

    fn has_memory(&self) -> bool {
        self.proposal.title.is_some()
    }

    fn kinds() -> Vec<Choice> {
        crate::memories::Filters::KINDS.map(|kind| Choice::new(kind, kind)).into()
    }
}

impl Beside {
    fn nearness(&self) -> Option<String> {
        self.score.map(|score| format!("{:.0} % alike", score.clamp(0.0, 1.0) * 100.0))
    }
}

impl Run {
    fn percent(&self) -> String {
        format!("{:.0} %", self.weight.clamp(0.0, 1.0) * 100.0)
    }

    fn short_id(&self) -> &str {
        let tail = self.session_id.len().saturating_sub(8);
        self.session_id.get(tail..).unwrap_or(&self.session_id)
    }
}

impl Event {
    fn label(&self) -> String {
        self.kind.replace('_', " ")
    }
}
