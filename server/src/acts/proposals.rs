//! The review queue: what was captured, contradicts or looks suspicious waits here for a person's word.

use super::{conflicts, memories};
use crate::{
    App,
    audit::{Audit, Trail},
    model::{
        AuditId, Memory, MemoryId, ProposalId, State, clock,
        page::{Limit, Page},
        proposals::{Origin, Proposal, ProposalFilter, ProposalState},
    },
    problem::Problem,
    store::{self, Permission, Reviewing, Scope, proposals::Verdict},
};
use std::collections::HashMap;

/// A proposal with the memory that waits, as far as it is still there.
pub struct Shown {
    pub proposal: Proposal,
    pub memory: Option<Memory>,
}

pub async fn list<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    filter: &ProposalFilter,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Shown>, Problem> {
    let mut tx = app.db().read(scope).await?;
    let page = store::proposals::list(&mut tx, filter, limit, cursor).await?;
    let ids: Vec<MemoryId> = page.data.iter().map(|proposal| proposal.memory_id).collect();
    let mut memories: HashMap<MemoryId, Memory> =
        store::memories::find_some(&mut tx, &ids).await?.into_iter().map(|memory| (memory.id, memory)).collect();
    Ok(page.map(|proposal| Shown { memory: memories.remove(&proposal.memory_id), proposal }))
}

pub async fn find<P: Permission>(app: &App, scope: &Scope<P>, id: ProposalId) -> Result<Shown, Problem> {
    let mut tx = app.db().read(scope).await?;
    let proposal = store::proposals::find(&mut tx, id).await?;
    let memory = store::memories::find_some(&mut tx, &[proposal.memory_id]).await?.pop();
    Ok(Shown { proposal, memory })
}

/// It is known from now on.
pub async fn approve(app: &App, scope: &Scope<Reviewing>, id: ProposalId) -> Result<Shown, Problem> {
    decide(app, scope, id, ProposalState::Approved).await
}

/// It is put away, and does not come back.
pub async fn reject(app: &App, scope: &Scope<Reviewing>, id: ProposalId) -> Result<Shown, Problem> {
    decide(app, scope, id, ProposalState::Rejected).await
}

async fn contradicted_by(app: &App, scope: &Scope<Reviewing>, id: ProposalId) -> Result<Vec<MemoryId>, Problem> {
    let Shown { proposal, memory } = find(app, scope, id).await?;
    let Some(memory) = memory.filter(|memory| proposal.origin == Origin::Conflict && memory.state == State::Proposed) else {
        return Ok(Vec::new());
    };
    Ok(conflicts::against(app, scope, &memory).await?.into_iter().map(|(old, _)| old.id).collect())
}

async fn decide(app: &App, scope: &Scope<Reviewing>, id: ProposalId, state: ProposalState) -> Result<Shown, Problem> {
    let approved = state == ProposalState::Approved;
    // Whoever approves a contradiction decides for it: what it contradicts is superseded.
    let losers = if approved { contradicted_by(app, scope, id).await? } else { Vec::new() };
    let mut tx = app.db().write(scope).await?;
    let mut proposal = store::proposals::find_to_change(&mut tx, id).await?;
    if proposal.state != ProposalState::Open {
        return Err(Problem::conflict("wrong_state", format!("This proposal is {} already.", proposal.state.word())));
    }
    let (audit, now) = (AuditId::new(), clock::now());
    let (memory, entry) = memories::settle(&mut tx, scope, proposal.memory_id, approved).await?;
    let mut trail = vec![entry];
    for old in losers.into_iter().chain(memory.supersedes.filter(|_| approved)) {
        match memories::put_aside(&mut tx, scope, old, memory.id).await {
            // Gone or superseded by another meanwhile: nothing stands in the way.
            Err(Problem::Conflict(_) | Problem::Invalid(_)) => {}
            done => trail.push(done?),
        }
    }
    let verdict = Verdict { state, by: scope.actor(), at: now, note: None, became: None };
    store::proposals::decide(&mut tx, id, &verdict, audit).await?;
    let action = if approved { "proposal.approved" } else { "proposal.rejected" };
    trail.push(Audit::proposal(audit, action, id, memory.id));
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    (proposal.state, proposal.decided_at, proposal.decided_by) = (state, Some(now), Some(scope.actor().clone()));
    Ok(Shown { proposal, memory: Some(memory) })
}
