//! Code as far as it is known here: names, places and fingerprints of what a repository holds, never a line of it.

use super::{MemoryId, memory::words, text};
use crate::{engines::freshness::Freshness, problem::Problem};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, str::FromStr};
use time::OffsetDateTime;

/// More than any file that a person wrote has.
pub const SYMBOLS_IN_A_FILE: usize = 20_000;
pub const FILES_IN_A_CALL: usize = 50_000;
pub const PARTS: u32 = 1000;
/// What the parts of a picture may weigh together, as they are kept: some ten million lines of code.
pub const WAITING_BYTES: i64 = 256 * 1024 * 1024;
pub const SHINGLES: usize = 64;

/// A repository, as those who sync it call it: `api-gateway`, `acme/api-gateway`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct Repo(String);

/// A branch: `main`, `feature/login`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct Branch(String);

/// What a picture was taken at: a commit's id, or whatever tells two pictures apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(transparent)]
pub struct Commit(String);

impl Repo {
    pub fn parse(name: &str) -> Result<Self, Problem> {
        word("repo", name, 200, "-_./ @+").map(Self)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Branch {
    pub fn parse(field: &'static str, name: &str) -> Result<Self, Problem> {
        named(field, name, 250).map(Self)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Commit {
    pub fn parse(field: &'static str, name: &str) -> Result<Self, Problem> {
        word(field, name, 100, "-_.+~").map(Self)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn named(field: &'static str, name: &str, longest: usize) -> Result<String, Problem> {
    let line = text::line(field, name, longest)?;
    if line != name || line.chars().any(text::unprintable) {
        return Err(Problem::invalid(field, "must have no space around it and no invisible characters"));
    }
    Ok(line)
}

fn word(field: &'static str, name: &str, longest: usize, besides: &str) -> Result<String, Problem> {
    let name = named(field, name, longest)?;
    if name.chars().any(|c| !c.is_alphanumeric() && !besides.contains(c)) {
        return Err(Problem::invalid(field, format!("must consist of letters, digits and {besides}")));
    }
    if field == "repo" && name.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(Problem::invalid(field, "must have no part that is empty, `.` or `..`"));
    }
    Ok(name)
}

/// A file's path from the repository's root, with slashes.
pub fn file_path(field: &str, path: &str) -> Result<(), Problem> {
    let wrong = |why: &str| Err(Problem::invalid(field, why));
    if path.is_empty() || path.len() > 1024 {
        return wrong("must have 1 to 1,024 bytes");
    }
    if path.starts_with('/') || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return wrong("must be a path from the repository's root, without empty parts, `.` and `..`");
    }
    if path.chars().any(char::is_control) {
        return wrong("must have no control characters");
    }
    Ok(())
}

/// A fingerprint as it is kept: hexadecimal, small letters.
pub fn is_hash(text: &str) -> bool {
    (16..=64).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A fingerprint that somebody made in their own way: what is not kept as it is becomes a digest of itself, so that no mark
/// in it means anything here.
pub fn hash(field: &str, sent: String) -> Result<String, Problem> {
    if is_hash(&sent) {
        return Ok(sent);
    }
    let fits = (1..=128).contains(&sent.chars().count()) && !sent.chars().any(|c| c.is_whitespace() || text::unprintable(c));
    if fits {
        Ok(text::hex(&text::sha256(&sent))[..32].to_owned())
    } else {
        Err(Problem::invalid(field, "must be 1 to 128 characters, without spaces and invisible ones"))
    }
}

/// A function, method, type, constant or module in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// With what it lies in, in this file: `Session.open`.
    pub name: String,
    pub kind: String,
    pub signature: String,
    pub body: String,
    pub start: u32,
    pub end: u32,
    /// The smallest hashes of what its body is made of, sorted, to see that another is nearly the same.
    pub shingles: Vec<u32>,
}

impl Symbol {
    pub fn leaf(&self) -> &str {
        leaf(&self.name)
    }
}

/// The last part of a symbol's name.
pub fn leaf(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    pub path: String,
    pub sha256: String,
    /// Whether anybody looked into it; of a file that could not be read only the digest is known.
    pub parsed: bool,
    /// In the order of their names, each once.
    pub symbols: Vec<Symbol>,
}

impl File {
    /// Of several by one name – overloads, getter and setter – one is made that changes when any of them does.
    pub fn of(path: String, sha256: String, symbols: Option<Vec<Symbol>>) -> Self {
        let Some(symbols) = symbols else {
            return Self { path, sha256, parsed: false, symbols: Vec::new() };
        };
        let mut by_name: BTreeMap<String, Vec<Symbol>> = BTreeMap::new();
        for symbol in symbols {
            by_name.entry(symbol.name.clone()).or_default().push(symbol);
        }
        let merged = by_name.into_values().filter_map(|mut all| {
            if all.len() < 2 {
                return all.pop();
            }
            all.sort_by_key(|one| (one.start, one.end));
            let together =
                |part: fn(&Symbol) -> &str| text::hex(&text::sha256(&all.iter().map(part).collect::<Vec<_>>().join(".")))[..32].to_owned();
            let (signature, body) = (together(|one| &one.signature), together(|one| &one.body));
            let first = all.first()?.clone();
            let (start, end) = (first.start, all.iter().map(|one| one.end).max()?);
            Some(Symbol { signature, body, start, end, ..first })
        });
        Self { path, sha256, parsed: true, symbols: merged.collect() }
    }

    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols.binary_search_by(|one| one.name.as_str().cmp(name)).ok().map(|at| &self.symbols[at])
    }

    /// By its whole name, or by the end of it where that is one symbol's only.
    pub fn meant(&self, name: &str) -> Option<&Symbol> {
        self.symbol(name).or_else(|| {
            let fits = |one: &&Symbol| one.name.strip_suffix(name).is_some_and(|before| before.ends_with('.'));
            let mut found = self.symbols.iter().filter(fits);
            found.next().filter(|_| found.next().is_none())
        })
    }

    /// The innermost symbol that a line lies in.
    pub fn at_line(&self, line: u32) -> Option<&Symbol> {
        self.symbols.iter().filter(|one| one.start <= line && line <= one.end).min_by_key(|one| one.end - one.start)
    }
}

/// What the code looks like now, or what of it is different from a picture taken before.
#[derive(Clone, Debug)]
pub struct Picture {
    pub repo: Repo,
    pub branch: Branch,
    pub commit: Commit,
    /// The branch that the repository begins on, if whoever sent it knows.
    pub default_branch: Option<Branch>,
    /// The picture that this one is a difference to.
    pub base: Option<Commit>,
    pub files: Vec<File>,
    pub removed: Vec<String>,
    /// What is not in it is not there.
    pub complete: bool,
    /// Of a picture in several parts: which this is, and of how many.
    pub part: Option<(u32, u32)>,
}

words!(
    /// What became of the code that a memory hangs on.
    Fate, "verdict" {
        /// As it was when the memory was true.
        Unchanged = "unchanged",
        /// The same, in another file or under another parent.
        Moved = "moved",
        /// The same, under another name.
        Renamed = "renamed",
        /// The same, elsewhere or under another name, and the memory's text says where or what it was.
        TextNamesTheOld = "text_names_the_old",
        /// Its body is another.
        BodyChanged = "body_changed",
        /// It has another name and nearly the same body.
        RenamedAndChanged = "renamed_and_changed",
        /// A file that the memory hangs on as a whole is another.
        FileChanged = "file_changed",
        /// This branch has had another one ever since the memory was written on a different branch.
        Differs = "differs",
        /// Its signature is another.
        SignatureChanged = "signature_changed",
        /// The file is there, and it is not.
        Removed = "removed",
        /// The file is not there.
        FileGone = "file_gone",
        /// It has never been on this branch.
        Absent = "absent",
    }
);

impl Fate {
    /// What it makes of a memory; nothing where it does not speak of it.
    pub fn freshness(self) -> Option<Freshness> {
        match self {
            Self::Unchanged | Self::Moved | Self::Renamed => Some(Freshness::Fresh),
            Self::TextNamesTheOld | Self::BodyChanged | Self::RenamedAndChanged | Self::FileChanged | Self::Differs => {
                Some(Freshness::Suspect)
            }
            Self::SignatureChanged | Self::Removed | Self::FileGone => Some(Freshness::Stale),
            Self::Absent => None,
        }
    }

    /// It was there, and is not where it was.
    pub fn is_missing(self) -> bool {
        matches!(self, Self::Removed | Self::FileGone | Self::Absent)
    }
}

/// What is said of one anchor on one branch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// Which of the memory's anchors, from 1.
    pub position: i32,
    pub branch: String,
    /// Whether freshness is judged on this branch unless another is asked for.
    pub main: bool,
    pub repo: String,
    pub verdict: Fate,
    pub path: String,
    pub symbol: Option<String>,
    /// Where it was when the memory was written.
    pub was_path: String,
    pub was_symbol: Option<String>,
    pub since: String,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// An active memory that says something else, undecided.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Contested {
    pub memory_id: MemoryId,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// The newest picture of a branch.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Head {
    pub repo: String,
    pub branch: String,
    pub commit: Option<String>,
    pub main: bool,
    pub files: i32,
    pub symbols: i32,
    pub at: OffsetDateTime,
}
