//! The spool: nothing lost, in order, once, and never more than allowed on disk.

use crate::{
    fake::{Fake, Mood},
    home::{Home, err, feed, out},
};
use serde_json::{Value, json};
use std::{
    fs::{self, OpenOptions},
    io::Write,
    os::unix::fs::PermissionsExt,
    thread::{self, sleep},
    time::Duration,
};

fn prompt(text: &str) -> Vec<u8> {
    json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": "/", "prompt": text}).to_string().into_bytes()
}

fn result(length: usize) -> Vec<u8> {
    // Every result another text, so that nothing compresses or repeats.
    let payload = json!({"session_id": "s", "hook_event_name": "PostToolUse", "cwd": "/", "tool_name": "Bash",
        "tool_input": {"command": "make"}, "tool_response": {"stdout": "y".repeat(length)}});
    payload.to_string().into_bytes()
}

/// Until everything is there; the server may swallow answers.
fn flushed(home: &Home) {
    for _ in 0..200 {
        let ended = home.run(&["flush", "--wait"]);
        if ended.status.success() {
            return;
        }
        assert_eq!(ended.status.code(), Some(3), "{}", err(&ended));
    }
    panic!("the spool is not empty after 200 tries");
}

#[test]
fn five_thousand_events_with_the_server_away_and_hooks_killed_arrive_in_order_and_once() {
    let server = Fake::start(Mood::Away);
    let home = Home::signed_in(&server.url);
    let mut exited = Vec::new();
    let mut killed = 0;
    for number in 0..5000_u32 {
        let mut child = home.command().args(["hook", "claude-code"]).spawn().expect("cairn");
        if number % 7 == 3 {
            // A large one has more moments to die in.
            let text = format!("{number} {}", "z".repeat(20_000));
            feed(&mut child, &prompt(&text));
            sleep(Duration::from_micros(u64::from(number % 40) * 100));
            let _ = child.kill();
        } else {
            feed(&mut child, &prompt(&number.to_string()));
        }
        if child.wait().expect("an end").success() {
            exited.push(number);
        } else {
            killed += 1;
        }
    }
    server.becomes(Mood::Forgetful);
    flushed(&home);
    let arrived: Vec<u32> =
        server.event_texts().iter().map(|text| text.split(' ').next().and_then(|text| text.parse().ok()).expect("a number")).collect();
    assert!(arrived.is_sorted_by(|one, next| one < next), "in order, each once");
    let missing: Vec<&u32> = exited.iter().filter(|number| arrived.binary_search(number).is_err()).collect();
    assert!(missing.is_empty(), "{} of {} are missing: {missing:?}", missing.len(), exited.len());
    let known = server.known.lock().expect("known");
    println!("{} arrived, {} exited, {killed} killed, {} repeated and recognised", arrived.len(), exited.len(), known.repeated);
    assert!(killed > 0 && known.repeated > 0, "the test met what it is about");
    assert_eq!(known.sessions.len(), 1);
}

#[test]
fn hooks_at_the_same_moment_while_segments_come_and_go_lose_nothing() {
    const EACH: usize = 250;
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    thread::scope(|scope| {
        for session in ["a", "b", "c", "d"] {
            let home = &home;
            scope.spawn(move || {
                for number in 0..EACH {
                    let text = format!("{session} {number}");
                    let payload = json!({"session_id": session, "hook_event_name": "UserPromptSubmit", "cwd": "/", "prompt": text});
                    assert!(home.hook("claude-code", payload.to_string().as_bytes()).status.success());
                }
            });
        }
        // Somebody who cannot wait, so that segments are renamed and deleted all the time.
        for _ in 0..40 {
            home.run(&["flush", "--wait"]);
        }
    });
    flushed(&home);
    let texts = server.event_texts();
    for session in ["a", "b", "c", "d"] {
        let of_session: Vec<&String> = texts.iter().filter(|text| text.starts_with(session)).collect();
        let expected: Vec<String> = (0..EACH).map(|number| format!("{session} {number}")).collect();
        assert!(of_session.iter().copied().eq(&expected), "session {session}: {} of {EACH}", of_session.len());
    }
}

#[test]
fn a_torn_record_is_skipped_and_its_neighbours_arrive() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    server.becomes(Mood::Away);
    home.hook("claude-code", &prompt("before"));
    // The flush that was started may have renamed it meanwhile.
    let current = home.spool().join("current");
    let mut file = OpenOptions::new().create(true).append(true).open(current).expect("current");
    file.write_all(b"\n500 {\"id\":\"torn").expect("torn");
    home.hook("claude-code", &prompt("after"));
    server.becomes(Mood::Well);
    flushed(&home);
    assert_eq!(server.event_texts(), ["before", "after"]);
}

#[test]
fn a_session_goes_from_start_to_end_in_order_by_itself() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    fs::write(home.path().join(".cairn.toml"), "project = \"gateway\"\n").expect("settings");
    let say = |name: &str, more: Value| {
        let mut payload = json!({"session_id": "run-1", "hook_event_name": name, "cwd": home.path()});
        payload.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        assert!(home.hook("claude-code", payload.to_string().as_bytes()).status.success());
    };
    say("SessionStart", json!({"source": "startup"}));
    say("UserPromptSubmit", json!({"prompt": "one"}));
    say("Stop", json!({"last_assistant_message": "two"}));
    say("SessionEnd", json!({"reason": "exit"}));
    // No flush by hand: the hooks have started one.
    for _ in 0..300 {
        if !server.known.lock().expect("known").ended.is_empty() {
            break;
        }
        sleep(Duration::from_millis(100));
    }
    let known = server.known.lock().expect("known");
    assert_eq!(known.ended, ["s-run-1"]);
    assert_eq!(known.sessions[0]["agent_tool"], "claude-code");
    assert_eq!(known.sessions[0]["project"], "gateway");
    let types: Vec<&Value> = known.events.iter().map(|event| &event["type"]).collect();
    assert_eq!(types, ["prompt", "message"]);
    assert!(known.events.iter().all(|event| event["at"].as_str().is_some_and(|at| at.ends_with('Z'))));
}

#[test]
fn whoever_waits_is_not_told_of_a_failure_from_before() {
    let server = Fake::start(Mood::Late { away: true });
    let home = Home::signed_in(&server.url);
    assert!(home.hook("claude-code", &prompt("one")).status.success());
    // The flush that the hook started has asked, and will hear that the server is away when it no longer is.
    while server.known.lock().expect("known").heard == 0 {
        sleep(Duration::from_millis(5));
    }
    server.becomes(Mood::Late { away: false });
    let ended = home.run(&["flush", "--wait"]);
    assert!(ended.status.success(), "{}", err(&ended));
    assert_eq!(server.event_texts(), ["one"]);
}

#[test]
fn what_the_server_will_never_take_is_set_aside_and_blocks_nothing() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    server.becomes(Mood::Away);
    for text in ["one", "poison", "two", "three"] {
        home.hook("claude-code", &prompt(text));
    }
    server.becomes(Mood::Well);
    flushed(&home);
    assert_eq!(server.event_texts(), ["one", "two", "three"]);
    let rejected = fs::read_to_string(home.spool().join("rejected")).expect("rejected");
    assert!(rejected.lines().count() == 1 && rejected.contains("poison") && rejected.contains("422 invalid"), "{rejected}");
    let status = home.run(&["status", "--json"]);
    let report: Value = serde_json::from_str(&out(&status)).expect("JSON");
    assert_eq!(report["spool"]["rejected"], 1);
    assert_eq!(report["spool"]["records"], 0);
    assert!(report["reasons"].to_string().contains("422 invalid"), "{report}");
}

#[test]
fn whatever_else_answers_at_the_address_nothing_counts_as_delivered_or_refused() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    // The session is known by its id; then the address becomes somebody else's.
    home.hook("claude-code", &prompt("one"));
    flushed(&home);
    let transcript = home.path().join("transcript");
    fs::write(&transcript, json!({"role": "assistant", "content": "NEXT: two"}).to_string()).expect("a transcript");
    for status in [200, 302, 403, 404, 405, 409, 410] {
        server.becomes(Mood::Foreign(status));
        home.hook("claude-code", &prompt(&status.to_string()));
        assert!(!home.run(&["flush", "--wait"]).status.success(), "{status}");
    }
    for name in ["PreCompact", "SessionEnd"] {
        let payload = json!({"session_id": "s", "hook_event_name": name, "cwd": "/", "transcript_path": transcript});
        home.hook("claude-code", payload.to_string().as_bytes());
    }
    assert!(!home.run(&["flush", "--wait"]).status.success());
    server.becomes(Mood::Well);
    flushed(&home);
    assert_eq!(server.event_texts(), ["one", "200", "302", "403", "404", "405", "409", "410", ""]);
    let known = server.known.lock().expect("known");
    assert_eq!((known.checkpoints.len(), known.ended.len(), known.sessions.len()), (1, 1, 1));
    assert!(!home.spool().join("rejected").exists());
}

#[test]
fn what_was_refused_can_be_sent_once_more() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    home.hook("claude-code", &prompt("poison"));
    home.hook("claude-code", &prompt("one"));
    flushed(&home);
    assert_eq!(server.event_texts(), ["one"]);
    server.known.lock().expect("known").takes_poison = true;
    assert!(home.run(&["flush", "--wait", "--rejected"]).status.success());
    assert_eq!(server.event_texts(), ["one", "poison"]);
    let report: Value = serde_json::from_str(&out(&home.run(&["status", "--json"]))).expect("JSON");
    assert_eq!(report["spool"]["rejected"], 0);
}

#[test]
fn a_task_that_is_over_and_words_that_say_nothing_lose_nothing() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    assert!(home.run(&["task", "start", "OVER"]).status.success());
    let transcript = home.path().join("transcript");
    fs::write(&transcript, json!({"role": "assistant", "content": "Hm."}).to_string()).expect("a transcript");
    for (name, more) in [("SessionStart", "source"), ("PreCompact", "trigger")] {
        let payload = json!({"session_id": "s", "hook_event_name": name, "cwd": home.path(), "transcript_path": transcript, more: "auto"});
        home.hook("claude-code", payload.to_string().as_bytes());
    }
    flushed(&home);
    let known = server.known.lock().expect("known");
    assert_eq!(known.sessions.len(), 1);
    let told: Vec<(&Value, &Value)> = known.events.iter().map(|event| (&event["type"], &event["text"])).collect();
    assert_eq!(told, [(&json!("note"), &json!("Hm.")), (&json!("compaction"), &json!("auto"))]);
    assert!(!home.spool().join("rejected").exists());
}

#[test]
fn the_bound_holds_thins_first_and_says_so() {
    let server = Fake::start(Mood::Away);
    let home = Home::signed_in(&server.url).with("CAIRN_SPOOL_MB", "1");
    let size = |home: &Home| -> u64 {
        let files = fs::read_dir(home.spool()).expect("the spool").flatten();
        files.filter(|file| file.path().is_file()).filter_map(|file| file.metadata().ok()).map(|found| found.len()).sum()
    };
    for number in 0..400 {
        home.hook("claude-code", &result(8000));
        if number % 100 == 99 {
            // A flush by hand cannot deliver, but it keeps the house.
            home.run(&["flush", "--wait"]);
        }
    }
    home.run(&["flush", "--wait"]);
    assert!(size(&home) < 1_600_000, "{} bytes", size(&home));
    let report: Value = serde_json::from_str(&out(&home.run(&["status", "--json"]))).expect("JSON");
    assert!(report["spool"]["thinned"].as_u64().is_some_and(|count| count > 0), "{report}");
    assert_eq!(report["spool"]["dropped"], 0, "thinning was enough");
    // Prompts cannot be thinned: the oldest go.
    for number in 0..100 {
        home.hook("claude-code", &prompt(&format!("{number} {}", "p".repeat(30_000))));
    }
    home.run(&["flush", "--wait"]);
    let report: Value = serde_json::from_str(&out(&home.run(&["status", "--json"]))).expect("JSON");
    assert!(report["spool"]["dropped"].as_u64().is_some_and(|count| count > 0), "{report}");
    assert!(report["reasons"].to_string().contains("full"), "{report}");
    server.becomes(Mood::Well);
    flushed(&home);
    let texts = server.event_texts();
    assert!(texts.iter().any(|text| text.contains("records were dropped")), "a note says so");
    assert!(texts.iter().any(|text| text.starts_with("99 ")), "the newest are kept");
}

#[test]
fn only_the_owner_reads_the_spool() {
    let home = Home::new();
    let _quiet = home.no_flush();
    fs::remove_dir_all(home.state()).expect("away");
    home.hook("claude-code", &prompt("hello"));
    let mode = |path: std::path::PathBuf| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(home.spool()), 0o700);
    let files = fs::read_dir(home.spool()).expect("the spool").flatten();
    let files: Vec<_> = files.map(|file| file.path()).filter(|path| path.is_file()).collect();
    assert!(!files.is_empty());
    for file in files {
        assert_eq!(mode(file), 0o600);
    }
}
