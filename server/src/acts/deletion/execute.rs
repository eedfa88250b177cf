//! Executing: what was approved is erased, in one transaction, and there is no way back.

use super::{
    certificate::{self, Asked},
    decide::{four_eyes, must_be},
};
use crate::{
    App,
    acts::{Tries, access::for_the_whole, to_the_end::to_the_end},
    audit::{Audit, Trail},
    model::{
        Actor, AuditId, DeletionId, clock,
        deletion::{DeletionRequest, DeletionState, Hold, Item},
    },
    problem::{Conflict, Problem},
    store::{
        self, Reviewing, Scope, Tx, Write,
        deletion::{Closing, Erased},
    },
};
use serde_json::{Map, json};
use std::collections::HashSet;

/// A request that was executed, and how much fits its words by now without having been on its list.
pub struct Executed {
    pub request: DeletionRequest,
    pub matched_since: u64,
}

/// Erase what was approved, to the end, whether or not whoever asked still waits. A hold that came meanwhile stops it.
pub async fn execute(app: &App, scope: &Scope<Reviewing>, id: DeletionId) -> Result<Executed, Problem> {
    for_the_whole(scope)?;
    let (here, by) = (app.clone(), scope.clone());
    to_the_end(scope, async move {
        let mut tries = Tries::default();
        loop {
            let done = Box::pin(erase(&here, &by, id)).await;
            if !tries.again(&done) {
                return done;
            }
        }
    })
    .await
}

async fn erase(app: &App, scope: &Scope<Reviewing>, id: DeletionId) -> Result<Executed, Problem> {
    let mut tx = app.db().write(scope).await?;
    store::deletion::take_time(&mut tx).await?;
    store::deletion::holds::lock(&mut tx).await?;
    let mut request = store::deletion::find_to_change(&mut tx, id).await?;
    let by = scope.as_person("execute a deletion request")?;
    must_be(&request, request.resumes_as.unwrap_or(request.state) == DeletionState::Approved, "approved")?;
    request.alone |= four_eyes(&mut tx, &request, by, "execute").await?;
    take_along(&mut tx, id).await?;
    let holds = store::deletion::in_the_way(&mut tx, id).await?;
    if !holds.is_empty() {
        return Err(held(&holds));
    }
    let matched_since = matched_since(&mut tx, &request).await?;
    let request = carry_out(app, tx, request, scope.actor(), matched_since, None).await?;
    super::journal::keep(app, &scope.to_write()?).await;
    Ok(Executed { request, matched_since })
}

/// What was made since the request was asked, from what it lists alone, goes with it: a digest of an erased text is that text.
async fn take_along(tx: &mut Tx<Write>, id: DeletionId) -> Result<(), Problem> {
    let items = store::deletion::items(tx, id).await?;
    let mut made = store::deletion::derived(tx, &items, false).await?;
    made.retain(|item| item.taken);
    store::deletion::put(tx, id, &made).await
}

fn held(holds: &[Hold]) -> Problem {
    let ids: Vec<_> = holds.iter().map(|hold| hold.id).collect();
    let detail =
        "A legal hold keeps some of what this request would erase. Nothing was erased; when the hold is released, execute it again.";
    let more = Map::from_iter([("hold_ids".to_owned(), json!(ids))]);
    Problem::Conflict(Box::new(Conflict { code: "held", detail: detail.into(), more }))
}

/// What fits a person or words by now and was not on the list when it was frozen: it needs a request of its own.
async fn matched_since(tx: &mut Tx<Write>, request: &DeletionRequest) -> Result<u64, Problem> {
    let asked = &request.asked;
    if asked.subject.is_none() && asked.query.is_none() {
        return Ok(0);
    }
    let wanted = store::deletion::wanted(tx, asked.subject.as_deref(), asked.query.as_deref()).await?;
    let known: HashSet<_> = store::deletion::items(tx, request.id).await?.iter().map(Item::place).collect();
    let now = store::deletion::select(tx, asked, &wanted).await?;
    Ok(now.iter().filter(|item| !known.contains(&item.place())).count() as u64)
}

/// The erasure and everything that says so, whoever decided it: a person or a retention rule.
pub(super) async fn carry_out(
    app: &App,
    mut tx: Tx<Write>,
    mut request: DeletionRequest,
    by: &Actor,
    matched_since: u64,
    first: Option<Audit>,
) -> Result<DeletionRequest, Problem> {
    let (id, audit, now) = (request.id, AuditId::new(), clock::now());
    let asked = Asked::of(&request, app.keyring());
    store::deletion::close(&mut tx, &request, &Closing { by, at: now, alone: request.alone }, app.keyring(), audit).await?;
    let erased = store::deletion::erase(&mut tx, id, app.keyring()).await?;
    request.state = DeletionState::Executed;
    (request.resumes_as, request.reason, request.asked.subject, request.asked.query) = (None, None, None, None);
    request.executed_at = Some(now);
    request.executed_by = Some(by.clone());
    request.counts = Some(erased.counts.clone());
    let items = store::deletion::items(&mut tx, id).await?;
    let note = certificate::sign(app, tx.workspace(), &request, asked, &items, matched_since)?;
    store::deletion::certify(&mut tx, id, &erased.counts, &note).await?;
    let last = Audit::deletion(audit, "deletion.executed", id);
    tx.commit(first.into_iter().chain(entries(id, &erased, last)).collect::<Trail>()).await?;
    Ok(request)
}

/// One entry for each memory and run that is gone, and one for the request.
pub(super) fn entries(id: DeletionId, erased: &Erased, last: Audit) -> Vec<Audit> {
    let memories = erased.memories.iter().map(|(memory, versions)| Audit::erased(id, *memory, *versions));
    let sessions = erased.sessions.iter().map(|session| Audit::session_erased(id, *session));
    memories.chain(sessions).chain([last]).collect()
}
