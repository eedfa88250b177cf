//! Keys in files, and tokens that say what they are in their first letters.

use crate::rule::{Rule, rule};

/// What ends a line of a key: also escaped as in JSON, quoted as in code, marked as in a diff.
macro_rules! line_end {
    () => {
        r#"(?:\s|\\+[nr]|["',+>#|]){1,24}"#
    };
}

pub(super) const RULES: [Rule; 4] = [
    // A key that was cut off has no last line; one in prose has no body, and is none.
    rule(
        "private-key",
        "Private key (PEM, OpenSSH, PGP)",
        &["-----BEGIN "],
        concat!(
            "(-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----",
            line_end!(),
            "(?:[A-Z][A-Za-z-]{2,20}: [^\\r\\n\\\\]{0,}",
            line_end!(),
            "){0,6}",
            "[A-Za-z0-9+/]{16,}={0,2}(?:",
            line_end!(),
            "[A-Za-z0-9+/]{16,}={0,2})*",
            "(?:(?:",
            line_end!(),
            "[A-Za-z0-9+/=]{1,40}){0,2}(?:",
            line_end!(),
            ")?-----END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----)?)"
        ),
    )
    .reach(32 * 1024),
    rule(
        "putty-key",
        "PuTTY private key",
        &["Private-Lines:"],
        concat!(
            "Private-Lines: [0-9]{1,4}",
            line_end!(),
            "((?:[A-Za-z0-9+/]{64}",
            line_end!(),
            ")*[A-Za-z0-9+/=]{1,64}(?:",
            line_end!(),
            "Private-MAC: [a-f0-9]{40,64})?)"
        ),
    )
    .reach(16 * 1024),
    rule(
        "age-key",
        "age secret key",
        &["AGE-SECRET-KEY-", "AGE-PLUGIN-"],
        "(AGE-(?:SECRET-KEY-1[0-9A-Z]{58}|PLUGIN-[A-Z0-9]{2,24}-1[0-9A-Z]{20,}))",
    ),
    rule("jwt", "JSON Web Token", &["eyJ"], r"(eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,})").reach(7000),
];
