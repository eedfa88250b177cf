//! What the tool shows: a text with its lines numbered, a folder two levels deep.

use super::{MOST_SHOWN, Refused, numbered};
use std::{borrow::Cow, fmt::Write};

const MOST_LINES: usize = 999_999;

/// Something in a folder, by the names that lead to it from there: one, or two. A folder weighs what lies below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub name: String,
    pub below: Option<String>,
    pub folder: bool,
    pub bytes: u64,
}

/// A text, or the lines of it that are asked for: from 1, and up to −1 for the last.
pub fn text(path: &str, text: &str, range: Option<[i64; 2]>) -> Result<String, Refused> {
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.len() > MOST_LINES {
        return Err(Refused(format!("File {path} exceeds maximum line limit of 999,999 lines.")));
    }
    let (first, end) = range.map_or((0, lines.len()), |range| within(range, lines.len()));
    let shown = numbered(lines.iter().enumerate().take(end).skip(first).map(|(n, line)| (n + 1, *line)));
    let hint = "use view_range to read the rest";
    Ok(format!("Here's the content of {path} with line numbers:\n{}", cut(&shown, hint)))
}

/// A second number below −1 counts from the end, as the tool's own reader has it.
fn within([first, last]: [i64; 2], lines: usize) -> (usize, usize) {
    let first = usize::try_from(first.max(1) - 1).unwrap_or(usize::MAX);
    let end = match last {
        -1 => lines,
        last if last < 0 => lines.saturating_sub(usize::try_from(last.unsigned_abs()).unwrap_or(usize::MAX)),
        last => usize::try_from(last).unwrap_or(usize::MAX),
    };
    (first, end)
}

/// A folder, its own line first. Hidden things and `node_modules` are left out; `entries` are in order. Where two levels are
/// too long to be shown, the first is, whole: no folder is hidden behind what lies in another.
pub fn folder(path: &str, entries: &[Entry]) -> String {
    let shown = |name: &str| !name.starts_with('.') && name != "node_modules";
    let seen: Vec<&Entry> = entries.iter().filter(|one| shown(&one.name) && one.below.as_deref().is_none_or(shown)).collect();
    let header = format!("Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:");
    let lines = listed(path, &seen);
    // What was read is the first level alone.
    let flat = seen.iter().any(|one| one.folder && one.below.is_none());
    if !flat && lines.chars().count() <= MOST_SHOWN {
        return format!("{header}\n{lines}");
    }
    let first = first_level(&seen);
    let lines = if flat { lines } else { listed(path, &first.iter().collect::<Vec<_>>()) };
    let hint = "[two levels are too long to be shown: this is the first; view one of the directories to see what lies in it]";
    format!("{header}\n{}\n{hint}", cut(&lines, "view one of the directories by its name"))
}

/// The same without what lies in the folders of it, each of which weighs all of that.
fn first_level(entries: &[&Entry]) -> Vec<Entry> {
    let mut first: Vec<Entry> = Vec::new();
    for one in entries {
        match first.last_mut().filter(|last| last.name == one.name && last.folder) {
            Some(last) => last.bytes += one.bytes,
            None => first.push(Entry { name: one.name.clone(), below: None, folder: one.below.is_some() || one.folder, bytes: one.bytes }),
        }
    }
    first
}

fn listed(path: &str, seen: &[&Entry]) -> String {
    let base = path.trim_end_matches('/');
    let mut lines = format!("{}\t{path}", size(seen.iter().map(|one| one.bytes).sum()));
    let mut last = "";
    for one in seen {
        if one.below.is_some() && last != one.name {
            last = &one.name;
            let whole = seen.iter().filter(|other| other.name == one.name).map(|other| other.bytes).sum();
            let _ = write!(lines, "\n{}\t{base}/{}/", size(whole), one.name);
        }
        let end = if one.folder { "/" } else { "" };
        let _ = match &one.below {
            Some(below) => write!(lines, "\n{}\t{base}/{}/{below}{end}", size(one.bytes), one.name),
            None => write!(lines, "\n{}\t{base}/{}{end}", size(one.bytes), one.name),
        };
    }
    lines
}

fn cut<'a>(text: &'a str, hint: &str) -> Cow<'a, str> {
    match text.char_indices().nth(MOST_SHOWN) {
        None => text.into(),
        Some((end, _)) => format!("{}\n[cut here: {} more characters; {hint}]", &text[..end], text[end..].chars().count()).into(),
    }
}

/// As people read sizes, in steps of 1,024.
fn size(bytes: u64) -> String {
    let unit = (u64::BITS - bytes.max(1).leading_zeros() - 1) / 10;
    let (unit, word) = [(0, 'B'), (1, 'K'), (2, 'M')].get(unit as usize).copied().unwrap_or((3, 'G'));
    let step = 1u64 << (10 * unit);
    if bytes.is_multiple_of(step) {
        return format!("{}{word}", bytes / step);
    }
    // In tenths, rounded as the tool's own reader does for all that a memory can weigh.
    #[expect(clippy::cast_precision_loss, reason = "a tenth is shown")]
    let tenths = bytes as f64 / step as f64;
    format!("{tenths:.1}{word}")
}
