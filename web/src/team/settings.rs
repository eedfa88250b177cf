//! How a workspace wants to be run, each setting with what it does.

use crate::{Choice, Chrome};
use askama::Template;

#[derive(Clone, Debug, Template)]
#[template(path = "team/settings.html")]
pub struct Settings {
    pub chrome: Chrome,
    pub name: String,
    pub purpose: String,
    /// 0 to 1, as text.
    pub review_threshold: String,
    pub capture_policy: String,
    pub secret_policy: String,
    /// Days, or empty for never.
    pub default_stale_after_days: String,
    pub dream_mode: String,
    /// A number, or empty for any.
    pub quota_memories: String,
    /// What retention says, in words; it has a page of its own.
    pub retention: String,
    pub kinds: Vec<KindPolicy>,
}

/// What is set for one kind; empty where the workspace's own setting holds.
#[derive(Clone, Debug, Default)]
pub struct KindPolicy {
    pub kind: String,
    /// `always`, `never`, a number from 0 to 1, or empty.
    pub review_threshold: String,
    /// Days, `never`, or empty.
    pub review_age_days: String,
    /// `off`, `review`, `auto`, or empty.
    pub dream_mode: String,
}

/// What a field is called in the form of one kind.
pub struct Field;

impl Field {
    pub fn name(kind: &str, field: &str) -> String {
        format!("{kind}.{field}")
    }
}

impl Settings {
    fn here(&self) -> String {
        self.chrome.place("settings")
    }

    fn capture() -> Vec<Choice> {
        choices(&[
            ("off", "off: nothing is learned from sessions"),
            ("review", "review: what is learned waits for a person"),
            ("auto", "auto: what is sure enough is known at once"),
        ])
    }

    fn secrets() -> Vec<Choice> {
        choices(&[("redact", "redact: cut the secret out, keep the rest"), ("reject", "reject: refuse the whole write")])
    }

    fn dreams() -> Vec<Choice> {
        choices(&[
            ("off", "off: none begins by itself"),
            ("review", "review: propose everything"),
            ("auto", "auto: do what is sure, propose the rest"),
        ])
    }

    fn modes() -> Vec<Choice> {
        choices(&[("off", "off"), ("review", "review"), ("auto", "auto")])
    }

    fn field(kind: &KindPolicy, field: &str) -> String {
        Field::name(&kind.kind, field)
    }
}

fn choices(all: &[(&str, &str)]) -> Vec<Choice> {
    all.iter().map(|(value, label)| Choice::new(*value, *label)).collect()
}
