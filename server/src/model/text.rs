//! Texts that people and agents send, checked once: paths, titles, contents, tags and short lines.

use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// How much one memory may hold, in bytes.
pub const CONTENT_LIMIT: usize = 102_400;

/// Where a memory lies: `/decisions/use-rs256.md`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryPath(String);

impl MemoryPath {
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let path = nfc(text).into_owned();
        let wrong = |why: &str| Err(Problem::invalid("path", why));
        let Some(below) = path.strip_prefix('/') else {
            return wrong("must start with a slash");
        };
        if path.len() > 1024 {
            return wrong("must be at most 1,024 bytes");
        }
        if below.split('/').count() > 20 {
            return wrong("must have at most 20 segments");
        }
        if below.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return wrong("must have no segment that is empty, `.` or `..`");
        }
        if path.chars().any(unprintable) {
            return wrong("must have no control or invisible characters");
        }
        Ok(Self(path))
    }

    /// A path for a memory that was sent without one.
    pub fn made_from(folder: &str, title: &str) -> Self {
        let mut name = String::new();
        for word in title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            if name.len() + word.len() > 64 && !name.is_empty() {
                break;
            }
            if !name.is_empty() {
                name.push('-');
            }
            name.extend(word.chars().take(64).flat_map(char::to_lowercase));
        }
        if name.is_empty() {
            name.push_str("note");
        }
        Self(format!("/{folder}/{name}.md").nfc().collect())
    }

    /// The same, told apart by the end of an id.
    #[must_use]
    pub fn told_apart(&self, by: uuid::Uuid) -> Self {
        let by = by.simple().to_string();
        let stem = self.0.strip_suffix(".md").unwrap_or(&self.0);
        Self(format!("{stem}-{}.md", &by[by.len() - 8..]))
    }

    /// The same name in no folder, told apart by the end of an id.
    #[must_use]
    pub fn at_the_root(&self, by: uuid::Uuid) -> Self {
        let name = self.0.rfind('/').map_or(self.as_str(), |slash| &self.0[slash..]);
        Self(name.to_owned()).told_apart(by)
    }

    /// What lies above it, the root not counted.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').skip(1).map(|(slash, _)| &self.0[..slash])
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One form for what looks the same. Most text is ASCII, which has one form only.
pub fn nfc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { text.into() } else { text.nfc().collect::<String>().into() }
}

/// Control and format characters, line and paragraph separators: what a reader cannot see.
pub fn unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
            | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

/// One line of text for people: trimmed, printable, and no longer than said.
pub fn line(field: &'static str, text: &str, longest: usize) -> Result<String, Problem> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Problem::invalid(field, "must not be empty"));
    }
    if text.chars().count() > longest {
        return Err(Problem::invalid(field, format!("must be at most {longest} characters")));
    }
    if text.chars().any(char::is_control) {
        return Err(Problem::invalid(field, "must be one line without control characters"));
    }
    Ok(text.to_owned())
}

/// Free text of a bounded length, line breaks allowed.
pub fn prose(field: &'static str, text: &str, longest: usize) -> Result<String, Problem> {
    if text.chars().count() > longest {
        return Err(Problem::invalid(field, format!("must be at most {longest} characters")));
    }
    if text.contains('\0') {
        return Err(Problem::invalid(field, "must not contain NUL characters"));
    }
    Ok(text.to_owned())
}

/// Postgres keeps no NUL: the field that has one, if any does.
pub fn nul_in(value: &Value, path: String) -> Option<String> {
    match value {
        Value::String(text) if text.contains('\0') => Some(path),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| nul_in(item, format!("{path}[{index}]"))),
        Value::Object(members) => members.iter().find_map(|(name, member)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            if name.contains('\0') { Some(path.replace('\0', "\u{fffd}")) } else { nul_in(member, path) }
        }),
        _ => None,
    }
}

/// The text of a memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content(String);

impl Content {
    pub fn parse(text: String) -> Result<Self, Problem> {
        if text.trim().is_empty() {
            return Err(Problem::invalid("content", "must not be empty"));
        }
        Self::of_a_file(text)
    }

    /// Files, unlike memories sent to be remembered, may be empty.
    pub fn of_a_file(text: String) -> Result<Self, Problem> {
        if text.len() > CONTENT_LIMIT {
            return Err(Problem::invalid("content", format!("must be at most {CONTENT_LIMIT} bytes; this has {}", text.len())));
        }
        if text.contains('\0') {
            return Err(Problem::invalid("content", "must not contain NUL characters"));
        }
        Ok(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }

    /// What to call it when no title was given: its first line of words.
    pub fn title(&self) -> String {
        let cleaned = self.0.lines().map(|line| line.chars().filter(|c| !c.is_control()).collect::<String>());
        let trimmed = cleaned.map(|line| line.trim_matches(|c: char| c.is_whitespace() || "#*->`".contains(c)).to_owned());
        let clean = trimmed.into_iter().find(|line| !line.is_empty()).unwrap_or_else(|| "Untitled".to_owned());
        if clean.chars().count() <= 100 { clean } else { clean.chars().take(99).chain(['…']).collect() }
    }
}

pub fn sha256(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]).collect()
}
