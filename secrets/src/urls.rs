//! Passwords in URLs: `scheme://user:password@host`.

use crate::judge;
use std::ops::Range;

/// Longer is no user and password.
const LONGEST: usize = 256;

/// The password of the URL whose `://` stands here.
pub(crate) fn password_at(text: &str, at: usize) -> Option<Range<usize>> {
    let from = at + "://".len();
    let window = &text.as_bytes()[from..text.len().min(from + LONGEST)];
    let ends =
        window.iter().position(|byte| matches!(byte, b'@' | b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | 0..=b' '))?;
    let colon = window[..ends].iter().position(|&byte| byte == b':')?;
    // Both ends are ASCII, so both lie between characters.
    let range = from + colon + 1..from + ends;
    let (user, password) = (&text[from..from + colon], &text[range.clone()]);
    (window[ends] == b'@' && judge::url_password(user, password)).then_some(range)
}
