//! The log of decisions: what binds, and what each took the place of.

use crate::{Actor, Chrome, memories::Freshness, query};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "decisions/index.html")]
pub struct Index {
    pub chrome: Chrome,
    /// `active`, `proposed`, `superseded` or `archived`; the filter in the URL, empty for what binds.
    pub state: String,
    pub project: String,
    pub projects: Vec<String>,
    pub chains: Vec<Chain>,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

/// A decision and those before it, the newest first.
#[derive(Clone, Debug)]
pub struct Chain {
    pub links: Vec<Link>,
    /// It goes on further than is shown.
    pub cut: bool,
}

#[derive(Clone, Debug)]
pub struct Link {
    pub id: String,
    pub title: String,
    pub state: String,
    pub freshness: Freshness,
    pub project: Option<String>,
    pub by: Actor,
    pub at: OffsetDateTime,
    pub verified: bool,
    /// The first lines of why.
    pub gist: String,
}

struct Tab {
    label: &'static str,
    href: String,
    current: bool,
}

impl Index {
    fn here(&self) -> String {
        self.chrome.place("decisions")
    }

    fn tabs(&self) -> Vec<Tab> {
        let tabs = [("Binding", ""), ("Proposed", "proposed"), ("Superseded", "superseded"), ("Archived", "archived")];
        let href = |state| query::link(&self.here(), &[("state", state), ("project", &self.project)]);
        tabs.map(|(label, state)| Tab { label, href: href(state), current: state == self.state }).into()
    }

    fn page(&self, cursor: &str) -> String {
        query::link(&self.here(), &[("state", &self.state), ("project", &self.project), ("cursor", cursor)])
    }

    fn next(&self) -> Option<String> {
        Some(self.page(self.next_cursor.as_deref()?))
    }

    fn first(&self) -> String {
        self.page("")
    }
}
