//! `cairn mcp`: a bridge for tools that start a command. Each line from stdin goes to the server's `/mcp`, each answer comes
//! back as a line. Without the server the client is told so, what needs no server is answered here, and checkpoints are kept.

mod away;
mod kept;

use crate::{
    commands::Here,
    failure::{Failure, Problem},
    profiles::Profile,
    server::{PATIENCE, Server, Unanswered},
};
use away::Arrived;
use serde_json::{Value, json};
use std::{
    collections::{HashSet, VecDeque},
    io::{self, BufRead, Write},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    thread::{self, ScopedJoinHandle},
    time::Duration,
};

/// What a client waits for before it shows its tools.
const AT_THE_START: Duration = Duration::from_secs(5);
/// Requests on their way at once; the next waits for the oldest.
const AT_ONCE: usize = 16;
/// Where a message says which version of the protocol it speaks, since versions have no handshake.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Which session a request is a part of.
const SESSION: &str = "X-Cairn-Session";

pub fn run(here: &Here) -> Result<(), Failure> {
    let bridge = &Bridge { here, open: Mutex::default(), agreed: OnceLock::new(), not_ours: Mutex::default() };
    let mut input = io::stdin().lock();
    thread::scope(|scope| {
        let mut running: VecDeque<ScopedJoinHandle<'_, ()>> = VecDeque::new();
        while let Some(line) = next_line(&mut input)? {
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
            running.push_back(scope.spawn(move || say(&bridge.answer(&request))));
        }
        Ok(())
    })
}

/// As bytes: what is no text is one bad message, and not the end of all others.
fn next_line(input: &mut impl BufRead) -> Result<Option<Vec<u8>>, Failure> {
    let mut line = Vec::new();
    let length = input.read_until(b'\n', &mut line).map_err(|wrong| Failure::Failed(format!("stdin cannot be read: {wrong}")))?;
    Ok((length > 0).then_some(line))
}

/// Something that wants an answer.
struct Request {
    id: Value,
    method: String,
    message: Value,
}

/// A line from the client: what wants no answer is none of the server's business, which keeps no session.
fn read(line: &[u8]) -> Result<Option<Request>, String> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let message: Value =
        serde_json::from_slice(line).map_err(|wrong| error(&Value::Null, -32700, &format!("This is not JSON: {wrong}")))?;
    match (message.get("id"), message.get("method").and_then(Value::as_str)) {
        (Some(id), Some(method)) => Ok(Some(Request { id: id.clone(), method: method.to_owned(), message })),
        _ if message.is_object() => Ok(None),
        _ => Err(error(&Value::Null, -32600, "Send one JSON-RPC message a line.")),
    }
}

struct Bridge<'h> {
    here: &'h Here,
    /// The server that was spoken to last.
    open: Mutex<Option<Arc<Open>>>,
    /// The version of the handshake, with clients that have one.
    agreed: OnceLock<String>,
    /// Sessions of this machine that are not of the key that is used now.
    not_ours: Mutex<HashSet<String>>,
}

struct Open {
    profile: Profile,
    patient: Server,
    quick: Server,
}

impl Bridge<'_> {
    fn answer(&self, request: &Request) -> String {
        let open = match self.open() {
            Ok(open) => open,
            Err(failure) => return self.away(request, &failure.to_string(), Arrived::No),
        };
        let server = if away::knows(&request.method) { &open.quick } else { &open.patient };
        let (message, session) = (request.message.to_string(), self.session(request));
        let mut sent = server.mcp(&message, &self.headers(request, session.as_deref()));
        if let (Some(session), Ok((422, text))) = (&session, &sent)
            && text.contains(SESSION)
        {
            self.not_ours.lock().unwrap_or_else(PoisonError::into_inner).insert(session.clone());
            sent = server.mcp(&message, &self.headers(request, None));
        }
        match sent {
            Ok((status, text)) => self.heard(request, status, text),
            Err(Unanswered { why, never_left: true }) => self.away(request, &why.to_string(), Arrived::No),
            Err(Unanswered { why, never_left: false }) => self.away(request, &why.to_string(), Arrived::Perhaps),
        }
    }

    /// Who signs in meanwhile, or anew, need not start this again.
    fn open(&self) -> Result<Arc<Open>, Failure> {
        let profile = self.here.open()?;
        let mut last = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = last.as_ref().filter(|open| open.profile == profile) {
            return Ok(open.clone());
        }
        let (patient, quick) = (Server::new(&profile, PATIENCE)?, Server::new(&profile, AT_THE_START)?);
        Ok(last.insert(Arc::new(Open { profile, patient, quick })).clone())
    }

    /// The run that the hooks of this repository tell of: what is done here is done in it.
    fn session(&self, request: &Request) -> Option<String> {
        let uses = matches!(&*request.method, "tools/call" | "prompts/get" | "resources/read");
        let id = uses.then(|| self.here.running()).flatten()?.id;
        (plain(&id) && !self.not_ours.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)).then_some(id)
    }

    fn away(&self, request: &Request, why: &str, arrived: Arrived) -> String {
        // What may have arrived would be written twice.
        if arrived == Arrived::No && kept::checkpoint(self.here, request) {
            return refusal(request, &away::kept(why));
        }
        away::answer(request, why, arrived)
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
        match (status, &*problem.code) {
            // Of others it is the server's right to refuse, of these it is in no state to answer.
            (503, "unavailable") => self.away(request, &problem.to_string(), Arrived::No),
            (502..=504, _) => self.away(request, &problem.to_string(), Arrived::Perhaps),
            _ => refusal(request, &problem.to_string()),
        }
    }

    /// What stands in the message stands in the headers too, for whoever routes without reading.
    fn headers(&self, request: &Request, session: Option<&str>) -> Vec<(&'static str, String)> {
        let params = &request.message["params"];
        let spoken = params.pointer(&format!("/_meta/{}", VERSION.replace('/', "~1"))).and_then(Value::as_str);
        let agreed = self.agreed.get().map(String::as_str).filter(|_| request.method != "initialize");
        let mut headers = Vec::new();
        if let Some(version) = spoken.or(agreed) {
            headers.push(("MCP-Protocol-Version", version.to_owned()));
        }
        headers.push(("Mcp-Method", request.method.clone()));
        headers.extend(session.map(|session| (SESSION, session.to_owned())));
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
