//! What happens to text before it touches the disk: secrets are taken out, and what is long is cut to its ends.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{borrow::Cow, fmt::Write};

/// Of a tool's result this much is kept.
pub const OUTPUT: usize = 8 * 1024;
/// Of what a person or an agent said.
pub const TEXT: usize = 32 * 1024;
/// Of each text in a tool's input.
const INPUT: usize = 2 * 1024;
/// A rule for secrets sees this much around what is kept, so that none is cut in half and slips through.
const MARGIN: usize = 32 * 1024;

/// The one door: whatever goes into the spool went through here.
pub fn clean(text: &str) -> Cow<'_, str> {
    let cleaned = cairn_secrets::redact(text).map_or(Cow::Borrowed(text), |redacted| Cow::Owned(redacted.text));
    // No database keeps a NUL, and programs print them.
    if cleaned.contains('\0') { Cow::Owned(cleaned.replace('\0', "\u{fffd}")) } else { cleaned }
}

/// What is left of a text, and what was there before if something was cut.
#[derive(Debug, PartialEq)]
pub struct Kept {
    pub text: String,
    pub length: Option<u64>,
    pub sha256: Option<String>,
}

/// Cleaned, and at most about `limit` bytes: the head and the tail, with a word of what is missing.
pub fn keep(text: &str, limit: usize) -> Kept {
    if text.len() <= limit {
        return Kept { text: clean(text).into_owned(), length: None, sha256: None };
    }
    let (head, tail) = ends(text, limit / 2 + MARGIN);
    let (head, tail) = (clean(head), clean(tail));
    let (head, tail) = (start(&head, limit / 2), end(&tail, limit / 2));
    Kept {
        text: format!("{head}\n[… {} of {} bytes kept …]\n{tail}", head.len() + tail.len(), text.len()),
        length: Some(text.len() as u64),
        sha256: Some(hex(&Sha256::digest(text.as_bytes()))),
    }
}

/// Every text inside, cleaned and cut.
pub fn keep_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(keep(text, INPUT).text),
        Value::Array(items) => Value::Array(items.iter().map(keep_value).collect()),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (clean(name).into_owned(), keep_member(name, value))).collect())
        }
        other => other.clone(),
    }
}

/// What a value is, its name may tell: `{"password": "…"}`.
fn keep_member(name: &str, value: &Value) -> Value {
    let kept = keep_value(value);
    let Value::String(text) = &kept else { return kept };
    let assigned = format!("{name}={text}");
    match clean(&assigned) {
        Cow::Owned(cleaned) => cleaned.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')).unwrap_or(&cleaned).into(),
        Cow::Borrowed(_) => kept,
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A short name for something long, for file names.
pub fn short_hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..8])
}

fn ends(text: &str, each: usize) -> (&str, &str) {
    if text.len() <= each * 2 {
        return (text, text);
    }
    (start(text, each), end(text, each))
}

fn start(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

fn end(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_stays_as_it_is() {
        assert_eq!(keep("grün", 8), Kept { text: "grün".into(), length: None, sha256: None });
    }

    #[test]
    fn of_a_long_text_both_ends_stay_with_its_length_and_digest() {
        let text = format!("start{}end", "ü".repeat(100_000));
        let kept = keep(&text, OUTPUT);
        assert!(kept.text.starts_with("start") && kept.text.ends_with("end"), "{}", kept.text);
        assert!(kept.text.len() < OUTPUT + 64);
        assert_eq!(kept.length, Some(text.len() as u64));
        assert_eq!(kept.sha256.map(|digest| digest.len()), Some(64));
    }

    #[test]
    fn a_secret_is_taken_out_wherever_it_stands() {
        let secret = "x7Kq_92mZw";
        let inputs = [
            serde_json::json!({"command": format!("PGPASSWORD={secret} psql")}),
            serde_json::json!({"env": {"PGPASSWORD": secret}}),
            serde_json::json!({"content": format!("{}PGPASSWORD={secret}", "x\n".repeat(INPUT))}),
        ];
        for input in inputs {
            let kept = keep_value(&input).to_string();
            assert!(!kept.contains(secret) && kept.contains("redacted"), "{kept}");
        }
    }

    #[test]
    fn texts_deep_in_an_input_are_cut_too() {
        let value = serde_json::json!({"a": [{"content": "x".repeat(100_000)}], "n": 1});
        let kept = keep_value(&value);
        assert!(kept["a"][0]["content"].as_str().is_some_and(|text| text.len() < INPUT + 64));
        assert_eq!(kept["n"], 1);
    }
}
