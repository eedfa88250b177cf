//! Questions, one after the other, by one client or several, for a bounded time.

use super::full_text::FullText;
use crate::{
    Failure,
    client::Client,
    figures::{float, millis, percentile},
    house::{House, WORKSPACE},
};
use hyper::Method;
use serde_json::json;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::task::JoinHandle;
use uuid::Uuid;

/// What is asked of whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Recall,
    FullText,
    /// The server without the database.
    Alive,
    /// The server, and two bare statements.
    Ready,
}

pub enum Asker {
    Http(Client, What),
    Sql(FullText),
}

impl Asker {
    pub async fn new(house: &House, workspace: Uuid, what: What) -> Result<Self, Failure> {
        Ok(match what {
            What::FullText => Self::Sql(FullText::connect(&house.postgres.owner_url("postgres"), workspace).await?),
            _ => Self::Http(house.client(&house.key).await?, what),
        })
    }

    pub async fn ask(&mut self, question: &str) -> Result<(), Failure> {
        let (client, what) = match self {
            Self::Sql(full_text) => return full_text.ask(question).await.map(drop),
            Self::Http(client, what) => (client, *what),
        };
        let (status, answer) = match what {
            What::Alive => client.call(Method::GET, "/healthz", "").await?,
            What::Ready => client.call(Method::GET, "/readyz", "").await?,
            _ => client.post(&format!("/v1/workspaces/{WORKSPACE}/recall"), json!({"query": question}).to_string()).await?,
        };
        if status == 200 { Ok(()) } else { Err(format!("{what:?} was answered {status}: {}", String::from_utf8_lossy(&answer)).into()) }
    }

    pub async fn close(self) -> Result<(), Failure> {
        match self {
            Self::Sql(full_text) => full_text.close().await,
            Self::Http(..) => Ok(()),
        }
    }

    /// Milliseconds each; none is begun after the end.
    pub async fn ask_all(&mut self, questions: &[String], end: Instant) -> Result<Vec<f64>, Failure> {
        let mut took = Vec::with_capacity(questions.len());
        for question in questions {
            let sent = Instant::now();
            if sent >= end {
                break;
            }
            self.ask(question).await?;
            took.push(millis(sent.elapsed()));
        }
        Ok(took)
    }
}

#[derive(Clone, Copy)]
pub struct Measured {
    pub p50: f64,
    pub p99: f64,
    pub count: usize,
    /// Answers a second, of all clients together.
    pub rate: f64,
}

impl Measured {
    pub fn of(took: &[f64], elapsed: Duration) -> Self {
        let at = |percent| percentile(took.iter().copied(), percent);
        Self { p50: at(50), p99: at(99), count: took.len(), rate: float(took.len()) / elapsed.as_secs_f64() }
    }
}

/// Several at a time, each with its share of the questions.
pub async fn together(
    house: &House,
    workspace: Uuid,
    what: What,
    questions: &[String],
    clients: usize,
    most: Duration,
) -> Result<Measured, Failure> {
    let mut askers = Vec::new();
    for _ in 0..clients {
        askers.push(Asker::new(house, workspace, what).await?);
    }
    let questions: Arc<[String]> = questions.into();
    let started = Instant::now();
    let mut running: Vec<JoinHandle<Result<Vec<f64>, Failure>>> = Vec::new();
    for (n, mut asker) in askers.into_iter().enumerate() {
        let mine: Vec<String> = questions.iter().skip(n).step_by(clients).cloned().collect();
        running.push(tokio::spawn(async move {
            let took = asker.ask_all(&mine, started + most).await?;
            asker.close().await?;
            Ok(took)
        }));
    }
    let mut took = Vec::new();
    for one in running {
        took.extend(one.await??);
    }
    Ok(Measured::of(&took, started.elapsed()))
}
