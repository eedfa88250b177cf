//! From each side of a wall, through every door that reads: nothing of the other side.

use super::{
    govern::memories,
    ledger::Ledger,
    machine::occurrences,
    replay::{REVIEWER, Replayed, all, text},
    task::Task,
};
use crate::{Failure, client::Client, house::House};
use hyper::Method;
use serde_json::{Value, json};

/// What can be listed or read in a workspace without an id.
const LISTS: [&str; 23] = [
    "memories",
    "memories/needs-review",
    "sessions",
    "receipts",
    "tasks",
    "proposals",
    "conflicts",
    "rollbacks",
    "dreams",
    "stores",
    "policies",
    "members",
    "agents",
    "holds",
    "deletion-requests",
    "audit",
    "audit/export",
    "code/snapshots",
    "code/related?path=src/lib.rs",
    "export",
    "export?format=markdown",
    "export/agents.md",
    "events?seconds=1",
];

/// One question, and what an answer may be.
struct Probe {
    method: Method,
    path: String,
    body: Value,
    /// It asks for what is on this side; else nothing but 404 will do.
    own: bool,
}

/// What the other side has: the words that must not come, and the names that must lead nowhere.
struct Beyond {
    slug: String,
    words: Vec<String>,
    ids: Vec<String>,
    memories: Vec<String>,
    stores: Vec<String>,
}

pub async fn walls(house: &mut House, task: &Task, replayed: &mut Replayed) -> Result<(), Failure> {
    let slugs: Vec<String> = replayed.workspaces.iter().cloned().collect();
    replayed.ledger.none("leaks");
    for here in &slugs {
        // One who may read everything there is on this side.
        let key = house.agent(here, "prober", "admin").await?;
        let mut prober = house.client(&key).await?;
        let own = stores(&mut prober).await?;
        for there in slugs.iter().filter(|there| *there != here) {
            let beyond = beyond(house, task, here, there).await?;
            for probe in probes(task, here, &own, &beyond) {
                ask(&mut prober, &mut replayed.ledger, here, probe, &beyond.words).await?;
            }
        }
    }
    Ok(())
}

async fn beyond(house: &mut House, task: &Task, here: &str, there: &str) -> Result<Beyond, Failure> {
    let mut person = house.sign_in(REVIEWER).await?;
    let base = format!("/v1/workspaces/{there}");
    let key = house.agent(there, "neighbour", "reader").await?;
    let stores = stores(&mut house.client(&key).await?).await?;
    let mut words: Vec<String> = if there.ends_with("support") { task.customer.clone() } else { Vec::new() };
    let (mut ids, mut known) = (Vec::new(), Vec::new());
    for memory in memories(&mut person, &base).await? {
        known.extend(text(&memory["id"]));
        words.extend(text(&memory["content"]).map(|text| text.chars().take(60).collect()));
    }
    ids.extend(known.iter().map(|id| format!("memories/{id}")));
    for list in ["sessions", "receipts"] {
        let found = all(&mut person, &format!("{base}/{list}")).await?;
        ids.extend(found.iter().map(|one| format!("{list}/{}", text(&one["id"]).unwrap_or_default())));
    }
    // What this side says itself is no leak.
    for memory in memories(&mut person, &format!("/v1/workspaces/{here}")).await? {
        let own = memory["content"].as_str().unwrap_or_default().to_owned();
        words.retain(|word| !own.contains(word.as_str()));
    }
    Ok(Beyond { slug: there.to_owned(), words, ids, memories: known, stores })
}

/// The stores that a key's workspace has.
async fn stores(client: &mut Client) -> Result<Vec<String>, Failure> {
    let found = client.get("/v1/memory_stores").await?;
    Ok(found["data"].as_array().into_iter().flatten().filter_map(|store| text(&store["id"])).collect())
}

fn probes(task: &Task, here: &str, own: &[String], beyond: &Beyond) -> Vec<Probe> {
    let (base, other) = (format!("/v1/workspaces/{here}"), format!("/v1/workspaces/{}", beyond.slug));
    let get = |path: String, own| Probe { method: Method::GET, path, body: Value::Null, own };
    let post = |path: String, body, own| Probe { method: Method::POST, path, body, own };
    // The protocol answers 200 and says in the body what was wrong.
    let mcp =
        |method: &str, params: Value| post("/mcp".to_owned(), json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), true);
    let tool = |name: &str, arguments: Value| mcp("tools/call", json!({"name": name, "arguments": arguments}));
    let mut asked = Vec::new();
    for question in task.questions.values() {
        asked.push(post(format!("{base}/recall"), json!({"query": question.ask, "limit": 100}), true));
        asked.push(tool("recall", json!({"query": question.ask, "detail": "full"})));
    }
    asked.push(post(format!("{other}/recall"), json!({"query": "who?"}), false));
    asked.push(post(format!("{base}/context"), json!({"token_budget": 20_000}), true));
    asked.push(post(format!("{other}/context"), json!({}), false));
    asked.push(tool("context", json!({})));
    asked.push(mcp("resources/list", json!({})));
    asked.push(post(format!("{base}/memory-tool"), json!({"command": "view", "path": "/memories"}), true));
    asked.push(post(format!("{other}/memory-tool"), json!({"command": "view", "path": "/memories"}), false));
    for list in LISTS {
        asked.push(get(format!("{base}/{list}"), true));
        asked.push(get(format!("{other}/{list}"), false));
    }
    for id in &beyond.ids {
        asked.push(get(format!("{base}/{id}"), false));
        asked.push(get(format!("{other}/{id}"), false));
    }
    for id in &beyond.memories {
        asked.push(tool("get_memory", json!({"memory_ids": [id]})));
        asked.push(mcp("resources/read", json!({"uri": format!("cairn://memory/{id}")})));
    }
    for store in own {
        asked.push(get(format!("/v1/memory_stores/{store}/memories?view=full"), true));
        asked.push(get(format!("/v1/memory_stores/{store}/memory_versions?view=full"), true));
    }
    for store in &beyond.stores {
        asked.push(get(format!("/v1/memory_stores/{store}"), false));
        asked.push(get(format!("/v1/memory_stores/{store}/memories"), false));
        asked.push(get(format!("/v1/memory_stores/{store}/memory_versions"), false));
    }
    asked
}

async fn ask(prober: &mut Client, ledger: &mut Ledger, here: &str, probe: Probe, words: &[String]) -> Result<(), Failure> {
    let body = if probe.body.is_null() { String::new() } else { probe.body.to_string() };
    let (status, answer) = prober.call(probe.method, &probe.path, body).await?;
    let name = match probe.body["params"]["name"].as_str().or(probe.body["method"].as_str()) {
        Some(called) => format!("{} {called}", probe.path),
        None => probe.path,
    };
    let note = format!("{status} from {here}");
    ledger.record("probes", 1, "probe", &name, note.clone());
    // A door that this side itself finds shut has not been looked through.
    if probe.own && status != 200 {
        return Err(format!("{name}: {note}, {}", String::from_utf8_lossy(&answer)).into());
    }
    if occurrences(&answer, words) > 0 || (!probe.own && status != 404) {
        ledger.record("leaks", 1, "probe", &name, note);
    }
    Ok(())
}
