//! Explicit marks: check boxes, labels at the start of a line, a status behind an item.

use super::{Class, names, words};
use crate::model::sessions::Progress;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark<'a> {
    pub class: Class,
    /// The text without the mark, unless the mark is part of what it says.
    pub rest: &'a str,
    /// A label or capitals: it counts even where a heading says otherwise.
    pub loud: bool,
}

const TICKS: &[(&str, Progress)] = &[
    ("[x]", Progress::Completed),
    ("[X]", Progress::Completed),
    ("[✓]", Progress::Completed),
    ("[✔]", Progress::Completed),
    ("✅", Progress::Completed),
    ("☑", Progress::Completed),
    ("✔", Progress::Completed),
    ("✓", Progress::Completed),
    ("[~]", Progress::InProgress),
    ("[-]", Progress::InProgress),
    ("[/]", Progress::InProgress),
    ("[>]", Progress::InProgress),
    ("🚧", Progress::InProgress),
    ("🔄", Progress::InProgress),
    ("[ ]", Progress::Pending),
    ("[]", Progress::Pending),
    ("☐", Progress::Pending),
    ("⬜", Progress::Pending),
    ("🔲", Progress::Pending),
    ("⏳", Progress::Pending),
];

const STATUSES: &[(Progress, &str)] = &[
    (Progress::Completed, "done, completed, complete, finished, merged, shipped, fixed, implemented, works, passing, erledigt"),
    (Progress::InProgress, "in progress, wip, ongoing, started, partial, partially done, half done, in review, in arbeit"),
    (Progress::Pending, "pending, todo, to do, not started, not done, not yet, open, blocked, planned, deferred, offen"),
];

/// Openings that read like a prohibition and are none.
const NO_PROHIBITION: &[&str] = &[
    "never mind",
    "don't worry",
    "do not worry",
    "don't know",
    "do not know",
    "don't think",
    "don't have",
    "do not have",
    "don't see",
    "don't understand",
    "never saw",
    "never got",
    "never worked",
    "never had",
    "never ran",
    "never tested",
    "never happened",
];
const REMINDERS: &[&str] = &["don't forget", "do not forget", "never forget"];
const PROHIBITIONS: &[&str] = &["do not", "don't", "never", "must not", "must never"];

/// How far a mark may reach into its line.
const REACH: usize = 60;
const DECORATION: [char; 4] = ['*', '_', '`', '~'];
const DASHES: [char; 4] = ['-', '–', '—', ':'];

/// What a check box says, and the text behind it.
pub fn tick(text: &str) -> (Option<Progress>, &str) {
    let found = TICKS.iter().find_map(|(sign, status)| text.strip_prefix(sign).map(|rest| (*status, rest)));
    match found {
        // A bracket right before a round one is a link.
        Some((status, rest)) if !rest.starts_with('(') => (Some(status), rest.trim_start_matches('\u{fe0f}').trim_start()),
        _ => (None, text),
    }
}

/// A line that is bold from end to end.
pub fn is_bold(line: &str) -> bool {
    line.len() < REACH * 2 && (line.starts_with("**") || line.starts_with("__")) && line.trim_end_matches(':').ends_with(['*', '_'])
}

/// What a line begins, when it cannot belong to the line before it.
pub fn anew(before: &str, bare: &str) -> Option<Class> {
    if tick(bare).0.is_some() {
        return Some(Class::Progress);
    }
    let label = bare.ends_with(':') || bare.starts_with(DECORATION) || !bare.chars().any(char::is_lowercase);
    if label && names::is_label(bare) {
        return Some(Class::Open);
    }
    let ended = before.ends_with(['.', '!', ';', ':']) || bare.starts_with(char::is_uppercase);
    mark(bare).filter(|mark| mark.loud || ended).map(|mark| mark.class)
}

pub fn mark(text: &str) -> Option<Mark<'_>> {
    let reach = &text[..text.floor_char_boundary(REACH)];
    let said = words::spaced(reach);
    if NO_PROHIBITION.iter().any(|words| words::begins(&said, words)) {
        return None;
    }
    label(text, reach)
        .or_else(|| grouped(text))
        .or_else(|| capitals(text, reach))
        .or_else(|| dashed(text, reach))
        .or_else(|| prohibition(text, &said))
}

/// "Decided: …", "**Next step:** …", "Decision 3 (2026-05-01): …".
fn label<'a>(text: &'a str, reach: &str) -> Option<Mark<'a>> {
    let colon = reach.find(':')?;
    let (name, rest) = (&text[..colon], &text[colon + 1..]);
    let rest = rest.trim_start_matches(DECORATION);
    if !(rest.is_empty() || rest.starts_with([' ', '\t', '\n'])) {
        return None;
    }
    named(name, text, rest)
}

/// "[DECISION] …", "**Done** – …".
fn grouped(text: &str) -> Option<Mark<'_>> {
    let (name, rest, bracket) = if let Some(inner) = text.strip_prefix('[') {
        let (name, rest) = inner.split_once(']')?;
        (name, rest, true)
    } else {
        let (name, rest) = text.strip_prefix("**")?.split_once("**")?;
        (name, rest, false)
    };
    let separated = rest.trim_start().starts_with(DASHES) || !name.chars().any(char::is_lowercase);
    if name.len() > REACH || rest.starts_with('(') || !(bracket || separated) {
        return None;
    }
    named(name, text, rest.trim_start().trim_start_matches(DASHES))
}

/// "TODO …", "IN PROGRESS – …".
fn capitals<'a>(text: &'a str, reach: &str) -> Option<Mark<'a>> {
    let mut ends = Vec::new();
    for word in reach.split_inclusive(' ') {
        let loud = word.chars().any(char::is_alphabetic) && !word.chars().any(char::is_lowercase);
        if !loud || ends.len() == 4 {
            break;
        }
        ends.push(ends.last().copied().unwrap_or(0) + word.len());
    }
    ends.iter().rev().filter(|end| text.is_char_boundary(**end)).find_map(|end| {
        let rest = text[*end..].trim_start().trim_start_matches(DASHES);
        // A name of one word inside capitals is no mark: "OPEN SSL", "NEXT JS".
        named(&text[..*end], text, rest).filter(|mark| !mark.rest.is_empty() && ends.len() < 4)
    })
}

/// "done – …", in any case.
fn dashed<'a>(text: &'a str, reach: &str) -> Option<Mark<'a>> {
    let at = [" - ", " – ", " — "].iter().filter_map(|dash| reach.find(dash)).min()?;
    let rest = text[at..].trim_start().trim_start_matches(DASHES);
    named(&text[..at], text, rest).filter(|mark| !matches!(mark.class, Class::Open | Class::Aside | Class::Discovery))
}

fn named<'a>(name: &str, text: &'a str, rest: &'a str) -> Option<Mark<'a>> {
    let class = names::exact(name)?;
    let rest = if names::forbids(name) && !rest.trim().is_empty() { text } else { rest.trim() };
    Some(Mark { class, rest, loud: true })
}

fn prohibition<'a>(text: &'a str, said: &str) -> Option<Mark<'a>> {
    if REMINDERS.iter().any(|words| words::begins(said, words)) {
        return Some(Mark { class: Class::Pending, rest: text, loud: false });
    }
    let forbids = PROHIBITIONS.iter().any(|words| words::begins(said, words));
    forbids.then_some(Mark { class: Class::Decision, rest: text, loud: false })
}

/// "Login form – done", "Login form (in progress)", "Login form ✅": how far it is, and the item without that.
pub fn suffix(text: &str) -> Option<(Progress, &str)> {
    let text = text.trim_end_matches(['.', ' ', '\u{fe0f}']);
    if let Some(found) = TICKS.iter().find_map(|(sign, status)| text.strip_suffix(sign).map(|item| (*status, item))) {
        return (!found.1.trim().is_empty()).then(|| (found.0, found.1.trim_end()));
    }
    let open = text.rfind(['(', '[', ':', '–', '—']).into_iter().chain(text.rfind(" - ")).max()?;
    let item = text[..open].trim_end_matches(|sign: char| sign == ' ' || DASHES.contains(&sign) || DECORATION.contains(&sign));
    let status = status(&text[open..])?;
    (!item.is_empty()).then_some((status, item))
}

/// What a status by itself says: "done", "**In progress**", "✅ Done".
pub fn status(text: &str) -> Option<Progress> {
    if text.len() > REACH {
        return None;
    }
    let (ticked, rest) = tick(text.trim());
    let said = words::spaced(rest);
    let said = said.trim();
    let named = STATUSES.iter().find(|(_, listed)| listed.split(", ").any(|name| name == said)).map(|(status, _)| *status);
    named.or(ticked.filter(|_| said.is_empty()))
}
