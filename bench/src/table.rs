//! A table as people read it: the first column to the left, figures to the right.

pub fn print(header: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(String::as_str).chain(header.get(column).copied());
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    println!("{}", line(header.iter().copied(), &widths));
    println!("{}", widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("-|-"));
    for row in rows {
        println!("{}", line(row.iter().map(String::as_str), &widths));
    }
}

fn line<'a>(cells: impl Iterator<Item = &'a str>, widths: &[usize]) -> String {
    let padded = |(n, (cell, width)): (usize, (&str, &usize))| if n == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") };
    cells.zip(widths).enumerate().map(padded).collect::<Vec<_>>().join(" | ")
}

/// Three digits after the point, or a dash for what was not measured.
pub fn rate(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
}
