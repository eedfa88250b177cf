//! Requests to the server, one at a time, and their answers.

use crate::{
    failure::{Failure, Problem},
    profiles::Profile,
};
use serde_json::Value;
use std::{
    fmt::Write as _,
    io::{Read, Write},
    sync::OnceLock,
    time::Duration,
};
use ureq::{
    Agent, Body,
    http::{Request, Response, request},
    tls::{PemItem, RootCerts, TlsConfig, parse_pem},
};

/// What a person waits for at most.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// The largest answer that is read.
const LARGEST: u64 = 64 * 1024 * 1024;

#[derive(Clone)]
pub struct Server {
    agent: Agent,
    url: String,
    key: String,
    workspace: OnceLock<String>,
}

/// A message that nobody answered.
pub struct Unanswered {
    pub why: Failure,
    /// It cannot have arrived.
    pub never_left: bool,
}

pub struct Answer {
    pub status: u16,
    pub text: String,
    pub json: Value,
}

impl Server {
    pub fn new(profile: &Profile, patience: Duration) -> Result<Self, Failure> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(patience))
            .user_agent(concat!("cairn/", env!("CARGO_PKG_VERSION")));
        if let Some(pem) = &profile.ca {
            config = config.tls_config(TlsConfig::builder().root_certs(authorities(pem)?).build());
        }
        let url = profile.url.trim_end_matches('/').to_owned();
        let server = Self { agent: config.build().into(), url, key: profile.key.clone(), workspace: OnceLock::new() };
        Ok(server.in_workspace(profile.workspace.as_deref()))
    }

    /// The same connection, for another workspace of the same person.
    pub fn in_workspace(mut self, workspace: Option<&str>) -> Self {
        if let Some(workspace) = workspace {
            self.workspace = OnceLock::from(workspace.to_owned());
        }
        self
    }

    pub fn me(&self) -> Result<Answer, Failure> {
        self.send("GET", &format!("{}/v1/me", self.url), None, None)
    }

    pub fn get(&self, path: &str) -> Result<Answer, Failure> {
        self.send("GET", &self.address(path)?, None, None)
    }

    pub fn post(&self, path: &str, body: &Value) -> Result<Answer, Failure> {
        self.send("POST", &self.address(path)?, Some(body), None)
    }

    /// JSON that is written already.
    pub fn post_text(&self, path: &str, body: String) -> Result<Answer, Failure> {
        let address = self.address(path)?;
        let request = self.request("POST", &address).header("Content-Type", "application/json");
        let answer = self.agent.run(request.body(body).map_err(|wrong| wrong_address(&address, &wrong))?);
        read(answer.map_err(|wrong| away(&wrong))?)
    }

    /// Done once, however often it is sent.
    pub fn post_once(&self, path: &str, body: &Value, id: &str) -> Result<Answer, Failure> {
        self.send("POST", &self.address(path)?, Some(body), Some(id))
    }

    /// Bytes as they are.
    pub fn upload(&self, path: &str, bytes: &[u8]) -> Result<Answer, Failure> {
        let address = self.address(path)?;
        let request = self.request("POST", &address).header("Content-Type", "application/octet-stream");
        let answer = self.agent.run(request.body(bytes).map_err(|wrong| wrong_address(&address, &wrong))?);
        read(answer.map_err(|wrong| away(&wrong))?)
    }

    /// An answer of any length, as it comes; how long it was.
    pub fn download(&self, path: &str, into: &mut dyn Write, mut told: impl FnMut(u64)) -> Result<u64, Failure> {
        let address = self.address(path)?;
        let request = self.request("GET", &address).body(()).map_err(|wrong| wrong_address(&address, &wrong))?;
        let mut answer = self.agent.run(request).map_err(|wrong| away(&wrong))?;
        if !answer.status().is_success() {
            return read(answer).map(|_| 0);
        }
        let (mut body, mut piece, mut all) = (answer.body_mut().with_config().limit(u64::MAX).reader(), vec![0; 64 * 1024], 0);
        loop {
            let some = body.read(&mut piece).map_err(|wrong| Failure::Away(format!("the answer ended early: {wrong}")))?;
            if some == 0 {
                return into.flush().map(|()| all).map_err(|wrong| Failure::Failed(format!("cannot write: {wrong}")));
            }
            into.write_all(&piece[..some]).map_err(|wrong| Failure::Failed(format!("cannot write: {wrong}")))?;
            all += some as u64;
            told(all);
        }
    }

    /// A message of the Model Context Protocol, and what came back. The key decides the workspace.
    pub fn mcp(&self, message: &str, headers: &[(&'static str, String)]) -> Result<(u16, String), Unanswered> {
        let mut request = Request::builder()
            .method("POST")
            .uri(format!("{}/mcp", self.url))
            .header("Authorization", format!("Bearer {}", self.key))
            .header("Accept", "application/json, text/event-stream")
            .header("Content-Type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let cannot = |wrong| Unanswered { why: Failure::Usage(format!("this cannot be sent: {wrong}")), never_left: true };
        let request = request.body(message.to_owned()).map_err(cannot)?;
        let unanswered = |wrong: ureq::Error| Unanswered { why: away(&wrong), never_left: never_left(&wrong) };
        let mut answer = self.agent.run(request).map_err(unanswered)?;
        let text = answer.body_mut().with_config().limit(LARGEST).read_to_string().map_err(unanswered)?;
        Ok((answer.status().as_u16(), text))
    }

    fn address(&self, path: &str) -> Result<String, Failure> {
        // A key from the environment: its workspace is asked for, once.
        if self.workspace.get().is_none() {
            let _ = self.workspace.set(only_workspace(&self.me()?.json)?);
        }
        let workspace = self.workspace.get().map(String::as_str).unwrap_or_default();
        Ok(format!("{}/v1/workspaces/{}{path}", self.url, escape(workspace)))
    }

    fn request(&self, method: &str, address: &str) -> request::Builder {
        Request::builder().method(method).uri(address).header("Authorization", format!("Bearer {}", self.key))
    }

    fn send(&self, method: &str, address: &str, body: Option<&Value>, once: Option<&str>) -> Result<Answer, Failure> {
        let mut request = self.request(method, address).header("Accept", "application/json, application/problem+json");
        if let Some(id) = once {
            request = request.header("Idempotency-Key", id);
        }
        if body.is_some() {
            request = request.header("Content-Type", "application/json");
        }
        let answer = match body {
            Some(body) => self.agent.run(request.body(body.to_string()).map_err(|wrong| wrong_address(address, &wrong))?),
            None => self.agent.run(request.body(()).map_err(|wrong| wrong_address(address, &wrong))?),
        };
        read(answer.map_err(|wrong| away(&wrong))?)
    }
}

fn wrong_address(address: &str, wrong: &ureq::http::Error) -> Failure {
    Failure::Usage(format!("`{address}` is no address to ask: {wrong}"))
}

/// The workspace of a key; a person may have several, and has to say which.
pub fn only_workspace(me: &Value) -> Result<String, Failure> {
    let workspaces = me["workspaces"].as_array().map(Vec::as_slice).unwrap_or_default();
    let slugs: Vec<&str> = workspaces.iter().filter_map(|one| one["slug"].as_str().or_else(|| one["id"].as_str())).collect();
    match slugs[..] {
        [one] => Ok(one.to_owned()),
        [] => Err(Failure::Failed("this key opens no workspace: ask an admin for one that does".to_owned())),
        _ => Err(Failure::Usage(format!("you are in several workspaces ({}): choose one with `--workspace`", slugs.join(", ")))),
    }
}

/// A part of a path or a query.
pub fn escape(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut escaped, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
        escaped
    })
}

fn read(mut answer: Response<Body>) -> Result<Answer, Failure> {
    let status = answer.status().as_u16();
    let retry_after = answer.headers().get("Retry-After").and_then(|value| value.to_str().ok()?.parse().ok());
    let text = answer.body_mut().with_config().limit(LARGEST).read_to_string().map_err(|wrong| away(&wrong))?;
    if (200..300).contains(&status) {
        let json = serde_json::from_str(&text).unwrap_or_default();
        return Ok(Answer { status, text, json });
    }
    let mut problem: Problem = serde_json::from_str(&text).unwrap_or_default();
    problem.status = status;
    problem.retry_after = retry_after;
    if problem.title.is_empty() {
        "The server refused".clone_into(&mut problem.title);
    }
    Err(Failure::Refused(Box::new(problem)))
}

fn away(wrong: &ureq::Error) -> Failure {
    match wrong {
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => Failure::Usage(format!("the server's address is wrong: {wrong}")),
        // A certificate that does not hold comes wrapped in an I/O error.
        other if other.to_string().contains("certificate") => {
            Failure::Away(format!("{other}; for a private authority, `cairn login --ca FILE`"))
        }
        // What came back is no TLS: rustls calls it so, and that helps nobody.
        other if other.to_string().contains("InvalidContentType") => {
            Failure::Away("no HTTPS is spoken there; if it is plain HTTP, write http:// before its address".to_owned())
        }
        // The other way round: a TLS alert is no HTTP.
        other if other.to_string().contains("http parse fail") => {
            Failure::Away("no plain HTTP is spoken there; if it is HTTPS, write https:// before its address".to_owned())
        }
        other => Failure::Away(other.to_string()),
    }
}

/// There was no connection that it could have gone over.
fn never_left(wrong: &ureq::Error) -> bool {
    use std::io::ErrorKind::{AddrNotAvailable, ConnectionRefused, HostUnreachable, NetworkUnreachable};
    match wrong {
        ureq::Error::Io(wrong) => {
            matches!(wrong.kind(), ConnectionRefused | HostUnreachable | NetworkUnreachable | AddrNotAvailable)
                || wrong.to_string().contains("certificate")
        }
        ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed
        | ureq::Error::ConnectProxyFailed(_)
        | ureq::Error::InvalidProxyUrl
        | ureq::Error::BadUri(_)
        | ureq::Error::Http(_)
        | ureq::Error::Tls(_)
        | ureq::Error::Rustls(_)
        | ureq::Error::Timeout(ureq::Timeout::Resolve | ureq::Timeout::Connect) => true,
        _ => false,
    }
}

fn authorities(pem: &str) -> Result<RootCerts, Failure> {
    let mut found = Vec::new();
    for item in parse_pem(pem.as_bytes()) {
        match item {
            Ok(PemItem::Certificate(certificate)) => found.push(certificate),
            Ok(_) => {}
            Err(wrong) => return Err(Failure::Failed(format!("the authority's certificate cannot be read: {wrong}"))),
        }
    }
    if found.is_empty() {
        return Err(Failure::Failed("there is no certificate in the authority's file; it has to be PEM".to_owned()));
    }
    Ok(RootCerts::new_with_certs(&found))
}
