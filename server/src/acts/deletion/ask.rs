//! Asking: what is named or described becomes a list, and the list is frozen.

use super::weigh_holds;
use crate::{
    App,
    acts::{
        access::for_the_whole,
        memories,
        safety::{self, Found},
        to_the_end::to_the_end,
    },
    audit::{Audit, Trail},
    model::{
        AuditId, DeletionId, clock,
        deletion::{DeletionRequest, DeletionState, Item, Selectors},
    },
    problem::Problem,
    store::{self, CanWrite, Scope, Tx, Write},
};
use std::collections::BTreeMap;
use tokio::sync::Semaphore;

/// So many search a server's workspaces at a time: each reads all that was ever written in one.
static SEARCHES: Semaphore = Semaphore::const_new(2);

/// Ask that something be erased. Nothing happens to it before another person agrees.
pub async fn ask<P: CanWrite>(app: &App, scope: &Scope<P>, asked: Selectors, reason: String) -> Result<DeletionRequest, Problem> {
    let (reason, found) = safety::admit_text(app, scope, "reason", reason).await?;
    // Whoever gives up while waiting for a turn has asked for nothing; whose search has begun has.
    let turn = SEARCHES.acquire().await.map_err(Problem::internal)?;
    let (here, by) = (app.clone(), scope.clone());
    to_the_end(scope, async move {
        let asked = Box::pin(search(&here, &by, asked, (reason, found))).await;
        drop(turn);
        asked
    })
    .await
}

async fn search<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    asked: Selectors,
    (reason, found): (String, Vec<Found>),
) -> Result<DeletionRequest, Problem> {
    let mut tx = app.db().write(scope).await?;
    store::deletion::take_time(&mut tx).await?;
    may_ask(&mut tx, scope, &asked).await?;
    let items = resolved(&mut tx, &asked).await?;
    if !items.iter().any(|item| item.taken) {
        let field = if asked.subject.is_some() { "subject" } else { "query" };
        return Err(Problem::invalid(field, "fits nothing here; search the memories to see how it is written"));
    }
    let mut request = draft(scope, asked, reason);
    let audit = AuditId::new();
    store::deletion::insert(&mut tx, &request, audit).await?;
    store::deletion::put(&mut tx, request.id, &items).await?;
    let blocked = weigh_holds(&mut tx, &mut request).await?;
    count(&mut request, &items);
    let redacted = (!found.is_empty()).then(|| Audit::secrets("secrets.redacted", Some(("deletion_request", request.id.0)), &found));
    let first = Audit::deletion(audit, "deletion.asked", request.id);
    tx.commit([first].into_iter().chain(redacted).chain(blocked).collect::<Trail>()).await?;
    Ok(request)
}

/// What is named has to be there, and to be the asker's to change.
async fn may_ask<P: CanWrite>(tx: &mut Tx<Write>, scope: &Scope<P>, asked: &Selectors) -> Result<(), Problem> {
    for (index, id) in asked.memory_ids.iter().enumerate() {
        match store::memories::find(tx, *id).await {
            Err(Problem::NotFound) => return Err(Problem::invalid(format!("memory_ids[{index}]"), "there is no such memory")),
            found => memories::may_change(scope, &found?)?,
        }
    }
    for (index, id) in asked.session_ids.iter().enumerate() {
        match store::sessions::find(tx, *id).await {
            Err(Problem::NotFound) => return Err(Problem::invalid(format!("session_ids[{index}]"), "there is no such session")),
            found => found.map(drop)?,
        }
    }
    if asked.subject.is_some() || asked.query.is_some() || !asked.session_ids.is_empty() {
        for_the_whole(scope)?;
    }
    Ok(())
}

/// Everything that fits, what was made from it alone, and what says the same.
async fn resolved(tx: &mut Tx<Write>, asked: &Selectors) -> Result<Vec<Item>, Problem> {
    let wanted = store::deletion::wanted(tx, asked.subject.as_deref(), asked.query.as_deref()).await?;
    wanted.one_person()?;
    let mut items = store::deletion::select(tx, asked, &wanted).await?;
    items.extend(store::deletion::derived(tx, &items, asked.include_copies).await?);
    items.extend(store::deletion::copies(tx, &items, asked.include_copies).await?);
    Ok(items)
}

pub(super) fn draft<P>(scope: &Scope<P>, asked: Selectors, reason: String) -> DeletionRequest {
    DeletionRequest {
        id: DeletionId::new(),
        state: DeletionState::Pending,
        resumes_as: None,
        reason: Some(reason),
        asked,
        touches: BTreeMap::new(),
        copies: 0,
        asked_at: clock::now(),
        asked_by: scope.actor().clone(),
        asked_for: scope.answers_for(),
        decided_at: None,
        decided_by: None,
        executed_at: None,
        executed_by: None,
        alone: false,
        rule: None,
        counts: None,
    }
}

fn count(request: &mut DeletionRequest, items: &[Item]) {
    for item in items {
        if item.taken {
            *request.touches.entry(item.kind.word().to_owned()).or_default() += 1;
        } else {
            request.copies += 1;
        }
    }
}
