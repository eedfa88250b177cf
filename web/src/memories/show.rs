//! One memory: what it says, why one may trust it, how it came to be, and what one may do.

use super::{Compare, Freshness, Version};
use crate::{Actor, Chrome, markdown::Markdown, query};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "memories/show.html")]
pub struct Show {
    pub chrome: Chrome,
    pub memory: Memory,
    /// Newest first.
    pub versions: Vec<Version>,
    /// Are these older ones, reached by a cursor?
    pub continued: bool,
    pub next_cursor: Option<String>,
    /// When the URL asks for two versions.
    pub compare: Option<Compare>,
    /// Show the text as it was written, not rendered.
    pub as_written: bool,
    /// The newest receipts in which it was returned.
    pub told: Vec<Told>,
    /// There are more.
    pub told_more: bool,
    /// What is near to it.
    pub related: Vec<Related>,
    pub may: May,
}

/// Somebody was told it.
#[derive(Clone, Debug)]
pub struct Told {
    pub receipt_id: String,
    pub to: Actor,
    pub at: OffsetDateTime,
    /// The version that was told.
    pub version: i32,
    /// Gone when what it asked for was erased.
    pub query: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Related {
    pub id: String,
    pub title: String,
    pub kind: String,
    pub freshness: Freshness,
}

#[derive(Clone, Debug)]
pub struct Memory {
    pub id: String,
    pub title: String,
    pub path: String,
    pub kind: String,
    pub state: String,
    pub version: i32,
    /// `None` when the text was erased.
    pub content: Option<String>,
    pub freshness: Freshness,
    pub project: Option<String>,
    /// What its store is called, where that is not the default one.
    pub store: Option<String>,
    pub tags: Vec<String>,
    pub private: bool,
    /// Whom it is about, for deletion.
    pub subject: Option<String>,
    /// Between 0 and 1.
    pub confidence: Option<f32>,
    pub source: Option<Source>,
    pub session_id: Option<String>,
    pub anchors: Vec<Anchor>,
    pub created: Look,
    pub updated: Look,
    pub verified: Option<Look>,
    pub valid_from: Option<OffsetDateTime>,
    pub stale_after: Option<OffsetDateTime>,
    pub expires_at: Option<OffsetDateTime>,
    /// Id and title of the memory that this one replaces.
    pub supersedes: Option<(String, String)>,
    pub superseded_by: Option<(String, String)>,
}

/// Someone looked at it, or wrote it, then.
#[derive(Clone, Debug)]
pub struct Look {
    pub by: Actor,
    pub at: OffsetDateTime,
}

#[derive(Clone, Debug, Default)]
pub struct Source {
    /// `session`, `file`, `url`, `commit`, `message`, `import` or `human`.
    pub kind: String,
    pub reference: Option<String>,
    pub excerpt: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Anchor {
    pub repo: Option<String>,
    pub path: String,
    pub symbol: Option<String>,
    pub state: String,
}

/// What the viewer may do with it now; all forms not allowed are not there.
#[derive(Clone, Copy, Debug, Default)]
pub struct May {
    /// Say it in other words.
    pub edit: bool,
    /// Of a decision: put another in its place.
    pub supersede: bool,
    pub verify: bool,
    pub archive: bool,
    pub restore: bool,
    pub revert: bool,
    pub ask_deletion: bool,
}

impl Show {
    fn action(&self, act: &str) -> String {
        format!("{}/{act}", self.here())
    }

    fn here(&self) -> String {
        self.chrome.memory(&self.memory.id)
    }

    fn next(&self) -> Option<String> {
        let older = query::link(&self.here(), &[("cursor", self.next_cursor.as_deref()?)]);
        Some(format!("{older}#history"))
    }

    fn first(&self) -> String {
        format!("{}#history", self.here())
    }

    fn rendered(content: &str) -> Markdown {
        Markdown::new(content)
    }

    fn receipts(&self) -> String {
        query::link(&self.chrome.place("receipts"), &[("memory_id", &self.memory.id)])
    }

    fn may_act(&self) -> bool {
        let May { edit, supersede, verify, archive, restore, ask_deletion, revert: _ } = self.may;
        edit || supersede || verify || archive || restore || ask_deletion
    }

    fn may_revert_to(&self, version: &Version) -> bool {
        self.may.revert && version.text.is_kept() && version.number != self.memory.version
    }

    /// The two versions that the compare form offers: those shown, or the last step.
    fn compared(&self) -> (i32, i32) {
        match &self.compare {
            Some(compare) => (compare.from, compare.to),
            None => (self.memory.version - 1, self.memory.version),
        }
    }
}

impl Memory {
    fn percent(&self) -> Option<String> {
        self.confidence.map(|sure| format!("{:.0} %", sure.clamp(0.0, 1.0) * 100.0))
    }
}

impl Source {
    fn text(&self) -> &str {
        self.reference.as_deref().unwrap_or_default()
    }

    /// Only the web's own addresses become links; anything else, such as `javascript:`, stays text.
    fn is_link(&self) -> bool {
        self.text().starts_with("https://") || self.text().starts_with("http://")
    }
}

impl Anchor {
    /// Its place in the tree, where it is known in which repository that is.
    fn href(&self, chrome: &crate::Chrome) -> Option<String> {
        let symbol = self.symbol.as_deref().unwrap_or_default();
        let pairs = [("repo", self.repo.as_deref()?), ("path", self.path.as_str()), ("symbol", symbol)];
        Some(crate::query::link(&chrome.place("code"), &pairs))
    }

    fn name(&self) -> &str {
        self.symbol.as_deref().unwrap_or(&self.path)
    }

    /// What the name leaves out: the repository, and the file of a symbol.
    fn around(&self) -> String {
        let file = self.symbol.as_ref().map(|_| self.path.as_str());
        let parts: Vec<_> = self.repo.as_deref().into_iter().chain(file).collect();
        parts.join(" · ")
    }
}
