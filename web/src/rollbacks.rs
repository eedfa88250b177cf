//! Taking back what was learned: what it would do before it is done, what it did, and all that were done.

use crate::{Actor, Choice, Chrome, dreams::Named, query, review::Tabs};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "rollbacks/index.html")]
pub struct Index {
    pub chrome: Chrome,
    pub rollbacks: Vec<Rollback>,
    /// May the viewer do one?
    pub may_roll_back: bool,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Rollback {
    pub id: String,
    pub at: OffsetDateTime,
    pub by: Actor,
    pub of: Of,
    pub tally: Tally,
}

/// Whose writes are meant.
#[derive(Clone, Debug)]
pub struct Of {
    /// “a run”, “what coding-agent wrote”.
    pub said: String,
    /// The page of the run, below the workspace.
    pub place: Option<String>,
    /// Only from then on.
    pub since: Option<OffsetDateTime>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub restored: i32,
    pub unwound: i32,
    pub archived: i32,
    pub left: i32,
}

/// What became of the memories, or would: how many of each, and the first of them by name.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub tally: Tally,
    pub items: Vec<Item>,
    /// Beyond those listed.
    pub more: usize,
}

#[derive(Clone, Debug)]
pub struct Item {
    pub memory: Named,
    /// `restored`, `unwound`, `archived` or `left`.
    pub outcome: String,
    /// Why it is left.
    pub reason: Option<String>,
}

/// What a rollback would do; or, while nothing is named, the question whose writes are meant.
#[derive(Clone, Debug, Template)]
#[template(path = "rollbacks/new.html")]
pub struct New {
    pub chrome: Chrome,
    /// Whom one may choose, by id.
    pub actors: Vec<Choice>,
    pub actor: String,
    /// How far back, in hours; empty for all of it.
    pub hours: String,
    pub planned: Option<Planned>,
}

#[derive(Clone, Debug)]
pub struct Planned {
    pub of: Of,
    /// What the form sends: the name and the value of each part of the selection.
    pub fields: Vec<(&'static str, String)>,
    pub would: Outcome,
}

#[derive(Clone, Debug, Template)]
#[template(path = "rollbacks/show.html")]
pub struct Show {
    pub chrome: Chrome,
    pub rollback: Rollback,
    pub did: Outcome,
    pub may_roll_back: bool,
}

impl Index {
    fn tabs(&self) -> Tabs {
        Tabs::of(&self.chrome, "rollbacks")
    }

    fn next(&self) -> Option<String> {
        self.next_cursor.as_deref().map(|cursor| query::link(&self.first(), &[("cursor", cursor)]))
    }

    fn first(&self) -> String {
        self.chrome.place("rollbacks")
    }
}

impl New {
    fn list(&self) -> String {
        self.chrome.place("rollbacks")
    }

    fn here(&self) -> String {
        self.chrome.one("rollbacks", "new")
    }

    /// Where one goes who leaves it.
    fn back(&self) -> String {
        let place = self.planned.as_ref().and_then(|planned| planned.of.place.as_deref());
        place.map_or_else(|| self.list(), |place| self.chrome.place(place))
    }

    fn spans() -> Vec<Choice> {
        spans()
    }

    /// A run is a run; of somebody one chooses how far back.
    fn is_of_an_actor(&self) -> bool {
        self.planned.as_ref().is_none_or(|planned| planned.fields.iter().any(|(name, _)| *name == "agent_id"))
    }
}

/// How far back one takes what somebody wrote.
pub(crate) fn spans() -> Vec<Choice> {
    vec![
        Choice::new("1", "in the last hour"),
        Choice::new("24", "in the last day"),
        Choice::new("168", "in the last week"),
        Choice::new("720", "in the last 30 days"),
    ]
}

impl Show {
    fn tabs(&self) -> Tabs {
        Tabs::of(&self.chrome, "rollbacks")
    }

    fn undo(&self) -> String {
        query::link(&self.chrome.one("rollbacks", "new"), &[("rollback_id", &self.rollback.id)])
    }
}

impl Tally {
    /// What becomes of memories, and of how many.
    fn counts(self) -> Vec<(&'static str, i32)> {
        let all = [
            ("go back to the version before", self.restored),
            ("are active again", self.unwound),
            ("are put away: this made them", self.archived),
            ("are left as they are", self.left),
        ];
        all.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    fn said(self) -> String {
        let undone = self.restored + self.unwound + self.archived;
        match (undone, self.left) {
            (0, 0) => "nothing".to_owned(),
            (undone, 0) => format!("{undone} undone"),
            (undone, left) => format!("{undone} undone, {left} left"),
        }
    }

    fn does_something(self) -> bool {
        self.restored + self.unwound + self.archived > 0
    }
}

impl Item {
    fn href(&self, chrome: &Chrome) -> Option<String> {
        self.memory.title.as_ref().map(|_| chrome.memory(&self.memory.id))
    }
}
