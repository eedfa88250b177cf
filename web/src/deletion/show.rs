//! One deletion request: what it would take, who decided, and the last chance to stop.

use super::Request;
use crate::{Actor, Chrome, When};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "deletion/show.html")]
pub struct Show {
    pub chrome: Chrome,
    pub request: Request,
    /// How it was asked for, a line each: “subject customer-4711”, “memories that match …”.
    pub asked_for: Vec<String>,
    /// A preview; empty once executed.
    pub touched: Vec<Touched>,
    /// How many more than the preview lists.
    pub more: u64,
    /// What says the same and stays.
    pub copies: Vec<Touched>,
    /// How many more of those than are shown.
    pub more_copies: u64,
    pub approved: Option<Decision>,
    pub rejected: Option<Decision>,
    pub executed: Option<Decision>,
    /// Legal holds in the way, by their reasons.
    pub holds: Vec<String>,
    pub four_eyes: Option<FourEyes>,
    pub may: May,
    /// Where the certificate is, once executed.
    pub certificate: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Touched {
    /// `memory`, `session`, `event`, …
    pub kind: String,
    pub id: String,
    pub title: String,
    pub detail: String,
    /// A legal hold keeps it.
    pub held: bool,
}

impl Touched {
    pub(super) fn href(&self, chrome: &Chrome) -> Option<String> {
        (self.kind == "memory").then(|| chrome.memory(&self.id))
    }
}

#[derive(Clone, Debug)]
pub struct Decision {
    pub by: Actor,
    pub at: OffsetDateTime,
    pub note: Option<String>,
}

/// Why the viewer, who otherwise could, may not decide this one.
#[derive(Clone, Copy, Debug)]
pub enum FourEyes {
    /// The viewer asked for it.
    YouAsked,
    /// An agent that the viewer made asked for it.
    YourAgentAsked,
    /// Nobody else could: the viewer may from then on, and the certificate will say so.
    AloneUntil(OffsetDateTime),
}

#[derive(Clone, Copy, Debug, Default)]
pub struct May {
    pub approve: bool,
    pub reject: bool,
    pub execute: bool,
}

/// A step of the timeline, done or ahead.
pub struct Step<'a> {
    pub label: &'static str,
    pub class: &'static str,
    pub by: Option<&'a Actor>,
    pub at: Option<When>,
    pub note: Option<&'a str>,
}

impl Show {
    fn action(&self, act: &str) -> String {
        format!("{}/{act}", self.chrome.deletion(&self.request.id))
    }

    fn may_act(&self) -> bool {
        self.may.approve || self.may.reject || self.may.execute
    }

    fn href_of(&self, touched: &Touched) -> Option<String> {
        touched.href(&self.chrome)
    }

    fn all_copies(&self) -> String {
        format!("{}?show=copies", self.action("items"))
    }

    fn steps(&self) -> Vec<Step<'_>> {
        let asked = Step {
            label: "Asked",
            class: "done",
            by: Some(&self.request.asked_by),
            at: Some(When::absolute(self.request.asked_at)),
            note: None,
        };
        if let Some(rejected) = &self.rejected {
            return vec![asked, rejected.step("Rejected", "stopped")];
        }
        let mut steps = vec![asked, step(self.approved.as_ref(), "Approved", "Approval")];
        if !self.holds.is_empty() && self.executed.is_none() {
            steps.push(Step { class: "stopped", ..Step::ahead("Blocked by a legal hold") });
        }
        steps.push(step(self.executed.as_ref(), "Executed", "Execution"));
        steps
    }
}

fn step<'a>(decision: Option<&'a Decision>, done: &'static str, ahead: &'static str) -> Step<'a> {
    decision.map_or_else(|| Step::ahead(ahead), |decision| decision.step(done, "done"))
}

impl Step<'_> {
    fn ahead(label: &'static str) -> Self {
        Self { label, class: "ahead", by: None, at: None, note: None }
    }
}

impl Decision {
    fn step(&self, label: &'static str, class: &'static str) -> Step<'_> {
        Step { label, class, by: Some(&self.by), at: Some(When::absolute(self.at)), note: self.note.as_deref() }
    }
}
