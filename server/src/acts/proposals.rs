//! The review queue: what was captured, contradicts or looks suspicious waits here for a person's word.

use super::memories;
use crate::{
    App,
    audit::{Audit, Trail},
    model::{
        AuditId, Memory, MemoryId, ProposalId, SessionId, clock,
        page::{Limit, Page},
        proposals::{Proposal, ProposalState},
    },
    problem::Problem,
    store::{self, Permission, Reviewing, Scope},
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
    state: Option<ProposalState>,
    session: Option<SessionId>,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Shown>, Problem> {
    let mut tx = app.db().read(scope).await?;
    let page = store::proposals::list(&mut tx, state, session, limit, cursor).await?;
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

async fn decide(app: &App, scope: &Scope<Reviewing>, id: ProposalId, state: ProposalState) -> Result<Shown, Problem> {
    let mut tx = app.db().write(scope).await?;
    let mut proposal = store::proposals::find_to_change(&mut tx, id).await?;
    if proposal.state != ProposalState::Open {
        return Err(Problem::conflict("wrong_state", format!("This proposal is {} already.", proposal.state.word())));
    }
    let (audit, now) = (AuditId::new(), clock::now());
    let (memory, entry) = memories::settle(&mut tx, scope, proposal.memory_id, state == ProposalState::Approved).await?;
    store::proposals::decide(&mut tx, id, state, scope.actor(), now, audit).await?;
    let action = if state == ProposalState::Approved { "proposal.approved" } else { "proposal.rejected" };
    let trail: Trail = [entry, Audit::proposal(audit, action, id, memory.id)].into_iter().collect();
    tx.commit(trail).await?;
    (proposal.state, proposal.decided_at, proposal.decided_by) = (state, Some(now), Some(scope.actor().clone()));
    Ok(Shown { proposal, memory: Some(memory) })
}
