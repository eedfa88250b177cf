//! What is answered without the server: enough for a client to start, show its tools, and hear why they do nothing now.

use super::{Request, answered, refusal};
use serde_json::{Value, json};

/// As the server lists them for whoever may write; a test holds it against the server.
const TOOLS: &str = include_str!("tools.json");
const VERSIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
/// The newest that begins with a handshake.
const NEWEST_WITH_HANDSHAKE: &str = "2025-11-25";

/// Whether there is an answer without the server, so that it need not be waited for long.
pub fn knows(method: &str) -> bool {
    matches!(
        method,
        "initialize" | "server/discover" | "ping" | "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list"
    )
}

pub fn answer(request: &Request, why: &str) -> String {
    let said = format!(
        "Cairn, the team's memory, is away, so this was not done. {why}\nGo on without it, write down what must not be lost, and try again later."
    );
    let result = match &*request.method {
        "initialize" => opening(request, &said),
        "server/discover" => discovery(&said),
        "ping" => json!({}),
        "tools/list" => listed("tools", serde_json::from_str(TOOLS).unwrap_or_default()),
        "prompts/list" => listed("prompts", json!([])),
        "resources/list" => listed("resources", json!([])),
        "resources/templates/list" => listed("resourceTemplates", json!([])),
        _ => return refusal(request, &said),
    };
    answered(&request.id, &result)
}

/// Not to be kept: the next time the server may be there.
fn listed(what: &str, items: Value) -> Value {
    json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", what: items})
}

fn opening(request: &Request, said: &str) -> Value {
    let wanted = request.message.pointer("/params/protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let version = VERSIONS.into_iter().find(|known| *known == wanted && *known <= NEWEST_WITH_HANDSHAKE).unwrap_or(NEWEST_WITH_HANDSHAKE);
    json!({"protocolVersion": version, "capabilities": capabilities(), "serverInfo": info(), "instructions": said})
}

fn discovery(said: &str) -> Value {
    json!({"resultType": "complete", "supportedVersions": VERSIONS, "capabilities": capabilities(), "instructions": said,
        "ttlMs": 0, "cacheScope": "private", "_meta": {"io.modelcontextprotocol/serverInfo": info()}})
}

fn capabilities() -> Value {
    json!({"tools": {}, "prompts": {}, "resources": {}})
}

fn info() -> Value {
    json!({"name": "cairn", "title": "Cairn", "version": env!("CARGO_PKG_VERSION")})
}
