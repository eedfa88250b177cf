//! Decided in one sitting, and taken back in one: what a person approved, rejected or resolved with one press of a button.

use super::{memories, rollbacks};
use crate::{
    App,
    audit::{Audit, Trail},
    model::{
        AuditId, MemoryId, ReviewId, Run, clock,
        conflicts::{Conflict, ConflictState},
        proposals::{Change, Proposal, ProposalState},
        rollbacks::{Counts, Selector},
    },
    problem::Problem,
    store::{self, Reviewing, Scope},
};
use std::collections::HashMap;
use time::Duration;

/// Longer than that others have built on it.
const TAKEN_BACK_WITHIN: Duration = Duration::HOUR;

/// What was decided together, with what the memories are called.
#[derive(Debug, Default)]
pub struct Sitting {
    pub proposals: Vec<Proposal>,
    pub conflicts: Vec<Conflict>,
    pub titles: HashMap<MemoryId, String>,
}

/// From now on decisions belong together.
pub fn sit(scope: &Scope<Reviewing>) -> (ReviewId, Scope<Reviewing>) {
    let id = ReviewId::new();
    (id, scope.in_run(Run::Review(id)))
}

/// What the viewer decided in a sitting and may still take back; nothing of anybody else's.
pub async fn of(app: &App, scope: &Scope<Reviewing>, id: ReviewId) -> Result<Sitting, Problem> {
    let mut tx = app.db().read(scope).await?;
    let mut sitting = Sitting {
        proposals: store::proposals::of_review(&mut tx, id).await?,
        conflicts: store::conflicts::of_review(&mut tx, id).await?,
        titles: HashMap::new(),
    };
    let (me, since) = (scope.actor().id, clock::now() - TAKEN_BACK_WITHIN);
    sitting.proposals.retain(|one| {
        one.decided_by.as_ref().is_some_and(|by| by.id == me)
            && one.decided_at.is_some_and(|at| at > since)
            && one.state != ProposalState::Open
    });
    sitting.conflicts.retain(|one| one.resolved_by.as_ref().is_some_and(|by| by.id == me) && one.resolved_at.is_some_and(|at| at > since));
    let of_proposals = sitting.proposals.iter().map(|one| one.memory_id);
    let ids: Vec<MemoryId> = of_proposals.chain(sitting.conflicts.iter().flat_map(|one| [one.a, one.b])).collect();
    drop(tx);
    sitting.titles = memories::titles(app, scope, &ids).await?;
    Ok(sitting)
}

/// Take back what one decided: the memories are as they were, and it waits again. What somebody changed since is left.
pub async fn take_back(app: &App, scope: &Scope<Reviewing>, id: ReviewId) -> Result<Counts, Problem> {
    let sitting = of(app, scope, id).await?;
    if sitting.proposals.is_empty() && sitting.conflicts.is_empty() {
        return Err(Problem::conflict(
            "wrong_state",
            "There is nothing left to take back: it was taken back already, or more than an hour has passed. Roll back or revert the memory instead.",
        ));
    }
    let selector = Selector { review_id: Some(id), agent_id: Some(scope.actor().id), ..Selector::default() };
    let undone = rollbacks::roll_back(app, scope, selector).await?;
    reopen(app, scope, id, &sitting).await?;
    Ok(undone.counts)
}

/// Proposals follow the memory that waits for them; where none does, and of conflicts, it is said here.
async fn reopen(app: &App, scope: &Scope<Reviewing>, id: ReviewId, sitting: &Sitting) -> Result<(), Problem> {
    let mut tx = app.db().write(scope).await?;
    let mut trail = Vec::new();
    for decided in &sitting.proposals {
        let now = store::proposals::find_to_change(&mut tx, decided.id).await?;
        if now.state != ProposalState::Open && now.decided_at == decided.decided_at && !Change::has_waiting(now.change.as_ref()) {
            let audit = AuditId::new();
            store::proposals::reopen(&mut tx, now.id, audit).await?;
            trail.push(Audit::decided_otherwise(audit, "proposal.reopened", ("proposal", now.id.0), id));
        }
    }
    for resolved in &sitting.conflicts {
        let now = store::conflicts::find_to_change(&mut tx, resolved.id).await?;
        if now.state == ConflictState::Resolved && now.resolved_at == resolved.resolved_at {
            let audit = AuditId::new();
            store::conflicts::reopen(&mut tx, now.id, audit).await?;
            trail.push(Audit::decided_otherwise(audit, "conflict.reopened", ("conflict", now.id.0), id));
        }
    }
    if trail.is_empty() {
        return tx.leave_as_is([]).await;
    }
    tx.commit(trail.into_iter().collect::<Trail>()).await
}
