//! The same memories and questions put to the engine itself, to see what its parts are worth: no setting of the server
//! turns these off. The first variant leaves everything as it is, and must agree with what came through HTTP.

use super::{
    ask::right,
    load::{HERE, Loaded, rfc3339},
    score::{DEPTH, score},
    set::Set,
};
use crate::{Failure, client::Client};
use cairn_server::{
    engines::recall::{
        Ablation, Document, Filter, Index, Prepared, Question, Viewer, Weights,
        pack::{self, Ranked},
        prepare_with,
        semantic::Model,
    },
    model::{Kind, MemoryId, State, clock, recall::Detail},
};
use serde_json::Value;
use std::collections::HashMap;
use uuid::Uuid;

pub const VARIANTS: [(&str, Ablation); 3] =
    [("all", Ablation::None), ("no splitting", Ablation::NoSplitting), ("rank fusion", Ablation::RankFusion)];

/// As the server does: places for near-duplicates that are folded.
const SPARE: usize = 10;

/// Hits of each variant, in their order.
pub async fn hits(
    client: &mut Client,
    workspace: &str,
    set: &Set,
    queries: &[usize],
    loaded: &Loaded,
) -> Result<[usize; VARIANTS.len()], Failure> {
    let memories = read_back(client, workspace).await?;
    let mut hits = [0; VARIANTS.len()];
    for (hits, (_, ablation)) in hits.iter_mut().zip(VARIANTS) {
        let weights = Weights::without(ablation);
        let mut index = Index::new();
        for memory in memories.values() {
            index.put(memory.prepared(&weights));
        }
        for query in queries.iter().map(|at| &set.queries[*at]) {
            let answer = search(&index, &memories, &weights, &query.text, set.has_states().then_some(HERE));
            let (right, unknown) = right(query, loaded);
            *hits += usize::from(score(&answer, &right, unknown).hit);
        }
    }
    Ok(hits)
}

fn search(index: &Index, memories: &HashMap<Uuid, Memory>, weights: &Weights, query: &str, project: Option<&str>) -> Vec<Uuid> {
    let vector = Model::builtin().embed(query);
    let filter = Filter { project: project.map(str::to_owned), ..Filter::default() };
    let question = Question {
        query,
        vector: vector.as_ref(),
        filter: &filter,
        viewer: Viewer::default(),
        anchors: &[],
        now: clock::now().unix_timestamp(),
        limit: DEPTH + SPARE,
        weights,
    };
    let found = index.search(&question);
    let ranked: Vec<Ranked<'_>> = found
        .iter()
        .filter_map(|hit| Some((hit, memories.get(&hit.id.0)?)))
        .map(|(hit, memory)| Ranked { hit, title: &memory.title, content: &memory.content })
        .collect();
    let request = pack::Request { query, detail: Detail::Full, limit: DEPTH, budget: None };
    pack::pack(&ranked, &request, &|_| 0).given.iter().map(|given| ranked[given.place].hit.id.0).collect()
}

/// As the API shows it.
struct Memory {
    id: Uuid,
    kind: Kind,
    state: State,
    title: String,
    path: String,
    content: String,
    project: Option<String>,
    author: Uuid,
    author_name: String,
    confidence: f32,
    changed_at: i64,
    valid_from: i64,
    expires_at: Option<i64>,
    session: Option<String>,
}

async fn read_back(client: &mut Client, workspace: &str) -> Result<HashMap<Uuid, Memory>, Failure> {
    let mut memories = HashMap::new();
    let mut cursor = String::new();
    loop {
        let page = client.get(&format!("/v1/workspaces/{workspace}/memories?limit=200{cursor}")).await?;
        for one in page["data"].as_array().into_iter().flatten() {
            let memory = Memory::read(one).ok_or_else(|| format!("a memory cannot be read: {one}"))?;
            memories.insert(memory.id, memory);
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(memories),
        }
    }
}

impl Memory {
    fn read(shown: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let seconds = |value: &Value| rfc3339(value).map(time::OffsetDateTime::unix_timestamp);
        Some(Self {
            id: shown["id"].as_str()?.parse().ok()?,
            kind: shown["kind"].as_str()?.parse().ok()?,
            state: shown["state"].as_str()?.parse().ok()?,
            title: text(&shown["title"])?,
            path: text(&shown["path"])?,
            content: text(&shown["content"])?,
            project: text(&shown["project"]),
            author: shown["created_by"]["id"].as_str()?.parse().ok()?,
            author_name: text(&shown["created_by"]["name"])?,
            confidence: serde_json::from_value(shown["confidence"].clone()).ok()?,
            changed_at: seconds(&shown["updated_at"])?,
            valid_from: seconds(&shown["valid_from"])?,
            expires_at: seconds(&shown["expires_at"]),
            session: text(&shown["source"]["ref"]),
        })
    }

    fn prepared(&self, weights: &Weights) -> Prepared {
        let document = Document {
            id: MemoryId(self.id),
            version: 1,
            kind: self.kind,
            state: self.state,
            title: &self.title,
            store: Uuid::nil(),
            path: &self.path,
            body: &self.content,
            tags: &[],
            project: self.project.as_deref(),
            owner: None,
            author: self.author,
            author_name: &self.author_name,
            anchors: &[],
            confidence: self.confidence,
            verified: false,
            changed_at: self.changed_at,
            valid_from: self.valid_from,
            contested_from: None,
            suspect_from: None,
            stale_from: self.expires_at,
            code: &[],
            spoken_of: false,
            session: self.session.as_deref(),
            tokens: 0,
            helpful: 0,
        };
        let beginning = self.title.trim_end_matches('…');
        let vectors = if self.content.trim_start().starts_with(beginning) {
            Model::builtin().embed_long(&self.content)
        } else {
            Model::builtin().embed_long(&format!("{}\n{}", self.title, self.content))
        };
        prepare_with(&document, vectors, weights.splitting)
    }
}
