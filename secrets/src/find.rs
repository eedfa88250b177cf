//! The two questions asked from outside: where are secrets, and what is the text without them.

use crate::{marker, rules, scan};
use memchr::memmem;
use std::collections::HashSet;

/// Where a secret stands: the bytes of its value only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    pub rule: &'static str,
    pub start: usize,
    pub end: usize,
}

/// A text without its secrets, and where they stood in the text before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    pub text: String,
    pub findings: Vec<Finding>,
}

/// The rule for a text that is given up as a whole: so many secrets that looking for each copy of each would take too long.
pub(crate) const TOO_MANY: &str = "too-many-secrets";

/// Bytes searched for further copies of what was found: about half a second.
const SEARCHED: usize = 2 << 30;

/// Looks at the redacted text again, for what a neighbour hid. Real texts need two.
const LOOKS: usize = 8;

/// All secrets, sorted, none overlapping another; where rules overlap, the more specific one gives its name to both.
pub fn find(text: &str) -> Vec<Finding> {
    redact(text).map(|redacted| redacted.findings).unwrap_or_default()
}

/// The text with `[redacted: <rule>]` in place of each secret, or nothing if there is none. What comes out has none.
pub fn redact(text: &str) -> Option<Redacted> {
    let mut findings = Vec::new();
    for _ in 0..LOOKS {
        let more = match &findings[..] {
            [] => look(text),
            _ => look(&without(text, &findings)).map(|more| moved_back(more, &findings)),
        };
        let Some(more) = more else { return Some(given_up(text)) };
        if more.is_empty() {
            return (!findings.is_empty()).then(|| Redacted { text: without(text, &findings), findings });
        }
        findings.extend(more);
        findings.sort_by_key(|finding| finding.start);
    }
    Some(given_up(text))
}

/// One look: what the rules find, and every other place where the same values stand. None if that would take too long.
fn look(text: &str) -> Option<Vec<Finding>> {
    let mut found = scan::scan(text);
    let values: HashSet<&str> = found.iter().map(|found| &text[found.start..found.end]).collect();
    if values.len().saturating_mul(text.len()) > SEARCHED {
        return None;
    }
    let mut copies = Vec::new();
    let mut done = HashSet::new();
    for first in &found {
        let value = &text[first.start..first.end];
        if done.insert(value) {
            let places = memmem::find_iter(text.as_bytes(), value);
            copies.extend(places.map(|start| scan::Found { start, end: start + value.len(), ..*first }));
        }
    }
    found.extend(copies);
    Some(joined(found))
}

/// Overlapping ranges become one, so that no part of a secret is left over.
fn joined(mut found: Vec<scan::Found>) -> Vec<Finding> {
    found.sort_by_key(|found| (found.start, found.rule));
    let mut joined: Vec<scan::Found> = Vec::new();
    for found in found {
        match joined.last_mut() {
            Some(last) if found.start < last.end => {
                last.end = last.end.max(found.end);
                last.rule = last.rule.min(found.rule);
            }
            _ => joined.push(found),
        }
    }
    joined.into_iter().map(|found| Finding { rule: rules::ALL[found.rule].id, start: found.start, end: found.end }).collect()
}

fn without(text: &str, findings: &[Finding]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for finding in findings {
        out.push_str(&text[at..finding.start]);
        marker::put(finding.rule, &mut out);
        at = finding.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Ranges of the redacted text as ranges of the text before. No finding touches a marker, so each moves as a whole.
fn moved_back(more: Vec<Finding>, earlier: &[Finding]) -> Vec<Finding> {
    let mut earlier = earlier.iter().peekable();
    let (mut grown, mut shrunk) = (0, 0);
    let mut back = Vec::with_capacity(more.len());
    for finding in more {
        while let Some(before) = earlier.next_if(|before| before.start + grown <= finding.start + shrunk) {
            grown += marker::OPENS.len() + before.rule.len() + 1;
            shrunk += before.end - before.start;
        }
        back.push(Finding { rule: finding.rule, start: finding.start + shrunk - grown, end: finding.end + shrunk - grown });
    }
    back
}

fn given_up(text: &str) -> Redacted {
    let findings = vec![Finding { rule: TOO_MANY, start: 0, end: text.len() }];
    Redacted { text: without(text, &findings), findings }
}
