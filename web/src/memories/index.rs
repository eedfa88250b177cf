//! The list of memories: filters in the URL, one page at a time.

use super::{Chip, Filters, Freshness};
use crate::{Actor, Choice, Chrome};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "memories/index.html")]
pub struct Index {
    pub chrome: Chrome,
    pub filters: Filters,
    /// Who may be chosen as the author: ids and names.
    pub authors: Vec<Choice>,
    /// Projects and tags that exist, offered while typing; may be empty.
    pub projects: Vec<String>,
    pub tags: Vec<String>,
    pub rows: Vec<Row>,
    /// Is this a later page, reached by a cursor?
    pub continued: bool,
    pub next_cursor: Option<String>,
    /// Where the server answers, such as `https://cairn.example.org`; for the first command.
    pub origin: String,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub id: String,
    pub title: String,
    pub path: String,
    pub kind: String,
    pub state: String,
    pub freshness: Freshness,
    pub project: Option<String>,
    pub tags: Vec<String>,
    pub private: bool,
    pub version: i32,
    /// Who wrote the present version.
    pub author: Actor,
    pub updated_at: OffsetDateTime,
}

impl Index {
    /// Nothing there at all, as opposed to nothing found.
    fn is_bare(&self) -> bool {
        self.rows.is_empty() && self.filters.is_empty() && !self.continued
    }

    fn chips(&self) -> Vec<Chip> {
        let mut chips = self.filters.chips(&self.chrome.memories());
        for chip in chips.iter_mut().filter(|chip| chip.label == "Author") {
            Choice::label(&self.authors, &self.filters.author).clone_into(&mut chip.value);
        }
        chips
    }

    fn count(&self) -> String {
        let shown = match self.rows.len() {
            1 => "1 memory".to_owned(),
            n => format!("{n} memories"),
        };
        match (self.continued, self.next_cursor.is_some()) {
            (false, false) => shown,
            (false, true) => format!("The latest {shown}"),
            (true, true) => format!("{shown} on this page"),
            (true, false) => format!("{shown}, the last page"),
        }
    }

    fn next(&self) -> Option<String> {
        let cursor = self.next_cursor.as_deref()?;
        Some(self.filters.page(&self.chrome.memories(), cursor))
    }

    fn first(&self) -> String {
        self.filters.page(&self.chrome.memories(), "")
    }
}

impl Row {
    /// Most memories are active; only what is not needs saying.
    pub(crate) fn is_active(&self) -> bool {
        self.state == "active"
    }
}
