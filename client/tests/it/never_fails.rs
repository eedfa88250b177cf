//! The agent must not notice us: exit 0 and silence, whatever is wrong.

use crate::{
    fake::{Fake, Mood},
    home::{Home, out},
};
use serde_json::json;
use std::{fs, os::unix::fs::PermissionsExt};

const TOOLS: [&str; 5] = ["claude-code", "codex", "cursor", "windsurf", "gemini"];

fn start() -> Vec<u8> {
    json!({"session_id": "s", "hook_event_name": "SessionStart", "cwd": "/", "source": "startup"}).to_string().into_bytes()
}

fn prompt() -> Vec<u8> {
    json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": "/", "prompt": "hello"}).to_string().into_bytes()
}

fn quiet(home: &Home, tool: &str, payload: &[u8]) {
    let ended = home.hook(tool, payload);
    assert_eq!(ended.status.code(), Some(0), "{tool}");
    assert!(ended.stderr.is_empty() && out(&ended).is_empty(), "{tool}: {}", out(&ended));
}

#[test]
fn on_garbage_and_nothing() {
    let deep = "[".repeat(100_000);
    let wrong_types = json!({"session_id": 1, "hook_event_name": [], "tool_input": "x", "agent_action_name": {}}).to_string();
    for tool in TOOLS {
        let home = Home::new();
        for payload in ["", "{", "null", "[]", "\"x\"", "\u{0}\u{1}", &deep, &wrong_types] {
            quiet(&home, tool, payload.as_bytes());
        }
        quiet(&home, tool, &[0xff, 0xfe, 0x00]);
    }
    quiet(&Home::new(), "no-such-tool", &prompt());
    assert_eq!(Home::new().run(&["hook"]).status.code(), Some(0));
}

#[test]
fn on_twenty_megabytes() {
    let home = Home::new();
    let _quiet = home.no_flush();
    let huge = json!({"session_id": "s", "hook_event_name": "PostToolUse", "cwd": "/", "tool_name": "Bash",
        "tool_input": {"command": "cat dump"}, "tool_response": {"stdout": "x".repeat(20_000_000)}});
    quiet(&home, "claude-code", huge.to_string().as_bytes());
    assert_eq!(home.records()[0]["body"]["output_length"], 20_000_000);
    let half = "x".repeat(20_000_000);
    quiet(&home, "claude-code", half.as_bytes());
}

#[test]
fn without_a_place_to_write() {
    let home = Home::new();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o500)).expect("rights");
    quiet(&home, "claude-code", &prompt());
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).expect("rights");
    // A file where the folder should be stops root too.
    let home = Home::new();
    fs::create_dir_all(home.path().join(".local")).expect("a folder");
    fs::write(home.path().join(".local/state"), "").expect("a file");
    quiet(&home, "claude-code", &start());
    quiet(&home.with("XDG_STATE_HOME", "/dev/null"), "claude-code", &start());
}

#[test]
fn with_a_wrong_address_or_broken_settings() {
    for url in ["http://127.0.0.1:1", "not an address", "https://127.0.0.1:1"] {
        quiet(&Home::signed_in(url), "claude-code", &start());
    }
    let home = Home::new();
    fs::create_dir_all(home.path().join(".config/cairn")).expect("a folder");
    fs::write(home.path().join(".config/cairn/credentials.toml"), "not toml [").expect("a file");
    fs::write(home.path().join(".cairn.toml"), "neither = [").expect("a file");
    let payload = json!({"session_id": "s", "hook_event_name": "SessionStart", "cwd": home.path()});
    quiet(&home, "claude-code", payload.to_string().as_bytes());
}

#[test]
fn with_a_server_that_never_answers() {
    let server = Fake::start(Mood::Hanging);
    let home = Home::signed_in(&server.url);
    // That these return at all is the point: the server holds its connections for ten minutes.
    quiet(&home, "claude-code", &start());
    for _ in 0..20 {
        quiet(&home, "claude-code", &prompt());
    }
    assert_eq!(home.records().len(), 21);
}
