//! Words of a text as phrases are looked for in them, for engines that go by wording.

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
    spaced.match_indices(phrase).any(|(at, _)| spaced[..at].ends_with(' ') && spaced[at + phrase.len()..].starts_with(' '))
}

/// Whether spaced words begin with a phrase.
pub fn begins(spaced: &str, phrase: &str) -> bool {
    spaced.get(1..).and_then(|said| said.strip_prefix(phrase)).is_some_and(|rest| rest.starts_with(' '))
}
