//! A table as people read it: the first column to the left, figures to the right.

pub fn print(header: &[&str], rows: &[Vec<String>]) {
    print!("{}", written(header, rows));
}

pub fn written(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(String::as_str).chain(header.get(column).copied());
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut lines = vec![line(header.iter().copied(), &widths)];
    lines.push(widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("-|-"));
    lines.extend(rows.iter().map(|row| line(row.iter().map(String::as_str), &widths)));
    lines.join("\n") + "\n"
}
fn line<'a>(cells: impl Iterator<Item = &'a str>, widths: &[usize]) -> String {
    let padded = |(n, (cell, width)): (usize, (&str, &usize))| if n == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") };
    cells.zip(widths).enumerate().map(padded).collect::<Vec<_>>().join(" | ")
}

/// Three digits after the point, or a dash for what was not measured.
pub fn rate(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
}
