//! Asking for an erasure: by memory, by run, by person, by words.

use crate::Chrome;
use askama::Template;

#[derive(Clone, Debug, Template)]
#[template(path = "deletion/new.html")]
pub struct New {
    pub chrome: Chrome,
    /// What was typed before, so that nobody types it twice.
    pub typed: Typed,
    pub error: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Typed {
    pub memory_ids: String,
    pub session_ids: String,
    pub subject: String,
    pub query: String,
    pub include_copies: bool,
    pub reason: String,
}

impl New {
    fn action(&self) -> String {
        self.chrome.deletions()
    }
}
