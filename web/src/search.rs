//! Asking as an agent would: what would it be told, in which order, and why.

use crate::{
    Choice, Chrome, When,
    explain::Explained,
    memories::{Filters as Words, Freshness},
    query,
};
use askama::Template;
use time::{Date, OffsetDateTime};

#[derive(Clone, Debug, Template)]
#[template(path = "search/show.html")]
pub struct Search {
    pub chrome: Chrome,
    pub filters: Filters,
    pub projects: Vec<String>,
    pub tags: Vec<String>,
    pub authors: Vec<Choice>,
    /// How far back the slider reaches, in days.
    pub days: i64,
    /// How far back is asked.
    pub ago: i64,
    /// None until something is asked.
    pub answer: Option<Answer>,
}

/// As they stand in the URL; empty means not set.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    pub q: String,
    pub kind: String,
    pub project: String,
    pub tag: String,
    pub freshness: String,
    pub author: String,
    /// An exact moment, which holds until the slider is moved.
    pub as_of: String,
    pub budget: String,
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub receipt_id: String,
    pub hits: Vec<Hit>,
    pub tokens: u32,
    pub omitted: u32,
    pub took_ms: f32,
    /// The moment that was asked about, if not now.
    pub as_of: Option<OffsetDateTime>,
    /// What the asker should know about how this was found.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Hit {
    pub id: String,
    pub version: i32,
    pub title: String,
    pub path: String,
    pub kind: String,
    pub state: String,
    pub excerpt: String,
    pub freshness: Freshness,
    pub tokens: u32,
    pub why: Explained,
}

impl Search {
    fn here(&self) -> String {
        self.chrome.place("search")
    }

    /// Where the slider stands, as far as it reaches.
    fn stands(&self) -> i64 {
        self.ago.min(self.days)
    }

    fn today(&self) -> Date {
        self.chrome.now.date()
    }

    /// What the slider says where it stands.
    fn slid(&self) -> String {
        let ago = self.ago;
        match self.today().checked_sub(time::Duration::days(ago)).filter(|_| ago > 0) {
            Some(day) => day.to_string(),
            None => "now".to_owned(),
        }
    }

    fn receipt(&self, answer: &Answer) -> String {
        self.chrome.one("receipts", &answer.receipt_id)
    }

    fn without_as_of(&self) -> String {
        let filters = &self.filters;
        let pairs = [
            ("q", filters.q.as_str()),
            ("kind", &filters.kind),
            ("project", &filters.project),
            ("tag", &filters.tag),
            ("freshness", &filters.freshness),
            ("author", &filters.author),
            ("budget", &filters.budget),
        ];
        query::link(&self.here(), &pairs)
    }

    fn hidden(&self) -> bool {
        let filters = &self.filters;
        [&filters.project, &filters.tag, &filters.freshness, &filters.author, &filters.budget].iter().any(|value| !value.is_empty())
    }
}

impl Answer {
    fn then(&self) -> Option<When> {
        self.as_of.map(When::absolute)
    }

    fn said(&self) -> String {
        let found = match self.hits.len() {
            0 => "Nothing".to_owned(),
            1 => "1 memory".to_owned(),
            n => format!("{n} memories"),
        };
        let left = if self.omitted > 0 { format!(", {} left out", self.omitted) } else { String::new() };
        format!("{found}{left} · {} tokens · {:.1} ms", self.tokens, self.took_ms)
    }
}
