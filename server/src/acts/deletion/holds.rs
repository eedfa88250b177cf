//! Legal holds: what they keep is not erased while they stand. The one thing that auditors write.

use super::weigh_holds;
use crate::{
    App,
    acts::{
        access::for_the_whole,
        safety::{self, Found},
        to_the_end::to_the_end,
    },
    audit::{Audit, Trail},
    model::{
        AuditId, HoldId, clock,
        deletion::{Hold, Selectors},
        page::{Limit, Page},
    },
    problem::Problem,
    store::{self, Auditing, Scope, Tx, Write},
};

/// Keep something from being erased. Whoever executes a deletion at this moment is waited for, or waits.
pub async fn hold(app: &App, scope: &Scope<Auditing>, asked: Selectors, reason: String) -> Result<Hold, Problem> {
    for_the_whole(scope)?;
    asked.subject.as_deref().map_or(Ok(()), |subject| safety::refuse_in("subject", subject))?;
    let admitted = safety::admit_text(app, scope, "reason", reason).await?;
    let (here, by) = (app.clone(), scope.clone());
    to_the_end(scope, async move { Box::pin(place(&here, &by, asked, admitted)).await }).await
}

async fn place(app: &App, scope: &Scope<Auditing>, asked: Selectors, (reason, found): (String, Vec<Found>)) -> Result<Hold, Problem> {
    let mut tx = app.db().write_holds(scope).await?;
    store::deletion::take_time(&mut tx).await?;
    store::deletion::holds::lock(&mut tx).await?;
    for (index, id) in asked.memory_ids.iter().enumerate() {
        let found = store::memories::find(&mut tx, *id).await.map(drop);
        there(found, "memory_ids", index, "memory")?;
    }
    for (index, id) in asked.session_ids.iter().enumerate() {
        let found = store::sessions::find(&mut tx, *id).await.map(drop);
        there(found, "session_ids", index, "session")?;
    }
    let (people, names) = store::deletion::holds::meant(&mut tx, asked.subject.as_deref()).await?;
    let hold = Hold {
        id: HoldId::new(),
        memory_ids: asked.memory_ids,
        session_ids: asked.session_ids,
        subject: asked.subject,
        people,
        names,
        reason,
        placed_at: clock::now(),
        placed_by: scope.actor().clone(),
    };
    let audit = AuditId::new();
    store::deletion::holds::insert(&mut tx, &hold, audit).await?;
    let redacted = (!found.is_empty()).then(|| Audit::secrets("secrets.redacted", Some(("hold", hold.id.0)), &found));
    let trail = weigh_all(&mut tx, [Audit::hold(audit, "hold.placed", hold.id)].into_iter().chain(redacted)).await?;
    tx.commit(trail).await?;
    Ok(hold)
}

fn there(found: Result<(), Problem>, field: &str, index: usize, what: &str) -> Result<(), Problem> {
    match found {
        Err(Problem::NotFound) => Err(Problem::invalid(format!("{field}[{index}]"), format!("there is no such {what}"))),
        found => found,
    }
}

/// Let it go: what it stopped may be executed again.
pub async fn release(app: &App, scope: &Scope<Auditing>, id: HoldId) -> Result<(), Problem> {
    for_the_whole(scope)?;
    let (here, by) = (app.clone(), scope.clone());
    to_the_end(scope, async move { Box::pin(lift(&here, &by, id)).await }).await
}

async fn lift(app: &App, scope: &Scope<Auditing>, id: HoldId) -> Result<(), Problem> {
    let mut tx = app.db().write_holds(scope).await?;
    store::deletion::take_time(&mut tx).await?;
    store::deletion::holds::lock(&mut tx).await?;
    store::deletion::holds::delete(&mut tx, id).await?;
    let trail = weigh_all(&mut tx, [Audit::hold(AuditId::new(), "hold.released", id)]).await?;
    tx.commit(trail).await
}

/// Every request that is open, looked at anew.
async fn weigh_all(tx: &mut Tx<Write>, first: impl IntoIterator<Item = Audit>) -> Result<Trail, Problem> {
    let mut entries: Vec<Audit> = first.into_iter().collect();
    for mut request in store::deletion::open_ones(tx).await? {
        entries.extend(weigh_holds(tx, &mut request).await?);
    }
    Ok(entries.into_iter().collect())
}

pub async fn list_holds(app: &App, scope: &Scope<Auditing>, limit: Limit, cursor: Option<&str>) -> Result<Page<Hold>, Problem> {
    for_the_whole(scope)?;
    store::deletion::holds::list(&mut app.db().read(scope).await?, limit, cursor).await
}

pub async fn find_hold(app: &App, scope: &Scope<Auditing>, id: HoldId) -> Result<Hold, Problem> {
    for_the_whole(scope)?;
    store::deletion::holds::find(&mut app.db().read(scope).await?, id).await
}
