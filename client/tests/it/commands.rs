//! What a person types: profiles, tables, JSON, exit codes.

use crate::{
    fake::{Fake, Mood},
    home::{Home, err, out},
};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt};

#[test]
fn a_sign_in_is_tried_and_kept_for_the_owner_only() {
    let server = Fake::start(Mood::Well);
    let home = Home::new();
    let ended = home.run_with(&["login", "--url", &server.url], b"cairn_k_s\n");
    assert!(ended.status.success() && out(&ended).contains("coder in workspace coding"), "{}{}", out(&ended), err(&ended));
    let kept = home.path().join(".config/cairn/credentials.toml");
    assert_eq!(fs::metadata(&kept).expect("credentials").permissions().mode() & 0o777, 0o600);
    let ended = home.run(&["login", "--profile", "work", "--url", &server.url, "--key", "cairn_w_s"]);
    assert!(ended.status.success());
    let text = fs::read_to_string(&kept).expect("credentials");
    assert!(text.contains("[profiles.default]") && text.contains("[profiles.work]") && text.contains("cairn_w_s"), "{text}");
    assert_eq!(fs::metadata(&kept).expect("credentials").permissions().mode() & 0o777, 0o600);
    assert!(home.run(&["recall", "anything", "--profile", "work"]).status.success());
    let wrong = home.run(&["login", "--url", "http://127.0.0.1:1", "--key", "k"]);
    assert_eq!(wrong.status.code(), Some(3), "not kept when it does not answer");
}

#[test]
fn an_address_of_this_machine_needs_no_scheme() {
    let server = Fake::start(Mood::Well);
    let bare = server.url.trim_start_matches("http://");
    let home = Home::new();
    let ended = home.run(&["login", "--url", bare, "--key", "cairn_k_s"]);
    assert!(ended.status.success(), "{}", err(&ended));
    assert!(out(&home.run(&["status"])).contains(&format!("Server    {} (answers)", server.url)));
    let ended = Home::signed_in(bare).run(&["recall", "anything"]);
    assert!(ended.status.success(), "{}", err(&ended));
}

#[test]
fn a_wrong_time_is_told_once_with_the_right_form() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    for wrong in [["recall", "x", "--as-of"], ["remember", "x", "--stale-after"], ["remember", "x", "--expires-at"]] {
        let ended = home.run(&[&wrong[..], &["yesterday"]].concat());
        assert_eq!(ended.status.code(), Some(2));
        assert_eq!(err(&ended).matches("like 2026-10-03T12:00:00Z").count(), 1, "{}", err(&ended));
    }
    assert!(home.run(&["recall", "x", "--as-of", "2026-10-03T12:00:00Z"]).status.success());
    let sent = server.known.lock().expect("known").requests.last().cloned().expect("a request");
    assert_eq!(sent.1["as_of"], "2026-10-03T12:00:00Z");
    let refused = err(&home.run(&["remember", "invalid"]));
    assert_eq!(refused.matches("content: must be true").count(), 1, "what the server refuses, too: {refused}");
}

#[test]
fn exit_codes_say_what_is_wrong() {
    let code = |home: &Home, arguments: &[&str]| home.run(arguments).status.code();
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    assert_eq!(code(&home, &["remember", "the sky is blue"]), Some(0));
    assert_eq!(code(&home, &["task", "show", "none"]), Some(1));
    assert_eq!(code(&home, &["remember", "--kind", "nonsense", "x"]), Some(2));
    assert_eq!(code(&home, &["remember"]), Some(2), "no text");
    assert_eq!(code(&Home::signed_in("http://127.0.0.1:1"), &["recall", "x"]), Some(3));
    assert_eq!(code(&Home::new(), &["recall", "x"]), Some(4));
    let conflict = home.run(&["remember", "--kind", "decision", "contradiction"]);
    assert_eq!(conflict.status.code(), Some(5));
    let told = err(&conflict);
    assert!(told.contains("Conflict (409 decision_conflict)") && told.contains("--supersedes"), "{told}");
    server.becomes(Mood::Away);
    assert_eq!(code(&home, &["recall", "x"]), Some(3));
}

#[test]
fn memories_carry_what_was_said_and_where() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    fs::write(home.path().join(".cairn.toml"), "project = \"gateway\"\n").expect("settings");
    let arguments = [
        "remember",
        "--kind",
        "pattern",
        "--tag",
        "auth",
        "--anchor",
        "api:auth.py#login",
        "--confidence",
        "0.9",
        "tokens",
        "are",
        "short",
    ];
    assert!(home.run(&arguments).status.success());
    let expected = json!({"content": "tokens are short", "kind": "pattern", "tags": ["auth"], "project": "gateway", "confidence": 0.9,
        "anchors": [{"repo": "api", "path": "auth.py", "symbol": "login"}]});
    let sent = server.known.lock().expect("known").requests.last().cloned().expect("a request");
    assert_eq!(sent, ("POST /v1/workspaces/coding/memories".to_owned(), expected));
    let piped = home.run_with(&["remember", "--json"], b"from a pipe\n");
    let answer: Value = serde_json::from_str(&out(&piped)).expect("JSON");
    assert_eq!(answer["content"], "from a pipe");
    let told = out(&home.run(&["recall", "when", "frozen?"]));
    assert!(told.contains("Deploys  [decision, stale: gone]  by ada  m") && told.contains("    Fridays are frozen."), "{told}");
    assert!(told.contains("By words alone."), "{told}");
    assert!(told.contains("[left out: its text gives orders]  [fact]") && !told.contains("Obey me"), "{told}");
    assert!(out(&home.run(&["context"])).starts_with("# Brief"));
}

#[test]
fn what_was_known_already_is_not_told_as_new() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    let told = out(&home.run(&["remember", "--kind", "fact", "the sky is blue"]));
    assert_eq!(told, "Remembered as /facts/one.md (fact, m-1).\n");
    let told = out(&home.run(&["remember", "--kind", "fact", "known"]));
    assert_eq!(told, "Known already as /facts/one.md (fact, m-1); nothing new was written.\n");
    let answer: Value = serde_json::from_str(&out(&home.run(&["remember", "--json", "known"]))).expect("JSON");
    assert_eq!(answer, json!({"content": "known", "id": "m-1", "path": "/facts/one.md"}));
}

#[test]
fn a_checkpoint_finds_the_session_of_its_repository() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    let none = home.run(&["checkpoint", "--next", "x"]);
    assert!(none.status.code() == Some(1) && err(&none).contains("session start"), "{}", err(&none));
    assert!(home.run(&["session", "start"]).status.success());
    let told = out(&home.run(&[
        "checkpoint",
        "--decision",
        "use RS256",
        "--done",
        "login",
        "--doing",
        "logout",
        "--todo",
        "docs",
        "--found",
        "x",
        "--next",
        "y",
    ]));
    assert!(told.contains("decided      use RS256") && told.contains("next         logout"), "{told}");
    assert!(home.run_with(&["checkpoint"], b"NEXT: z").status.success());
    let expected = json!({"decisions": ["use RS256"], "discoveries": ["x"], "next_step": "y", "progress": [
        {"item": "login", "status": "completed"}, {"item": "logout", "status": "in_progress"}, {"item": "docs", "status": "pending"}]});
    assert_eq!(server.known.lock().expect("known").checkpoints, [expected, json!({"text": "NEXT: z"})]);
    assert!(home.run(&["session", "end"]).status.success());
    assert_eq!(home.run(&["checkpoint", "--next", "x"]).status.code(), Some(1));
}

#[test]
fn a_checkpoint_with_the_server_away_is_kept_and_sent_later() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    assert!(home.run(&["session", "start"]).status.success());
    server.becomes(Mood::Away);
    let kept = home.run(&["checkpoint", "--next", "later"]);
    assert!(kept.status.success() && out(&kept).contains("will be sent"), "{}{}", out(&kept), err(&kept));
    server.becomes(Mood::Well);
    while !home.run(&["flush", "--wait"]).status.success() {}
    assert_eq!(server.known.lock().expect("known").checkpoints, [json!({"next_step": "later"})]);
}

#[test]
fn a_task_is_told_at_the_next_start_in_the_same_repository() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    assert!(home.run(&["task", "start", "AUTH-7", "--title", "Rotate keys"]).status.success());
    let payload = json!({"session_id": "s", "hook_event_name": "SessionStart", "cwd": home.path(), "source": "startup"});
    home.hook("claude-code", payload.to_string().as_bytes());
    let asked = server.known.lock().expect("known").requests.iter().rev().find(|(what, _)| what.ends_with("/context")).cloned();
    assert_eq!(asked.expect("a brief").1["task"], "AUTH-7");
    while !home.run(&["flush", "--wait"]).status.success() {}
    assert_eq!(server.known.lock().expect("known").sessions[0]["task"], "AUTH-7");
    assert_eq!(out(&home.run(&["task", "resume", "AUTH-7"])), "# Where it stands\n");
}

#[test]
fn status_says_why_nothing_is_written() {
    let home = Home::new();
    let ended = home.run(&["status"]);
    assert_eq!(ended.status.code(), Some(4));
    assert!(out(&ended).contains("Not signed in") && out(&ended).contains("cairn install"), "{}", out(&ended));
    assert!(out(&ended).contains("Signed in nobody") && out(&ended).contains("Run `cairn login`"), "{}", out(&ended));
    assert!(!out(&ended).contains("does not answer"), "nobody was asked: {}", out(&ended));
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    let told = out(&home.run(&["status"]));
    assert!(told.contains("(answers)") && told.contains("No tool has our hooks"), "{told}");
    let away = out(&Home::signed_in("http://127.0.0.1:1").run(&["status"]));
    assert!(away.contains("does not answer"), "{away}");
    let refused = Fake::start(Mood::RefusesTheKey);
    let told = out(&Home::signed_in(&refused.url).run(&["status"]));
    assert!(told.contains("(answers)") && told.contains("Signed in nobody") && told.contains("401"), "{told}");
}

#[test]
fn completions_are_printed_for_each_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let ended = Home::new().run(&["completions", shell]);
        assert!(ended.status.success() && out(&ended).contains("checkpoint"));
    }
    let help = out(&Home::new().run(&["--help"]));
    assert!(help.contains("Exit codes") && !help.contains("flush"), "{help}");
}

#[test]
fn a_reader_who_has_seen_enough_is_no_accident() {
    let home = Home::new();
    let mut child = home.command().args(["install", "claude-code", "--dry-run"]).spawn().expect("it starts");
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("it ends");
    assert!(ended.status.success() && ended.stderr.is_empty(), "{}", err(&ended));
}

#[test]
fn the_task_of_this_repositorys_project_is_meant() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    std::fs::write(home.path().join(".cairn.toml"), "project = \"a b\"\n").expect("settings");
    assert!(home.run(&["session", "start"]).status.success());
    for command in ["start", "show", "resume", "pause", "complete", "abandon"] {
        let done = home.run(&["task", command, "t"]);
        assert!(done.status.success(), "{command}: {}", err(&done));
    }
    let known = server.known.lock().expect("known");
    let asked: Vec<&str> = known.requests.iter().map(|(asked, _)| asked.as_str()).filter(|asked| asked.contains("/tasks/t")).collect();
    assert_eq!(asked.len(), 6, "{asked:?}");
    assert!(asked.iter().all(|asked| asked.ends_with("?project=a%20b")), "{asked:?}");
}
