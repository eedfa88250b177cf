//! What holds for every text, and what hostile ones cost.

use cairn_secrets::{find, redact, speaks_to_the_model};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Pieces that secrets and their surroundings are made of, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "password", "token", "api_key", "SECRET", "auth", "Bearer ", "Basic ", "://", "user:", "@host", "=", ": ", " = ", "\"", "'", "\\\"", "\\n", "\n",
            "\r\n", "\0", "--password ", "<password>", "</password>", "ghp_", "AKIA", "sk-", "eyJ", ".eyJ", "xoxb-", concat!("-----BEGIN PRIV", "ATE KEY-----"),
            concat!("-----END PRIV", "ATE KEY-----"), "[redacted: ", "[redacted: assigned-password]", "]", "${", "}", "<", ">", "(", ")", ",", ";", "&", " ", "\t", "is ",
            "value", "name: ", "curl -u a:", "export ", "…", "“", "”", "🔑", "ключ", "\u{202e}", "\u{200b}", "\u{e0041}", "%3D", "hunter2", "key",
        ]).prop_map(str::to_owned),
        2 => "[A-Za-z0-9]{6,44}",
        1 => "[A-Za-z0-9+/=_.-]{6,90}",
        1 => "\\PC{0,8}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn holds(text: &str) {
    speaks_to_the_model(text);
    let findings = find(text);
    let Some(redacted) = redact(text) else {
        assert_eq!(findings, []);
        return;
    };
    assert_eq!(redacted.findings, findings);
    assert!(findings.windows(2).all(|pair| pair[0].end <= pair[1].start), "{findings:?} overlap");
    for finding in findings {
        let value = &text[finding.start..finding.end];
        assert!(!redacted.text.contains(value), "{value:?} is left in {:?}", redacted.text);
    }
    assert_eq!(redact(&redacted.text), None, "{:?} is not clean", redacted.text);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_found_is_left(text in pieces()) {
        holds(&text);
    }

    #[test]
    fn any_text_at_all_will_do(text in any::<String>()) {
        holds(&text);
    }
}

#[test]
fn a_value_goes_wherever_it_stands() {
    let redacted = redact("password = \"x7Kq92mZw\"\nlogin failed for x7Kq92mZw!").unwrap();
    assert_eq!(redacted.text, "password = \"[redacted: assigned-password]\"\nlogin failed for [redacted: assigned-password]!");
}

#[test]
fn hostile_texts_take_no_longer_than_others() {
    // Unoptimised, everything is slower by a factor; what is not linear is slower by thousands.
    const LENGTH: usize = if cfg!(debug_assertions) { 1 << 16 } else { 10 << 20 };
    let most = Duration::from_secs(20);
    let distinct = (0..LENGTH / 20).map(|number| format!("password=x7Kq{number}Zw")).collect::<Vec<_>>().join("\n");
    let pieces = [
        "a",
        "password=",
        "password: ",
        "password=\"",
        "token",
        "key",
        "key ",
        "://",
        "://a:b",
        "eyJ",
        "eyJ-",
        ".eyJ.",
        "sk-",
        concat!("-----BEGIN PRIV", "ATE KEY-----"),
        concat!("-----BEGIN PRIV", "ATE KEY-----\naaaaaaaaaaaaaaaaaaaa"),
        "-----BEGIN ",
        "curl -u a:b ",
        " -u",
        "curl",
        "Basic ",
        "Basic YTpi",
        "heroku ",
        "heroku",
        "[redacted: ",
        "AccountKey",
        "\\",
        "\\\"",
        "password\\\\\\\\",
        "secret\"value",
        "bearer ",
        "\u{200b}",
        "é",
        "ignore all ",
        "send ",
        "discord ",
        "redis-cli ",
        ":AA",
        "repeat the ",
    ];
    for text in pieces.iter().map(|piece| piece.repeat(LENGTH / piece.len())).chain([distinct]) {
        let start = Instant::now();
        let (found, said) = (redact(&text).map(|redacted| redacted.findings.len()), speaks_to_the_model(&text));
        let took = start.elapsed();
        let shown: String = text.chars().take(24).collect();
        println!("{took:>10.2?} {shown:?} {found:?} {said:?}");
        assert!(took < most, "{shown:?} took {took:?}");
    }
}
