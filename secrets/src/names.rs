//! What a name promises of its value: `DB_PASSWORD` a password, `apiKey` a token, `token_count` neither.

use crate::rule::Promise::{self, Password, Token};

/// Words that say nothing about the value when they end a name.
const TRAILING: [&str; 24] = [
    "prod",
    "production",
    "dev",
    "staging",
    "stage",
    "test",
    "live",
    "value",
    "val",
    "string",
    "str",
    "text",
    "plain",
    "plaintext",
    "raw",
    "new",
    "old",
    "current",
    "base64",
    "b64",
    "base",
    "env",
    "default",
    "primary",
];

/// What stands before `key` where the key is a secret one.
const SECRET_KEYS: [&str; 24] = [
    "api",
    "access",
    "secret",
    "private",
    "signing",
    "encryption",
    "master",
    "account",
    "shared",
    "auth",
    "service",
    "webhook",
    "session",
    "app",
    "client",
    "cookie",
    "deploy",
    "jwt",
    "hmac",
    "storage",
    "admin",
    "aes",
    "crypto",
    "hash",
];

/// What stands before `token` where the token is a bookmark or a word of a language.
const OPEN_TOKENS: [&str; 18] = [
    "page",
    "continuation",
    "next",
    "cursor",
    "idempotency",
    "sync",
    "resume",
    "pagination",
    "stop",
    "eos",
    "bos",
    "pad",
    "unk",
    "special",
    "input",
    "output",
    "cancellation",
    "start",
];

/// Reads the whole name, however it joins its words.
pub(crate) fn promise(name: &str) -> Option<Promise> {
    let words = words(name);
    let mut words = &words[..];
    while let [before @ .., last] = words
        && !before.is_empty()
        && (TRAILING.contains(&last.as_str()) || last.bytes().all(|byte| byte.is_ascii_digit()))
    {
        words = before;
    }
    let (last, before) = words.split_last()?;
    let last = last.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let ends = |endings: &[&str]| endings.iter().any(|ending| last.ends_with(ending));
    match last {
        "token" if before.last().is_some_and(|kind| OPEN_TOKENS.contains(&kind.as_str())) => None,
        "pass" | "dbpass" | "pgpass" | "userpass" | "smtppass" | "rootpass" | "adminpass" | "pw" | "psw" => Some(Password),
        _ if ends(&["password", "passwd", "passphrase", "pwd", "passwort", "kennwort"]) => Some(Password),
        "auth" | "authorization" | "credentials" | "creds" => Some(Token),
        _ if ends(&["token", "secret", "apikey", "credential", "accesskey", "secretkey", "privatekey", "accountkey", "authkey"]) => {
            Some(Token)
        }
        "key" => before.last().is_some_and(|kind| SECRET_KEYS.contains(&kind.as_str())).then_some(Token),
        _ => None,
    }
}

/// In lower case: `dbPassword`, `DB_PASSWORD` and `db-password` are the same two words.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() {
            last = ' ';
            continue;
        }
        let begins = last == ' ' || (letter.is_ascii_uppercase() && last.is_ascii_lowercase());
        match words.last_mut() {
            Some(word) if !begins => word.push(letter.to_ascii_lowercase()),
            _ => words.push(letter.to_ascii_lowercase().to_string()),
        }
        last = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_words() {
        for name in ["password", "PGPASSWORD", "dbPass", "spring.datasource.password", "SMTP_PASS", "passwd2", "user-pwd", "db_pw"] {
            assert_eq!(promise(name), Some(Password), "{name}");
        }
        for name in
            ["_authToken", "X-Api-Key", "client_secret", "AWS_SECRET_ACCESS_KEY", "secret_key_base", "apikey", "accessToken", "creds"]
        {
            assert_eq!(promise(name), Some(Token), "{name}");
        }
        for name in
            ["token_count", "max_tokens", "tokenizer", "password_hash", "secretName", "key", "keyword", "primary_key", "bypass", "author"]
        {
            assert_eq!(promise(name), None, "{name}");
        }
    }
}
