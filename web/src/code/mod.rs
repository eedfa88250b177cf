//! Code as it is known: a tree of files and symbols, what hangs on them, and what goes together.

mod review;
mod ropes;
mod show;
mod tree;

pub use review::{Doubted, Review};
pub use ropes::{Rope, Ropes};
pub use show::{Show, Symbol};
pub use tree::{Entry, Tree};

use crate::{Choice, Chrome, number, query};
use askama::{Template, filters::HtmlSafe};
use time::OffsetDateTime;

/// The newest picture of a branch.
#[derive(Clone, Debug)]
pub struct Picture {
    /// As the address names it: a project's own has the project and a colon before it.
    pub repo: String,
    pub branch: String,
    pub commit: String,
    /// Whether memories are judged on this branch unless another is asked for.
    pub main: bool,
    pub files: u64,
    pub symbols: u64,
    pub at: OffsetDateTime,
}

/// Which picture is looked at, and which others there are.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub picture: Picture,
    pub repos: Vec<Choice>,
    /// Of this repository, the main one first.
    pub branches: Vec<Choice>,
}

/// How many memories, and how far they can be trusted. Printed in a template it is a figure with a bar.
#[derive(Clone, Copy, Debug, Default, Template)]
#[template(path = "code/tally.html")]
pub struct Tally {
    pub fresh: u64,
    pub suspect: u64,
    pub stale: u64,
}

impl HtmlSafe for Tally {}

impl Tally {
    fn total(self) -> u64 {
        self.fresh + self.suspect + self.stale
    }

    fn bar(self) -> crate::chart::Shares {
        crate::chart::Shares { parts: vec![("fresh", self.fresh), ("suspect", self.suspect), ("stale", self.stale)], whole: self.total() }
    }

    /// The worst of them, as the classes have it.
    fn worst(self) -> &'static str {
        match self {
            Self { stale: 1.., .. } => "stale",
            Self { suspect: 1.., .. } => "suspect",
            Self { fresh: 1.., .. } => "fresh",
            _ => "none",
        }
    }

    fn said(self) -> String {
        let parts = [(self.fresh, "fresh"), (self.suspect, "suspect"), (self.stale, "stale")];
        let parts: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", number(*n))).collect();
        if parts.is_empty() { "no memory".to_owned() } else { parts.join(", ") }
    }
}

impl Picture {
    /// A commit as people write it.
    fn short(&self) -> &str {
        let digits = self.commit.bytes().take_while(u8::is_ascii_hexdigit).count();
        if digits < 16 { &self.commit } else { &self.commit[..7] }
    }
}

/// A place in a picture.
pub(crate) fn place(chrome: &Chrome, picture: &Picture, path: &str, symbol: &str) -> String {
    let branch = if picture.main { "" } else { picture.branch.as_str() };
    query::link(&chrome.place("code"), &[("repo", &picture.repo), ("branch", branch), ("path", path), ("symbol", symbol)])
}

/// The way to a path, folder by folder: names and paths, without the last.
fn way(path: &str) -> Vec<(String, String)> {
    let path = path.trim_end_matches('/');
    let slashes = path.char_indices().filter(|(_, sign)| *sign == '/').map(|(at, _)| at);
    let folders = slashes.map(|at| (path[..at].rsplit('/').next().unwrap_or_default().to_owned(), path[..=at].to_owned()));
    folders.collect()
}

/// The last part of a path, and what comes before it.
fn split(path: &str) -> (&str, &str) {
    let bare = path.strip_suffix('/').unwrap_or(path);
    bare.rfind('/').map_or(("", path), |slash| path.split_at(slash + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_file_is_its_folders() {
        let expected = [("src".to_owned(), "src/".to_owned()), ("api".to_owned(), "src/api/".to_owned())];
        assert_eq!(way("src/api/mod.rs"), expected);
        assert_eq!(way("src/api/"), expected[..1]);
        assert!(way("README.md").is_empty() && way("").is_empty());
        assert_eq!((split("src/api/mod.rs"), split("src/api/"), split("x")), (("src/api/", "mod.rs"), ("src/", "api/"), ("", "x")));
    }
}
