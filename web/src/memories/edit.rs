//! Writing a memory by hand: a new one, another wording, or a decision in the place of an old one.

use crate::{Choice, Chrome, memories::Filters};
use askama::Template;

#[derive(Clone, Debug, Template)]
#[template(path = "memories/edit.html")]
pub struct Edit {
    pub chrome: Chrome,
    pub purpose: Purpose,
    /// As it stands, or as it was typed before, so that nobody types it twice.
    pub typed: Typed,
    /// Projects that exist, offered while typing.
    pub projects: Vec<String>,
    /// Why it was not kept.
    pub obstacle: Option<Obstacle>,
}

#[derive(Clone, Debug)]
pub enum Purpose {
    New,
    /// Other words for this memory, which was read in this version.
    Revise {
        id: String,
        seen: i32,
    },
    /// A decision in the place of this one.
    Supersede {
        id: String,
        title: String,
    },
}

#[derive(Clone, Debug, Default)]
pub struct Typed {
    pub title: String,
    pub content: String,
    pub kind: String,
    /// With commas between.
    pub tags: String,
    pub project: String,
    pub reason: String,
    pub private: bool,
}

#[derive(Clone, Debug)]
pub enum Obstacle {
    Said(String),
    /// Somebody else changed it: from the version that was read to the one that stands now.
    Meanwhile {
        from: i32,
        to: i32,
    },
    /// It contradicts a decision.
    Decision {
        id: String,
        title: String,
        reason: String,
    },
}

impl Edit {
    fn heading(&self) -> &'static str {
        match self.purpose {
            Purpose::New => "Remember something",
            Purpose::Revise { .. } => "Edit",
            Purpose::Supersede { .. } => "Supersede this decision",
        }
    }

    fn action(&self) -> String {
        match &self.purpose {
            Purpose::New => self.chrome.memories(),
            Purpose::Revise { id, .. } => format!("{}/edit", self.chrome.memory(id)),
            Purpose::Supersede { id, .. } => format!("{}/supersede", self.chrome.memory(id)),
        }
    }

    /// Where one goes who leaves it.
    fn back(&self) -> String {
        match &self.purpose {
            Purpose::New => self.chrome.memories(),
            Purpose::Revise { id, .. } | Purpose::Supersede { id, .. } => self.chrome.memory(id),
        }
    }

    fn button(&self) -> &'static str {
        match self.purpose {
            Purpose::New => "Remember it",
            Purpose::Revise { .. } => "Save as a new version",
            Purpose::Supersede { .. } => "Supersede",
        }
    }

    fn is_new(&self) -> bool {
        matches!(self.purpose, Purpose::New)
    }

    fn revised(&self) -> Option<i32> {
        if let Purpose::Revise { seen, .. } = self.purpose { Some(seen) } else { None }
    }

    fn superseded(&self) -> Option<&str> {
        if let Purpose::Supersede { title, .. } = &self.purpose { Some(title) } else { None }
    }

    /// What contradicts may wait; what is there already stays as it is.
    fn may_wait(&self) -> bool {
        self.revised().is_none() && matches!(self.obstacle, Some(Obstacle::Decision { .. }))
    }

    /// What somebody else changed meanwhile.
    fn changes(&self) -> String {
        match self.obstacle {
            Some(Obstacle::Meanwhile { from, to }) => format!("{}?from={from}&to={to}#compare", self.back()),
            _ => self.back(),
        }
    }

    fn supersede(&self, id: &str) -> String {
        format!("{}/supersede", self.chrome.memory(id))
    }

    fn kinds() -> Vec<Choice> {
        Filters::KINDS.iter().map(|kind| Choice::new(*kind, *kind)).collect()
    }
}
