//! Dreams: curation runs, and what each did and why.

use crate::{Actor, Choice, Chrome, query, review::Tabs};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "dreams/index.html")]
pub struct Index {
    pub chrome: Chrome,
    pub dreams: Vec<Dream>,
    /// What the settings say: `off`, `review` or `auto`.
    pub mode: String,
    /// May the viewer begin one?
    pub may_start: bool,
    pub projects: Vec<String>,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Dream {
    pub id: String,
    /// `running`, `done`, `failed` or `rolled_back`.
    pub state: String,
    /// How far it is: `reading`, `thinking`, `writing`, `rewriting`, `over`.
    pub stage: String,
    pub mode: String,
    pub project: Option<String>,
    pub dry_run: bool,
    pub started_at: OffsetDateTime,
    pub ended_at: Option<OffsetDateTime>,
    pub started_by: Actor,
    pub looked_at: u64,
    pub left_out: u64,
    /// What it did: the deed, what became of it, how often.
    pub tally: Vec<(String, String, u64)>,
    /// Tokens sent and received, where a chat endpoint was asked.
    pub tokens: Option<(u32, u32)>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "dreams/show.html")]
pub struct Show {
    pub chrome: Chrome,
    pub dream: Dream,
    /// Only this deed; empty for all.
    pub deed: String,
    pub actions: Vec<Action>,
    /// May the viewer undo it?
    pub may_roll_back: bool,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Action {
    pub deed: String,
    pub why: String,
    pub score: f32,
    pub outcome: String,
    pub memory: Named,
    pub others: Vec<Named>,
    pub made: Option<Named>,
    pub proposal_id: Option<String>,
    pub conflict_id: Option<String>,
}

/// A memory by its name, as far as it may be seen.
#[derive(Clone, Debug)]
pub struct Named {
    pub id: String,
    pub title: Option<String>,
}

impl Index {
    fn tabs(&self) -> Tabs {
        Tabs::of(&self.chrome, "dreams")
    }

    fn list(&self) -> String {
        self.chrome.place("dreams")
    }

    fn one(&self, dream: &Dream) -> String {
        self.chrome.one("dreams", &dream.id)
    }

    fn modes() -> Vec<Choice> {
        vec![Choice::new("review", "propose everything"), Choice::new("auto", "do what is sure, propose the rest")]
    }

    fn mode_said(&self) -> &str {
        match self.mode.as_str() {
            "off" => "Dreams are off: none begins by itself.",
            "auto" => "Once a day a dream does what it is sure of, and proposes the rest.",
            _ => "Once a day a dream looks through the workspace and proposes what it would do.",
        }
    }

    fn next(&self) -> Option<String> {
        self.next_cursor.as_deref().map(|cursor| query::link(&self.list(), &[("cursor", cursor)]))
    }

    fn first(&self) -> String {
        self.list()
    }
}

impl Show {
    fn tabs(&self) -> Tabs {
        Tabs::of(&self.chrome, "dreams")
    }

    fn here(&self) -> String {
        self.chrome.one("dreams", &self.dream.id)
    }

    fn roll_back(&self) -> String {
        query::link(&self.chrome.one("rollbacks", "new"), &[("dream_id", &self.dream.id)])
    }

    fn by_deed(&self, deed: &str) -> String {
        query::link(&self.here(), &[("deed", deed)])
    }

    fn href(&self, named: &Named) -> Option<String> {
        named.title.as_ref().map(|_| self.chrome.memory(&named.id))
    }

    fn next(&self) -> Option<String> {
        let cursor = self.next_cursor.as_deref()?;
        Some(query::link(&self.here(), &[("deed", &self.deed), ("cursor", cursor)]))
    }

    fn first(&self) -> String {
        self.by_deed(&self.deed)
    }
}

impl Dream {
    fn is_running(&self) -> bool {
        self.state == "running"
    }

    fn state_said(&self) -> String {
        match self.state.as_str() {
            "running" => format!("running: {}", self.stage),
            state => state.replace('_', " "),
        }
    }

    fn mode_said(&self) -> &str {
        match (self.dry_run, self.mode.as_str()) {
            (true, _) => "dry run",
            (_, "auto") => "does what is sure",
            (_, "review") => "proposes",
            (_, other) => other,
        }
    }

    fn did(&self) -> String {
        let all: Vec<String> = self.tally.iter().map(|(deed, outcome, count)| format!("{count} to {deed}: {outcome}")).collect();
        if all.is_empty() { "nothing to tidy".into() } else { all.join(", ") }
    }
}

impl Action {
    /// “merged · the same text”, as people say it.
    fn said(&self) -> String {
        format!("{} · {}", self.deed, self.why)
    }

    fn percent(&self) -> String {
        format!("{:.0} %", self.score.clamp(0.0, 1.0) * 100.0)
    }
}

impl Named {
    pub(crate) fn label(&self) -> &str {
        self.title.as_deref().unwrap_or("gone, or not yours to see")
    }
}
