//! Secrets with a form of their own. A rule's pattern is compiled when its keyword first occurs, and matched there only.

use crate::{entropy, judge, rule::Pattern, rules};
use regex_lite::Regex;
use std::{ops::Range, sync::OnceLock};

static COMPILED: [OnceLock<Option<Regex>>; rules::ALL.len()] = [const { OnceLock::new() }; rules::ALL.len()];

/// How far back the word is looked for that a rule wants before it.
const SHORTLY_BEFORE: usize = 400;

/// Bytes from a name to its sign, at most.
const SIGN_WITHIN: usize = 96;

/// The secret of this rule whose keyword stands here.
pub(crate) fn at(text: &str, at: usize, rule: usize, pattern: &Pattern) -> Option<Range<usize>> {
    let from = at - text.as_bytes()[..at].iter().rev().take(pattern.before).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if !pattern.inside_words && !begins_a_word(&text.as_bytes()[..from]) {
        return None;
    }
    let window = &text[from..text.floor_char_boundary(at.saturating_add(pattern.reach))];
    // A name wants a sign after it; where there is none, no pattern needs to be compiled, or to fail.
    if pattern.inside_words && !window.bytes().take(SIGN_WITHIN).any(|byte| matches!(byte, b'=' | b':' | b',' | b'.')) {
        return None;
    }
    // A pattern that does not compile is found by a test, not by a user.
    let regex = COMPILED[rule].get_or_init(|| compile(pattern.text)).as_ref()?;
    let secret = regex.captures(window)?.get(1)?;
    let range = from + secret.start()..from + secret.end();
    accepted(text, &range, pattern).then_some(range)
}

pub(crate) fn compile(pattern: &str) -> Option<Regex> {
    Regex::new(&format!("^(?:{pattern})")).ok()
}

fn accepted(text: &str, range: &Range<usize>, pattern: &Pattern) -> bool {
    let value = &text[range.clone()];
    // A longer word is something else, such as base64 that happens to begin alike.
    let ends = !value.ends_with(|last: char| last.is_ascii_alphanumeric())
        || !text[range.end..].starts_with(|next: char| next.is_ascii_alphanumeric());
    ends && !judge::placeholder(value)
        && (pattern.entropy <= 0.0 || entropy::shannon(value) >= pattern.entropy)
        && (!pattern.random || judge::random(value))
        && pattern.after.is_none_or(|word| stands_before(text, range.start, word))
}

fn stands_before(text: &str, at: usize, word: &str) -> bool {
    let from = text.floor_char_boundary(at.saturating_sub(SHORTLY_BEFORE));
    text[from..at].contains(word)
}

/// Whether a word may begin after these bytes. Escapes end one: `\n` in JSON, `%3D` in a URL.
fn begins_a_word(before: &[u8]) -> bool {
    match before {
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', first, second] => first.is_ascii_hexdigit() && second.is_ascii_hexdigit(),
        [.., last] => !last.is_ascii_alphanumeric() && *last != b'_' && *last != b'-',
    }
}
