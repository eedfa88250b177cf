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
