//! A text as the phrases expect it, so that capitals, odd spaces and look-alike letters do not hide one.

use super::hidden::invisible;

/// In lower case, plain letters for look-alikes, one space between words; a line end before the first line.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    out.push('\n');
    for letter in text.chars().filter(|&letter| !invisible(letter)) {
        match letter {
            '\n' | '\r' => {
                if out.ends_with(' ') {
                    out.pop();
                }
                if !out.ends_with('\n') {
                    out.push('\n');
                }
            }
            _ if letter.is_whitespace() => {
                if !out.ends_with([' ', '\n']) {
                    out.push(' ');
                }
            }
            _ if letter.is_ascii() => out.push(letter.to_ascii_lowercase()),
            _ => out.extend(plain(letter).to_lowercase()),
        }
    }
    out
}

/// The words of a text written letter by letter, as in `i g n o r e  t h i s`, if there are any.
pub(super) fn spelled_out(text: &str) -> Option<String> {
    let mut out = String::from("\n");
    let (mut letters, mut longest) = (0, 0);
    for word in text.split(' ') {
        let mut of = word.chars();
        match (of.next(), of.next()) {
            (Some(letter), None) => {
                out.extend(plain(letter).to_lowercase());
                letters += 1;
                longest = longest.max(letters);
            }
            (None, _) => out.push(' '),
            _ => letters = 0,
        }
    }
    (longest >= 10).then_some(out)
}

/// The Latin letter that this one looks like: Cyrillic, Greek, full-width.
fn plain(letter: char) -> char {
    match letter {
        'а' | 'А' | 'α' | 'Α' => 'a',
        'В' | 'Β' => 'b',
        'с' | 'С' | 'ϲ' => 'c',
        'е' | 'Е' | 'Ε' | 'ё' => 'e',
        'Н' | 'Η' => 'h',
        'і' | 'І' | 'ι' | 'Ι' => 'i',
        'ј' | 'Ј' => 'j',
        'К' | 'Κ' | 'κ' => 'k',
        'М' | 'Μ' => 'm',
        'Ν' => 'n',
        'о' | 'О' | 'ο' | 'Ο' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'ѕ' | 'Ѕ' => 's',
        'Т' | 'Τ' => 't',
        'у' | 'У' | 'Υ' => 'y',
        'х' | 'Х' | 'Χ' => 'x',
        '’' => '\'',
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(letter) - 0xFEE0).unwrap_or(letter),
        _ => letter,
    }
}
