//! Strings and numbers by what they mean. Each comes with a mark in front, so that `"a"` is not the name `a`.

use std::borrow::Cow;

/// As it is written, but for the end of its lines.
pub fn verbatim(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

pub fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The content of a string that was taken apart already.
pub fn marked(content: &str) -> String {
    format!("\"{content}")
}

/// A string between two quotes of any kind.
pub fn quoted(text: &str) -> String {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    marked(&cooked(inner, false))
}

/// What escapes stand for. What is no escape stays: `\d` is `\d` in Python and `d` in JavaScript.
pub fn cooked(text: &str, keeps_unknown: bool) -> String {
    let mut cooked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '\r']) {
        cooked.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix('\r') {
            // A line ends as it ends elsewhere.
            cooked.push_str(if after.starts_with('\n') { "" } else { "\n" });
            rest = after;
            continue;
        }
        let mut characters = rest[1..].chars();
        let Some(first) = characters.next() else {
            cooked.push('\\');
            rest = "";
            break;
        };
        rest = characters.as_str();
        match first {
            'n' => cooked.push('\n'),
            't' => cooked.push('\t'),
            'r' => cooked.push('\r'),
            'b' => cooked.push('\u{8}'),
            'f' => cooked.push('\u{c}'),
            'v' => cooked.push('\u{b}'),
            'a' if keeps_unknown => cooked.push('\u{7}'),
            '\n' => {}
            '\r' => rest = rest.strip_prefix('\n').unwrap_or(rest),
            '\\' | '\'' | '"' | '`' => cooked.push(first),
            'x' => rest = numbered(rest, 2, &mut cooked, 'x'),
            'u' if rest.starts_with('{') => {
                let end = rest.find('}').unwrap_or(0);
                let code = rest.get(1..end).and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
                match code {
                    Some(character) => {
                        cooked.push(character);
                        rest = &rest[end + 1..];
                    }
                    None => cooked.push_str("\\u"),
                }
            }
            'u' => rest = numbered(rest, 4, &mut cooked, 'u'),
            'U' if keeps_unknown => rest = numbered(rest, 8, &mut cooked, 'U'),
            '0'..='7' => {
                let more = rest.bytes().take(2).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
                let code = u32::from_str_radix(&format!("{first}{}", &rest[..more]), 8).ok().and_then(char::from_u32);
                cooked.extend(code);
                rest = &rest[more..];
            }
            other => {
                if keeps_unknown {
                    cooked.push('\\');
                }
                cooked.push(other);
            }
        }
    }
    cooked.push_str(rest);
    cooked
}

/// A character by its number; a half of a pair, or none, stays as it is written.
fn numbered<'a>(rest: &'a str, digits: usize, cooked: &mut String, letter: char) -> &'a str {
    let code = rest.get(..digits).and_then(|code| u32::from_str_radix(code, 16).ok());
    if let Some(character) = code.and_then(char::from_u32) {
        cooked.push(character);
    } else {
        cooked.push('\\');
        cooked.push(letter);
        cooked.push_str(&code.map_or_else(String::new, |code| format!("{code:x}")));
    }
    if code.is_some() { &rest[digits..] } else { rest }
}

/// One value, one way to write it: `0XFF`, `1_000`, `1.50` and `1E5` are `0xff`, `1000`, `1.5` and `1e5`.
pub fn number(text: &str) -> String {
    let lower: String = text.chars().filter(|character| *character != '_').flat_map(char::to_lowercase).collect();
    if lower.starts_with("0x") || lower.starts_with("0b") || lower.starts_with("0o") {
        return lower;
    }
    let plain = lower.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'+' | b'-'));
    // The digits of a long integer do not fit into a float.
    if !plain || (lower.len() > 15 && lower.bytes().all(|byte| byte.is_ascii_digit())) {
        return lower;
    }
    lower.parse::<f64>().map_or(lower, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_what_they_say() {
        assert_eq!(quoted(r#"'it\'s "x"'"#), quoted(r#""it's \"x\"""#));
        assert_ne!(quoted("'a'"), quoted("'b'"));
        assert_eq!(cooked(r"\x41\u0042\u{43}\103", false), "ABCC");
        assert_eq!(cooked("a\\\nb", true), "ab");
        assert_eq!(cooked(r"\d", true), r"\d");
        assert_eq!(cooked(r"\d", false), "d");
        assert_eq!(cooked(r"\ud83d", false), r"\ud83d");
        assert_eq!(cooked("\\", false), "\\");
        assert_eq!(cooked("a\r\nb", false), "a\nb");
    }

    #[test]
    fn numbers_are_what_they_count() {
        for (one, other) in [("1.0", "1."), (".5", "0.50"), ("1E5", "1e+5"), ("0XAB", "0xab"), ("1_000", "1000")] {
            assert_eq!(number(one), number(other));
        }
        assert_ne!(number("1.5"), number("1.05"));
        assert_ne!(number("12345678901234567890"), number("12345678901234567891"));
    }
}
