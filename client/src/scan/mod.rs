//! What code looks like, without its words: the names of a file's symbols, their lines, and fingerprints of their
//! signatures and bodies that no formatter and no comment changes. The source itself never leaves this room.
//!
//! - `parse.rs`: bytes → syntax tree, within a time; `walk.rs`: tree → `stream.rs`: what counts, in order → fingerprints
//! - `languages/`: what a symbol is in each language, and what in its text means nothing
//! - `literals.rs`: strings and numbers by what they mean, not by how they are written
//! - `cache.rs`: what was read once is not parsed again; `many.rs`: all cores; `tree.rs`, `git.rs`: where the bytes are

pub mod cache;
pub mod git;
#[cfg(test)]
mod golden;
pub mod languages;
mod literals;
pub mod many;
mod parse;
mod stream;
#[cfg(test)]
mod tests;
pub mod tree;
mod walk;

pub use languages::Language;
pub use stream::Fingerprint;

/// Beyond it a file is known by its digest alone.
pub const LARGEST: u64 = 4 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Function,
    Method,
    Class,
    Type,
    Constant,
    Module,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Function, Self::Method, Self::Class, Self::Type, Self::Constant, Self::Module];

    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Module => "module",
        }
    }

    fn number(self) -> u8 {
        Self::ALL.iter().position(|kind| *kind == self).map_or(0, |at| u8::try_from(at).unwrap_or(0))
    }

    fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// Everything under one name in one file; overloads and several `impl`s of a method are one symbol.
#[derive(Debug, Clone, PartialEq)]
pub struct Symbol {
    pub name: String,
    pub kind: Kind,
    pub signature: Fingerprint,
    pub body: Fingerprint,
    /// The smallest hashes of the body's neighbouring words, ascending: near-same bodies share most of them.
    pub shingles: Vec<u32>,
    pub start_line: u32,
    pub end_line: u32,
}

/// Why a file is known by its digest alone, or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Passed {
    Binary,
    NotUtf8,
    TooLarge,
    TooDeep,
    TooSlow,
    HalfWritten,
    Link,
    Unreadable,
}

impl Passed {
    const ALL: [Self; 8] =
        [Self::Binary, Self::NotUtf8, Self::TooLarge, Self::TooDeep, Self::TooSlow, Self::HalfWritten, Self::Link, Self::Unreadable];

    pub fn reason(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::NotUtf8 => "not UTF-8",
            Self::TooLarge => "larger than 4 MB",
            Self::TooDeep => "nested too deeply",
            Self::TooSlow => "took too long to parse",
            Self::HalfWritten => "does not parse",
            Self::Link => "a link",
            Self::Unreadable => "cannot be read",
        }
    }

    fn number(self) -> u8 {
        Self::ALL.iter().position(|passed| *passed == self).map_or(0, |at| u8::try_from(at).unwrap_or(0))
    }

    fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// What is known of a file's content.
#[derive(Debug, Clone, PartialEq)]
pub struct Scanned {
    /// Over what counts in it, so that a reformatted file has the one it had; over its bytes if it was not parsed.
    pub digest: String,
    pub symbols: Vec<Symbol>,
    pub lines: u32,
    /// It should have been parsed and was not.
    pub passed: Option<Passed>,
}

impl Scanned {
    fn unparsed(bytes: &[u8], passed: Option<Passed>) -> Self {
        Self { digest: stream::digest(bytes), symbols: Vec::new(), lines: 0, passed }
    }
}

/// Reads a file's bytes as what its name says it is.
pub fn scan(path: &str, bytes: &[u8]) -> Scanned {
    let Some(language) = Language::of(path) else { return Scanned::unparsed(bytes, None) };
    if bytes.len() as u64 > LARGEST {
        return Scanned::unparsed(bytes, Some(Passed::TooLarge));
    }
    if bytes.iter().take(8192).any(|byte| *byte == 0) {
        return Scanned::unparsed(bytes, Some(Passed::Binary));
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return Scanned::unparsed(bytes, Some(Passed::NotUtf8)) };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A file can be made for whatever mistake we have made; it is passed over, and the others are read.
    let read = std::panic::catch_unwind(|| parse::parse(language, text).and_then(|tree| walk::walk(language, &tree, text)));
    match read.unwrap_or(Err(Passed::HalfWritten)) {
        Ok(scanned) => scanned,
        Err(passed) => Scanned::unparsed(bytes, Some(passed)),
    }
}
