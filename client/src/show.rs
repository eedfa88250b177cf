//! Tables and times for people.

use crate::clock;
use serde_json::Value;

/// Columns as wide as their widest cell; the last one may run on.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let head: Vec<String> = head.iter().map(|&name| name.to_owned()).collect();
    let mut text = String::new();
    for row in [&head].into_iter().chain(rows) {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// A member as text, `-` if it is not there.
pub fn cell(value: &Value, member: &str) -> String {
    match &value[member] {
        Value::Null => "-".to_owned(),
        Value::String(text) => one_line(text),
        other => other.to_string(),
    }
}

pub fn one_line(text: &str) -> String {
    const LONGEST: usize = 100;
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > LONGEST {
        line = line.chars().take(LONGEST - 1).collect::<String>() + "…";
    }
    line
}

/// How long ago a moment was, as one would say it.
pub fn ago(stamp: Option<&str>) -> String {
    let Some(at) = stamp.and_then(clock::read) else { return "-".to_owned() };
    let seconds = (clock::now() - at).whole_seconds();
    match seconds {
        ..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

pub fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("{count} B"),
        1024..1_048_576 => format!("{} KB", count / 1024),
        _ => format!("{} MB", count / 1_048_576),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "grün".to_owned()], vec!["long".to_owned(), "b".to_owned()]];
        assert_eq!(table(&["key", "title"], &rows), "key   title\na     grün\nlong  b\n");
    }
}
