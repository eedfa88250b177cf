//! Questions through the API, and what came back.

use super::{
    load::{HERE, Loaded},
    score::{DEPTH, Score, score},
    set::{Query, Set},
};
use crate::{
    Failure,
    client::Client,
    figures::{mean, median, millis},
};
use serde_json::{Value, json};
use std::{
    collections::HashSet,
    time::{Duration, Instant},
};
use uuid::Uuid;

pub struct Found {
    pub memory: Uuid,
    /// A reader would take it for good: it is active and fresh.
    pub unmarked: bool,
    pub folded: Vec<Uuid>,
}

/// What became of one question.
pub struct Asked {
    pub query: usize,
    pub score: Score,
    pub took: Duration,
    /// One that must not be told was told, without a mark.
    pub unmarked: bool,
    /// One that must not be told stands above one that answers.
    pub above: bool,
    /// A right one was folded into another that says the same.
    pub folded: bool,
    /// What stood first, for whoever wants to know why.
    pub first: Option<Uuid>,
}

pub async fn ask_all(client: &mut Client, workspace: &str, set: &Set, queries: &[usize], loaded: &Loaded) -> Result<Vec<Asked>, Failure> {
    let mut all = Vec::with_capacity(queries.len());
    let project = set.has_states().then_some(HERE);
    // The first question builds the index.
    if let Some(first) = queries.first() {
        ask(client, workspace, &set.queries[*first].text, project, DEPTH).await?;
    }
    for at in queries.iter().copied() {
        let query = &set.queries[at];
        let started = Instant::now();
        let found = ask(client, workspace, &query.text, project, DEPTH).await?;
        all.push(judged(at, query, &found, loaded, started.elapsed()));
    }
    Ok(all)
}

pub async fn ask(client: &mut Client, workspace: &str, question: &str, project: Option<&str>, limit: usize) -> Result<Vec<Found>, Failure> {
    let mut body = json!({"query": question, "limit": limit});
    if let Some(project) = project {
        body["project"] = json!(project);
    }
    let answer = client.make(&format!("/v1/workspaces/{workspace}/recall"), body).await?;
    answer["items"].as_array().ok_or("an answer has items")?.iter().map(found).collect()
}

fn found(item: &Value) -> Result<Found, Failure> {
    let id = |value: &Value| value.as_str().and_then(|id| id.parse().ok()).ok_or_else(|| Failure::from("an item has a memory"));
    Ok(Found {
        memory: id(&item["memory_id"])?,
        unmarked: item["freshness"]["state"] == "fresh" && item["state"] == "active",
        folded: item["folded"].as_array().into_iter().flatten().map(id).collect::<Result<_, _>>()?,
    })
}

fn judged(at: usize, query: &Query, found: &[Found], loaded: &Loaded, took: Duration) -> Asked {
    let (right, unknown) = right(query, loaded);
    let answer: Vec<Uuid> = found.iter().map(|one| one.memory).collect();
    let forbidden: HashSet<Uuid> = query.forbidden.iter().filter_map(|item| loaded.memory(item)).filter(|id| !right.contains(id)).collect();
    let last_right = answer.iter().rposition(|id| right.contains(id));
    Asked {
        query: at,
        score: score(&answer, &right, unknown),
        took,
        unmarked: found.iter().any(|one| one.unmarked && forbidden.contains(&one.memory)),
        above: answer.iter().position(|id| forbidden.contains(id)).is_some_and(|bad| last_right.is_some_and(|good| bad < good)),
        folded: found.iter().any(|one| !right.contains(&one.memory) && one.folded.iter().any(|id| right.contains(id))),
        first: answer.first().copied(),
    }
}

/// The memories that answer a question, and how many of the named ones are not there.
pub fn right(query: &Query, loaded: &Loaded) -> (HashSet<Uuid>, usize) {
    let right: HashSet<Uuid> = query.gold.iter().filter_map(|item| loaded.memory(item)).collect();
    (right, query.gold.iter().filter(|item| loaded.memory(item).is_none()).count())
}

/// Of all questions of a set.
#[derive(Default)]
pub struct Summary {
    pub questions: usize,
    pub hits: usize,
    pub reciprocal: f64,
    pub ndcg: f64,
    pub recall: f64,
    pub millis: f64,
    pub unmarked: usize,
    pub above: usize,
    pub folded: usize,
}

impl Summary {
    pub fn of(asked: &[Asked]) -> Self {
        let count = |which: fn(&Asked) -> bool| asked.iter().filter(|one| which(one)).count();
        Self {
            questions: asked.len(),
            hits: count(|one| one.score.hit),
            reciprocal: mean(asked.iter().map(|one| one.score.reciprocal)),
            ndcg: mean(asked.iter().map(|one| one.score.ndcg)),
            recall: mean(asked.iter().map(|one| one.score.recall)),
            millis: median(asked.iter().map(|one| millis(one.took))),
            unmarked: count(|one| one.unmarked),
            above: count(|one| one.above),
            folded: count(|one| one.folded && !one.score.hit),
        }
    }
}
