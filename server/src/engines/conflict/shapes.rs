//! What a word looks like: a compound, an identifier, an ordinal.

pub fn starts_upper(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

pub fn is_ordinal(chunk: &str) -> bool {
    chunk.strip_suffix('.').is_some_and(|day| (1..=2).contains(&day.len()) && day.bytes().all(|b| b.is_ascii_digit()))
}

/// "5 000": digits, and three more in the next chunk.
pub fn is_thousands(chunk: &str, next: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (group, rest) = next.split_at_checked(3).unwrap_or(("", ""));
    (1..=3).contains(&chunk.len())
        && digits(chunk)
        && !chunk.starts_with('0')
        && group.len() == 3
        && digits(group)
        && !rest.contains(char::is_alphanumeric)
}

/// l'envoi, d'une: the article goes.
pub fn elision<'a>(word: &'a str, low: &'a str) -> (&'a str, &'a str) {
    match low.split_once('\'') {
        Some((article, rest)) if article.len() <= 2 && rest.len() > 2 => {
            (word.split_once(['\'', '’']).map_or(word, |(_, rest)| rest), rest)
        }
        _ => (word, low),
    }
}

/// table-driven, blue/green: words that were joined, not a name.
pub fn is_compound(word: &str) -> bool {
    let mut parts = word.split(['-', '/']);
    let all = parts.by_ref().all(|part| part.chars().count() > 1 && part.chars().all(char::is_alphabetic) && !has_inner_capital(part));
    // packages/ui-kit is a path.
    let path = word.contains('/') && word.contains('-');
    all && word.contains(['-', '/']) && word.matches('/').count() < 2 && !path
}

pub fn is_identifier(word: &str) -> bool {
    if word.starts_with('#') {
        return true;
    }
    let digits = word.bytes().any(|b| b.is_ascii_digit());
    let marks = word.trim_end_matches(['+', '#']).contains(['_', '.', '/', ':', '=', '@', '<', '(', '-']);
    digits || marks || word.ends_with("()") || has_inner_capital(word)
}

pub fn has_inner_capital(word: &str) -> bool {
    word.chars().any(char::is_lowercase) && word.chars().skip(1).any(char::is_uppercase)
}
