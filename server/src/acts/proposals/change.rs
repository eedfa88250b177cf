//! What approving does to memories, in the transaction that decides.

use crate::{
    acts::{code, dreams, memories},
    audit::Audit,
    model::{Memory, MemoryId, State, proposals::Change},
    problem::Problem,
    store::{self, Reviewing, Scope, Tx, Write},
};
use std::collections::HashSet;

/// Applies a change to what is known already. What is gone or no longer active by now is passed over: nothing stands in the way.
pub async fn apply(tx: &mut Tx<Write>, scope: &Scope<Reviewing>, memory: MemoryId, change: &Change) -> Result<Vec<Audit>, Problem> {
    match change {
        Change::Remember { instead_of } => supersede(tx, scope, instead_of, memory).await,
        Change::Merge { keep, away } => merge(tx, scope, *keep, away).await,
        Change::Archive { memories } => each(tx, scope, memories, true).await,
        Change::Verify { memories } => each(tx, scope, memories, false).await,
    }
}

/// One stays, with the tags and places of those that make room for it.
async fn merge(tx: &mut Tx<Write>, scope: &Scope<Reviewing>, keep: MemoryId, away: &[MemoryId]) -> Result<Vec<Audit>, Problem> {
    let mut kept = match store::memories::find_to_change(tx, keep).await {
        Err(Problem::NotFound) => return Err(Problem::conflict("wrong_state", "The memory that was to stay is no longer there.")),
        held => held?,
    };
    if kept.state != State::Active {
        return Err(Problem::conflict("wrong_state", format!("The memory that was to stay is {} by now.", kept.state.word())));
    }
    let mut gone = store::memories::find_some(tx, away).await?;
    gone.retain(|memory| memory.state == State::Active && memory.id != keep && stands_for(&kept, memory));
    code::recall_first_sight(tx, gone.iter_mut().chain([&mut kept])).await?;
    let mut trail = supersede(tx, scope, away, keep).await?;
    if let Some(mut next) = dreams::with_labels_of(scope, &kept, &gone) {
        memories::may_change(scope, &kept)?;
        store::memories::advance(tx, &kept, &mut next).await?;
        if kept.anchors != next.anchors {
            code::rejudge(tx, &mut next).await?;
        }
        trail.push(Audit::of_memory(&next));
    }
    Ok(trail)
}

/// Those that are still active make room for another, unless by now it may not stand for them.
pub async fn supersede(tx: &mut Tx<Write>, scope: &Scope<Reviewing>, old: &[MemoryId], by: MemoryId) -> Result<Vec<Audit>, Problem> {
    let mut trail = Vec::with_capacity(old.len());
    if old.is_empty() {
        return Ok(trail);
    }
    let new = store::memories::find(tx, by).await?;
    let there = store::memories::find_some(tx, old).await?;
    let going: HashSet<MemoryId> = there.iter().filter(|old| stands_for(&new, old)).map(|old| old.id).collect();
    for old in old.iter().filter(|old| **old != by && going.contains(old)) {
        match memories::put_aside(tx, scope, *old, by).await {
            Err(Problem::Conflict(_) | Problem::Invalid(_)) => {}
            done => trail.push(done?),
        }
    }
    Ok(trail)
}

fn stands_for(new: &Memory, old: &Memory) -> bool {
    new.kind.may_stand_for(old.kind) && new.visibility.may_stand_for(old.visibility)
}

async fn each(tx: &mut Tx<Write>, scope: &Scope<Reviewing>, ids: &[MemoryId], away: bool) -> Result<Vec<Audit>, Problem> {
    let mut trail = Vec::with_capacity(ids.len());
    for id in ids {
        let memory = match store::memories::find_to_change(tx, *id).await {
            Err(Problem::NotFound) => continue,
            held => held?,
        };
        memories::may_change(scope, &memory)?;
        if memory.state == State::Active {
            trail.push(if away { memories::put_away(tx, scope, &memory).await? } else { memories::still_true(tx, scope, &memory).await? });
        }
    }
    Ok(trail)
}
