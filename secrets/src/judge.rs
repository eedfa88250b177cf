//! Whether a value is a secret, or a word, a placeholder, a piece of code.

use crate::{
    entropy::{capitals_by_chance, jumble, shannon},
    rule::Promise,
};

/// How sure the place of a value makes that it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    Quoted,
    /// `NAME=value` on a line of its own, in quotes or not
    Environment,
    /// After `=` or `:` without quotes: configuration, or code.
    Bare,
    /// In prose, or next to the name without a sign.
    Loose,
}

/// Parts that make a value a stand-in for one, in lower case.
const STAND_INS: [&str; 37] = [
    "${",
    "$(",
    "{{",
    "}}",
    "<%",
    "%>",
    "#{",
    "%(",
    "***",
    "•••",
    "...",
    "…",
    "xxxx",
    "example",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "changeit",
    "replace",
    "redacted",
    "dummy",
    "your_",
    "your-",
    "yourkey",
    "yourtoken",
    "yourpass",
    "insert_",
    "insert-",
    "_here",
    "-here",
    "masked",
    "filtered",
    "notreal",
    "not-real",
    "0123456789",
    "abcdefgh",
];

/// Published values: the key of a storage emulator, and the token that every documentation shows.
const PUBLISHED: [&str; 2] = ["Eby8vdM02xNOcqFlqUwJPLlm", "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"];

/// Words that stand where a secret would, with or without digits after them.
const WORDS: [&str; 52] = [
    "password",
    "passwd",
    "passw",
    "pass",
    "pwd",
    "secret",
    "token",
    "user",
    "username",
    "admin",
    "root",
    "guest",
    "test",
    "tests",
    "testing",
    "demo",
    "foo",
    "bar",
    "foobar",
    "baz",
    "none",
    "null",
    "nil",
    "true",
    "false",
    "undefined",
    "string",
    "default",
    "hidden",
    "sample",
    "fake",
    "mysecret",
    "mypassword",
    "mytoken",
    "mypass",
    "supersecret",
    "topsecret",
    "argon",
    "argon2id",
    "argon2i",
    "argon2d",
    "bcrypt",
    "scrypt",
    "sha",
    "hs",
    "rs",
    "es",
    "oauth",
    "auth",
    "base",
    "postgres",
    "pbkdf2_sha",
];

/// How a hash begins, or anything else that is long and no secret.
const HASHES: [&str; 22] = [
    "$2a$", "$2b$", "$2y$", "$argon2", "$1$", "$5$", "$6$", "$y$", "$scrypt", "$pbkdf2", "pbkdf2", "{ssha", "{bcrypt", "scrypt:", "sha1:",
    "sha1-", "sha256:", "sha256-", "sha384-", "sha512:", "sha512-", "md5:",
];

/// Whether a value given to a name that promises a secret is one.
pub(crate) fn assigned(value: &str, name: &str, promise: Promise, trust: Trust) -> bool {
    let quoted_words = trust == Trust::Quoted && promise == Promise::Password;
    if placeholder(value) || no_value(value) || (!quoted_words && code(value)) {
        return false;
    }
    if uuid(value) {
        let for_tokens = name.bytes().any(|byte| byte.is_ascii_uppercase()) && !name.bytes().any(|byte| byte.is_ascii_lowercase());
        return promise == Promise::Password || for_tokens || ["secret", "key"].iter().any(|end| name.to_ascii_lowercase().ends_with(end));
    }
    match promise {
        Promise::Password => password(value, trust),
        Promise::Token => random(value) || ((8..16).contains(&value.len()) && Kinds::of(value).strong() && password(value, trust)),
    }
}

/// Whether the password of a URL is one.
pub(crate) fn url_password(user: &str, password: &str) -> bool {
    password.len() >= 4
        && password != user
        && !placeholder(password)
        && !password.starts_with(['$', '{', '%', '<', '[', '*'])
        && !number(password)
}

/// Whether it stands in for a value: `<your-key>`, `${VAR}`, `xxxx`, `changeme`.
pub(crate) fn placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    let word = lower.trim_end_matches(|last: char| last.is_ascii_digit() || matches!(last, '!' | '?' | '.' | '_' | '-'));
    let reference =
        value.starts_with('$') && value[1..].starts_with(|next: char| next.is_ascii_alphabetic() || next == '_') && !hash(value);
    let named = reference
        && value[1..].chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | ':' | '-' | '[' | ']' | '>'));
    let mut distinct: Vec<char> = value.chars().take(64).collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len() < 4
        || named
        || value.starts_with('<')
        || WORDS.contains(&word)
        || STAND_INS.iter().any(|part| lower.contains(part))
        || PUBLISHED.iter().any(|part| value.contains(part))
}

/// Whether it looks made by a machine: long, mixed, and not of words.
pub(crate) fn random(value: &str) -> bool {
    let kinds = Kinds::of(value);
    let body = value.trim_end_matches('=');
    if value.len() < 16 || !value.is_ascii() || value.contains("://") || value.contains(' ') || value.starts_with("arn:") || path(value) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    if ["token", "secret", "password", "credential", "encoded"].iter().any(|word| lower.contains(word)) {
        return false;
    }
    let letters = kinds.lower || kinds.upper;
    let mixed = kinds.digit && letters && jumble(body) >= 0.18;
    let only_letters =
        !kinds.digit && value.len() >= 20 && (jumble(body) >= 0.28 || capitals_by_chance(body)) && !value.contains(['.', '-', '_']);
    (mixed || only_letters || (kinds.symbol && kinds.digit && letters)) && shannon(value) >= 2.9
}

/// Whether a person may have chosen it as a password.
fn password(value: &str, trust: Trust) -> bool {
    let kinds = Kinds::of(value);
    let length = value.chars().count();
    let spaced = value.contains(char::is_whitespace) && !(trust == Trust::Environment && kinds.digit);
    if !(6..=200).contains(&length) || spaced || value.contains("://") || path(value) {
        return false;
    }
    let joined = value.contains(['-', '_', '.', '/', ':', ',']);
    let letters = kinds.lower || kinds.upper;
    if trust == Trust::Loose {
        return length >= 8
            && kinds.digit
            && letters
            && ((kinds.symbol && kinds.count() >= 3) || jumble(value) >= 0.25 || word_and_number(value));
    }
    if !kinds.digit && capitals_by_chance(value) && !joined {
        return true;
    }
    if kinds.symbol {
        return kinds.digit || (letters && !value.ends_with(|last: char| last.is_ascii_punctuation()) && kinds.count() >= 3);
    }
    if kinds.digit {
        return letters && (!joined || jumble(value) >= 0.2);
    }
    let passphrase = trust != Trust::Bare && length >= 16 && !joined && !(kinds.lower && kinds.upper);
    letters && ((length >= 8 && jumble(value) >= 0.3) || passphrase)
}

/// `Sommer2026`, `blueberry77!`: what people choose, and hardly a name in code.
pub(crate) fn word_and_number(value: &str) -> bool {
    let value = value.trim_end_matches(['!', '?']);
    let word = value.trim_end_matches(|last: char| last.is_ascii_digit());
    value.len() >= 8 && value.len() - word.len() >= 2 && word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Values that carry no secret: numbers, versions, hashes, types.
fn no_value(value: &str) -> bool {
    value.len() < 6
        || value.starts_with("\\x")
        || value.starts_with("b'")
        || number(value)
        || hash(value)
        || colour(value)
        || value.starts_with(['[', '(', '{', '^', '~', '@', '%'])
}

fn hash(value: &str) -> bool {
    let start = value.floor_char_boundary(12);
    let lower = value[..start].to_ascii_lowercase();
    HASHES.iter().any(|hash| lower.starts_with(hash))
}

/// A number, a date, a version, a duration: hardly a letter in it.
fn number(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_punctuation() || byte.is_ascii_alphabetic())
        && value.bytes().filter(u8::is_ascii_alphabetic).count() <= 2
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b',' | b':' | b'-' | b'+' | b'_' | b'/' | b'%'))
}

/// `config.password`, `get_password()`, `&str`, `Option<String>`, `a->b`: an expression or a type, not a value.
fn code(value: &str) -> bool {
    let inner = value.trim_start_matches(['&', '*', '!', '$', '@']);
    let path = inner.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'?')).count();
    let (head, tail) = inner.split_at(path);
    let expression = tail.starts_with(['(', '[', '{', '<']) || tail.starts_with("->");
    let dotted =
        head.contains(['.', ':']) && tail.is_empty() && head.split(['.', ':', '?']).all(|part| jumble(part) < 0.3 && part.len() < 40);
    let referred = value.len() > inner.len() && tail.is_empty() && jumble(inner) < 0.2;
    (expression && !head.is_empty()) || dotted || referred || value.ends_with("()")
}

fn path(value: &str) -> bool {
    let begins = ["/", "./", "../", "~/", "C:\\", "file:"].iter().any(|begin| value.starts_with(begin));
    let parts = || value.split(['/', '\\']);
    let words = parts().filter(|part| part.len() >= 3 && jumble(part) < 0.2).count();
    (begins && words > 0) || (parts().count() > 1 && words * 2 > parts().count())
}

/// Whether it would pass for the name of a variable or a type.
pub(crate) fn identifier(value: &str, promise: Promise) -> bool {
    let named =
        value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && !value.starts_with(|first: char| first.is_ascii_digit());
    named && jumble(value) < 0.25 && !(promise == Promise::Password && capitals_by_chance(value))
}

/// `#ddd0c0`
fn colour(value: &str) -> bool {
    value.len() <= 9 && value.strip_prefix('#').is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn uuid(value: &str) -> bool {
    let dashes = [8, 13, 18, 23];
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| if dashes.contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() })
}

/// Which kinds of characters a value has. `-`, `_`, `.`, `/`, `:` and `,` join words and count for nothing.
struct Kinds {
    lower: bool,
    upper: bool,
    digit: bool,
    symbol: bool,
}

impl Kinds {
    fn of(value: &str) -> Self {
        let has = |kind: fn(char) -> bool| value.chars().any(kind);
        Self {
            lower: has(char::is_lowercase),
            upper: has(char::is_uppercase),
            digit: has(|letter| letter.is_ascii_digit()),
            symbol: has(|letter| letter.is_ascii_punctuation() && !matches!(letter, '-' | '_' | '.' | '/' | ':' | ',' | '=')),
        }
    }

    fn count(&self) -> usize {
        [self.lower, self.upper, self.digit, self.symbol].iter().filter(|&&kind| kind).count()
    }

    fn strong(&self) -> bool {
        self.digit && self.count() >= 3
    }
}
