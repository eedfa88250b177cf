//! Changing a text as the tool does: one place that is named by its words, or a line that is named by its number.

use super::{Refused, numbered};

/// A text as it is to be, and the line that the change begins in, counted from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    pub text: String,
    pub line: usize,
}

/// The text with `old` replaced, where it stands exactly once.
pub fn replace(path: &str, text: &str, old: &str, new: &str) -> Result<Edit, Refused> {
    match text.matches(old).take(2).count() {
        0 => Err(Refused(format!("No replacement was performed, old_str `{old}` did not appear verbatim in {path}."))),
        1 => {
            let place = text.find(old).unwrap_or_default();
            Ok(Edit { text: text.replacen(old, new, 1), line: line_of(text, place) - 1 })
        }
        _ => {
            let lines = occurrences(text, old).map(|place| line_of(text, place).to_string()).collect::<Vec<_>>().join(", ");
            Err(Refused(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. Please ensure it is unique"
            )))
        }
    }
}

/// What to say of it: of the text as it is kept, which is not always as it was sent.
pub fn replaced(kept: &str, line: usize) -> String {
    let around = kept.split('\n').enumerate().skip(line.saturating_sub(2)).take_while(|(n, _)| *n < line + 3);
    let snippet = numbered(around.map(|(n, line)| (n + 1, line)));
    format!("The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}")
}

/// The text with more before the line of this number, counted from 0, or at its end.
pub fn insert(text: &str, line: i64, more: &str) -> Result<Edit, Refused> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let Some(line) = usize::try_from(line).ok().filter(|line| *line <= lines.len()) else {
        return Err(Refused(format!(
            "Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {}]",
            lines.len()
        )));
    };
    lines.insert(line, more.trim_end_matches('\n'));
    let mut edited = lines.join("\n");
    if !edited.ends_with('\n') {
        edited.push('\n');
    }
    Ok(Edit { text: edited, line })
}

/// The first hundred places, those too that overlap.
fn occurrences<'a>(text: &'a str, wanted: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.char_indices().map(|(place, _)| place).chain([text.len()]).filter(move |place| text[*place..].starts_with(wanted)).take(100)
}

fn line_of(text: &str, place: usize) -> usize {
    text[..place].bytes().filter(|byte| *byte == b'\n').count() + 1
}
