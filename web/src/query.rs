//! Query strings: pairs in, a link out. What is empty is left out.

use std::fmt::Write;

pub(crate) fn link(base: &str, pairs: &[(&str, &str)]) -> String {
    let mut link = base.to_owned();
    let mut joint = '?';
    for (name, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        link.push(joint);
        link.push_str(name);
        link.push('=');
        link.push_str(&encode(value));
        joint = '&';
    }
    link
}

/// Percent-encodes all but what RFC 3986 leaves unreserved; fit for a value or a path segment.
pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_set_is_in_the_link_and_nothing_breaks_out_of_it() {
        let pairs = [("q", "a&b=c"), ("kind", ""), ("tag", "Grüße/\"><")];
        assert_eq!(link("/m", &pairs), "/m?q=a%26b%3Dc&tag=Gr%C3%BC%C3%9Fe%2F%22%3E%3C");
        assert_eq!(link("/m", &[("q", "")]), "/m");
    }
}
