//! Texts cut to size and made comparable.

/// The entries of a list that is written as one string.
pub fn each(list: &str) -> impl Iterator<Item = &str> {
    list.split('|')
}

/// At most so many characters of one line, with a sign where it was cut.
pub fn clipped(text: &str, most: usize) -> String {
    let mut clipped = String::new();
    let mut count = 0;
    for word in text[..text.floor_char_boundary(most * 8)].split_whitespace() {
        let length = word.chars().count();
        if count + length + 1 > most {
            if count == 0 {
                clipped.extend(word.chars().take(most));
            }
            clipped.push('…');
            return clipped;
        }
        if count > 0 {
            clipped.push(' ');
        }
        clipped.push_str(word);
        count += length + 1;
    }
    clipped
}

pub use crate::engines::phrases::{begins, says, spaced};

/// The sentences of a text: they end at a stop before a space, or with their line.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let (mut start, mut signs) = (0, line.char_indices().peekable());
        while let Some((at, sign)) = signs.next() {
            let next = signs.peek().map_or(' ', |(_, next)| *next);
            if matches!(sign, '.' | '!' | '?' | ';') && next.is_whitespace() && !line[start..=at].ends_with("e.g.") {
                found.push(line[start..=at].trim());
                start = at + 1;
            }
        }
        found.push(line[start..].trim());
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// "a, b and 3 more".
pub fn listed<S: AsRef<str>>(names: &[S], most: usize) -> String {
    let shown = names.iter().take(most).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if names.len() > most { format!("{shown} and {} more", names.len() - most) } else { shown }
}

/// Without the colours of a terminal.
pub fn uncoloured(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        if sign != '\u{1b}' {
            plain.push(sign);
        } else if signs.next() == Some('[') {
            signs.by_ref().find(char::is_ascii_alphabetic);
        }
    }
    plain
}
