//! Deletion requests: asked by one, approved by another person, executed for real.

use crate::{
    App,
    audit::{Audit, Trail},
    model::{
        AuditId, DeletionId, MemoryId, PersonId, clock,
        deletion::{DeletionRequest, DeletionState, Touched},
        page::{Limit, Page},
    },
    problem::Problem,
    store::{self, CanWrite, Permission, Reviewing, Scope, Tx, Write},
};

/// Ask that memories be erased. Nothing happens to them before another person agrees.
pub async fn ask<P: CanWrite>(app: &App, scope: &Scope<P>, memory_ids: Vec<MemoryId>, reason: String) -> Result<DeletionRequest, Problem> {
    let mut tx = app.db().write(scope).await?;
    for (index, id) in memory_ids.iter().enumerate() {
        match store::memories::find(&mut tx, *id).await {
            Err(Problem::NotFound) => return Err(Problem::invalid(format!("memory_ids[{index}]"), "there is no such memory")),
            found => super::memories::may_change(scope, &found?)?,
        }
    }
    let request = DeletionRequest {
        id: DeletionId::new(),
        state: DeletionState::Pending,
        reason: Some(reason),
        memory_ids,
        asked_at: clock::now(),
        asked_by: scope.actor().clone(),
        asked_for: scope.answers_for(),
        decided_at: None,
        decided_by: None,
        executed_at: None,
        executed_by: None,
        counts: None,
    };
    let audit = AuditId::new();
    store::deletion::insert(&mut tx, &request, audit).await?;
    tx.commit(Audit::deletion(audit, "deletion.asked", request.id)).await?;
    Ok(request)
}

pub async fn list<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    state: Option<DeletionState>,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<DeletionRequest>, Problem> {
    store::deletion::list(&mut app.db().read(scope).await?, state, limit, cursor).await
}

/// One request, with what it touches as far as that is still there.
pub async fn find<P: Permission>(app: &App, scope: &Scope<P>, id: DeletionId) -> Result<(DeletionRequest, Vec<Touched>), Problem> {
    let mut tx = app.db().read(scope).await?;
    let request = store::deletion::find(&mut tx, id).await?;
    let touched = store::deletion::touched(&mut tx, id).await?;
    Ok((request, touched))
}

/// Agree that it be erased; somebody other than who asked.
pub async fn approve(app: &App, scope: &Scope<Reviewing>, id: DeletionId) -> Result<DeletionRequest, Problem> {
    decide(app, scope, id, DeletionState::Approved, "deletion.approved").await
}

pub async fn reject(app: &App, scope: &Scope<Reviewing>, id: DeletionId) -> Result<DeletionRequest, Problem> {
    decide(app, scope, id, DeletionState::Rejected, "deletion.rejected").await
}

async fn decide(
    app: &App,
    scope: &Scope<Reviewing>,
    id: DeletionId,
    state: DeletionState,
    action: &'static str,
) -> Result<DeletionRequest, Problem> {
    let (mut tx, by, mut request) = held(app, scope, id, "decide on a deletion request", DeletionState::Pending).await?;
    if state == DeletionState::Approved {
        four_eyes(&request, by, "approve")?;
    }
    let (audit, now) = (AuditId::new(), clock::now());
    store::deletion::decide(&mut tx, id, state, by, now, audit).await?;
    tx.commit(Audit::deletion(audit, action, id)).await?;
    request.state = state;
    request.decided_at = Some(now);
    request.decided_by = Some(scope.actor().clone());
    Ok(request)
}

/// Erase what was approved. There is no way back.
pub async fn execute(app: &App, scope: &Scope<Reviewing>, id: DeletionId) -> Result<DeletionRequest, Problem> {
    let (mut tx, by, mut request) = held(app, scope, id, "execute a deletion request", DeletionState::Approved).await?;
    four_eyes(&request, by, "execute")?;
    let (audit, now) = (AuditId::new(), clock::now());
    let erased = store::deletion::erase(&mut tx, &request, app.keyring()).await?;
    store::deletion::close(&mut tx, &request, by, now, &erased.counts, app.keyring(), audit).await?;
    let trail: Trail = erased
        .memories
        .iter()
        .map(|(memory, versions)| Audit::erased(id, *memory, *versions))
        .chain([Audit::deletion(audit, "deletion.executed", id)])
        .collect();
    tx.commit(trail).await?;
    request.state = DeletionState::Executed;
    request.reason = None;
    request.executed_at = Some(now);
    request.executed_by = Some(scope.actor().clone());
    request.counts = Some(erased.counts);
    Ok(request)
}

async fn held(
    app: &App,
    scope: &Scope<Reviewing>,
    id: DeletionId,
    to: &str,
    state: DeletionState,
) -> Result<(Tx<Write>, PersonId, DeletionRequest), Problem> {
    let mut tx = app.db().write(scope).await?;
    let request = store::deletion::find_to_change(&mut tx, id).await?;
    let by = scope.as_person(to)?;
    if request.state != state {
        let detail = format!("This request is {}; it has to be {} for that.", request.state.word(), state.word());
        return Err(Problem::conflict("wrong_state", detail));
    }
    Ok((tx, by, request))
}

/// Who asks does not approve, nor does an agent in the name of whoever made it.
fn four_eyes(request: &DeletionRequest, by: PersonId, to: &str) -> Result<(), Problem> {
    if request.asked_for == by {
        let detail = format!(
            "You asked for this deletion, so another person has to {to} it. An agent's request counts as that of whoever made the agent."
        );
        return Err(Problem::Forbidden("four_eyes", detail.into()));
    }
    Ok(())
}
