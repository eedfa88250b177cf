//! Agents and people, as far as the server can tell: a credential, and requests over HTTP.

use crate::Reply;
use reqwest::{
    Client, Method, RequestBuilder,
    header::{HeaderName, HeaderValue},
};
use serde_json::{Value, json};
use std::ops::Deref;
use uuid::Uuid;

/// Somebody, or nobody in particular. A path with a leading slash is the server's, one without lies in the workspace.
#[derive(Clone)]
pub struct Actor {
    pub id: Uuid,
    pub name: String,
    /// The slug of the workspace that relative paths lie in.
    pub workspace: String,
    pub(crate) url: String,
    pub(crate) http: Client,
    /// A key or a token.
    pub credential: Option<String>,
}

#[derive(Clone)]
pub struct Agent {
    pub actor: Actor,
    pub key: String,
    pub key_id: Uuid,
}

#[derive(Clone)]
pub struct Person {
    pub actor: Actor,
    pub email: String,
    pub password: String,
    pub refresh_token: String,
}

impl Deref for Agent {
    type Target = Actor;
    fn deref(&self) -> &Actor {
        &self.actor
    }
}

impl Deref for Person {
    type Target = Actor;
    fn deref(&self) -> &Actor {
        &self.actor
    }
}

impl Person {
    /// Signs in anew at the server that somebody else is at.
    pub async fn signs_in_where(&self, other: &Actor) -> Actor {
        let there = self.living_at(&other.url).showing_nothing();
        let tokens = there.post("/v1/auth/login", json!({"email": self.email, "password": self.password})).await.expect(200);
        there.showing(tokens["access_token"].as_str().expect("a token"))
    }
}

/// A request in the making.
#[must_use = "nothing is asked before it is sent"]
pub struct Ask {
    request: RequestBuilder,
}

impl Ask {
    pub fn header(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let name: HeaderName = name.parse().expect("a header's name");
        let value = HeaderValue::from_bytes(value.as_ref()).expect("a header's value");
        Self { request: self.request.header(name, value) }
    }

    pub fn json(self, body: &Value) -> Self {
        Self { request: self.request.json(body) }
    }

    pub fn bytes(self, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { request: self.request.header("content-type", kind).body(body.into()) }
    }

    pub async fn send(self) -> Reply {
        self.try_send().await.expect("an answer")
    }

    /// For tests in which the server may be gone.
    pub async fn try_send(self) -> Result<Reply, reqwest::Error> {
        Reply::read(self.request.send().await?).await
    }
}

impl Actor {
    /// Somebody who shows nothing, at the door of a server.
    pub fn stranger_at(url: &str) -> Self {
        Self {
            id: Uuid::nil(),
            name: "nobody".to_owned(),
            workspace: "coding".to_owned(),
            url: url.to_owned(),
            http: crate::house::client(),
            credential: None,
        }
    }

    pub fn ask(&self, method: &str, path: &str) -> Ask {
        let method: Method = method.parse().expect("a method");
        let request = self.http.request(method, self.address(path));
        Ask { request: self.credential.iter().fold(request, RequestBuilder::bearer_auth) }
    }

    pub fn address(&self, path: &str) -> String {
        if path.starts_with('/') { format!("{}{path}", self.url) } else { format!("{}/v1/workspaces/{}/{path}", self.url, self.workspace) }
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.ask("GET", path).send().await
    }

    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.ask("POST", path).json(&body).send().await
    }

    pub async fn put(&self, path: &str, body: Value) -> Reply {
        self.ask("PUT", path).json(&body).send().await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        self.ask("PATCH", path).json(&body).send().await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        self.ask("DELETE", path).send().await
    }

    /// The same somebody, looking at another workspace (by slug or id).
    #[must_use]
    pub fn looking_at(&self, workspace: impl ToString) -> Self {
        Self { workspace: workspace.to_string(), ..self.clone() }
    }

    /// The same address book with another credential.
    #[must_use]
    pub fn showing(&self, credential: impl Into<String>) -> Self {
        Self { credential: Some(credential.into()), ..self.clone() }
    }

    #[must_use]
    pub fn showing_nothing(&self) -> Self {
        Self { credential: None, ..self.clone() }
    }

    /// The same somebody at another server on the same database.
    #[must_use]
    pub fn living_at(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    /// Remembers a new text, and gives the memory.
    pub async fn remembers(&self, content: &str) -> Value {
        self.remembers_all_of(json!({ "content": content })).await
    }

    /// Remembers something with more to it than its text.
    pub async fn remembers_all_of(&self, memory: Value) -> Value {
        self.post("memories", memory).await.expect(201)
    }

    /// Reads what should be there.
    pub async fn reads(&self, memory: &Value) -> Value {
        self.get(&at(memory)).await.expect(200)
    }

    pub async fn revises(&self, memory: &Value, changes: Value) -> Value {
        self.patch(&at(memory), changes).await.expect(200)
    }

    /// Asks what is known, with whatever else the question says, and gives the whole answer.
    pub async fn asks(&self, question: Value) -> Value {
        self.post("recall", question).await.expect(200)
    }

    /// Asks in plain words, and gives the texts that come, best first.
    pub async fn recalls(&self, query: &str) -> Vec<String> {
        texts(&self.asks(json!({ "query": query })).await)
    }

    /// Says of a memory that an answer told whether it was of use.
    pub async fn judges(&self, answer: &Value, memory: &Value, verdict: &str) -> Reply {
        let id = memory.get("memory_id").unwrap_or(&memory["id"]);
        self.post(&format!("{}/feedback", receipt_at(answer)), json!({"memory_id": id, "verdict": verdict})).await
    }

    /// The receipt of an answer, with what was told.
    pub async fn looks_up(&self, answer: &Value) -> Value {
        self.get(&format!("{}?texts=true", receipt_at(answer))).await.expect(200)
    }

    /// Everything a list has, page by page.
    pub async fn lists(&self, path: &str) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let join = if path.contains('?') { '&' } else { '?' };
            let page = match &cursor {
                None => self.get(path).await,
                Some(cursor) => self.get(&format!("{path}{join}cursor={cursor}")).await,
            };
            assert_eq!(page.status, 200, "{page:?}");
            all.extend_from_slice(page.data());
            cursor = page.body["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                return all;
            }
        }
    }

    /// The entries of the trail about one thing, oldest first.
    pub async fn trail_of(&self, target: &str) -> Vec<Value> {
        let mut entries = self.lists(&format!("audit?target={target}")).await;
        entries.reverse();
        entries
    }

    pub async fn asks_to_erase(&self, memories: &[&Value], reason: &str) -> Value {
        let ids: Vec<&Value> = memories.iter().map(|memory| &memory["id"]).collect();
        self.post("deletion-requests", json!({"memory_ids": ids, "reason": reason})).await.expect(201)
    }

    /// Asks in whatever words, and gives the request.
    pub async fn wants_erased(&self, asked: Value) -> Value {
        self.post("deletion-requests", asked).await.expect(201)
    }

    /// The request with its preview.
    pub async fn previews(&self, request: &Value) -> Value {
        self.get(&request_at(request)).await.expect(200)
    }

    /// Approves and executes, as another person, and gives the request.
    pub async fn lets_go(&self, request: &Value) -> Value {
        self.approves(request).await.expect(200);
        self.executes(request).await.expect(200)
    }

    pub async fn approves(&self, request: &Value) -> Reply {
        self.ask("POST", &format!("{}/approve", request_at(request))).send().await
    }

    pub async fn rejects(&self, request: &Value) -> Reply {
        self.ask("POST", &format!("{}/reject", request_at(request))).send().await
    }

    pub async fn executes(&self, request: &Value) -> Reply {
        self.ask("POST", &format!("{}/execute", request_at(request))).send().await
    }
}

/// Where a memory is, seen from its workspace.
pub fn at(memory: &Value) -> String {
    format!("memories/{}", memory["id"].as_str().expect("a memory has an id"))
}

/// Where the receipt of an answer is, seen from its workspace.
pub fn receipt_at(answer: &Value) -> String {
    format!("receipts/{}", answer["receipt_id"].as_str().expect("an answer has a receipt"))
}

/// What an answer tells, best first.
pub fn texts(answer: &Value) -> Vec<String> {
    items(answer).iter().map(|item| item["content"].as_str().unwrap_or_default().to_owned()).collect()
}

pub fn items(answer: &Value) -> &[Value] {
    answer["items"].as_array().unwrap_or_else(|| panic!("no items: {answer}"))
}

fn request_at(request: &Value) -> String {
    format!("deletion-requests/{}", request["id"].as_str().expect("a request has an id"))
}
