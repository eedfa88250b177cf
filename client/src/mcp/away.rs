//! What is answered without the server: enough for a client to start, show its tools, and hear why they do nothing now.

use super::{Request, answered, refusal};
use serde_json::{Value, json};

/// As the server has them for whoever may write; a test holds them against the server.
const TOOLS: &str = include_str!("tools.json");
const PROMPTS: &str = include_str!("prompts.json");
const INSTRUCTIONS: &str = include_str!("instructions.txt");
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

/// Whether a request that got no answer was carried out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Arrived {
    No,
    Perhaps,
}

pub fn answer(request: &Request, why: &str, arrived: Arrived) -> String {
    let result = match &*request.method {
        "initialize" => opening(request, &instructions(why)),
        "server/discover" => discovery(&instructions(why)),
        "ping" => json!({}),
        "tools/list" => listed("tools", serde_json::from_str(TOOLS).unwrap_or_default()),
        "prompts/list" => listed("prompts", serde_json::from_str(PROMPTS).unwrap_or_default()),
        "resources/list" => listed("resources", json!([])),
        "resources/templates/list" => listed("resourceTemplates", json!([])),
        _ if arrived == Arrived::Perhaps && changes(request) => return refusal(request, &uncertain(why)),
        _ => return refusal(request, &not_done(why)),
    };
    answered(&request.id, &result)
}

fn not_done(why: &str) -> String {
    format!(
        "Cairn, the team's memory, is away, so this was not done. {why}\nGo on without it, write down what must not be lost, and try again later."
    )
}

fn uncertain(why: &str) -> String {
    format!(
        "Cairn, the team's memory, is away, and it is not known whether this was done. {why}\nIt may have been: look first, with recall or resume_task, before you do it again."
    )
}

/// Said of a checkpoint that waits on this machine.
pub fn kept(why: &str) -> String {
    format!(
        "Cairn, the team's memory, is away. {why}\nThe checkpoint is kept on this machine and will be sent when the server is back: do not send it again."
    )
}

/// Whether a call may change something, as far as the list of tools says.
fn changes(request: &Request) -> bool {
    let tools: Value = serde_json::from_str(TOOLS).unwrap_or_default();
    let name = &request.message["params"]["name"];
    let reads = |tool: &Value| tool["name"] == *name && tool["annotations"]["readOnlyHint"] == true;
    request.method == "tools/call" && !tools.as_array().into_iter().flatten().any(reads)
}

fn instructions(why: &str) -> String {
    format!("{}\n\nAt this moment the server is away, and every tool will say so until it is back. {why}", INSTRUCTIONS.trim_end())
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
