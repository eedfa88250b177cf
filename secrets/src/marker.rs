//! What stands in a text in place of a secret: `[redacted: <rule>]`.

use crate::{find::TOO_MANY, rules};

pub(crate) const OPENS: &str = "[redacted: ";

pub(crate) fn put(rule: &str, into: &mut String) {
    into.push_str(OPENS);
    into.push_str(rule);
    into.push(']');
}

/// Whether a value is part of a marker, as `curl` is of one: then it cannot be taken out of a text, and is no secret.
pub(crate) fn says(value: &str) -> bool {
    OPENS.contains(value) || rules::ALL.iter().any(|rule| rule.id.contains(value)) || TOO_MANY.contains(value)
}

/// Whether this place lies inside a marker: the name of a rule is no keyword.
pub(crate) fn holds(text: &str, at: usize) -> bool {
    let from = text.floor_char_boundary(at.saturating_sub(64));
    let Some(opens) = text[from..at].rfind(OPENS) else { return false };
    let name = &text[from + opens + OPENS.len()..];
    let length = name.bytes().take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-').count();
    name.as_bytes().get(length) == Some(&b']') && from + opens + OPENS.len() + length > at
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_a_whole_marker_counts() {
        let text = "a [redacted: assigned-password] b password";
        assert!(super::holds(text, text.find("password").unwrap()));
        assert!(!super::holds(text, text.rfind("password").unwrap()));
        let open = "[redacted: password = x";
        assert!(!super::holds(open, open.find("password").unwrap()));
    }
}
