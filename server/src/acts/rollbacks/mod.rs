//! Taking back what was learned: the selected writes are undone by new versions, and what others built on them is left.

mod apply;
mod weigh;

use super::{Tries, conflicts::Since, to_the_end::to_the_end};
use crate::{
    App,
    audit::{Audit, Trail},
    model::{
        AuditId, MemoryId, RollbackId, Run, clock,
        page::{Limit, Page},
        rollbacks::{Counts, Item, Outcome, Rollback, Selector, ShownItem},
    },
    problem::Problem,
    store::{self, Permission, Reviewing, Scope, Tx, rollbacks::Moved},
};

/// Of each outcome, so many memories are shown in an answer; all of them can be listed afterwards.
pub const MOST_SHOWN: usize = 1000;

/// What was done, or would be.
pub struct Undone {
    /// None of a dry run.
    pub rollback: Option<Rollback>,
    pub selector: Selector,
    pub counts: Counts,
    pub items: Vec<ShownItem>,
}

/// What a rollback would do now.
pub async fn preview(app: &App, scope: &Scope<Reviewing>, selector: Selector) -> Result<Undone, Problem> {
    let mut tx = app.db().read(scope).await?;
    let chosen = store::rollbacks::choose(&mut tx, &selector).await?;
    let plan = weigh::plan(app, scope, &mut tx, &chosen).await?;
    let items = plan.items();
    let shown = store::rollbacks::name(&mut tx, &most(&items)).await?;
    Ok(Undone { rollback: None, selector, counts: Counts::of(&items), items: shown })
}

/// Undo the selected writes. What somebody built on is left, and said.
pub async fn roll_back(app: &App, scope: &Scope<Reviewing>, selector: Selector) -> Result<Undone, Problem> {
    app.db().unless_answered(scope).await?;
    let (here, by) = (app.clone(), scope.clone());
    to_the_end(scope, async move { Box::pin(try_to(&here, &by, selector)).await }).await
}

async fn try_to(app: &App, scope: &Scope<Reviewing>, selector: Selector) -> Result<Undone, Problem> {
    let mut tries = Tries::default();
    loop {
        let done = attempt(app, scope, selector.clone()).await;
        if !tries.again(&done) {
            return done;
        }
    }
}

async fn attempt(app: &App, scope: &Scope<Reviewing>, selector: Selector) -> Result<Undone, Problem> {
    let id = RollbackId::new();
    let scope = &scope.in_run(Run::Rollback(id));
    let mut tx = app.db().write(scope).await?;
    let chosen = store::rollbacks::choose(&mut tx, &selector).await?;
    store::rollbacks::hold(&mut tx, &chosen).await?;
    let since = Since::within(&mut tx).await?;
    let plan = weigh::plan(app, scope, &mut tx, &chosen).await?;
    weigh::unless_decided_meanwhile(&mut tx, &since, &plan).await?;
    let items = plan.items();
    let mut trail = apply::apply(&mut tx, scope, id, &plan).await?;
    let at = clock::now();
    let followed = follow(&mut tx, scope, id, &selector, &items, at).await?;
    let withdrawn = followed.iter().filter(|audit| audit.action == "proposal.withdrawn").count();
    let counts = Counts { withdrawn: i32::try_from(withdrawn).unwrap_or(i32::MAX), ..Counts::of(&items) };
    trail.extend(followed);
    let audit = AuditId::new();
    let rollback = Rollback { id, selector: selector.clone(), counts, at, by: scope.actor().clone() };
    store::rollbacks::insert(&mut tx, &rollback, &items, scope.project(), audit).await?;
    trail.push(Audit::rollback(audit, id, counts));
    // Before the commit: with an idempotency key that waits for the answer.
    let shown = store::rollbacks::name(&mut tx, &most(&items)).await?;
    tx.shows(shown.iter().map(|shown| shown.item.memory_id));
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok(Undone { rollback: Some(rollback), selector, counts, items: shown })
}

/// Proposals go where their memories went, and with a dream that is taken back whole.
async fn follow(
    tx: &mut Tx<store::Write>,
    scope: &Scope<Reviewing>,
    id: RollbackId,
    selector: &Selector,
    items: &[Item],
    at: time::OffsetDateTime,
) -> Result<Vec<Audit>, Problem> {
    use crate::model::proposals::ProposalState;
    let of = |wanted: fn(Outcome) -> bool| {
        items.iter().filter(|item| wanted(item.outcome)).map(|item| item.memory_id).collect::<Vec<MemoryId>>()
    };
    let whole = *selector == Selector { dream_id: selector.dream_id, rollback_id: selector.rollback_id, ..Selector::default() };
    let moved = Moved {
        away: of(|outcome| outcome == Outcome::Archived),
        back: of(|outcome| matches!(outcome, Outcome::Restored | Outcome::Unwound)),
        dream: selector.dream_id.filter(|_| whole),
        rollback: selector.rollback_id.filter(|_| whole),
    };
    let followed = store::rollbacks::take_proposals_along(tx, id, &moved, scope.actor(), at).await?;
    let entry = |one: store::rollbacks::Followed| {
        let action = match one.state {
            ProposalState::Rejected => "proposal.withdrawn",
            ProposalState::Open => "proposal.reopened",
            ProposalState::Approved => "proposal.approved",
        };
        Audit::proposal_rolled_back(one.audit_id, action, one.id, one.memory_id, id)
    };
    Ok(followed.into_iter().map(entry).collect())
}

pub async fn list<P: Permission>(app: &App, scope: &Scope<P>, limit: Limit, cursor: Option<&str>) -> Result<Page<Rollback>, Problem> {
    store::rollbacks::list(&mut app.db().read(scope).await?, limit, cursor).await
}

/// A rollback that was done, with the first memories of each outcome.
pub async fn find<P: Permission>(app: &App, scope: &Scope<P>, id: RollbackId) -> Result<Undone, Problem> {
    let mut tx = app.db().read(scope).await?;
    let rollback = store::rollbacks::find(&mut tx, id).await?;
    let mut items = Vec::new();
    for outcome in Outcome::ALL {
        let mut cursor = None;
        for _ in 0..MOST_SHOWN / 200 {
            let page = store::rollbacks::items(&mut tx, id, Some(*outcome), Limit::parse(Some(200))?, cursor.as_deref()).await?;
            items.extend(page.data);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
    }
    Ok(Undone { selector: rollback.selector.clone(), counts: rollback.counts, items, rollback: Some(rollback) })
}

/// All the memories of a rollback that was done, page by page.
pub async fn items<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    id: RollbackId,
    outcome: Option<Outcome>,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<ShownItem>, Problem> {
    let mut tx = app.db().read(scope).await?;
    store::rollbacks::find(&mut tx, id).await?;
    store::rollbacks::items(&mut tx, id, outcome, limit, cursor).await
}

fn most(items: &[Item]) -> Vec<Item> {
    Outcome::ALL.iter().flat_map(|outcome| items.iter().filter(|item| item.outcome == *outcome).take(MOST_SHOWN)).cloned().collect()
}
