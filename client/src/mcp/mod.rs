//! `cairn mcp`: a bridge for tools that start a command. Each line from stdin goes to the server's `/mcp`, each answer comes
//! back as a line. Without the server the client is told so, and what needs no server is answered here.

mod away;

use crate::{
    commands::Here,
    failure::{Failure, Problem},
    server::{PATIENCE, Server},
};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    io::{self, BufRead, Write},
    sync::{Arc, OnceLock},
    thread::{self, JoinHandle},
    time::Duration,
};

/// What a client waits for before it shows its tools.
const AT_THE_START: Duration = Duration::from_secs(5);
/// Requests on their way at once; the next waits for the oldest.
const AT_ONCE: usize = 16;
/// Where a message says which version of the protocol it speaks, since versions have no handshake.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

pub fn run(here: &Here) -> Result<(), Failure> {
    let bridge = Arc::new(Bridge { patient: open(here, PATIENCE), quick: open(here, AT_THE_START), agreed: OnceLock::new() });
    let mut running: VecDeque<JoinHandle<()>> = VecDeque::new();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|wrong| Failure::Failed(format!("stdin cannot be read: {wrong}")))?;
        let request = match read(&line) {
            Ok(Some(request)) => request,
            Ok(None) => continue,
            Err(refusal) => {
                say(&refusal);
                continue;
            }
        };
        // The version that is agreed on goes with all that follows.
        if request.method == "initialize" {
            say(&bridge.answer(&request));
            continue;
        }
        if running.len() >= AT_ONCE
            && let Some(oldest) = running.pop_front()
        {
            let _ = oldest.join();
        }
        let bridge = bridge.clone();
        running.push_back(thread::spawn(move || say(&bridge.answer(&request))));
    }
    for task in running {
        let _ = task.join();
    }
    Ok(())
}

fn open(here: &Here, patience: Duration) -> Result<Server, String> {
    here.open().and_then(|profile| Server::new(&profile, patience)).map_err(|failure| failure.to_string())
}

/// Something that wants an answer.
struct Request {
    id: Value,
    method: String,
    message: Value,
}

/// A line from the client: what wants no answer is none of the server's business, which keeps no session.
fn read(line: &str) -> Result<Option<Request>, String> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let message: Value = serde_json::from_str(line).map_err(|wrong| error(&Value::Null, -32700, &format!("This is not JSON: {wrong}")))?;
    match (message.get("id"), message.get("method").and_then(Value::as_str)) {
        (Some(id), Some(method)) => Ok(Some(Request { id: id.clone(), method: method.to_owned(), message })),
        _ if message.is_object() => Ok(None),
        _ => Err(error(&Value::Null, -32600, "Send one JSON-RPC message a line.")),
    }
}

struct Bridge {
    /// Or why there is none.
    patient: Result<Server, String>,
    quick: Result<Server, String>,
    /// The version of the handshake, with clients that have one.
    agreed: OnceLock<String>,
}

impl Bridge {
    fn answer(&self, request: &Request) -> String {
        let server = if away::knows(&request.method) { &self.quick } else { &self.patient };
        let sent = match server {
            Ok(server) => server.mcp(&request.message.to_string(), &self.headers(request)),
            Err(why) => return away::answer(request, why),
        };
        match sent {
            Ok((status, text)) => self.heard(request, status, text),
            Err(failure) => away::answer(request, &failure.to_string()),
        }
    }

    fn heard(&self, request: &Request, status: u16, text: String) -> String {
        let said: Value = serde_json::from_str(&text).unwrap_or_default();
        if said.get("jsonrpc").is_some() {
            if let Some(version) = said.pointer("/result/protocolVersion").and_then(Value::as_str) {
                let _ = self.agreed.set(version.to_owned());
            }
            // A line is a message, whatever stands between us and the server has made of it.
            return if text.contains('\n') { said.to_string() } else { text };
        }
        let mut problem: Problem = serde_json::from_value(said).unwrap_or_default();
        problem.status = status;
        if problem.title.is_empty() {
            "The server refused".clone_into(&mut problem.title);
        }
        match status {
            // Of others it is the server's right to refuse, of these it is in no state to answer.
            502..=504 => away::answer(request, &problem.to_string()),
            _ => refusal(request, &problem.to_string()),
        }
    }

    /// What stands in the message stands in the headers too, for whoever routes without reading.
    fn headers(&self, request: &Request) -> Vec<(&'static str, String)> {
        let params = &request.message["params"];
        let spoken = params.pointer(&format!("/_meta/{}", VERSION.replace('/', "~1"))).and_then(Value::as_str);
        let agreed = self.agreed.get().map(String::as_str).filter(|_| request.method != "initialize");
        let mut headers = Vec::new();
        if let Some(version) = spoken.or(agreed) {
            headers.push(("MCP-Protocol-Version", version.to_owned()));
        }
        headers.push(("Mcp-Method", request.method.clone()));
        let named = if request.method == "resources/read" { &params["uri"] } else { &params["name"] };
        if let Some(name) =
            named.as_str().filter(|name| matches!(&*request.method, "tools/call" | "prompts/get" | "resources/read") && plain(name))
        {
            headers.push(("Mcp-Name", name.to_owned()));
        }
        headers
    }
}

fn plain(text: &str) -> bool {
    text.bytes().all(|byte| (0x21..0x7f).contains(&byte))
}

/// A model reads what its tool answers, and never sees an error of the protocol.
fn refusal(request: &Request, why: &str) -> String {
    if request.method == "tools/call" {
        let result = json!({"resultType": "complete", "content": [{"type": "text", "text": why}], "isError": true});
        return answered(&request.id, &result);
    }
    error(&request.id, -32000, why)
}

fn answered(id: &Value, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

fn error(id: &Value, code: i32, why: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": why}}).to_string()
}

/// One line, whole.
fn say(message: &str) {
    let mut out = io::stdout().lock();
    let said = writeln!(out, "{message}").and_then(|()| out.flush());
    // Nobody listens any more.
    if said.is_err() {
        std::process::exit(0);
    }
}
