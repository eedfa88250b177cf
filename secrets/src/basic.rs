//! Users and passwords of HTTP Basic: base64 after the word.

use crate::judge;
use std::ops::Range;

/// The credentials after `Basic `: base64 of a user and a password.
pub(crate) fn credentials_at(text: &str, at: usize) -> Option<Range<usize>> {
    let from = at + "basic ".len();
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=');
    let length = text.as_bytes()[from..].iter().take(512).take_while(|byte| is_base64(byte)).count();
    let decoded = base64(&text[from..from + length])?;
    let (user, password) = decoded.split_once(':')?;
    let readable = decoded.chars().all(|letter| !letter.is_control());
    (readable && password.len() >= 3 && !judge::placeholder(password) && password != user).then_some(from..from + length)
}

fn base64(text: &str) -> Option<String> {
    let (mut bits, mut held, mut out) = (0_u32, 0, Vec::with_capacity(text.len()));
    for byte in text.trim_end_matches('=').bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held).to_le_bytes()[0]);
        }
    }
    String::from_utf8(out).ok()
}
