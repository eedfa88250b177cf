//! An OpenAI-compatible embeddings endpoint: texts go out, vectors come back. While it is away nobody waits for it.

use crate::{
    acts::outside::{self, Broken, Named},
    config::Outside,
    engines::recall::semantic::Vector,
    model::clock,
};
use reqwest::{Client, StatusCode, Url};
use serde::Deserialize;
use serde_json::json;
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use time::OffsetDateTime;
use tokio::{sync::Semaphore, time::timeout};

/// How long a question waits, its turn included.
const PATIENCE: Duration = Duration::from_millis(1500);
/// Questions under way at once.
const AT_ONCE: usize = 32;
/// One question in so long finds out whether it is back; the others do without.
const TRY_AGAIN: Duration = Duration::from_secs(5);
/// More of a question than this is not sent: many models read 512 tokens and refuse what is longer.
const LONGEST_QUESTION: usize = 1500;
/// For a batch, which may be made on a slow machine.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// In one request: TEI takes no more than 32 as it is delivered.
const MOST_TEXTS: usize = 32;
const MOST_BYTES: usize = 128 * 1024;
const LONGEST_ANSWER: usize = 64 * 1024 * 1024;
const MOST_DIMENSIONS: usize = 16_384;

pub struct Endpoint {
    http: Client,
    url: Url,
    pub model: String,
    asking: Semaphore,
    /// Since when it does not answer, by model: it may serve one and not another.
    away: Mutex<HashMap<String, Away>>,
}

struct Away {
    since: OffsetDateTime,
    again: Instant,
}

/// Why there are no vectors. Never with what the endpoint said: that may repeat a memory, or the key.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("it cannot be reached: {0}")]
    Unreachable(reqwest::Error),
    #[error("it does not answer in time")]
    Slow,
    #[error("it refuses the text ({0})")]
    Refused(StatusCode),
    #[error("it answers {0}{hint}", hint = hint(*.0))]
    Status(StatusCode),
    #[error("its answer {0}")]
    Garbage(&'static str),
}

/// Why a question was left without a vector.
#[derive(Debug)]
pub enum Unanswered {
    AwaySince(OffsetDateTime),
    Refused,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Endpoint({}, {})", self.url, self.model)
    }
}

impl Endpoint {
    pub fn at(at: &Outside) -> Result<Self, String> {
        let http = outside::client(at, &Named { url: "CAIRN_EMBEDDINGS", key: "CAIRN_EMBEDDINGS_KEY" })?;
        let (url, model) = (at.url.clone(), at.model.clone());
        Ok(Self { http, url, model, asking: Semaphore::new(AT_ONCE), away: Mutex::default() })
    }

    /// The vector of a question, soon or not at all.
    pub async fn direction_of(&self, model: &str, question: &str) -> Result<Option<Vector>, Unanswered> {
        let question = &question[..question.floor_char_boundary(LONGEST_QUESTION)];
        self.may_be_asked(model)?;
        let asked = timeout(PATIENCE, async {
            let _turn = self.asking.acquire().await;
            self.embed(model, &[question]).await
        });
        match asked.await.unwrap_or(Err(Failure::Slow)) {
            Ok(mut vectors) => {
                self.answered(model);
                Ok(vectors.pop().flatten())
            }
            Err(Failure::Refused(_)) => Err(Unanswered::Refused),
            Err(failure) => Err(self.failed(model, &failure)),
        }
    }

    /// The vectors of many texts, in their order; nothing for one without a direction.
    pub async fn vectors_of(&self, texts: &[&str]) -> Result<Vec<Option<Vector>>, Failure> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fitting = rest.iter().take(MOST_TEXTS).take_while(|text| {
                bytes += text.len();
                bytes <= MOST_BYTES
            });
            let (batch, later) = rest.split_at(fitting.count().max(1));
            vectors.extend(timeout(LONGEST_WAIT, self.embed(&self.model, batch)).await.unwrap_or(Err(Failure::Slow))?);
            rest = later;
        }
        Ok(vectors)
    }

    async fn embed(&self, model: &str, texts: &[&str]) -> Result<Vec<Option<Vector>>, Failure> {
        let unreachable = |error: reqwest::Error| Failure::Unreachable(error.without_url());
        let response = self.http.post(self.url.clone()).json(&json!({"model": model, "input": texts})).send().await.map_err(unreachable)?;
        match response.status() {
            status if status.is_success() => {}
            status @ (StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY) => {
                return Err(Failure::Refused(status));
            }
            status => return Err(Failure::Status(status)),
        }
        let answer: Answer = serde_json::from_slice(&outside::body(response, LONGEST_ANSWER).await?)
            .map_err(|_| Failure::Garbage("is not a list of embeddings"))?;
        in_order(answer, texts.len())
    }

    fn may_be_asked(&self, model: &str) -> Result<(), Unanswered> {
        match self.away().get_mut(model) {
            Some(away) if Instant::now() < away.again => Err(Unanswered::AwaySince(away.since)),
            Some(away) => {
                away.again = Instant::now() + TRY_AGAIN;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn answered(&self, model: &str) {
        if let Some(away) = self.away().remove(model) {
            tracing::info!(model, since = %away.since, "the embeddings endpoint answers questions again");
        }
    }

    fn failed(&self, model: &str, failure: &Failure) -> Unanswered {
        let mut known = self.away();
        let away = known.entry(model.to_owned()).or_insert_with(|| {
            tracing::warn!(model, %failure, "the embeddings endpoint is away; questions are answered by words only");
            Away { since: clock::now(), again: Instant::now() }
        });
        away.again = Instant::now() + TRY_AGAIN;
        Unanswered::AwaySince(away.since)
    }

    fn away(&self) -> MutexGuard<'_, HashMap<String, Away>> {
        self.away.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Off(error) => Self::Unreachable(error),
            Broken::TooLong => Self::Garbage("is too long"),
        }
    }
}

/// One vector for each text, all of one width.
fn in_order(answer: Answer, count: usize) -> Result<Vec<Option<Vector>>, Failure> {
    if answer.data.len() != count {
        return Err(Failure::Garbage("has another number of vectors than texts were sent"));
    }
    let width = answer.data.first().map_or(0, |item| item.embedding.len());
    if width == 0 || width > MOST_DIMENSIONS || answer.data.iter().any(|item| item.embedding.len() != width) {
        return Err(Failure::Garbage("has vectors of no length, or of several"));
    }
    if answer.data.iter().any(|item| item.embedding.iter().any(|value| !value.is_finite())) {
        return Err(Failure::Garbage("has vectors of what are not numbers"));
    }
    let mut vectors: Vec<Option<Option<Vector>>> = vec![None; count];
    for (place, item) in answer.data.into_iter().enumerate() {
        match vectors.get_mut(item.index.unwrap_or(place)) {
            Some(free @ None) => *free = Some(Vector::quantise(&item.embedding)),
            _ => return Err(Failure::Garbage("numbers its vectors wrongly")),
        }
    }
    Ok(vectors.into_iter().map(Option::flatten).collect())
}

fn hint(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ": look at CAIRN_EMBEDDINGS_KEY",
        StatusCode::NOT_FOUND => ": look at the address in CAIRN_EMBEDDINGS and the name in CAIRN_EMBEDDINGS_MODEL",
        StatusCode::TOO_MANY_REQUESTS => ": it wants to be asked less often",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answer: &str, count: usize) -> Result<Vec<Option<Vector>>, Failure> {
        in_order(serde_json::from_str(answer).map_err(|_| Failure::Garbage(""))?, count)
    }

    #[test]
    fn vectors_come_in_the_order_of_their_texts() {
        let made = read(r#"{"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]}"#, 2).unwrap();
        assert_eq!(made, [Vector::quantise(&[1.0, 0.0]), Vector::quantise(&[0.0, 1.0])]);
        let unnumbered = read(r#"{"data": [{"embedding": [0, 1]}, {"embedding": [0, 0]}]}"#, 2).unwrap();
        assert_eq!(unnumbered, [Vector::quantise(&[0.0, 1.0]), None]);
    }

    #[test]
    fn garbage_is_no_vector() {
        for (answer, count) in [
            ("[]", 1),
            (r#"{"data": []}"#, 1),
            (r#"{"data": [{"index": 0, "embedding": []}]}"#, 1),
            (r#"{"data": [{"index": 0, "embedding": [1e39]}]}"#, 1),
            (r#"{"data": [{"index": 0, "embedding": [NaN]}]}"#, 1),
            (r#"{"data": [{"index": 0, "embedding": [null]}]}"#, 1),
            (r#"{"data": [{"index": 1, "embedding": [1]}]}"#, 1),
            (r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}"#, 2),
            (r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}"#, 2),
        ] {
            assert!(read(answer, count).is_err(), "{answer}");
        }
    }
}
