//! What is to be forgotten, looked for in texts: a person by name, address or id, words, and whole texts. Pure, so that
//! what a request will list can be told from its words alone.

mod bars;
#[cfg(test)]
mod tests;

pub use bars::{bars_of_event, bars_of_line};

use crate::model::text::nfc;
use aho_corasick::AhoCorasick;
use serde_json::Value;
use std::collections::BTreeSet;

/// What to look for: any of these, each of which may ask for several things at once.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    any: Vec<Vec<Phrase>>,
    /// Finds any of the pieces in one pass, however many there are; none where they could not be put together.
    pieces: Option<AhoCorasick>,
}

/// Words that have to stand in a text as they are, whole, whatever their case and the space between them.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Phrase {
    folded: String,
    address: bool,
}

impl Sought {
    /// Any of these: the names that a person goes by, or whole texts.
    pub fn any_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::of(names.into_iter().filter_map(Phrase::of).map(|phrase| vec![phrase]).collect())
    }

    /// All of these words, anywhere in a text.
    pub fn words(query: &str) -> Self {
        let words: Vec<Phrase> = query.split_whitespace().filter_map(Phrase::of).collect();
        Self::of(if words.is_empty() { Vec::new() } else { vec![words] })
    }

    fn of(any: Vec<Vec<Phrase>>) -> Self {
        let sought = Self { any, pieces: None };
        let pieces = AhoCorasick::builder().ascii_case_insensitive(true).build(sought.sieve()).ok();
        Self { pieces, ..sought }
    }

    pub fn is_empty(&self) -> bool {
        self.any.is_empty()
    }

    /// A quick look at a text as it is written, or quoted in JSON: what does not pass has none of it.
    pub fn may_be_in(&self, written: &str) -> bool {
        self.pieces.as_ref().is_none_or(|pieces| pieces.is_match(written))
    }

    /// Whether a text has it.
    pub fn is_in(&self, text: &str) -> bool {
        let folded = folded(text);
        self.any.iter().any(|all| all.iter().all(|phrase| phrase.stands_in(&folded)))
    }

    /// For each alternative a piece in ASCII that every text that has it has too, in lower case: a first sieve for somebody
    /// who folds case in ASCII only. Empty where there is none, which every text has. Each once.
    pub fn sieve(&self) -> Vec<String> {
        let piece = |all: &Vec<Phrase>| all.iter().map(Phrase::piece).max_by_key(|piece| piece.len()).unwrap_or_default().to_owned();
        self.any.iter().map(piece).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

impl Phrase {
    fn of(text: &str) -> Option<Self> {
        let folded = folded(text).trim().to_owned();
        let address = folded.contains('@') && !folded.contains(' ');
        (!folded.is_empty()).then_some(Self { folded, address })
    }

    fn stands_in(&self, folded: &str) -> bool {
        folded.match_indices(&self.folded).any(|(at, _)| self.is_whole(&folded[..at], &folded[at + self.folded.len()..]))
    }

    fn is_whole(&self, before: &str, after: &str) -> bool {
        let (first, last) = (self.folded.chars().next(), self.folded.chars().next_back());
        let word = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
        if self.address {
            // Another's address may end or begin with this one: john.ada@example.org, ada@example.org.uk.
            let mut rest = after.chars();
            let next = rest.next();
            let goes_on = matches!(next, Some('.' | '-')) && word(rest.next());
            return !before.ends_with(|sign: char| sign.is_alphanumeric() || "._+-%".contains(sign)) && !word(next) && !goes_on;
        }
        let free = |edge: Option<char>, beside: Option<char>| !(word(edge) && word(beside));
        free(first, before.chars().next_back()) && free(last, after.chars().next())
    }

    /// The longest run that looks the same however the text is spaced, composed or quoted.
    fn piece(&self) -> &str {
        let strange = |sign: char| !sign.is_ascii_graphic() || matches!(sign, '"' | '\\');
        self.folded.split(strange).max_by_key(|run| run.len()).unwrap_or_default()
    }
}

/// One form for what reads the same: composed, in lower case, with single spaces.
fn folded(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    for sign in nfc(text).chars() {
        if !sign.is_whitespace() {
            said.extend(sign.to_lowercase());
        } else if !said.ends_with(' ') {
            said.push(' ');
        }
    }
    said
}

/// The words in a value: every text in it, keys too, a line each.
pub fn spelled_out(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(spelled_out).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => {
            members.iter().map(|(name, member)| format!("{name}\n{}", spelled_out(member))).collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) => String::new(),
        Value::Number(number) => number.to_string(),
    }
}
