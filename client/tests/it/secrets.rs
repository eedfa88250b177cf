//! A secret that an agent meets is written nowhere on this machine.

use crate::home::Home;
use serde_json::{Value, json};
use std::{fs, path::Path};

const SECRET: &str = "x7Kq_92mZwLp04";

#[test]
fn a_planted_secret_is_found_in_no_file() {
    let home = Home::new();
    let _quiet = home.no_flush();
    let told = format!("export PGPASSWORD={SECRET}");
    let outside = tempfile::tempdir().expect("a folder");
    let transcript = outside.path().join("transcript");
    fs::write(&transcript, json!({"role": "assistant", "content": format!("NEXT: {told}")}).to_string()).expect("a transcript");
    let say = |tool: &str, name: &str, more: Value| {
        let mut payload = json!({"session_id": "s", "hook_event_name": name, "cwd": home.path(), "transcript_path": transcript});
        payload.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        home.hook(tool, payload.to_string().as_bytes());
    };
    say("claude-code", "UserPromptSubmit", json!({"prompt": told}));
    say("claude-code", "Stop", json!({"last_assistant_message": told}));
    say("claude-code", "PreCompact", json!({"trigger": "auto"}));
    let tools =
        [("Bash", json!({"command": told})), ("Write", json!({"file_path": "/a", "content": told})), ("Grep", json!({"pattern": told}))];
    for (tool, input) in tools {
        say("claude-code", "PostToolUse", json!({"tool_name": tool, "tool_input": input, "tool_response": {"stdout": told}}));
        say("claude-code", "PostToolUseFailure", json!({"tool_name": tool, "tool_input": input, "error": told}));
    }
    say(
        "claude-code",
        "PostToolUse",
        json!({"tool_name": "mcp__db__query", "tool_input": {"PGPASSWORD": SECRET}, "tool_response": [{"type": "text", "text": told}]}),
    );
    let long = format!("{}\n{told}\n{}", "a ".repeat(2040), "b ".repeat(100_000));
    say("claude-code", "PostToolUse", json!({"tool_name": "Bash", "tool_input": {}, "tool_response": {"stdout": long}}));
    say(
        "codex",
        "PostToolUse",
        json!({"tool_name": "apply_patch", "tool_input": {"command": format!("*** Add File: a\n+{told}")}, "tool_response": ""}),
    );
    assert_eq!(home.records().len(), 13);
    let found = search(home.path());
    assert!(found.is_empty(), "{found:?}");
}

/// The files in which it stands, also in part.
fn search(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    entries
        .flat_map(|path| if path.is_dir() { search(&path) } else { vec![path.to_string_lossy().into_owned()] })
        .filter(|path| String::from_utf8_lossy(&fs::read(path).expect("a file")).contains(&SECRET[..8]))
        .collect()
}
