//! `cairn mcp`: lines in, lines out, and a client that starts whatever the server does.

use crate::{
    fake::{Fake, Mood},
    home::{Home, out},
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
};

/// Says all of it, and gives the answers by their ids.
fn says(home: &Home, messages: &[Value]) -> HashMap<String, Value> {
    let lines: Vec<String> = messages.iter().map(Value::to_string).collect();
    let ended = home.run_with(&["mcp"], (lines.join("\n") + "\n").as_bytes());
    assert!(ended.status.success());
    let answers = out(&ended);
    answers
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a message"))
        .map(|answer| (answer["id"].to_string(), answer))
        .collect()
}

fn request(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn opening() -> Value {
    request(0, "initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}))
}

#[test]
fn without_the_server_a_client_starts_and_its_model_is_told() {
    let away = Fake::start(Mood::Away);
    for home in [Home::signed_in("http://127.0.0.1:1"), Home::signed_in(&away.url), Home::new()] {
        let answers = says(
            &home,
            &[
                opening(),
                json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
                request(1, "tools/list", json!({})),
                request(2, "tools/call", json!({"name": "recall", "arguments": {"query": "anything"}})),
                request(3, "resources/read", json!({"uri": "cairn://memory/x"})),
                request(4, "prompts/list", json!({})),
                request(5, "server/discover", json!({})),
                request(6, "ping", json!({})),
            ],
        );
        assert_eq!(answers.len(), 7, "a notification has no answer: {answers:?}");
        assert_eq!(answers["0"]["result"]["protocolVersion"], "2025-06-18");
        let instructions = answers["0"]["result"]["instructions"].as_str().expect("words");
        assert!(instructions.contains("is away") && instructions.contains("Recall before you decide"), "{instructions}");
        let tools = answers["1"]["result"]["tools"].as_array().expect("tools");
        assert!(tools.iter().any(|tool| tool["name"] == "recall" && tool["inputSchema"]["properties"]["query"].is_object()), "{tools:?}");
        let told = &answers["2"]["result"];
        assert!(told["isError"] == true && told["content"][0]["text"].as_str().expect("words").contains("is away"), "{told}");
        assert!(answers["3"]["error"]["message"].as_str().expect("words").contains("is away"));
        assert_eq!((&answers["4"]["result"]["prompts"][0]["name"], &answers["6"]["result"]), (&json!("session_start"), &json!({})));
        assert!(answers["5"]["result"]["supportedVersions"].as_array().expect("versions").contains(&json!("2026-07-28")));
    }
}

#[test]
fn what_the_server_refuses_is_told_as_it_says_it() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    let answers =
        says(&home, &[request(1, "tools/call", json!({"name": "refused"})), request(2, "prompts/get", json!({"name": "refused"}))]);
    let told = answers["1"]["result"]["content"][0]["text"].as_str().expect("words");
    assert!(told.contains("agent_key_required") && !told.contains("is away"), "{told}");
    assert!(answers["2"]["error"]["message"].as_str().expect("words").contains("agent_key_required"));
}

#[test]
fn every_request_goes_there_with_the_key_and_the_headers_of_its_version() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    let newest = json!({"name": "recall", "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    let answers = says(&home, &[opening(), request(1, "tools/call", json!({"name": "recall"})), request(2, "tools/call", newest)]);
    let heard = |id: &str| answers[id]["result"]["heard"].clone();
    assert_eq!(heard("0"), json!({"authorization": "Bearer cairn_k_s", "mcp-method": "initialize"}));
    assert_eq!(heard("1")["mcp-protocol-version"], "2025-06-18", "as it was agreed on");
    assert_eq!((&heard("2")["mcp-protocol-version"], &heard("2")["mcp-name"]), (&json!("2026-07-28"), &json!("recall")));
}

#[test]
fn what_is_no_message_is_said_to_be_none() {
    let home = Home::signed_in("http://127.0.0.1:1");
    let ended = home.run_with(&["mcp"], b"\n{nonsense\n[]\n\xff\xfe\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n");
    let said: Vec<Value> = out(&ended).lines().map(|line| serde_json::from_str(line).expect("a message")).collect();
    let codes: Vec<&Value> = said.iter().map(|one| &one["error"]["code"]).collect();
    assert_eq!(codes, [&json!(-32700), &json!(-32600), &json!(-32700)], "{said:?}");
}

#[test]
fn what_may_have_been_done_is_not_said_to_be_undone() {
    let server = Fake::start(Mood::Forgetful);
    let home = Home::signed_in(&server.url);
    let call = |id, tool: &str| request(id, "tools/call", json!({"name": tool, "arguments": {"content": "x", "query": "x"}}));
    let answers = says(&home, &[call(1, "remember"), call(2, "recall")]);
    let told = |id: &str| answers[id]["result"]["content"][0]["text"].as_str().expect("words").to_owned();
    assert!(told("1").contains("not known whether this was done") && told("1").contains("look first"), "{}", told("1"));
    assert!(told("2").contains("was not done"), "nothing changes by reading: {}", told("2"));
    let nowhere = says(&Home::signed_in("http://127.0.0.1:1"), &[call(1, "remember")]);
    assert!(nowhere["1"]["result"]["content"][0]["text"].as_str().expect("words").contains("was not done"), "{nowhere:?}");
    let away = Fake::start(Mood::Away);
    let unavailable = says(&Home::signed_in(&away.url), &[call(1, "remember")]);
    assert!(unavailable["1"]["result"]["content"][0]["text"].as_str().expect("words").contains("was not done"), "{unavailable:?}");
}

#[test]
fn a_checkpoint_is_kept_while_the_server_is_away_and_sent_when_it_is_back() {
    let server = Fake::start(Mood::Away);
    let home = Home::signed_in(&server.url);
    let sent = json!({"task": "rotate", "project": "web", "decisions": [{"content": "use RS256"}], "next_step": "deploy"});
    let answers = says(&home, &[request(1, "tools/call", json!({"name": "checkpoint", "arguments": sent}))]);
    let told = answers["1"]["result"]["content"][0]["text"].as_str().expect("words");
    assert!(told.contains("is kept on this machine") && told.contains("do not send it again"), "{told}");
    let empty = says(&home, &[request(1, "tools/call", json!({"name": "checkpoint", "arguments": {"task": "rotate"}}))]);
    assert!(empty["1"]["result"]["content"][0]["text"].as_str().expect("words").contains("was not done"), "{empty:?}");
    server.becomes(Mood::Well);
    let flushed = home.run(&["flush", "--wait"]);
    assert!(flushed.status.success(), "{flushed:?}");
    let known = server.known.lock().expect("known");
    assert_eq!(known.checkpoints, [json!({"decisions": [{"content": "use RS256"}], "next_step": "deploy"})]);
    let session = &known.sessions[0];
    assert_eq!(
        (&session["external_id"], &session["task"], &session["project"]),
        (&json!("mcp task:rotate project:web"), &json!("rotate"), &json!("web"))
    );
}

#[test]
fn a_checkpoint_that_may_have_arrived_is_not_sent_again() {
    for mood in [Mood::Forgetful, Mood::Foreign(504)] {
        let server = Fake::start(mood);
        let home = Home::signed_in(&server.url);
        let sent = json!({"task": "rotate", "next_step": "deploy"});
        let answers = says(&home, &[request(1, "tools/call", json!({"name": "checkpoint", "arguments": sent}))]);
        let told = answers["1"]["result"]["content"][0]["text"].as_str().expect("words");
        assert!(told.contains("not known whether this was done") && !told.contains("is kept"), "{told}");
        server.becomes(Mood::Well);
        assert!(home.run(&["flush", "--wait"]).status.success());
        assert!(server.known.lock().expect("known").checkpoints.is_empty());
    }
}

#[test]
fn what_is_done_here_is_a_part_of_the_run_that_the_hooks_tell_of() {
    let server = Fake::start(Mood::Well);
    let home = Home::signed_in(&server.url);
    let call = || request(1, "tools/call", json!({"name": "recall", "arguments": {"query": "x"}}));
    let heard = |home: &Home| says(home, &[call()])["1"]["result"]["heard"]["x-cairn-session"].clone();
    assert_eq!(heard(&home), Value::Null, "no run, no header");
    assert!(home.run(&["session", "start", "--tool", "codex"]).status.success());
    let session = server.known.lock().expect("known").sessions[0]["id"].clone();
    assert_eq!(heard(&home), session);
    assert_eq!(says(&home, &[request(1, "tools/list", json!({}))])["1"]["result"]["heard"]["x-cairn-session"], Value::Null);
    // A run of another key that was used here before does not stand in the way.
    let kept = std::fs::read_dir(home.spool().join("sessions")).expect("sessions").flatten().next().expect("one").path();
    let text = std::fs::read_to_string(&kept).expect("a session").replace(session.as_str().expect("an id"), "s-others");
    std::fs::write(&kept, text).expect("written");
    assert_eq!(heard(&home), Value::Null);
}

#[test]
fn who_signs_in_meanwhile_need_not_start_it_again() {
    let server = Fake::start(Mood::Well);
    let home = Home::new();
    let mut child = home.command().arg("mcp").spawn().expect("cairn");
    let mut input = child.stdin.take().expect("stdin");
    let mut output = BufReader::new(child.stdout.take().expect("stdout"));
    let mut asks = |id: u32| {
        writeln!(input, "{}", request(id, "tools/call", json!({"name": "recall"}))).expect("written");
        let mut line = String::new();
        output.read_line(&mut line).expect("an answer");
        serde_json::from_str::<Value>(&line).expect("a message")
    };
    assert!(asks(1)["result"]["content"][0]["text"].as_str().expect("words").contains("Not signed in"));
    let folder = home.path().join(".config/cairn");
    std::fs::create_dir_all(&folder).expect("a folder");
    let profile = format!("[profiles.default]\nurl = \"{}\"\nkey = \"cairn_k_s\"\nworkspace = \"coding\"\n", server.url);
    std::fs::write(folder.join("credentials.toml"), profile).expect("written");
    assert_eq!(asks(2)["result"]["heard"]["authorization"], "Bearer cairn_k_s");
    drop(input);
    assert!(child.wait().expect("an end").success());
}
