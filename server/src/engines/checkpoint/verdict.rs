//! What box, mark, heading and words together make of one part of a text.

use super::{
    Class,
    blocks::Block,
    marks::{self, Mark},
    wording,
};
use crate::model::sessions::Progress;

/// What box, mark and heading together make of a text.
pub fn resolved<'a>(section: Class, ticked: Option<Progress>, mark: Option<Mark<'a>>, text: &'a str) -> (Class, &'a str) {
    let leading = mark.filter(|mark| mark.loud && leads(mark.class));
    match (ticked, leading, mark) {
        (Some(Progress::Completed), Some(mark), _) if mark.class != Class::Decision => (Class::Completed, mark.rest),
        (_, Some(mark), _) => (mark.class, mark.rest),
        (Some(Progress::Pending), None, _) if section == Class::Next => (Class::Next, text),
        (Some(ticked), None, _) => (status(ticked), text),
        (None, None, Some(mark)) if section == Class::Open => (mark.class, mark.rest),
        // Below a heading of the same sense the mark only repeats it.
        (None, None, Some(mark)) if section == mark.class && mark.loud => (section, mark.rest),
        _ => (section, text),
    }
}

/// Marks that count below any heading and inside any bullet; the others only explain.
pub fn leads(class: Class) -> bool {
    matches!(class, Class::Decision | Class::Completed | Class::InProgress | Class::Pending | Class::Next)
}

/// How far an item below a heading of progress has come: by a status behind it, by its words, by the heading.
pub fn far(class: Class, text: &str) -> (Class, &str) {
    if let Some((found, item)) = marks::suffix(text) {
        return (status(found), item);
    }
    if class != Class::Progress {
        return (class, text);
    }
    match wording::class(text) {
        Some(said @ (Class::Completed | Class::InProgress | Class::Pending | Class::Next)) => (said, text),
        _ if wording::is_past(text) => (Class::Completed, text),
        _ => (Class::InProgress, text),
    }
}

pub fn status(status: Progress) -> Class {
    match status {
        Progress::Completed => Class::Completed,
        Progress::InProgress => Class::InProgress,
        Progress::Pending => Class::Pending,
    }
}

/// "**Retries**: …" is called "Retries".
pub fn bold_lead(text: &str) -> Option<&str> {
    let (lead, rest) = text.strip_prefix("**")?.split_once("**")?;
    let named = lead.ends_with(':') || rest.trim_start().starts_with([':', '-', '–', '—']);
    (named && lead.len() < 100).then(|| lead.trim_end_matches(':'))
}

pub fn joined(block: &Block, most: usize) -> String {
    block.lines.iter().take(most).map(|(_, line)| *line).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

/// A bullet inside another, with its bullet and its own depth.
pub fn as_written(block: &Block, depth: usize) -> String {
    let inner = depth.min(block.indent);
    let pad = " ".repeat((block.indent - inner).min(16));
    let mut text = format!("{pad}{}", block.raw.trim_start());
    for (_, line) in block.lines.iter().skip(1) {
        text.push('\n');
        if !line.is_empty() {
            text.push_str(&pad);
            text.push_str("  ");
            text.push_str(line);
        }
    }
    text
}
