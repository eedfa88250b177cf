//! Speaking to `/mcp` as clients do: JSON-RPC over HTTP, by hand.

use crate::{Actor, Ask, Reply};
use serde_json::{Value, json};

pub const NEWEST: &str = "2026-07-28";

/// What came of using a tool.
#[derive(Debug)]
pub struct Used {
    /// What the model reads.
    pub text: String,
    /// What programs read.
    pub answer: Value,
    /// The stable word of what went wrong; empty when nothing did.
    pub code: String,
}

impl Used {
    /// The answer, where the tool did what it was asked to.
    #[track_caller]
    pub fn done(self) -> Value {
        assert_eq!(self.code, "", "{self:?}");
        self.answer
    }

    /// What the model is told, where it did not.
    #[track_caller]
    pub fn fails(self, code: &str) -> String {
        assert_eq!(self.code, code, "{self:?}");
        self.text
    }
}

impl Actor {
    /// A message in the newest version, which carries in itself all that it needs.
    pub fn message(&self, method: &str, mut params: Value) -> Ask {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": NEWEST,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "a-client", "version": "1"},
        });
        let mut ask = self.ask("POST", "/mcp").header("mcp-protocol-version", NEWEST).header("mcp-method", method);
        if let Some(name) = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str) {
            ask = ask.header("mcp-name", name);
        }
        ask.json(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    }

    /// Says something to `/mcp` that has a result.
    pub async fn says(&self, method: &str, params: Value) -> Value {
        let reply = self.message(method, params).send().await;
        assert!(reply.status == 200 && reply.body["result"].is_object(), "{method}: {reply:?}");
        reply.body["result"].clone()
    }

    /// Says something to `/mcp` that is refused by the protocol.
    pub async fn mistakes(&self, method: &str, params: Value) -> Reply {
        let reply = self.message(method, params).send().await;
        assert!(reply.body["error"]["message"].as_str().is_some_and(|said| !said.is_empty()), "{method}: {reply:?}");
        reply
    }

    pub async fn uses(&self, tool: &str, arguments: Value) -> Used {
        let result = self.says("tools/call", json!({"name": tool, "arguments": arguments})).await;
        let failed = result["isError"] == true;
        let code = result["_meta"]["cairn/problem"]["code"].as_str().unwrap_or_default().to_owned();
        assert_eq!(failed, !code.is_empty(), "{result}");
        assert_eq!(failed, result["structuredContent"].is_null(), "{result}");
        Used { text: result["content"][0]["text"].as_str().expect("a text").to_owned(), answer: result["structuredContent"].clone(), code }
    }

    /// The names of the tools that are shown.
    pub async fn tools(&self) -> Vec<String> {
        let listed = self.says("tools/list", json!({})).await;
        listed["tools"].as_array().into_iter().flatten().filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect()
    }
}
