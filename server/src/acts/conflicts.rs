//! Contradictions are caught before they land: a new decision is held against those that are active.

use super::recall;
use crate::{
    App,
    engines::conflict::{self, Claim, Contradiction},
    model::{
        Kind, Memory, NewMemory,
        proposals::{Origin, Proposed},
        recall::{Place, Recall},
    },
    problem::{Conflict, Problem},
    store::{Permission, Scope},
};
use serde_json::{Map, json};

/// Decisions about the same thing that are looked at.
const CANDIDATES: usize = 20;

/// A decision as it may land: refused, or put up for review, if it contradicts an active one that it does not supersede.
pub(super) async fn weigh<P: Permission>(app: &App, scope: &Scope<P>, mut new: NewMemory) -> Result<NewMemory, Problem> {
    if new.kind != Kind::Decision || new.proposed.is_some() {
        return Ok(new);
    }
    let against = contradicted(app, scope, &new).await?;
    let Some((first, why)) = against.first() else { return Ok(new) };
    if !new.propose_on_conflict {
        return Err(refusal(first, why, &against));
    }
    new.proposed = Some(Proposed {
        origin: Origin::Conflict,
        key: None,
        // By its id alone: the other's words go with it when it is erased.
        reason: format!("It contradicts the decision {}.", first.id),
        confidence: new.confidence.unwrap_or(0.8),
        sightings: Vec::new(),
    });
    Ok(new)
}

async fn contradicted<P: Permission>(app: &App, scope: &Scope<P>, new: &NewMemory) -> Result<Vec<(Memory, Contradiction)>, Problem> {
    let title = new.title.clone().unwrap_or_else(|| new.content.title());
    let project = new.project.as_ref().or(scope.project()).map(|project| project.as_str().to_owned());
    let asked = Recall {
        query: format!("{title}\n{}", new.content.as_str()),
        kinds: vec![Kind::Decision],
        project: project.clone(),
        anchors: new
            .anchors
            .iter()
            .map(|anchor| Place { repo: anchor.repo.clone(), path: anchor.path.clone(), symbol: anchor.symbol.clone() })
            .collect(),
        limit: CANDIDATES,
        ..Recall::default()
    };
    let claim = Claim {
        kind: new.kind,
        title: &title,
        content: new.content.as_str(),
        project: project.as_deref(),
        tags: &new.tags,
        anchors: &new.anchors,
    };
    let mut against: Vec<(Memory, Contradiction)> = recall::similar(app, scope, asked)
        .await?
        .into_iter()
        .filter(|old| Some(old.id) != new.supersedes)
        .filter_map(|old| {
            let there = Claim {
                kind: old.kind,
                title: &old.title,
                content: &old.content,
                project: old.project.as_deref(),
                tags: &old.tags,
                anchors: &old.anchors,
            };
            let found = conflict::judge(&there, &claim).filter(|found| found.certain)?;
            Some((old, found))
        })
        .collect();
    against.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
    Ok(against)
}

fn refusal(first: &Memory, why: &Contradiction, against: &[(Memory, Contradiction)]) -> Problem {
    let told = |(memory, why): &(Memory, Contradiction)| json!({"memory_id": memory.id, "title": memory.title, "content": memory.content, "reason": why.reason, "score": why.score});
    let more = Map::from_iter([
        ("decision".to_owned(), told(&(first.clone(), why.clone()))),
        ("conflicts".to_owned(), against.iter().map(told).collect()),
    ]);
    let detail = format!(
        "This contradicts the decision \"{}\" ({}): {} Send `supersedes` with its id to take its place, or `\"on_conflict\": \"propose\"` to let a person decide.",
        first.title, first.id, why.reason
    );
    Problem::Conflict(Box::new(Conflict { code: "decision_conflict", detail: detail.into(), more }))
}
