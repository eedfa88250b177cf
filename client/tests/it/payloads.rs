//! What each documented payload becomes: records in the spool, and an answer on stdout.

use crate::{
    fake::{Fake, Mood},
    home::{Home, out},
};
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

fn payload(tool: &str, name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/payloads/{tool}/{name}.json"));
    fs::read(&path).unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()))
}

/// The bodies of the records, and the answer.
fn becomes(tool: &str, name: &str) -> (Vec<Value>, String) {
    let home = Home::new();
    let _quiet = home.no_flush();
    let answer = home.hook(tool, &payload(tool, name));
    assert!(answer.status.success());
    let records = home.records();
    for record in &records {
        assert_eq!(record["origin"]["tool"], tool);
        assert!(record["id"].as_str().is_some_and(|id| id.len() == 36), "{record}");
    }
    let short = |record: &Value| if record["what"] == "event" { record["body"].clone() } else { record["what"].clone() };
    (records.iter().map(short).collect(), out(&answer))
}

fn event(tool: &str, name: &str) -> Value {
    let (records, _) = becomes(tool, name);
    assert_eq!(records.len(), 1, "{tool} {name}: {records:?}");
    records.into_iter().next().expect("one")
}

const PROMPT: &str = "Make the checkout total include the shipping cost";

#[test]
fn claude_code() {
    let tool = "claude-code";
    assert_eq!(becomes(tool, "session_start"), (vec![json!("start")], String::new()));
    assert_eq!(event(tool, "user_prompt_submit"), json!({"type": "prompt", "text": PROMPT}));
    assert_eq!(event(tool, "post_tool_use_read"), json!({"type": "file_read", "tool": "Read", "path": "src/checkout.py"}));
    let edit = event(tool, "post_tool_use_edit");
    assert_eq!(
        (&edit["type"], &edit["path"], &edit["input"]["old_string"]),
        (&json!("file_edit"), &json!("src/checkout.py"), &json!("return sum(cart)"))
    );
    assert_eq!(event(tool, "post_tool_use_write")["path"], "src/shipping.py");
    assert_eq!(
        event(tool, "post_tool_use_bash"),
        json!({"type": "command", "tool": "Bash", "command": "pytest -q", "output": "12 passed in 0.31s", "exit_code": 0})
    );
    assert_eq!(
        event(tool, "post_tool_use_grep"),
        json!({"type": "search", "tool": "Grep", "text": "shipping", "path": "src", "output": "src/checkout.py\nsrc/shipping.py"})
    );
    assert_eq!(
        event(tool, "post_tool_use_mcp"),
        json!({"type": "tool_result", "tool": "mcp__github__list_issues", "input": {"repo": "shop"}, "output": "#7 Shipping is missing"})
    );
    let failed = event(tool, "post_tool_use_failure");
    assert_eq!((&failed["type"], &failed["exit_code"]), (&json!("command"), &json!(1)));
    assert_eq!(event(tool, "post_tool_use_failure_edit")["type"], "tool_result", "an edit that failed is no edit");
    assert_eq!(event(tool, "pre_tool_use"), json!({"type": "tool_use", "tool": "Bash", "input": {"command": "pytest -q"}}));
    assert_eq!(event(tool, "stop"), json!({"type": "message", "text": "The total now includes shipping, and the tests pass."}));
    let (records, answer) = becomes(tool, "pre_compact");
    assert_eq!(records, [json!({"type": "compaction", "text": "auto"})]);
    assert!(answer.contains("next step"), "instructions for the summary: {answer}");
    assert_eq!(becomes(tool, "session_end").0, [json!("end")]);
}

#[test]
fn codex() {
    let tool = "codex";
    assert_eq!(becomes(tool, "session_start").0, [json!("start")]);
    assert_eq!(event(tool, "user_prompt_submit")["text"], PROMPT);
    let ran = event(tool, "post_tool_use_bash");
    assert_eq!((&ran["type"], &ran["command"], &ran["exit_code"]), (&json!("command"), &json!("pytest -q"), &json!(1)));
    let (edits, _) = becomes(tool, "post_tool_use_apply_patch");
    let paths: Vec<&Value> = edits.iter().map(|edit| &edit["path"]).collect();
    assert_eq!(paths, ["src/checkout.py", "src/shipping.py"]);
    assert_eq!(event(tool, "post_tool_use_mcp")["output"], "#7 Shipping is missing");
    assert_eq!(becomes(tool, "pre_compact"), (vec![json!({"type": "compaction", "text": "auto"})], String::new()));
    assert_eq!(event(tool, "stop")["type"], "message");
}

#[test]
fn gemini() {
    let tool = "gemini";
    assert_eq!(becomes(tool, "session_start"), (vec![json!("start")], "{}".to_owned()));
    assert_eq!(event(tool, "before_agent")["text"], PROMPT);
    assert_eq!(event(tool, "after_tool_read_file"), json!({"type": "file_read", "tool": "read_file", "path": "src/checkout.py"}));
    assert_eq!(event(tool, "after_tool_replace")["type"], "file_edit");
    let ran = event(tool, "after_tool_shell");
    assert_eq!((&ran["type"], &ran["command"], &ran["exit_code"]), (&json!("command"), &json!("cargo test"), &json!(101)));
    assert_eq!(event(tool, "after_tool_search")["text"], "shipping");
    let failed = event(tool, "after_tool_error");
    assert_eq!((&failed["type"], &failed["output"]), (&json!("tool_result"), &json!("File not found: none.py")));
    assert_eq!(event(tool, "after_agent"), json!({"type": "message", "text": "The total now includes shipping."}));
    assert_eq!(becomes(tool, "pre_compress"), (vec![json!({"type": "compaction", "text": "auto"})], "{}".to_owned()));
    assert_eq!(becomes(tool, "session_end").0, [json!("end")]);
}

#[test]
fn cursor() {
    let tool = "cursor";
    assert_eq!(becomes(tool, "session_start"), (vec![json!("start")], "{}".to_owned()));
    assert_eq!(becomes(tool, "before_submit_prompt"), (vec![json!({"type": "prompt", "text": PROMPT})], "{\"continue\":true}".to_owned()));
    let ran = event(tool, "post_tool_use_shell");
    assert_eq!((&ran["type"], &ran["output"], &ran["exit_code"]), (&json!("command"), &json!("12 passing"), &json!(0)));
    assert_eq!(event(tool, "post_tool_use_read"), json!({"type": "file_read", "tool": "Read", "path": "src/checkout.ts"}));
    assert_eq!(event(tool, "post_tool_use_write")["type"], "file_edit");
    let failed = event(tool, "post_tool_use_failure");
    assert_eq!((&failed["type"], &failed["exit_code"]), (&json!("command"), &json!(1)));
    assert_eq!(event(tool, "after_shell_execution")["command"], "npm run build");
    assert_eq!(event(tool, "after_file_edit")["path"], "src/checkout.ts");
    assert_eq!(event(tool, "after_mcp_execution")["output"], "#7 Shipping is missing");
    assert_eq!(event(tool, "after_agent_response")["type"], "message");
    assert_eq!(event(tool, "pre_compact")["type"], "compaction");
    assert_eq!(becomes(tool, "session_end").0, [json!("end")]);
}

#[test]
fn windsurf() {
    let tool = "windsurf";
    assert_eq!(becomes(tool, "pre_user_prompt"), (vec![json!({"type": "prompt", "text": PROMPT})], String::new()));
    assert_eq!(event(tool, "post_read_code")["type"], "file_read");
    assert_eq!(event(tool, "post_write_code")["type"], "file_edit");
    assert_eq!(event(tool, "post_run_command"), json!({"type": "command", "tool": "run_command", "command": "npm install package-name"}));
    assert_eq!(event(tool, "post_mcp_tool_use")["tool"], "github.list_issues");
    assert_eq!(event(tool, "post_cascade_response")["type"], "message");
}

#[test]
fn what_is_nothing_to_us_leaves_nothing() {
    for (tool, name) in [("claude-code", "notification"), ("cursor", "stop"), ("windsurf", "pre_run_command")] {
        let home = Home::new();
        let answer = home.hook(tool, &payload(tool, name));
        assert!(answer.status.success() && out(&answer).is_empty());
        assert!(!home.state().join("spool").exists(), "{tool} {name}");
    }
}

#[test]
fn at_the_start_each_tool_gets_the_brief_in_its_own_words() {
    let server = Fake::start(Mood::Well);
    let brief = "# Brief\n\nDo not touch auth/legacy.py.";
    let answer = |tool: &str| {
        let home = Home::signed_in(&server.url);
        serde_json::from_str::<Value>(&out(&home.hook(tool, &payload(tool, "session_start")))).expect("JSON")
    };
    for tool in ["claude-code", "codex", "gemini"] {
        let expected = json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": brief}});
        assert_eq!(answer(tool), expected);
    }
    assert_eq!(answer("cursor"), json!({"additional_context": brief}));
}

#[test]
fn with_the_server_away_the_last_brief_is_told_with_its_date() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    home.hook("claude-code", &payload("claude-code", "session_start"));
    server.becomes(Mood::Away);
    let answer = out(&home.hook("claude-code", &payload("claude-code", "session_start")));
    assert!(answer.contains("does not answer") && answer.contains("auth/legacy.py"), "{answer}");
}

#[test]
fn a_task_that_the_server_does_not_know_costs_no_brief() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    assert!(home.run(&["task", "start", "OVER"]).status.success());
    let payload = json!({"session_id": "s", "hook_event_name": "SessionStart", "cwd": home.path(), "source": "startup"});
    let told = out(&home.hook("claude-code", payload.to_string().as_bytes()));
    assert!(told.contains("Do not touch auth/legacy.py") && !told.contains("does not answer"), "{told}");
}

#[test]
fn no_brief_outlives_an_erasure() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    let start = || out(&home.hook("claude-code", &payload("claude-code", "session_start")));
    let tell = || {
        home.hook("claude-code", &payload("claude-code", "user_prompt_submit"));
        assert!(home.run(&["flush", "--wait"]).status.success());
    };
    let kept = || {
        let workspaces = fs::read_dir(home.state().join("briefs")).expect("briefs").flatten();
        workspaces.flat_map(|entry| fs::read_dir(entry.path()).expect("a folder").flatten()).count()
    };
    // As an older version kept them: beside the workspaces.
    let old = home.state().join("briefs/0123456789abcdef");
    let leave_one = || {
        fs::create_dir_all(home.state().join("briefs")).expect("a folder");
        fs::write(&old, "2026-05-01T10:00:00Z\n# Brief").expect("a brief");
    };
    leave_one();
    start();
    assert!(!old.exists(), "a brief of no workspace goes when one comes");
    leave_one();
    tell();
    assert!(!old.exists(), "and with whatever is told");
    assert_eq!(kept(), 1, "nothing was erased");
    server.known.lock().expect("known").erased = Some("2026-05-04T10:00:00Z");
    tell();
    assert_eq!(kept(), 0, "whatever is told next brings the news");
    start();
    tell();
    assert_eq!(kept(), 1, "a brief of after it stays");
    server.known.lock().expect("known").erased = Some("2026-05-05T10:00:00Z");
    start();
    server.becomes(Mood::Away);
    assert!(start().contains("auth/legacy.py"), "the next start brings the news too, and a brief of its own");
}

#[test]
fn before_a_compaction_the_transcript_becomes_a_checkpoint_and_after_it_comes_a_reminder() {
    let home = Home::new();
    let _quiet = home.no_flush();
    let transcript = home.path().join("transcript.jsonl");
    let todos = json!([{"content": "login", "status": "completed"}, {"content": "logout", "status": "in_progress"}, {"content": "docs", "status": "pending"}]);
    let lines = [
        json!({"type": "user", "message": {"role": "user", "content": "DECIDED: this is the person's text, not the agent's"}}),
        json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Looking.\n- DECIDED: do not touch auth/legacy.py\n"}]}}),
        json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "tool_use", "name": "TodoWrite", "input": {"todos": todos}}]}}),
    ];
    fs::write(&transcript, lines.map(|line| line.to_string()).join("\n")).expect("a transcript");
    let mut compacts: Value = serde_json::from_slice(&payload("claude-code", "pre_compact")).expect("JSON");
    compacts["transcript_path"] = json!(transcript);
    home.hook("claude-code", compacts.to_string().as_bytes());
    let records = home.records();
    assert_eq!(records[0]["what"], "checkpoint");
    let text = records[0]["body"]["text"].as_str().expect("text");
    assert_eq!(text, "DECIDED: do not touch auth/legacy.py\nCOMPLETED: login\nIN PROGRESS: logout\n- [ ] docs\nNEXT: logout");
    assert_eq!(records[1]["body"]["type"], "compaction");
    let answer = out(&home.hook("claude-code", &payload("claude-code", "session_start_compact")));
    assert!(answer.contains("was compacted"), "{answer}");
}

#[test]
fn where_a_tool_takes_no_reminder_it_comes_with_the_next_answer_once() {
    let home = Home::new();
    let _quiet = home.no_flush();
    home.hook("gemini", &payload("gemini", "pre_compress"));
    let answer = out(&home.hook("gemini", &payload("gemini", "before_agent")));
    assert!(answer.contains("additionalContext") && answer.contains("was compacted"), "{answer}");
    assert_eq!(out(&home.hook("gemini", &payload("gemini", "before_agent"))), "{}");
}

#[test]
fn large_results_are_cut_with_their_length_and_digest() {
    let home = Home::new();
    let _quiet = home.no_flush();
    let mut ran: Value = serde_json::from_slice(&payload("claude-code", "post_tool_use_bash")).expect("JSON");
    ran["tool_response"]["stdout"] = json!("x".repeat(1_000_000));
    home.hook("claude-code", ran.to_string().as_bytes());
    let event = home.records()[0]["body"].clone();
    assert_eq!(event["output_length"], 1_000_000);
    assert_eq!(event["output_sha256"].as_str().map(str::len), Some(64));
    assert!(event["output"].as_str().is_some_and(|text| text.len() < 9000));
}
