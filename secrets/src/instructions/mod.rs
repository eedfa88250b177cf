//! Text that speaks to a model instead of stating something. What it finds is a reason to let a person look, no proof.

mod folded;
mod hidden;
mod phrases;

use crate::keywords::Keywords;
use phrases::PHRASES;
use regex_lite::Regex;
use std::sync::OnceLock;

static KEYWORDS: Keywords<{ phrases::KEYWORDS }> = Keywords::new(phrases::keywords());
static COMPILED: [OnceLock<Option<Regex>>; PHRASES.len()] = [const { OnceLock::new() }; PHRASES.len()];

/// Bytes looked at from a keyword on: a sentence.
const REACH: usize = 600;

/// Why this text seems to speak to the model that will read it, in words for a person; nothing if it does not.
pub fn speaks_to_the_model(text: &str) -> Option<&'static str> {
    let exact = || phrases::EXACT.iter().find(|(phrase, _)| text.contains(phrase)).map(|(_, reason)| *reason);
    hidden::in_invisible_characters(text)
        .or_else(exact)
        .or_else(|| in_words(&folded::folded(text)))
        .or_else(|| in_words(&folded::spelled_out(text)?))
}

/// The first phrase of the list, of all that stand in a folded text.
fn in_words(text: &str) -> Option<&'static str> {
    let mut first: Option<usize> = None;
    KEYWORDS.each(text, |at, phrase| {
        let phrase = usize::from(phrase);
        if first.is_none_or(|first| phrase < first) && stands(text, at, phrase) {
            first = Some(phrase);
        }
    });
    first.map(|phrase| PHRASES[phrase].reason)
}

fn stands(text: &str, at: usize, phrase: usize) -> bool {
    let pattern = PHRASES[phrase].pattern;
    if pattern.is_empty() {
        return true;
    }
    if text[..at].ends_with(|before: char| before.is_alphanumeric() || matches!(before, '-' | '_' | ')' | ']')) {
        return false;
    }
    let window = &text[at..text.floor_char_boundary(at.saturating_add(REACH))];
    let regex = COMPILED[phrase].get_or_init(|| Regex::new(&format!("^(?:{pattern})")).ok());
    regex.as_ref().is_some_and(|regex| regex.is_match(window))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_compiles() {
        for phrase in &PHRASES {
            assert!(Regex::new(phrase.pattern).is_ok(), "{}", phrase.pattern);
            assert!(phrase.keywords.iter().all(|keyword| *keyword == keyword.to_lowercase()), "{:?}", phrase.keywords);
        }
    }
}
