//! A decision that contradicts an active one is caught before it lands.

use super::{Since, claim_of};
use crate::{
    App,
    acts::{memories::waiting, recall},
    engines::conflict::{self, Claim, Contradiction},
    model::{
        Kind, Memory, NewMemory, Project,
        proposals::{Origin, Proposed},
        recall::{Place, Recall},
    },
    problem::{Conflict, Problem},
    store::{Permission, Scope, Tx, Write},
};
use serde_json::{Map, json};

/// Decisions about the same thing that are looked at.
const CANDIDATES: usize = 20;

/// A decision as it may land: refused, or put up for review, if it contradicts an active one that it does not supersede.
pub(in crate::acts) async fn weigh<P: Permission>(app: &App, scope: &Scope<P>, mut new: NewMemory) -> Result<NewMemory, Problem> {
    if new.kind != Kind::Decision || new.proposed.is_some() {
        return Ok(new);
    }
    new.proposed = waits_for(scope, &new, &contradicted(app, scope, &new).await?, new.propose_on_conflict)?;
    Ok(new)
}

/// The same within the transaction that writes it, of what came since it was weighed.
pub(in crate::acts) async fn weigh_again<P: Permission>(
    tx: &mut Tx<Write>,
    scope: &Scope<P>,
    since: &Since,
    new: &NewMemory,
    propose: bool,
) -> Result<Option<Proposed>, Problem> {
    waits_for(scope, new, &since.against_new(tx, scope, new).await?, propose)
}

/// That it waits for review, if it contradicts anything and is meant to wait then.
fn waits_for<P>(
    scope: &Scope<P>,
    new: &NewMemory,
    against: &[(Memory, Contradiction)],
    propose: bool,
) -> Result<Option<Proposed>, Problem> {
    let Some((first, _)) = against.first() else { return Ok(None) };
    if !propose {
        return unless_contradicting(against).map(|()| None);
    }
    // By its id alone: the other's words go with it when it is erased. And only to those who see it.
    let project = new.project.as_ref().map(Project::as_str);
    let all_see_it = first.visibility.may_stand_for(new.visibility) && (first.project.is_none() || first.project.as_deref() == project);
    let reason = if all_see_it {
        format!("It contradicts the decision {}.", first.id)
    } else {
        "It contradicts a decision that not everybody sees.".to_owned()
    };
    Ok(Some(Proposed::because(Origin::Conflict, reason, waiting::confidence(scope.actor(), new))))
}

/// What a memory would contradict as a decision, as it was looked at before the transaction that makes it one, or active
/// again, or moves it: the look takes a connection of its own, and who holds one must not wait for another.
pub(in crate::acts) struct Weighed {
    since: Since,
    of: Memory,
    against: Vec<(Memory, Contradiction)>,
}

impl Weighed {
    /// Of anything but a decision there is nothing to weigh; what is not there is told by the transaction, which may know an
    /// answer that was given before.
    pub(in crate::acts) async fn ahead<P: Permission>(
        app: &App,
        scope: &Scope<P>,
        found: Result<Memory, Problem>,
    ) -> Result<Option<Self>, Problem> {
        let of = match found {
            Err(Problem::NotFound) => return Ok(None),
            found => found?,
        };
        if of.kind != Kind::Decision {
            return Ok(None);
        }
        let since = Since::now(app, scope).await?;
        let against = against(app, scope, &of).await?;
        Ok(Some(Self { since, of, against }))
    }

    /// It contradicts nothing, also nothing that came since; if it is still what was weighed.
    pub(in crate::acts) async fn stands(weighed: Option<&Self>, tx: &mut Tx<Write>, memory: &Memory) -> Result<(), Problem> {
        let same = |of: &Memory| of.says(memory) && of.project == memory.project;
        let weighed = weighed.filter(|weighed| same(&weighed.of)).ok_or(Problem::LostRace)?;
        unless_contradicting(&weighed.against)?;
        unless_contradicting(&weighed.since.against(tx, memory).await?)
    }
}

/// The same within a transaction, for many at once.
pub(in crate::acts) async fn stands<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    tx: &mut Tx<Write>,
    memory: &Memory,
) -> Result<(), Problem> {
    let since = Since::within(tx).await?;
    unless_contradicting(&against(app, scope, memory).await?)?;
    unless_contradicting(&since.against(tx, memory).await?)
}

/// Refused, with everything that it contradicts.
pub(in crate::acts) fn unless_contradicting(against: &[(Memory, Contradiction)]) -> Result<(), Problem> {
    against.first().map_or(Ok(()), |(first, why)| Err(refusal(first, why, against)))
}

/// The active decisions that a memory contradicts, the clearest first.
pub(in crate::acts) async fn against<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    memory: &Memory,
) -> Result<Vec<(Memory, Contradiction)>, Problem> {
    let mut found = nearest(app, scope, &claim_of(memory)).await?;
    found.retain(|(old, _)| old.id != memory.id && Some(old.id) != memory.supersedes);
    Ok(found)
}

/// Of what is sent together, one decision must not contradict another. Beyond the first few nobody looks: it would take too long.
pub(in crate::acts) fn weigh_together(news: &[NewMemory]) -> Result<(), Problem> {
    const MOST: usize = 30;
    let titles: Vec<(usize, &NewMemory, String)> = news
        .iter()
        .enumerate()
        .filter(|(_, new)| new.kind == Kind::Decision && !new.propose_on_conflict)
        .map(|(n, new)| (n, new, new.title.clone().unwrap_or_else(|| new.content.title())))
        .take(MOST)
        .collect();
    for (at, (n, new, title)) in titles.iter().enumerate() {
        let claim = claim_of_new(new, title, new.project.as_ref().map(crate::model::Project::as_str));
        for (_, other, other_title) in &titles[..at] {
            let there = claim_of_new(other, other_title, other.project.as_ref().map(crate::model::Project::as_str));
            if let Some(found) = conflict::judge(&there, &claim).filter(|found| found.certain) {
                let detail = format!("Two decisions that were sent together contradict each other: {}", found.reason);
                return Err(Problem::conflict("decision_conflict", detail).at_item(*n));
            }
        }
    }
    Ok(())
}

pub(super) fn claim_of_new<'a>(new: &'a NewMemory, title: &'a str, project: Option<&'a str>) -> Claim<'a> {
    Claim { kind: new.kind, title, content: new.content.as_str(), project, tags: &new.tags, anchors: &new.anchors }
}

async fn contradicted<P: Permission>(app: &App, scope: &Scope<P>, new: &NewMemory) -> Result<Vec<(Memory, Contradiction)>, Problem> {
    let title = new.title.clone().unwrap_or_else(|| new.content.title());
    let project = new.project.as_ref().or(scope.project()).map(crate::model::Project::as_str);
    let mut found = nearest(app, scope, &claim_of_new(new, &title, project)).await?;
    found.retain(|(old, _)| Some(old.id) != new.supersedes);
    Ok(found)
}

async fn nearest<P: Permission>(app: &App, scope: &Scope<P>, claim: &Claim<'_>) -> Result<Vec<(Memory, Contradiction)>, Problem> {
    let asked = Recall {
        query: format!("{}\n{}", claim.title, claim.content),
        kinds: vec![Kind::Decision],
        project: claim.project.map(str::to_owned),
        anchors: claim
            .anchors
            .iter()
            .map(|anchor| Place { repo: anchor.repo.clone(), path: anchor.path.clone(), symbol: anchor.symbol.clone() })
            .collect(),
        limit: CANDIDATES,
        ..Recall::default()
    };
    let mut against: Vec<(Memory, Contradiction)> = recall::similar(app, scope, asked)
        .await?
        .into_iter()
        .filter_map(|old| {
            let found = conflict::judge(&claim_of(&old), claim).filter(|found| found.certain)?;
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
