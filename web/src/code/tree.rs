//! A folder of a repository: what lies in it, what hangs there, and what of that is in doubt.

use super::{Chosen, Tally, place, split, way};
use crate::{Chrome, memories::Row, query};
use askama::Template;

#[derive(Clone, Debug, Template)]
#[template(path = "code/tree.html")]
pub struct Tree {
    pub chrome: Chrome,
    /// `None` before the first snapshot.
    pub chosen: Option<Chosen>,
    /// With a slash at the end; empty for the whole repository.
    pub folder: String,
    pub entries: Vec<Entry>,
    /// `None` while the workspace is being counted for the first time.
    pub all: Option<Tally>,
    /// Some that hang here and are in doubt, judged on this branch.
    pub doubted: Vec<Row>,
    pub continued: bool,
    pub next_cursor: Option<String>,
    /// Where the server answers, for the first command.
    pub origin: String,
}

#[derive(Clone, Debug)]
pub struct Entry {
    /// From the root; a folder's has a slash at the end.
    pub path: String,
    /// Whether the snapshot has it.
    pub there: bool,
    pub tally: Tally,
}

impl Tree {
    fn way(&self) -> Vec<(String, String)> {
        way(&self.folder)
    }

    /// Another branch is opened at the same place.
    fn stays(&self) -> [(&'static str, &str); 1] {
        [("path", &self.folder)]
    }

    fn here(&self) -> &str {
        split(&self.folder).1
    }

    /// Folders first.
    fn sorted(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        entries.sort_by_key(|entry| !entry.is_folder());
        entries
    }

    fn doubtful(&self) -> u64 {
        self.all.map_or(0, |all| all.suspect + all.stale)
    }

    fn page(&self, cursor: &str) -> String {
        let Some(chosen) = &self.chosen else { return self.chrome.place("code") };
        let base = place(&self.chrome, &chosen.picture, &self.folder, "");
        if cursor.is_empty() { base } else { format!("{base}&cursor={}", query::encode(cursor)) }
    }

    fn next(&self) -> Option<String> {
        Some(self.page(self.next_cursor.as_deref()?))
    }

    fn first(&self) -> String {
        self.page("")
    }
}

impl Entry {
    fn is_folder(&self) -> bool {
        self.path.ends_with('/')
    }

    fn name(&self) -> &str {
        split(&self.path).1
    }
}
