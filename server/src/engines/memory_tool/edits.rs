//! Changing a text as the tool does: one place that is named by its words, or a line that is named by its number.

use super::{Refused, numbered};

/// The text with `old` replaced, where it stands exactly once, and what to say.
pub fn replace(path: &str, text: &str, old: &str, new: &str) -> Result<(String, String), Refused> {
    match text.matches(old).take(2).count() {
        0 => Err(Refused(format!("No replacement was performed, old_str `{old}` did not appear verbatim in {path}."))),
        1 => {
            let place = text.find(old).unwrap_or_default();
            let changed = line_of(text, place) - 1;
            let edited = text.replacen(old, new, 1);
            let around = edited.split('\n').enumerate().skip(changed.saturating_sub(2)).take_while(|(n, _)| *n < changed + 3);
            let snippet = numbered(around.map(|(n, line)| (n + 1, line)));
            let said = format!("The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}");
            Ok((edited, said))
        }
        _ => {
            let lines = occurrences(text, old).map(|place| line_of(text, place).to_string()).collect::<Vec<_>>().join(", ");
            Err(Refused(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. Please ensure it is unique"
            )))
        }
    }
}

/// The text with more before the line of this number, counted from 0, or at its end.
pub fn insert(path: &str, text: &str, line: i64, more: &str) -> Result<(String, String), Refused> {
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
    Ok((edited, format!("The file {path} has been edited.")))
}

/// The first hundred places, those too that overlap.
fn occurrences<'a>(text: &'a str, wanted: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.char_indices().map(|(place, _)| place).chain([text.len()]).filter(move |place| text[*place..].starts_with(wanted)).take(100)
}

fn line_of(text: &str, place: usize) -> usize {
    text[..place].bytes().filter(|byte| *byte == b'\n').count() + 1
}
