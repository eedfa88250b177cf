//! Everything that reads bytes from outside: no input makes it panic, and what we wrote ourselves reads back. `PROPTEST_CASES`
//! says how many inputs each is tried with.

use axum::http::HeaderMap;
use cairn_server::{
    auth::{cookies, keys::ShownKey, refresh},
    engines::{
        checkpoint, exchange,
        memory_tool::{Place, place},
        seal::{Checkpoint, Edge, checkpoint::origin, export, note, record_hash, verify::verify},
    },
    journal,
    keyring::Keyring,
    model::{
        LoginId,
        exchange::Format,
        page::{Page, decode},
        text::{Content, MemoryPath},
    },
};
use cairn_web::markdown::Markdown;
use proptest::{prelude::*, sample::Index};
use uuid::Uuid;

fn keyring() -> Keyring {
    Keyring::parse(&"a1".repeat(32)).expect("64 digits")
}

/// Anything, and things that look like what is read here, cut, doubled and strewn with what does not belong.
fn hostile() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "cairn_",
        "_",
        ".",
        "..",
        "/",
        "//",
        "/memories",
        "/memories/",
        "%2e",
        "\\",
        "\u{0}",
        "\u{202e}",
        "\u{feff}",
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        "null",
        "1e999",
        "-1",
        "18446744073709551616",
        "\n",
        "\r\n",
        "\n\n",
        "— ",
        "- [ ] ",
        "- [x] ",
        "DECIDED: ",
        "NEXT: ",
        "## ",
        "```",
        "<script>",
        "[a](javascript:alert(1))",
        "![x](http://x)",
        "{\"entry\":",
        "{\"checkpoint\":",
        "{\"type\":\"version\",",
        "---\n",
        "SQLite format 3",
        "+",
        "=",
        "yesterday",
        "last 99999999999 weeks",
        "between 2026-13-41 and",
        "00000000-0000-0000-0000-000000000000",
        "é",
        "e\u{301}",
        "𝕏",
    ]);
    prop_oneof![
        1 => any::<String>(),
        4 => prop::collection::vec(prop_oneof![3 => word.prop_map(str::to_owned), 1 => "\\PC{0,12}", 1 => any::<char>().prop_map(String::from)], 0..24)
            .prop_map(|parts| parts.concat()),
    ]
}

/// A text with some of its bytes changed, a piece cut out or doubled.
fn damaged(text: &str, flips: &[(Index, u8)], cut: Option<(Index, Index)>) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for (place, byte) in flips {
        let place = place.index(bytes.len());
        bytes[place] ^= byte;
    }
    if let Some((from, to)) = cut {
        let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
        if from < to {
            drop(bytes.drain(from..to));
        } else {
            bytes.extend_from_within(to..from);
        }
    }
    bytes
}

fn flips() -> impl Strategy<Value = Vec<(Index, u8)>> {
    prop::collection::vec((any::<Index>(), 1..=255_u8), 0..6)
}

/// A signed export of a trail of three entries.
fn exported() -> (String, String, String) {
    let key = ed25519_dalek::SigningKey::from_bytes(&[7; 32]);
    let public = key.verifying_key().to_bytes();
    let signer = note::Signer::new("cairn.example.org/trail", key.to_bytes(), public).expect("a key");
    let (mut edge, mut text) = (Edge::default(), String::new());
    for n in 0..3 {
        let leaf = format!("{{\"index\":{n},\"action\":\"memory.remembered\"}}");
        let hash = record_hash(leaf.as_bytes());
        edge.push(hash, |_, _| ());
        text += &export::entry_line(&leaf, hash, None);
    }
    let checkpoint = Checkpoint { origin: origin("cairn.example.org/trail", Uuid::nil()), size: 3, root: edge.root() };
    let sealed = signer.sign(&checkpoint.text()).expect("signs");
    let last = export::LastLine { checkpoint: sealed.clone(), complete: true }.text().expect("a line");
    (text + &last, sealed, note::vkey("cairn.example.org/trail", public))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn keys(text in hostile(), secret in "[A-Za-z0-9]{1,128}", id in any::<u128>()) {
        let _ = ShownKey::parse(&text);
        let key = format!("cairn_{}_{secret}", Uuid::from_u128(id).simple());
        let read = ShownKey::parse(&key).expect("a key");
        prop_assert_eq!(read.text(), key);
    }

    #[test]
    fn refresh_tokens_and_cookies(text in hostile(), id in any::<u128>(), generation in 0..i32::MAX, flips in flips()) {
        let keyring = keyring();
        let login = LoginId(Uuid::from_u128(id));
        prop_assert!(refresh::read(&keyring, &text).is_none());
        let token = refresh::write(&keyring, login, generation);
        prop_assert_eq!(refresh::read(&keyring, &token), Some((login, generation)));
        let changed = String::from_utf8_lossy(&damaged(&token, &flips, None)).into_owned();
        // Base64 and hexadecimal digits may be written in several ways; whoever it is stays the same.
        prop_assert!(refresh::read(&keyring, &changed).is_none_or(|read| read == (login, generation)));
        let mut headers = HeaderMap::new();
        for sent in [text, format!("cairn_session={}", cookies::value(&keyring, login))] {
            if let Ok(value) = sent.parse() {
                headers.insert("cookie", value);
                prop_assert!(cookies::read(&keyring, &headers).is_none_or(|read| read == login));
            }
        }
        prop_assert!(!cookies::csrf_fits(&keyring, b"bound", &changed));
    }

    #[test]
    fn cursors(text in hostile(), at in any::<i64>(), id in any::<u128>(), word in any::<String>()) {
        let _ = decode::<(i64, Uuid)>(&text);
        let _ = decode::<String>(&text);
        let place = (at, Uuid::from_u128(id), word);
        let read = decode::<(i64, Uuid, String)>(&Page::<()>::place(&place)).ok();
        // What no row can have said is no place in a list.
        prop_assert_eq!(read, Some(place).filter(|(_, _, word)| !word.contains('\0')));
    }

    #[test]
    fn paths(text in hostile()) {
        if let Ok(path) = MemoryPath::parse(&text) {
            let again = MemoryPath::parse(path.as_str()).expect("a path");
            prop_assert_eq!(again.as_str(), path.as_str());
            prop_assert!(path.as_str().starts_with('/') && !path.as_str().split('/').any(|name| name == ".."));
        }
        for sent in [text.clone(), format!("/memories/{text}")] {
            if let Ok(Place::At(path)) = place(&sent) {
                let again = place(&format!("/memories{}", path.as_str())).expect("a place");
                prop_assert_eq!(again, Place::At(path));
            }
        }
        let made = MemoryPath::made_from("facts", &text);
        prop_assert!(MemoryPath::parse(made.as_str()).is_ok(), "{}", made.as_str());
    }

    #[test]
    fn texts(text in hostile()) {
        if let Ok(content) = Content::parse(text) {
            prop_assert!(!content.title().trim().is_empty() && !content.title().contains('\n'));
        }
    }

    #[test]
    fn markdown(text in hostile()) {
        let shown = Markdown::new(&text).to_string();
        let lower = shown.to_ascii_lowercase();
        for forbidden in ["<script", "<img", "<iframe", "href=\"javascript:", "href=\"data:", "<style"] {
            prop_assert!(!lower.contains(forbidden), "{forbidden} in {shown}");
        }
    }

    #[test]
    fn checkpoints_of_runs(text in hostile()) {
        prop_assert_eq!(checkpoint::route(&text), checkpoint::route(&text));
    }

    #[test]
    fn checkpoints_of_trails(text in hostile(), flips in flips(), cut in prop::option::of((any::<Index>(), any::<Index>()))) {
        let (_, signed, vkey) = exported();
        let _ = note::verify(&text, &[&vkey]);
        let _ = note::verify(&signed, &[&text]);
        let _ = note::signatures(&text);
        prop_assert_eq!(Checkpoint::read(&signed, &[&vkey]).expect("it is signed").size, 3);
        let changed = String::from_utf8_lossy(&damaged(&signed, &flips, cut)).into_owned();
        if let Ok(read) = Checkpoint::read(&changed, &[&vkey]) {
            // Only what is not signed may differ: the signature's own spelling.
            prop_assert_eq!(read, Checkpoint::read(&signed, &[&vkey]).expect("it is signed"));
        }
    }

    #[test]
    fn exports_of_trails(text in hostile(), flips in flips(), cut in prop::option::of((any::<Index>(), any::<Index>()))) {
        let (export, _, vkey) = exported();
        let _ = verify(text.as_bytes(), &[&vkey], Some(&text));
        let _ = verify(&damaged(&export, &flips, cut), &[&vkey], None);
    }

    #[test]
    fn files_to_import(text in hostile(), name in hostile(), format in prop::option::of(0..Format::ALL.len()), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let format = format.map(|n| Format::ALL[n]);
        let _ = exchange::read(text.as_bytes(), Some(&name), format);
        let _ = exchange::read(&[text.as_bytes(), &bytes].concat(), None, format);
    }

    #[test]
    fn journals(text in hostile(), bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("erasures.jsonl");
        std::fs::write(&file, [text.as_bytes(), b"\n", &bytes].concat()).expect("is written");
        prop_assert!(journal::read(&file).is_ok_and(|told| told.entries.is_empty()));
    }
}
