//! What needs review: memories in doubt, by how often they were told all the same, by use, or by age.

use crate::{Chrome, memories::Row, query};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "code/review.html")]
pub struct Review {
    pub chrome: Chrome,
    /// `told`, `use` or `age`; the order in the URL, empty for the first.
    pub order: String,
    /// Only of this repository; empty for everything.
    pub repo: String,
    /// `None` while the workspace is being counted for the first time.
    pub count: Option<u64>,
    /// More are in doubt than are weighed by how often they were told; so many are.
    pub weighed: Option<u64>,
    pub rows: Vec<Doubted>,
    pub may_verify: bool,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Doubted {
    pub row: Row,
    pub since: OffsetDateTime,
    pub told: u64,
    /// How often of that while it was in doubt.
    pub told_in_doubt: u64,
}

struct Tab {
    label: &'static str,
    href: String,
    current: bool,
}

impl Review {
    fn here(&self) -> String {
        self.chrome.place("code/review")
    }

    fn tabs(&self) -> Vec<Tab> {
        let tabs = [("Told in doubt", ""), ("Most used", "use"), ("Longest unattended", "age")];
        let href = |order| query::link(&self.here(), &[("order", order), ("repo", &self.repo)]);
        tabs.map(|(label, order)| Tab { label, href: href(order), current: order == self.order }).into()
    }

    fn everything(&self) -> String {
        query::link(&self.here(), &[("order", &self.order)])
    }

    fn page(&self, cursor: &str) -> String {
        query::link(&self.here(), &[("order", &self.order), ("repo", &self.repo), ("cursor", cursor)])
    }

    fn next(&self) -> Option<String> {
        Some(self.page(self.next_cursor.as_deref()?))
    }

    fn first(&self) -> String {
        self.page("")
    }
}
