//! Runs of agents: the list, and one replayed from its log.

use crate::{Actor, Choice, Chrome, When, query};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "sessions/index.html")]
pub struct Index {
    pub chrome: Chrome,
    pub filters: Filters,
    pub actors: Vec<Choice>,
    pub projects: Vec<String>,
    pub sessions: Vec<Session>,
    /// Where the server answers, for the first command.
    pub origin: String,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

/// As they stand in the URL; empty means not set.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    pub state: String,
    pub actor: String,
    pub project: String,
    pub task: String,
}

#[derive(Clone, Debug)]
pub struct Session {
    pub id: String,
    pub tool: String,
    /// `running`, `ended` or `abandoned`.
    pub state: String,
    pub by: Actor,
    pub project: Option<String>,
    pub task: Option<String>,
    pub branch: Option<String>,
    pub started_at: OffsetDateTime,
    pub ended_at: Option<OffsetDateTime>,
    pub last_event_at: Option<OffsetDateTime>,
    pub events: u64,
    pub summary: Option<String>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "sessions/show.html")]
pub struct Show {
    pub chrome: Chrome,
    pub session: Session,
    /// Where it ran: commit, folder; a name and a value each.
    pub facts: Vec<(&'static str, String)>,
    pub moments: Vec<Moment>,
    /// What it taught: id, title, kind, state.
    pub learned: Vec<Learned>,
    /// How many were learned that are not listed.
    pub learned_more: bool,
    /// May the viewer undo what it wrote?
    pub may_roll_back: bool,
    /// The page that one looks at; empty for the first.
    pub cursor: String,
    /// Whose run it was.
    pub actor_id: String,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Learned {
    pub id: String,
    pub title: String,
    pub kind: String,
    pub state: String,
}

/// Something that happened, in the order in which it did.
#[derive(Clone, Debug)]
pub struct Moment {
    pub at: OffsetDateTime,
    /// `prompt`, `file_read`, `command`, `checkpoint`, `recall`, `learned` …
    pub kind: String,
    /// One line.
    pub title: String,
    /// More of it, folded where it is long.
    pub text: Option<String>,
    /// Only its beginning is here.
    pub is_cut: bool,
    /// Its place in the log, of an event.
    pub seq: Option<String>,
    /// Where it leads to.
    pub href: Option<String>,
    /// It failed.
    pub failed: bool,
    /// Further lines, each with a word before: decisions, items of a checkpoint.
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug)]
pub struct Line {
    pub word: String,
    pub text: String,
    /// The memory it became.
    pub memory: Option<String>,
}

impl Session {
    fn is_running(&self) -> bool {
        self.state == "running"
    }

    /// What it was about, as well as one can say.
    pub(crate) fn about(&self) -> String {
        match (&self.summary, &self.task, &self.project) {
            (Some(summary), ..) => summary.lines().next().unwrap_or_default().to_owned(),
            (None, Some(task), _) => format!("Task {task}"),
            (None, None, Some(project)) => format!("{} in {project}", self.tool),
            (None, None, None) => self.tool.clone(),
        }
    }

    fn began(&self) -> When {
        When::absolute(self.started_at)
    }

    fn lasted(&self) -> String {
        let end = self.ended_at.or(self.last_event_at).unwrap_or(self.started_at);
        let minutes = (end - self.started_at).whole_minutes();
        match minutes {
            ..=0 => "under a minute".to_owned(),
            1..=119 => format!("{minutes} min"),
            _ => format!("{} h {} min", minutes / 60, minutes % 60),
        }
    }
}

impl Index {
    fn list(&self) -> String {
        self.chrome.place("sessions")
    }

    fn is_bare(&self) -> bool {
        self.sessions.is_empty() && self.filters.is_empty() && !self.continued
    }

    fn next(&self) -> Option<String> {
        Some(self.filters.page(&self.list(), self.next_cursor.as_deref()?))
    }

    fn first(&self) -> String {
        self.filters.page(&self.list(), "")
    }
}

impl Filters {
    pub const STATES: [&str; 3] = ["running", "ended", "abandoned"];

    pub fn is_empty(&self) -> bool {
        self.pairs().iter().all(|(_, value)| value.is_empty())
    }

    fn page(&self, list: &str, cursor: &str) -> String {
        let mut pairs = self.pairs().to_vec();
        pairs.push(("cursor", cursor));
        query::link(list, &pairs)
    }

    fn pairs(&self) -> [(&'static str, &str); 4] {
        [("state", &self.state), ("actor", &self.actor), ("project", &self.project), ("task", &self.task)]
    }
}

impl Show {
    fn here(&self) -> String {
        self.chrome.one("sessions", &self.session.id)
    }

    fn next(&self) -> Option<String> {
        Some(query::link(&self.here(), &[("cursor", self.next_cursor.as_deref()?)]))
    }

    fn first(&self) -> String {
        self.here()
    }

    fn roll_back(&self) -> String {
        query::link(&self.chrome.one("rollbacks", "new"), &[("session_id", &self.session.id)])
    }

    fn roll_back_more(&self) -> String {
        query::link(&self.chrome.one("rollbacks", "new"), &[("agent_id", &self.actor_id), ("hours", "24")])
    }

    /// The same page with all of one event.
    fn whole(&self, moment: &Moment) -> String {
        let seq = moment.seq.as_deref().unwrap_or_default();
        format!("{}#e-{}", query::link(&self.here(), &[("cursor", &self.cursor), ("whole", seq)]), query::encode(seq))
    }

    /// All that was written in it.
    fn all_learned(&self) -> String {
        self.chrome.memories_by("session_id", &self.session.id)
    }

    fn receipts(&self) -> String {
        query::link(&self.chrome.place("receipts"), &[("session_id", &self.session.id)])
    }
}

impl Moment {
    fn clock(&self) -> When {
        When::time_of_day(self.at)
    }

    /// What it is, in a word for people.
    fn word(&self) -> &str {
        match self.kind.as_str() {
            "file_read" => "read",
            "file_edit" => "edited",
            "tool_use" => "tool",
            "tool_result" => "result",
            "recall" => "recalled",
            other => other,
        }
    }

    fn is_long(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.len() > 280 || text.lines().count() > 4)
    }
}
