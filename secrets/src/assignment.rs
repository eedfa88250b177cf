//! Values given to names that promise a secret, in any common syntax: `password = "…"`, `PASSWORD: …`, `"api_key": "…"`,
//! `export TOKEN=…`, `--password …`, `<password>…</password>`, also with the quotes escaped.

use crate::{
    judge::{self, Trust},
    names,
    rule::Promise,
};
use std::ops::Range;

/// Bytes of a name on either side of its keyword.
const NAME: usize = 64;
/// Spaces between a name, its sign and its value.
const SPACES: usize = 40;
/// Bytes of a value.
const VALUE: usize = 512;

/// The value of the name that holds the keyword here. A name is read once, whichever of its keywords comes first.
pub(crate) fn at(text: &str, at: usize, promise: Promise, looked: &mut usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // Short keywords bring what stands before the name.
    let at = at + usize::from(bytes[at].is_ascii_whitespace() || bytes[at] == b'"');
    let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let start = at - bytes[..at].iter().rev().take(NAME).take_while(in_name).count();
    let end = at + bytes[at..].iter().take(NAME).take_while(in_name).count();
    *looked = end;
    // The `n` of an escaped line end is not part of the name.
    let start = start + usize::from(start > 0 && start < at && bytes[start - 1] == b'\\' && matches!(bytes[start], b'n' | b'r' | b't'));
    let start = start + bytes[start..at].iter().take_while(|byte| matches!(byte, b'-' | b'.')).count();
    let start = if text[start..end].eq_ignore_ascii_case("key") { with_word_before(text, start) } else { start };
    if names::promise(&text[start..end]) != Some(promise) {
        return None;
    }
    let mut rest = Rest { text, at: end };
    let sign = rest.sign(start)?;
    let in_environment = rest.at == end + 1 && text[..rest.at].ends_with('=') && begins_line(&text[..start]);
    let (range, trust) = rest.value(sign, in_environment)?;
    let value = &text[range.clone()];
    // After a colon a bare password may be one; a bare token is a type.
    let code = sign == Sign::Equals || promise == Promise::Token;
    // The last argument of a call looks like a line of an environment: `key=TEST_KEY)`.
    let argument = value.strip_suffix([')', ',']).is_some_and(|name| trust == Trust::Environment && judge::identifier(name, promise));
    if argument
        || (code
            && trust == Trust::Bare
            && judge::identifier(value, promise)
            && !(promise == Promise::Password && judge::word_and_number(value)))
    {
        return None;
    }
    judge::assigned(value, &text[start..end], promise, trust).then_some(range)
}

/// What stands between a name and its value.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Equals,
    Colon,
    /// `--password value`
    Flag,
    /// `<password>value`
    Element,
    /// `password("value")`, `"password", "value"`, `PASSWORD 'value'`: only what is in quotes counts.
    Nearby,
    /// `password is value`
    Says,
}

/// A text from some place on.
#[derive(Clone, Copy)]
struct Rest<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Rest<'a> {
    fn left(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, most: usize, of: impl Fn(u8) -> bool) -> usize {
        let skipped = self.left().bytes().take(most).take_while(|&byte| byte.is_ascii() && of(byte)).count();
        self.at += skipped;
        skipped
    }

    fn spaces(&mut self) -> usize {
        self.skip(SPACES, |byte| matches!(byte, b' ' | b'\t'))
    }

    fn takes(&mut self, sign: &str) -> bool {
        let takes = self.left().starts_with(sign);
        self.at += if takes { sign.len() } else { 0 };
        takes
    }

    fn sign(&mut self, name: usize) -> Option<Sign> {
        let before = &self.text[..name];
        if before.ends_with('<') && self.takes(">") {
            return Some(Sign::Element);
        }
        let mut beside = *self;
        if is_given_as_name(before) && beside.value_beside() {
            *self = beside;
            return Some(Sign::Equals);
        }
        let closed = self.closes() > 0;
        if closed && self.takes(">") {
            return Some(Sign::Element);
        }
        let spaces = self.spaces();
        for sign in ["===", "==", "!==", "!=", ":=", "?=", "||=", "=>", "="] {
            if self.takes(sign) {
                self.spaces();
                return Some(Sign::Equals);
            }
        }
        if self.left().starts_with("::") {
            return None;
        }
        if self.takes(":") || self.takes("?:") || self.takes("：") {
            // `arn:aws:secretsmanager:…:secret:name` has no names.
            return (self.spaces() > 0 || !before.ends_with(':')).then_some(Sign::Colon);
        }
        if (closed && self.takes(",")) || self.takes("(") {
            self.spaces();
            return Some(Sign::Nearby);
        }
        match spaces {
            0 => None,
            // `pass "x" to it` is a verb.
            _ if self.text[name..].starts_with("pass ") => None,
            _ if before.ends_with("--") || before.ends_with(" -") => Some(Sign::Flag),
            _ if self.says() => Some(Sign::Says),
            _ => Some(Sign::Nearby),
        }
    }

    /// `is`, `was`, `to`, and `for the staging database is`.
    fn says(&mut self) -> bool {
        let mut after = *self;
        if ["for ", "of ", "on ", "in ", "at "].iter().any(|whose| after.takes(whose)) {
            let left = after.left();
            let among = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_' | '.' | '/' | '\'' | '’');
            let near = &left[..left.char_indices().find(|&(at, letter)| at >= SPACES || !among(letter)).map_or(left.len(), |(at, _)| at)];
            let Some(verb) = [" is ", " was "].iter().filter_map(|verb| near.find(verb)).min() else { return false };
            after.at += verb + 1;
        }
        let says = ["is ", "was ", "to "].iter().any(|verb| after.takes(verb));
        if says {
            after.takes("now ");
            *self = after;
        }
        says
    }

    /// What closes a name: quotes, also escaped, and brackets.
    fn closes(&mut self) -> usize {
        self.skip(8, |byte| matches!(byte, b'\\' | b'"' | b'\'' | b'`' | b']' | b'*'))
    }

    /// `name: PASSWORD` and then `value: …`, as manifests have it, on the next line or the same.
    fn value_beside(&mut self) -> bool {
        let parted = self.skip(SPACES, |byte| matches!(byte, b'\\' | b'"' | b'\'' | b' ' | b'\t' | b'\r' | b'\n' | b','));
        if parted == 0 || !self.takes("value") {
            return false;
        }
        self.closes();
        self.spaces();
        let given = self.takes(":") || self.takes("=");
        self.spaces();
        given
    }

    /// The value, and how sure its place makes it.
    fn value(self, sign: Sign, in_environment: bool) -> Option<(Range<usize>, Trust)> {
        if sign == Sign::Element {
            let length = self.left().bytes().take(VALUE).position(|byte| byte == b'<' || byte == b'\n')?;
            return Some((self.at..self.at + length, Trust::Quoted));
        }
        if let Some(range) = self.quoted() {
            return Some(match sign {
                Sign::Nearby | Sign::Says => (range, Trust::Loose),
                _ if in_environment => (range, Trust::Environment),
                _ => (range, Trust::Quoted),
            });
        }
        if sign == Sign::Nearby {
            return None;
        }
        let bare = self.bare(in_environment);
        let mut after = Rest { at: bare.end, ..self };
        if let Some(inner) = after.wrapped(&self.text[bare.clone()]) {
            return Some((inner, Trust::Quoted));
        }
        if after.left().starts_with(['(', '[', '{']) {
            // A call, not a value.
            return None;
        }
        let spaces = after.spaces();
        if sign == Sign::Colon && after.takes("=") && !after.left().starts_with('=') {
            // `password: &str = "…"`
            after.spaces();
            return Some((after.quoted()?, Trust::Quoted));
        }
        let goes_on = spaces > 0 && after.left().starts_with(|next: char| next.is_alphanumeric() || next == '(');
        let trust = match sign {
            Sign::Says => Trust::Loose,
            Sign::Colon if goes_on => Trust::Loose,
            _ if in_environment => Trust::Environment,
            _ => Trust::Bare,
        };
        Some((bare, trust))
    }

    /// A value in quotes, escaped or not. A quote that never closes, as in a cut-off text, holds a value without spaces.
    fn quoted(mut self) -> Option<Range<usize>> {
        let prefix = self.left().bytes().take_while(|byte| matches!(byte, b'b' | b'r' | b'u' | b'B' | b'R' | b'U' | b'@')).take(2).count();
        let opens = self.left()[prefix..].trim_start_matches('\\').chars().next()?;
        let closes = match opens {
            '"' | '\'' | '`' => opens,
            '“' | '„' => '”',
            _ => return None,
        };
        self.at += prefix;
        let escapes = self.skip(8, |byte| byte == b'\\');
        self.at += opens.len_utf8();
        if self.left().chars().take(2).eq([opens, opens]) {
            self.at += 2 * opens.len_utf8();
        }
        let (mut backslashes, mut first_space) = (0, None);
        for (offset, letter) in self.left().char_indices().take_while(|&(offset, _)| offset < VALUE) {
            match letter {
                _ if letter == closes && backslashes <= escapes => return Some(self.at..self.at + offset - backslashes),
                '\n' => return first_space.is_none().then_some(self.at..self.at + offset),
                _ if letter.is_whitespace() => first_space = first_space.or(Some(offset)),
                _ => {}
            }
            backslashes = if letter == '\\' { backslashes + 1 } else { 0 };
        }
        let length = first_space.unwrap_or_else(|| self.left().floor_char_boundary(VALUE));
        Some(self.at..self.at + length)
    }

    /// A value without quotes. In a line of an environment file only a space ends it.
    fn bare(self, in_environment: bool) -> Range<usize> {
        let ends = |letter: char| match letter {
            '"' | '\'' | '`' | '“' | '”' | '，' | '。' | '、' | '；' | '⟧' | '…' => true,
            // `=` is the next assignment, unless it pads base64.
            '=' | ',' | ';' | '&' | '<' | '>' | '(' | ')' | '{' | '}' | '[' | ']' | '|' => !in_environment,
            _ => letter.is_whitespace() || letter.is_control(),
        };
        // What opens a value, as in `${VAR}` or `<key>`, belongs to it.
        let skipped = self.left().bytes().take_while(|byte| matches!(byte, b'<' | b'{' | b'[' | b'(' | b'$' | b'&' | b'*')).take(3).count();
        let left = &self.left()[skipped..];
        let length = left.char_indices().find(|&(offset, letter)| offset >= VALUE || ends(letter)).map_or(left.len(), |(offset, _)| offset);
        let padding = left[length..].bytes().take(2).take_while(|&byte| byte == b'=').count();
        let value = &self.left()[..skipped + length + padding];
        // A form that was sent: the next field ends this one.
        let value = value.split_once('&').filter(|(_, next)| next.contains('=')).map_or(value, |(first, _)| first);
        let escaped = ["\\n", "\\r", "\\t", "\\\""].iter().filter_map(|escape| value.find(escape)).min().unwrap_or(value.len());
        self.at..self.at + value[..escaped].trim_end_matches(['.', ',', ';', ':', '\\']).len()
    }

    /// `String::from("…")`, `Some("…")`: made of a text on the spot.
    fn wrapped(&mut self, maker: &str) -> Option<Range<usize>> {
        let made = ["Some", "String::from", "Secret::new", "SecretString::from", "SecretString::new", "new String"].contains(&maker);
        if made && self.takes("(") { self.quoted() } else { None }
    }
}

/// `name: ` or `"name":"` stands before.
fn is_given_as_name(before: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'', '\\', ' ']);
    before.ends_with([':', '=']) && before.trim_end_matches([':', '=', '"', '\'', '\\', ' ']).ends_with("name")
}

/// `API key` in prose: what kind of key stands before it.
fn with_word_before(text: &str, at: usize) -> usize {
    let Some(before) = text[..at].strip_suffix(' ') else { return at };
    before.len() - before.bytes().rev().take(16).take_while(u8::is_ascii_alphanumeric).count()
}

/// Whether a line begins here, after what may stand before a name: `export`, a list's dash, a diff's sign.
fn begins_line(before: &str) -> bool {
    // A glance back, not a walk to the start of a text without lines.
    let before = &before[before.floor_char_boundary(before.len().saturating_sub(SPACES))..];
    let line = before.rsplit(['\n', '"', '\'']).next().unwrap_or(before);
    let line = line.rsplit("\\n").next().unwrap_or(line).trim_start_matches(['+', '-', ' ', '\t']);
    ["", "export ", "set ", "setx ", "ENV ", "ARG ", "env "].contains(&line)
}
