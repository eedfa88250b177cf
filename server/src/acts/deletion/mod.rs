//! Deletion requests: asked by one, approved by another person, executed for real; stopped by a hold.

mod ask;
mod certificate;
mod decide;
mod execute;
mod holds;
mod journal;
mod retention;

pub use ask::ask;
pub use certificate::{Signed, certificate};
pub use decide::{alone_from, approve, reject};
pub use execute::{Executed, execute};
pub use holds::{find_hold, hold, list_holds, release};
pub use journal::{erase_again, keep_journal};
pub use retention::{AT_ONCE, Due, retain, retention, retention_by};

use crate::{
    App,
    audit::Audit,
    model::{
        AuditId, DeletionId,
        deletion::{DeletionRequest, DeletionState, Preview, Touched},
        page::{Limit, Page},
    },
    problem::Problem,
    store::{self, Permission, Scope, Tx, Write},
};

/// So much of a list is shown with its request; all of it can be listed.
const SHOWN: u32 = 200;

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
pub async fn find<P: Permission>(app: &App, scope: &Scope<P>, id: DeletionId) -> Result<(DeletionRequest, Preview), Problem> {
    let mut tx = app.db().read(scope).await?;
    let mut request = store::deletion::find(&mut tx, id).await?;
    let shown = Limit::within(None, SHOWN, SHOWN)?;
    let items = store::deletion::touched(&mut tx, id, true, shown, None).await?.data;
    let copies = store::deletion::touched(&mut tx, id, false, shown, None).await?.data;
    let holds = match request.state {
        DeletionState::Executed | DeletionState::Rejected => Vec::new(),
        _ => store::deletion::in_the_way(&mut tx, id).await?,
    };
    // A hold on a person may have come to keep something since.
    if !holds.is_empty() && request.resumes_as.is_none() {
        request.resumes_as = Some(std::mem::replace(&mut request.state, DeletionState::Blocked));
    }
    let more = request.touches.values().sum::<u64>().saturating_sub(items.len() as u64);
    Ok((request, Preview { items, more, copies, holds }))
}

/// All that is on a request's list, page by page: what goes, or the copies that stay.
pub async fn items<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    id: DeletionId,
    taken: bool,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Touched>, Problem> {
    let mut tx = app.db().read(scope).await?;
    store::deletion::find(&mut tx, id).await?;
    store::deletion::touched(&mut tx, id, taken, limit, cursor).await
}

/// Holds come and go: whether a request may go on is looked at anew, and said in the trail.
async fn weigh_holds(tx: &mut Tx<Write>, request: &mut DeletionRequest) -> Result<Option<Audit>, Problem> {
    let held = !store::deletion::in_the_way(tx, request.id).await?.is_empty();
    let audit = AuditId::new();
    match (request.state, held) {
        (DeletionState::Pending | DeletionState::Approved, true) => {
            store::deletion::block(tx, request, audit).await?;
            request.resumes_as = Some(std::mem::replace(&mut request.state, DeletionState::Blocked));
            Ok(Some(Audit::deletion(audit, "deletion.blocked", request.id)))
        }
        (DeletionState::Blocked, false) => {
            store::deletion::unblock(tx, request, audit).await?;
            request.state = request.resumes_as.take().unwrap_or(DeletionState::Pending);
            Ok(Some(Audit::deletion(audit, "deletion.unblocked", request.id)))
        }
        _ => Ok(None),
    }
}
