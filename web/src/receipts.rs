//! Receipts: who asked what, what they were told, and why that.

use crate::{Actor, Choice, Chrome, When, explain::Explained, memories::Freshness, query};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "receipts/index.html")]
pub struct Index {
    pub chrome: Chrome,
    pub filters: Filters,
    /// What the filtered memory is called.
    pub memory: Option<String>,
    pub actors: Vec<Choice>,
    pub receipts: Vec<Receipt>,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

/// As they stand in the URL; empty means not set.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    pub actor: String,
    pub memory_id: String,
    pub session_id: String,
    /// Days.
    pub from: String,
    pub to: String,
}

#[derive(Clone, Debug)]
pub struct Receipt {
    pub id: String,
    pub at: OffsetDateTime,
    pub actor: Actor,
    /// The door it came through: `rest`, `mcp`, `dashboard` …
    pub surface: String,
    /// Gone when what it asked for was erased.
    pub query: Option<String>,
    pub items: usize,
    pub tokens: u32,
    pub omitted: u32,
    pub took_ms: f32,
}

#[derive(Clone, Debug, Template)]
#[template(path = "receipts/show.html")]
pub struct Show {
    pub chrome: Chrome,
    pub receipt: Receipt,
    pub session_id: Option<String>,
    /// The filters it was asked with, a name and a value each.
    pub asked: Vec<(String, String)>,
    pub items: Vec<Told>,
    /// The question again, as it would be answered now.
    pub again: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Told {
    pub memory_id: String,
    pub version: i32,
    /// None when it was erased or is not the viewer's to see.
    pub title: Option<String>,
    pub kind: Option<String>,
    pub text: Option<String>,
    /// Only its beginning is shown.
    pub is_cut: bool,
    pub freshness: Freshness,
    pub tokens: u32,
    pub why: Explained,
    /// Who said what of it: `(name, verdict)`.
    pub verdicts: Vec<(Actor, String)>,
}

impl Receipt {
    pub(crate) fn asked(&self) -> &str {
        match self.query.as_deref() {
            Some("") => "everything that the filters let through",
            Some(query) => query,
            None => "The question was erased with what it asked for.",
        }
    }

    fn took(&self) -> String {
        format!("{:.1} ms", self.took_ms)
    }

    fn answer(&self) -> String {
        match (self.items, self.omitted) {
            (0, _) => "nothing found".to_owned(),
            (1, 0) => "1 memory".to_owned(),
            (n, 0) => format!("{n} memories"),
            (n, left) => format!("{n} memories, {left} left out"),
        }
    }
}

impl Index {
    fn is_bare(&self) -> bool {
        self.receipts.is_empty() && self.filters.is_empty() && !self.continued
    }

    fn list(&self) -> String {
        self.chrome.place("receipts")
    }

    fn next(&self) -> Option<String> {
        Some(self.filters.page(&self.list(), self.next_cursor.as_deref()?))
    }

    fn first(&self) -> String {
        self.filters.page(&self.list(), "")
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
        [("actor", &self.actor), ("memory_id", &self.memory_id), ("session_id", &self.session_id), ("from", &self.from), ("to", &self.to)]
    }
}

impl Show {
    /// The same page with all of one text.
    fn whole(&self, told: &Told) -> String {
        let here = query::link(&self.chrome.one("receipts", &self.receipt.id), &[("whole", &told.memory_id)]);
        format!("{here}#m-{}", query::encode(&told.memory_id))
    }

    fn exact(&self) -> When {
        When::absolute(self.receipt.at)
    }
}
