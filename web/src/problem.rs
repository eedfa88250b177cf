//! One page for everything that can go wrong, with ways out.

use crate::Theme;
use askama::Template;

#[derive(Clone, Debug, Default, Template)]
#[template(path = "problem.html")]
pub struct Problem {
    pub theme: Theme,
    pub status: u16,
    pub title: String,
    pub detail: String,
    pub request_id: String,
    /// The first is the one that we would take.
    pub ways_out: Vec<WayOut>,
}

#[derive(Clone, Debug)]
pub struct WayOut {
    pub href: String,
    pub label: String,
}

impl WayOut {
    pub fn new(href: impl Into<String>, label: impl Into<String>) -> Self {
        Self { href: href.into(), label: label.into() }
    }
}
