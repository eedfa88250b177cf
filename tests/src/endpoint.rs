//! Outside endpoints, which can be away, slow or out of their minds: one for embeddings that knows which invented words mean the
//! same, and one that chats.

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

/// Each of these means what the other of its pair does, and no other model can know.
pub const SYNONYMS: [[&str; 2]; 6] = [
    ["zorblat", "quimmel"],
    ["fendrick", "mossop"],
    ["tarvish", "gloamer"],
    ["plinket", "hurgo"],
    ["wexil", "brontap"],
    ["snivvy", "dorrel"],
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mood {
    Fine,
    /// Answers with this status.
    Says(u16),
    /// Does not answer before it is in another mood.
    Silent,
    NotJson,
    TooFew,
    NotANumber,
    OtherLength,
}

#[derive(Clone)]
pub struct Embedder {
    pub url: String,
    state: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    moods: BTreeMap<String, Mood>,
    /// Each text with the model that it was sent for.
    sent: Vec<(String, String)>,
    requests: usize,
    keys: Vec<String>,
}

impl Embedder {
    pub async fn open() -> Self {
        let state = Arc::<Mutex<Known>>::default();
        let router = Router::new().route("/v1/embeddings", post(embeddings)).with_state(state.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, state }
    }

    /// How it is about this model from now on.
    pub fn is(&self, model: &str, mood: Mood) {
        self.state().moods.insert(model.to_owned(), mood);
    }

    pub fn requests(&self) -> usize {
        self.state().requests
    }

    /// How often this text, or one that contains it, was sent for a model.
    pub fn times_sent(&self, model: &str, text: &str) -> usize {
        self.state().sent.iter().filter(|(of, sent)| of == model && sent.contains(text)).count()
    }

    pub fn keys(&self) -> Vec<String> {
        self.state().keys.clone()
    }

    fn state(&self) -> MutexGuard<'_, Known> {
        self.state.lock().expect("not poisoned")
    }
}

async fn embeddings(State(state): State<Arc<Mutex<Known>>>, headers: HeaderMap, body: Bytes) -> Response {
    let asked: Value = serde_json::from_slice(&body).expect("JSON");
    let model = asked["model"].as_str().expect("a model").to_owned();
    let texts: Vec<String> =
        asked["input"].as_array().expect("texts").iter().map(|text| text.as_str().expect("a text").to_owned()).collect();
    let mood = {
        let mut known = state.lock().expect("not poisoned");
        known.requests += 1;
        known.sent.extend(texts.iter().map(|text| (model.clone(), text.clone())));
        known.keys.extend(headers.get("authorization").and_then(|key| key.to_str().ok()).map(str::to_owned));
        known.moods.get(&model).copied().unwrap_or(Mood::Fine)
    };
    let length = if model == "second" { 48 } else { 32 };
    match mood {
        Mood::Fine if texts.iter().any(|text| text.contains("indigestible")) => StatusCode::BAD_REQUEST.into_response(),
        Mood::Fine => answer(&texts, length).into_response(),
        Mood::Says(status) => (StatusCode::from_u16(status).expect("a status"), "your key and your text are no good").into_response(),
        Mood::Silent => {
            while state.lock().expect("not poisoned").moods.get(&model) == Some(&Mood::Silent) {
                tokio::time::sleep(Duration::from_millis(25)).await;
            }
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
        Mood::NotJson => "<html>".into_response(),
        Mood::TooFew => json!({"data": []}).to_string().into_response(),
        Mood::NotANumber => answer(&texts, length).replace("0.05", "NaN").into_response(),
        Mood::OtherLength => answer(&texts, 40).into_response(),
    }
}

fn answer(texts: &[String], length: usize) -> String {
    let data: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": direction(text, length)}))
        .collect();
    json!({"object": "list", "data": data}).to_string()
}

/// An axis for each pair; everything else is a little noise.
fn direction(text: &str, length: usize) -> Vec<f32> {
    let mut values = vec![0.05; length];
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        match SYNONYMS.iter().position(|pair| pair.contains(&word)) {
            Some(axis) => values[axis] += 1.0,
            None => values[SYNONYMS.len() + word.len() % (length - SYNONYMS.len())] += 0.1,
        }
    }
    values
}

/// A chat endpoint that answers whatever it was told to.
#[derive(Clone)]
pub struct Chatter {
    pub url: String,
    state: Arc<Mutex<Chatting>>,
}

#[derive(Default)]
struct Chatting {
    answer: Option<(u16, String)>,
    asked: Vec<Value>,
    keys: Vec<String>,
    silent: bool,
}

impl Chatter {
    pub async fn open() -> Self {
        let state = Arc::<Mutex<Chatting>>::default();
        let router = Router::new().route("/v1/chat/completions", post(chat)).with_state(state.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, state }
    }

    /// What its model says from now on.
    pub fn says(&self, text: &str) {
        self.answers(200, &json!({"choices": [{"message": {"role": "assistant", "content": text}}]}).to_string());
    }

    /// What it answers from now on, to the letter.
    pub fn answers(&self, status: u16, body: &str) {
        self.state.lock().expect("not poisoned").answer = Some((status, body.to_owned()));
    }

    /// Whether it lets whoever asks wait.
    pub fn keeps_silent(&self, silent: bool) {
        self.state.lock().expect("not poisoned").silent = silent;
    }

    /// What it was asked.
    pub fn asked(&self) -> Vec<Value> {
        self.state.lock().expect("not poisoned").asked.clone()
    }

    pub fn keys(&self) -> Vec<String> {
        self.state.lock().expect("not poisoned").keys.clone()
    }
}

async fn chat(State(state): State<Arc<Mutex<Chatting>>>, headers: HeaderMap, body: Bytes) -> Response {
    {
        let mut state = state.lock().expect("not poisoned");
        state.asked.push(serde_json::from_slice(&body).expect("JSON"));
        state.keys.extend(headers.get("authorization").and_then(|key| key.to_str().ok()).map(str::to_owned));
    }
    while state.lock().expect("not poisoned").silent {
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let (status, answer) = state.lock().expect("not poisoned").answer.clone().unwrap_or((503, String::new()));
    (StatusCode::from_u16(status).expect("a status"), answer).into_response()
}
