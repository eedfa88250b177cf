//! Tools cut long texts by units of 16 bits, and so through the middle of a sign: what is left of it is half a pair, which is
//! no JSON. One such half must not cost the whole record.

use serde_json::Value;

/// What was sent, with U+FFFD in the place of halves.
pub fn read(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).or_else(|_| serde_json::from_slice(&mended(bytes))).ok()
}

fn mended(bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let end = match (first, unit(rest)) {
            (b'\\', Some(0xd800..=0xdbff)) if matches!(unit(&rest[6..]), Some(0xdc00..=0xdfff)) => 12,
            (b'\\', Some(0xd800..=0xdfff)) => {
                whole.extend(b"\\ufffd");
                rest = &rest[6..];
                continue;
            }
            (b'\\', Some(_)) => 6,
            // What follows a backslash is no backslash of its own.
            (b'\\', None) => 2.min(rest.len()),
            _ => 1,
        };
        whole.extend(&rest[..end]);
        rest = &rest[end..];
    }
    whole
}

/// The unit that an escape such as `\ud83d` stands for.
fn unit(rest: &[u8]) -> Option<u16> {
    let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn half_a_sign_costs_nothing_but_itself() {
        let cut = br#"{"command": "cargo test", "output": "ok \ud83d", "path": "C:\\ud83d", "whole": "\ud83d\ude00", "low": "\ude00."}"#;
        let expected =
            json!({"command": "cargo test", "output": "ok \u{fffd}", "path": "C:\\ud83d", "whole": "\u{1f600}", "low": "\u{fffd}."});
        assert_eq!(read(cut), Some(expected));
        assert_eq!(read(b"{\"half\": \"\\ud83"), None);
        assert_eq!(read(b"\\"), None);
    }
}
