//! Tasks: a board of what is under way, and one with all that its runs came to.

use crate::{Actor, Chrome, markdown::Markdown, query};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "tasks/index.html")]
pub struct Index {
    pub chrome: Chrome,
    /// Open, active, paused, completed, abandoned, in this order.
    pub columns: Vec<Column>,
    /// Only this state, page by page.
    pub state: Option<String>,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Column {
    /// A state.
    pub state: String,
    pub tasks: Vec<Task>,
    /// There are more than are shown.
    pub more: bool,
}

#[derive(Clone, Debug)]
pub struct Task {
    pub key: String,
    pub title: String,
    pub state: String,
    pub project: Option<String>,
    pub next_step: Option<String>,
    pub by: Actor,
    pub updated_at: OffsetDateTime,
}

#[derive(Clone, Debug, Template)]
#[template(path = "tasks/show.html")]
pub struct Show {
    pub chrome: Chrome,
    pub task: Task,
    pub created_at: OffsetDateTime,
    /// In the order in which they came up.
    pub items: Vec<Item>,
    /// Runs that worked on it, newest first: id, what about, state, when.
    pub sessions: Vec<crate::sessions::Session>,
    /// There are more than are shown.
    pub more_sessions: bool,
    /// What the next run is told; empty when there is nothing yet.
    pub brief: Option<Markdown>,
    /// The record that was kept when it was completed.
    pub episode: Option<String>,
    pub may: May,
}

#[derive(Clone, Debug)]
pub struct Item {
    pub text: String,
    /// `pending`, `in_progress` or `completed`.
    pub status: String,
    pub note: Option<String>,
    pub session_id: String,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct May {
    pub pause: bool,
    pub complete: bool,
    pub abandon: bool,
}

impl Index {
    fn is_bare(&self) -> bool {
        self.state.is_none() && self.columns.iter().all(|column| column.tasks.is_empty())
    }

    fn all_of(&self, state: &str) -> String {
        query::link(&self.chrome.place("tasks"), &[("state", state)])
    }

    fn next(&self) -> Option<String> {
        let pairs = [("state", self.state.as_deref()?), ("cursor", self.next_cursor.as_deref()?)];
        Some(query::link(&self.chrome.place("tasks"), &pairs))
    }

    fn first(&self) -> String {
        self.all_of(self.state.as_deref().unwrap_or_default())
    }
}

impl Column {
    fn count(&self) -> String {
        format!("{}{}", self.tasks.len(), if self.more { "+" } else { "" })
    }
}

impl Show {
    fn action(&self, act: &str) -> String {
        let page = format!("{}/{act}", self.chrome.one("tasks", &self.task.key));
        query::link(&page, &[("project", self.task.project.as_deref().unwrap_or_default())])
    }

    fn runs(&self) -> String {
        let of_task = [("task", self.task.key.as_str()), ("project", self.task.project.as_deref().unwrap_or_default())];
        query::link(&self.chrome.place("sessions"), &of_task)
    }

    fn done(&self) -> usize {
        self.items.iter().filter(|item| item.status == "completed").count()
    }

    fn may_act(&self) -> bool {
        self.may.pause || self.may.complete || self.may.abandon
    }
}

impl Item {
    fn sign(&self) -> &'static str {
        match self.status.as_str() {
            "completed" => "✓",
            "in_progress" => "◐",
            _ => "○",
        }
    }

    fn said(&self) -> String {
        self.status.replace('_', " ")
    }
}
