//! Whatever is sent to `/mcp`: an answer that says what is wrong, and never a fault of ours.

use cairn_tests::{House, Role};
use serde_json::{Value, json};

#[tokio::test]
async fn what_is_no_message_is_said_as_the_protocol_says_it() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for (sent, code) in [
        ("", -32700),
        ("{", -32700),
        ("\u{0}", -32700),
        ("[]", -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
        ("null", -32600),
        ("{}", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600),
    ] {
        let reply = agent.ask("POST", "/mcp").bytes("application/json", sent).send().await;
        assert_eq!((reply.status, &reply.body["error"]["code"]), (400, &json!(code)), "{sent}: {reply:?}");
    }
    let deep = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}}", "[".repeat(100_000));
    assert_eq!(agent.ask("POST", "/mcp").bytes("application/json", deep).send().await.status, 400);
    agent.ask("POST", "/mcp").bytes("text/plain", "{}").send().await.refuses(415, "unsupported_media_type");
    agent.ask("POST", "/mcp").bytes("application/json", vec![b' '; 11 * 1024 * 1024]).send().await.refuses(413, "too_large");
    for method in ["GET", "DELETE", "PUT"] {
        let reply = agent.ask(method, "/mcp").send().await;
        assert_eq!(reply.refuses(405, "method_not_allowed").header("allow"), "POST");
    }
}

#[tokio::test]
async fn a_message_must_say_the_same_in_its_headers() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let call = json!({"name": "recall", "arguments": {"query": "anything"}});
    let other = agent.message("tools/call", call).header("mcp-method", "tools/list").send().await;
    assert_eq!((other.status, &other.body["error"]["code"]), (400, &json!(-32020)), "{other:?}");
    let unheard = agent.post("/mcp", json!({"jsonrpc": "2.0", "id": 1, "method": "tools/undo", "params": {}})).await;
    assert_eq!(unheard.body["error"]["code"], -32601, "{unheard:?}");
    for (method, params) in [
        ("tools/call", json!({"name": "no_such_tool", "arguments": {}})),
        ("prompts/get", json!({"name": "no_such_prompt"})),
        ("resources/read", json!({"uri": "file:///etc/passwd"})),
        ("resources/list", json!({"cursor": "not ours"})),
    ] {
        let reply = agent.mistakes(method, params).await;
        assert_eq!(reply.body["error"]["code"], -32602, "{reply:?}");
    }
}

/// Arguments of the wrong kind in every field of every tool: the model hears which field, and nothing breaks.
#[tokio::test]
async fn wrong_arguments_are_told_to_the_model_by_name() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Admin).await;
    let wrong =
        [json!(null), json!(true), json!(-1), json!(1e300), json!("\u{0}"), json!("x".repeat(200_000)), json!([[]]), json!({"a": {}})];
    let listed = agent.says("tools/list", json!({})).await;
    let mut tried = 0;
    for tool in listed["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let required: Vec<&str> = tool["inputSchema"]["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if !required.is_empty() {
            let told = agent.uses(name, json!({})).await.fails("invalid");
            assert!(required.iter().any(|field| told.contains(field)) && told.contains("Correct"), "{name}: {told}");
        }
        assert!(agent.uses(name, json!({"workspace": "support"})).await.fails("invalid").contains("workspace"), "{name}");
        for field in tool["inputSchema"]["properties"].as_object().unwrap().keys() {
            for value in &wrong {
                // Whatever comes of it, `uses` has seen a whole answer: a mistake of the caller, or a success.
                let used = agent.uses(name, json!({ field: value })).await;
                assert_ne!(used.code, "internal", "{name} {field}: {used:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 300, "only {tried} were tried");
}
