//! The trail: who did what to what, when, with the means to prove it.

mod entry;
mod seal;

pub use entry::{Entry, Target};
pub use seal::{Check, Checkpoint, Outcome};

use crate::{Choice, Chrome, When, query};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "trail/index.html")]
pub struct Index {
    pub chrome: Chrome,
    pub filters: Filters,
    /// Who may be chosen: ids and names.
    pub actors: Vec<Choice>,
    /// Actions there are, offered while typing.
    pub actions: Vec<String>,
    pub entries: Vec<Entry>,
    /// What is sealed and signed.
    pub checkpoint: Checkpoint,
    /// The last look through all of it by this server.
    pub check: Option<Check>,
    /// Where the look through a long trail stopped, if not at its end: the moment, and the cursor to go on from.
    pub until: Option<(OffsetDateTime, String)>,
    /// Is this a later page, reached by a cursor?
    pub continued: bool,
    pub next_cursor: Option<String>,
}

/// As they stand in the URL; empty means not set.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    /// An id.
    pub actor: String,
    pub action: String,
    pub target: String,
    /// Days, `2026-11-16`.
    pub from: String,
    pub to: String,
}

impl Index {
    fn is_bare(&self) -> bool {
        self.entries.is_empty() && self.filters.is_empty() && !self.continued
    }

    /// Where the export is, with the same filters; of targets it knows nothing.
    fn export(&self, format: &str) -> String {
        let moment = |day: &str, after: &str| if day.is_empty() { String::new() } else { format!("{day}{after}") };
        let (from, to) = (moment(&self.filters.from, "T00:00:00Z"), moment(&self.filters.to, "T23:59:59.999999Z"));
        let pairs = [("format", format), ("actor", &self.filters.actor), ("action", &self.filters.action), ("from", &from), ("to", &to)];
        query::link(&self.api("audit/export"), &pairs)
    }

    fn api(&self, place: &str) -> String {
        format!("/v1/workspaces/{}/{place}", query::encode(&self.chrome.workspace.slug))
    }

    fn proof(&self, entry: &Entry) -> Option<String> {
        entry.index.map(|index| self.api(&format!("audit/proof/{index}")))
    }

    fn checking(&self) -> bool {
        self.check.as_ref().is_some_and(Check::is_running)
    }

    fn verify(&self) -> String {
        format!("{}/verify", self.chrome.trail())
    }

    fn only(&self, filter: &str, value: &str) -> String {
        query::link(&self.chrome.trail(), &[(filter, value)])
    }

    fn exact(at: &OffsetDateTime) -> When {
        When::absolute(*at)
    }

    /// Further back than this look went.
    fn further(&self) -> Option<String> {
        self.until.as_ref().map(|(_, cursor)| self.filters.page(&self.chrome.trail(), cursor))
    }

    fn href_of(&self, target: &Target) -> Option<String> {
        match target.kind.as_str() {
            // One without a title was erased, or is not the viewer's to see: there is no page to link to.
            "memory" => target.title.as_ref().map(|_| self.chrome.memory(&target.id)),
            "conflict" => target.title.as_ref().map(|_| self.chrome.one("conflicts", &target.id)),
            "deletion_request" | "deletion" => Some(self.chrome.deletion(&target.id)),
            "proposal" => Some(self.chrome.one("review", &target.id)),
            "dream" => Some(self.chrome.one("dreams", &target.id)),
            "session" => Some(self.chrome.one("sessions", &target.id)),
            _ => None,
        }
    }

    fn next(&self) -> Option<String> {
        let cursor = self.next_cursor.as_deref()?;
        Some(self.filters.page(&self.chrome.trail(), cursor))
    }

    fn first(&self) -> String {
        self.filters.page(&self.chrome.trail(), "")
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

    fn pairs(&self) -> [(&'static str, &str); 5] {
        [("actor", &self.actor), ("action", &self.action), ("target", &self.target), ("from", &self.from), ("to", &self.to)]
    }
}
