//! Review: what waits for a person's word, what contradicts, and both sides of it.

mod conflicts;
mod index;
mod show;

pub use conflicts::{Conflict, Conflicts, Side};
pub use index::{Filters, Index};
pub use show::{Beside, Edit, Event, Run, Show};

use crate::{Actor, Chrome};
use askama::{Template, filters::HtmlSafe};
use time::OffsetDateTime;

/// What a list and a page both say of something that waits.
#[derive(Clone, Debug)]
pub struct Proposal {
    pub id: String,
    /// `open`, `approved` or `rejected`.
    pub state: String,
    /// `capture`, `conflict`, `suspicious`, `policy` or `dream`.
    pub origin: String,
    /// Why it waits, in a sentence.
    pub reason: String,
    pub memory_id: String,
    /// `None` when the memory is gone, or not the viewer's to see.
    pub title: Option<String>,
    pub kind: Option<String>,
    pub project: Option<String>,
    /// The beginning of what it says.
    pub excerpt: String,
    /// Between 0 and 1.
    pub confidence: f32,
    /// How many runs show it.
    pub runs: usize,
    /// What approving does beyond making the memory known: “Puts 3 memories away”.
    pub change: Option<String>,
    pub created_at: OffsetDateTime,
    pub assigned_to: Option<Actor>,
    pub decided: Option<Decided>,
}

#[derive(Clone, Debug)]
pub struct Decided {
    pub by: Actor,
    pub at: OffsetDateTime,
    pub note: Option<String>,
}

impl Proposal {
    fn label(&self) -> &str {
        self.title.as_deref().unwrap_or("A memory that is gone, or not yours to see")
    }

    fn is_open(&self) -> bool {
        self.state == "open"
    }

    fn percent(&self) -> String {
        format!("{:.0} %", self.confidence.clamp(0.0, 1.0) * 100.0)
    }

    /// Why it waits, in a word or two.
    fn why(&self) -> &str {
        match self.origin.as_str() {
            "capture" => "learned from a run",
            "conflict" => "contradicts",
            "suspicious" => "suspicious",
            "policy" => "unsure",
            "dream" => "dreamt",
            other => other,
        }
    }

    /// Whoever approves a contradiction decides for it.
    fn takes_a_place(&self) -> bool {
        self.is_open() && self.origin == "conflict"
    }

    fn shown_by(&self) -> Option<String> {
        match self.runs {
            0 => None,
            1 => Some("shown by 1 run".to_owned()),
            many => Some(format!("shown by {many} runs")),
        }
    }
}

/// The parts of the review, and which one looks at. Printed in a template it is their row of tabs.
#[derive(Template)]
#[template(
    source = r#"<nav class="tabs" aria-label="Review">{% for (label, href, current) in tabs %}<a href="{{ href }}"{% if *current %} aria-current="page"{% endif %}>{{ label }}</a>{% endfor %}</nav>"#,
    ext = "html"
)]
pub(crate) struct Tabs {
    tabs: [(&'static str, String, bool); 4],
}

impl HtmlSafe for Tabs {}

impl Tabs {
    pub(crate) fn of(chrome: &Chrome, current: &str) -> Self {
        let tabs = [("Proposals", "review"), ("Conflicts", "conflicts"), ("Dreams", "dreams"), ("Rollbacks", "rollbacks")];
        Self { tabs: tabs.map(|(label, place)| (label, chrome.place(place), place == current)) }
    }
}
