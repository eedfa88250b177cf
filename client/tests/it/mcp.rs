//! `cairn mcp`: lines in, lines out, and a client that starts whatever the server does.

use crate::{
    fake::{Fake, Mood},
    home::{Home, out},
};
use serde_json::{Value, json};
use std::collections::HashMap;

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
        assert!(answers["0"]["result"]["instructions"].as_str().expect("words").contains("is away"));
        let tools = answers["1"]["result"]["tools"].as_array().expect("tools");
        assert!(tools.iter().any(|tool| tool["name"] == "recall" && tool["inputSchema"]["properties"]["query"].is_object()), "{tools:?}");
        let told = &answers["2"]["result"];
        assert!(told["isError"] == true && told["content"][0]["text"].as_str().expect("words").contains("is away"), "{told}");
        assert!(answers["3"]["error"]["message"].as_str().expect("words").contains("is away"));
        assert_eq!((&answers["4"]["result"]["prompts"], &answers["6"]["result"]), (&json!([]), &json!({})));
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
    let ended = home.run_with(&["mcp"], b"\n{nonsense\n[]\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n");
    let said: Vec<Value> = out(&ended).lines().map(|line| serde_json::from_str(line).expect("a message")).collect();
    let codes: Vec<&Value> = said.iter().map(|one| &one["error"]["code"]).collect();
    assert_eq!(codes, [&json!(-32700), &json!(-32600)], "{said:?}");
}
