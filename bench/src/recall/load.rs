//! A set's memories into a workspace, through the API, in the states that the set gives them.

use super::set::{Item, Set, moment, shift};
use crate::{Failure, client::Client};
use cairn_server::model::{Kind, clock, text::CONTENT_LIMIT};
use serde_json::{Value, json};
use std::collections::HashMap;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

const BATCH: usize = 1000;
/// Below the 10 MiB that a request may have.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// Who asks stands in this project, where a set knows scopes.
pub const HERE: &str = "here";
const ELSEWHERE: &str = "elsewhere";
const GOVERNED: &str = "governed";

/// Which memory an item of the set became, and the items that a memory stands for: equal texts are one.
#[derive(Default)]
pub struct Loaded {
    memories: HashMap<String, Uuid>,
    items: HashMap<Uuid, Vec<usize>>,
}

impl Loaded {
    pub fn memory(&self, item: &str) -> Option<Uuid> {
        self.memories.get(item).copied()
    }

    pub fn items(&self, memory: Uuid) -> &[usize] {
        self.items.get(&memory).map_or(&[], Vec::as_slice)
    }

    fn note(&mut self, set: &Set, item: usize, made: &Value) -> Result<Uuid, Failure> {
        let id: Uuid = made["id"].as_str().and_then(|id| id.parse().ok()).ok_or_else(|| format!("no memory was made: {made}"))?;
        self.memories.insert(set.items[item].id.clone(), id);
        self.items.entry(id).or_default().push(item);
        Ok(id)
    }
}

pub async fn load(client: &mut Client, workspace: &str, set: &Set, items: &[usize]) -> Result<Loaded, Failure> {
    let back = shift(items.iter().map(|at| &set.items[*at]), clock::now());
    load_moved(client, workspace, set, items, back).await
}

/// With all moments moved back (or on, where it is negative).
pub async fn load_moved(client: &mut Client, workspace: &str, set: &Set, items: &[usize], back: Duration) -> Result<Loaded, Failure> {
    let base = format!("/v1/workspaces/{workspace}/memories");
    let chains = chains(set, items);
    let (mut plain, mut archived) = (Vec::new(), Vec::new());
    for at in items.iter().copied().filter(|at| !chains.iter().any(|chain| chain.contains(at))) {
        plain.push(at);
        let item = &set.items[at];
        match item.status.as_deref() {
            // One that ran out is told apart by its date.
            Some("deleted") if item.valid_until.is_none() => archived.push(at),
            Some("superseded") => archived.push(at),
            _ => {}
        }
    }
    let mut loaded = Loaded::default();
    for batch in batches(set, &plain) {
        let bodies: Vec<Value> = batch.iter().map(|at| body(&set.items[*at], back)).collect();
        let made = client.make(&format!("{base}/batch"), json!({"items": bodies})).await?;
        for (at, one) in batch.iter().zip(made["data"].as_array().into_iter().flatten()) {
            loaded.note(set, *at, &one["memory"])?;
        }
    }
    for at in archived {
        let id = loaded.memory(&set.items[at].id).ok_or("a memory was not loaded")?;
        client.delete(&format!("{base}/{id}")).await?;
    }
    for chain in chains {
        let mut before: Option<Uuid> = None;
        for at in chain {
            let path = before.map_or_else(|| base.clone(), |old| format!("{base}/{old}/supersede"));
            let made = client.make(&path, body(&set.items[at], back)).await?;
            before = Some(loaded.note(set, at, &made)?);
        }
    }
    Ok(loaded)
}

/// What took whose place, oldest first, the one that holds at the end. One that was superseded and that nothing names
/// as its successor goes into the line of the next update after it.
fn chains(set: &Set, items: &[usize]) -> Vec<Vec<usize>> {
    let of = |at: &usize| &set.items[*at];
    let by_time = |at: &usize| of(at).timestamp.clone();
    let mut chains: Vec<Vec<usize>> = items
        .iter()
        .copied()
        .filter(|at| of(at).update_of.is_some() && of(at).status.as_deref() == Some("active"))
        .map(|at| vec![at])
        .collect();
    chains.sort_by_key(|chain| by_time(&chain[0]));
    for at in items.iter().copied().filter(|at| of(at).status.as_deref() == Some("superseded")) {
        let named = |chain: &&mut Vec<usize>| {
            of(&chain[0]).update_of.as_deref().is_some_and(|old| of(&at).id == old || of(&at).id.ends_with(&format!("/{old}")))
        };
        let place = if chains.iter_mut().any(|chain| named(&chain)) {
            chains.iter_mut().find(named)
        } else {
            chains.iter_mut().find(|chain| by_time(&chain[0]) >= by_time(&at))
        };
        if let Some(chain) = place {
            chain.push(at);
        }
    }
    chains.retain(|chain| chain.len() > 1);
    for chain in &mut chains {
        let update = chain.remove(0);
        chain.sort_by_key(by_time);
        chain.push(update);
    }
    chains
}

fn batches(set: &Set, items: &[usize]) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut bytes = usize::MAX;
    for at in items {
        let more = set.items[*at].text.len();
        if bytes.saturating_add(more) > BATCH_BYTES || batches.last().is_none_or(|batch| batch.len() == BATCH) {
            batches.push(Vec::new());
            bytes = 0;
        }
        bytes += more;
        if let Some(batch) = batches.last_mut() {
            batch.push(*at);
        }
    }
    batches
}

fn body(item: &Item, back: Duration) -> Value {
    let mut body = json!({"content": content(item), "kind": kind(item)});
    let at = |text: &Option<String>| moment(text.as_deref()?)?.checked_sub(back)?.format(&Rfc3339).ok();
    let mut say = |field: &str, value: Option<Value>| {
        if let Some(value) = value {
            body[field] = value;
        }
    };
    say("title", item.title.as_ref().map(|title| json!(title)));
    say("valid_from", at(&item.timestamp).map(Value::from));
    say("expires_at", at(&item.valid_until).map(Value::from));
    say("source", item.session.as_ref().map(|session| json!({"type": "session", "ref": session})));
    say("project", project(item).map(Value::from));
    body
}

/// The speaker in front of a turn, as one who writes it down would.
fn content(item: &Item) -> String {
    let mut content = match item.speaker.as_deref() {
        None | Some("") => item.text.clone(),
        Some(speaker) => format!("{speaker}: {}", item.text),
    };
    let mut end = content.len().min(CONTENT_LIMIT);
    while !content.is_char_boundary(end) {
        end -= 1;
    }
    content.truncate(end);
    content
}

fn kind(item: &Item) -> &'static str {
    item.kind.as_deref().and_then(|kind| kind.parse().ok()).unwrap_or(Kind::Fact).word()
}

/// Other scopes are other projects; what is everywhere is the workspace's.
fn project(item: &Item) -> Option<&'static str> {
    match (item.status.as_deref(), item.scope.as_deref()) {
        (Some("forbidden"), _) => Some(ELSEWHERE),
        (_, Some("same_user_same_project")) => Some(HERE),
        (_, Some("governed_scope_only")) => Some(GOVERNED),
        _ => None,
    }
}

/// A moment of the API's.
pub fn rfc3339(value: &Value) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(value.as_str()?, &Rfc3339).ok()
}
