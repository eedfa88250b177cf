//! A memory in the words of the pages.

use super::super::actors::shown;
use crate::{
    acts,
    model::{Anchor, Memory, MemoryId, Source, Visibility, memory::Operation, recall::Receipt},
    store::Scope,
};
use cairn_web::memories::{self as page, Freshness, Look, Row, Text, Version};
use std::collections::HashMap;

pub fn row<P>(scope: &Scope<P>, memory: &Memory) -> Row {
    Row {
        id: memory.id.to_string(),
        title: memory.title.clone(),
        path: memory.path.as_str().to_owned(),
        kind: memory.kind.word().to_owned(),
        state: memory.state.word().to_owned(),
        freshness: freshness(scope, memory),
        project: memory.project.clone(),
        tags: memory.tags.clone(),
        private: memory.visibility == Visibility::Private,
        version: memory.version,
        author: shown(&memory.updated_by),
        updated_at: memory.updated_at,
    }
}

/// The whole of it; `titles` names those it replaces or is replaced by, as far as the viewer may see them.
pub fn whole<P>(scope: &Scope<P>, memory: &Memory, store: Option<String>, titles: &HashMap<MemoryId, String>) -> page::Memory {
    let named = |id: Option<MemoryId>| id.and_then(|id| Some((id.to_string(), titles.get(&id)?.clone())));
    page::Memory {
        id: memory.id.to_string(),
        title: memory.title.clone(),
        path: memory.path.as_str().to_owned(),
        kind: memory.kind.word().to_owned(),
        state: memory.state.word().to_owned(),
        version: memory.version,
        content: (!is_redacted(memory)).then(|| memory.content.clone()),
        freshness: freshness(scope, memory),
        project: memory.project.clone(),
        store,
        tags: memory.tags.clone(),
        private: memory.visibility == Visibility::Private,
        subject: memory.subject.clone(),
        confidence: Some(memory.confidence),
        source: memory.source.as_ref().map(source),
        session_id: memory.session_id.map(|id| id.to_string()),
        anchors: memory.anchors_now().map(|(at, _)| anchor(&at)).collect(),
        created: Look { by: shown(&memory.created_by), at: memory.created_at },
        updated: Look { by: shown(&memory.updated_by), at: memory.updated_at },
        verified: memory.verified_by.as_ref().zip(memory.verified_at).map(|(by, at)| Look { by: shown(by), at }),
        valid_from: (memory.valid_from != memory.created_at).then_some(memory.valid_from),
        stale_after: memory.stale_after,
        expires_at: memory.expires_at,
        supersedes: named(memory.supersedes),
        superseded_by: named(memory.superseded_by),
    }
}

/// Who was told it, by a receipt.
pub fn told(receipt: &Receipt, memory: MemoryId) -> Option<page::Told> {
    let item = receipt.items.iter().find(|told| told.memory_id == memory || told.folded.contains(&memory))?;
    Some(page::Told {
        receipt_id: receipt.id.to_string(),
        to: shown(&receipt.actor),
        at: receipt.at,
        version: item.version,
        query: receipt.query.clone(),
    })
}

pub fn related<P>(scope: &Scope<P>, memory: &Memory) -> page::Related {
    page::Related {
        id: memory.id.to_string(),
        title: memory.title.clone(),
        kind: memory.kind.word().to_owned(),
        freshness: freshness(scope, memory),
    }
}

pub fn version(memory: &Memory) -> Version {
    Version {
        number: memory.version,
        at: memory.updated_at,
        by: shown(&memory.updated_by),
        operation: match memory.operation {
            Operation::Created => "remembered",
            other => other.word(),
        }
        .to_owned(),
        reason: memory.reason.clone(),
        text: if is_redacted(memory) { Text::Erased } else { Text::Kept },
    }
}

/// A version whose text was taken out has neither title nor content; no other does.
pub fn is_redacted(memory: &Memory) -> bool {
    memory.title.is_empty() && memory.content.is_empty()
}

/// With its reasons, as a badge.
pub fn freshness<P>(scope: &Scope<P>, memory: &Memory) -> Freshness {
    let judged = acts::memories::judge(scope, memory);
    Freshness { state: judged.state.word().to_owned(), reasons: judged.reasons }
}

/// The beginning of a text, on one line; a table makes no line.
pub fn gist(text: &str, most: usize) -> String {
    let prose = text.lines().filter(|line| !line.trim_start().starts_with('|'));
    let line: String = prose.flat_map(str::split_whitespace).flat_map(|word| [word, " "]).collect();
    let line = line.trim_end();
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

fn source(source: &Source) -> page::Source {
    page::Source { kind: source.kind.word().to_owned(), reference: source.reference.clone(), excerpt: source.excerpt.clone() }
}

fn anchor(anchor: &Anchor) -> page::Anchor {
    page::Anchor {
        repo: anchor.repo.clone(),
        path: anchor.path.clone(),
        symbol: anchor.symbol.clone(),
        state: anchor.state.word().to_owned(),
    }
}
