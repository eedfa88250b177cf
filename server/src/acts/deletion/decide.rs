//! Deciding: another person agrees, or says no.

use super::weigh_holds;
use crate::{
    App,
    acts::access::for_the_whole,
    audit::{Audit, Trail},
    model::{
        AuditId, DeletionId, PersonId, clock,
        deletion::{DeletionRequest, DeletionState},
    },
    problem::Problem,
    store::{self, Permission, Reviewing, Scope, Tx, Write},
};
use time::{Duration, OffsetDateTime};

/// How long who is alone has to think it over.
const ALONE_AFTER: Duration = Duration::hours(24);

/// Agree that it be erased; somebody other than who asked.
pub async fn approve(app: &App, scope: &Scope<Reviewing>, id: DeletionId) -> Result<DeletionRequest, Problem> {
    for_the_whole(scope)?;
    decide(app, scope, id, DeletionState::Approved, "deletion.approved").await
}

/// Refuse to erase, also what is blocked.
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
    let mut tx = app.db().write(scope).await?;
    let mut request = store::deletion::find_to_change(&mut tx, id).await?;
    let by = scope.as_person("decide on a deletion request")?;
    let open = request.resumes_as.unwrap_or(request.state);
    // A hold stops the erasure, and neither the yes nor the no.
    must_be(&request, open == DeletionState::Pending, "pending")?;
    if state == DeletionState::Approved {
        request.alone = four_eyes(&mut tx, &request, by, "approve").await?;
    }
    let audit = AuditId::new();
    request.state = state;
    request.resumes_as = None;
    request.decided_at = Some(clock::now());
    request.decided_by = Some(scope.actor().clone());
    store::deletion::decide(&mut tx, &request, by, audit).await?;
    let blocked = if state == DeletionState::Approved { weigh_holds(&mut tx, &mut request).await? } else { None };
    tx.commit([Audit::deletion(audit, action, id)].into_iter().chain(blocked).collect::<Trail>()).await?;
    Ok(request)
}

pub(super) fn must_be(request: &DeletionRequest, so: bool, state: &str) -> Result<(), Problem> {
    if so {
        return Ok(());
    }
    let detail = format!("This request is {}; it has to be {state} for that.", request.state.word());
    Err(Problem::conflict("wrong_state", detail))
}

/// Who asks does not approve, nor does an agent in the name of whoever made it; unless there is nobody else, and a day has
/// passed. Whether that was so.
pub(super) async fn four_eyes(tx: &mut Tx<Write>, request: &DeletionRequest, by: PersonId, to: &str) -> Result<bool, Problem> {
    if request.asked_for != by {
        return Ok(false);
    }
    let detail = match lone_from(tx, request, by).await? {
        Some(from) if from <= clock::now() => return Ok(true),
        Some(from) => {
            format!(
                "You asked for this deletion, and nobody else here may {to} it: you may from {from} on, and the certificate will say so."
            )
        }
        None => {
            format!(
                "You asked for this deletion, so another person has to {to} it. An agent's request counts as that of whoever made the agent."
            )
        }
    };
    Err(Problem::Forbidden("four_eyes", detail.into()))
}

/// From when on a person may decide their own request, because nobody else can.
async fn lone_from<M>(tx: &mut Tx<M>, request: &DeletionRequest, by: PersonId) -> Result<Option<OffsetDateTime>, Problem> {
    let alone = store::members::who_may_approve(tx).await? == [by];
    Ok(alone.then(|| request.asked_at + ALONE_AFTER))
}

/// The same, for a page that says so.
pub async fn alone_from<P: Permission>(app: &App, scope: &Scope<P>, request: &DeletionRequest) -> Result<Option<OffsetDateTime>, Problem> {
    lone_from(&mut app.db().read(scope).await?, request, request.asked_for).await
}
