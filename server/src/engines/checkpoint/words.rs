//! Texts made comparable: lower case, straight apostrophes, words between single spaces.

/// Lower case with straight apostrophes.
pub fn lowered(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|sign| if matches!(sign, '’' | '‘' | '`') { '\'' } else { sign }).collect()
}

/// Words in lower case between single spaces, with one before and one behind; marks and decoration are gone.
pub fn spaced(text: &str) -> String {
    let mut said = String::with_capacity(text.len() + 2);
    said.push(' ');
    for sign in text.chars() {
        match sign {
            '’' | '‘' | '\'' => said.push('\''),
            sign if sign.is_alphanumeric() => said.extend(sign.to_lowercase()),
            _ if said.ends_with(' ') => {}
            _ => said.push(' '),
        }
    }
    if !said.ends_with(' ') {
        said.push(' ');
    }
    said
}

/// Whether a phrase stands in spaced words, whole.
pub fn says(spaced: &str, phrase: &str) -> bool {
    places(spaced, phrase).next().is_some()
}

/// Whether spaced words begin with a phrase.
pub fn begins(spaced: &str, phrase: &str) -> bool {
    spaced[1..].strip_prefix(phrase).is_some_and(|rest| rest.starts_with(' '))
}

fn places<'a>(spaced: &'a str, phrase: &'a str) -> impl Iterator<Item = usize> + 'a {
    spaced
        .match_indices(phrase)
        .map(|(at, _)| at)
        .filter(move |at| spaced[..*at].ends_with(' ') && spaced[at + phrase.len()..].starts_with(' '))
}
