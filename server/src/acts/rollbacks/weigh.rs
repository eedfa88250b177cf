//! What a rollback may do: each memory's history, then everything that might stand in its way.

use crate::{
    App,
    acts::conflicts::{self, Since},
    engines::rollback::Plan,
    model::{Memory, MemoryId, Project, State, StoreId, rollbacks::Reason},
    problem::Problem,
    store::{self, Reviewing, Scope, Tx, Write, rollbacks::Chosen},
};
use std::collections::{HashMap, HashSet};
use time::OffsetDateTime;

/// Texts that are looked through at a time.
const SOME: usize = 1000;

pub(super) async fn plan<M>(app: &App, scope: &Scope<Reviewing>, tx: &mut Tx<M>, chosen: &Chosen) -> Result<Plan, Problem> {
    let threads = store::rollbacks::threads(tx, chosen).await?;
    let mut plan = Plan::new(threads, scope.project().map(Project::as_str));
    let named = plan.named();
    plan.know(store::rollbacks::standing_of(tx, &named).await?);
    let followed = store::rollbacks::followed(tx, &plan.hiding()).await?;
    plan.keep_in_sight(&followed);
    let closed = store::stores::closed(tx).await?;
    for (id, _) in plan.needing_paths().into_iter().filter(|(_, then)| closed.contains(&then.store)) {
        plan.leave(id, Reason::StoreClosed, None);
    }
    leave_erased(app, tx, &mut plan, &closed).await?;
    let blockers = store::rollbacks::in_the_way(tx, &plan.needing_paths()).await?;
    plan.blocked_by(blockers);
    plan.settle();
    leave_contradicting(app, scope, tx, &mut plan).await?;
    leave_over_quota(scope, tx, &mut plan).await?;
    Ok(plan)
}

/// What was erased does not come back through any door, nor anything into a store that takes nothing.
async fn leave_erased<M>(app: &App, tx: &mut Tx<M>, plan: &mut Plan, closed: &HashSet<StoreId>) -> Result<(), Problem> {
    for some in plan.returning().chunks(SOME) {
        let memories = store::memories::find_versions(tx, some).await?;
        for memory in memories.iter().filter(|memory| closed.contains(&memory.store_id)) {
            plan.leave(memory.id, Reason::StoreClosed, None);
        }
        let macs: Vec<Vec<u8>> = memories.iter().map(|memory| app.keyring().erasure_mac(&memory.content).to_vec()).collect();
        let erased: HashSet<Vec<u8>> = store::deletion::erased_among(tx, &macs).await?.into_iter().collect();
        for (memory, _) in memories.iter().zip(&macs).filter(|(_, mac)| erased.contains(*mac)) {
            plan.leave(memory.id, Reason::ContentErased, None);
        }
    }
    Ok(())
}

/// A decision that would be active again must contradict none that was made since it was put aside; beside the others it has stood
/// before.
async fn leave_contradicting<M>(app: &App, scope: &Scope<Reviewing>, tx: &mut Tx<M>, plan: &mut Plan) -> Result<(), Problem> {
    let returning = plan.returning_decisions();
    let decisions: Vec<Memory> = store::memories::find_versions(tx, &returning).await?;
    let ids: Vec<MemoryId> = returning.into_iter().map(|(id, _)| id).collect();
    let now = store::memories::find_some(tx, &ids).await?;
    let put_aside: HashMap<MemoryId, OffsetDateTime> = now.into_iter().map(|memory| (memory.id, memory.updated_at)).collect();
    let Some(first) = put_aside.values().min() else { return Ok(()) };
    if !store::memories::decided_since(tx, *first, &plan.moving()).await? {
        return Ok(());
    }
    for decision in decisions {
        let active = Memory { state: State::Active, ..decision };
        let made_since = |other: &Memory| put_aside.get(&active.id).is_none_or(|then| other.updated_at > *then);
        let against = conflicts::against(app, scope, &active).await?;
        if let Some((other, _)) = against.into_iter().find(|(other, _)| plan.stays_active(other.id) && made_since(other)) {
            plan.leave(active.id, Reason::DecisionConflict, Some(other.id));
        }
    }
    plan.settle();
    Ok(())
}

/// Before it is done: where a decision was made meanwhile that one which comes back contradicts, all is weighed anew.
pub(super) async fn unless_decided_meanwhile(tx: &mut Tx<Write>, since: &Since, plan: &Plan) -> Result<(), Problem> {
    for decision in store::memories::find_versions(tx, &plan.returning_decisions()).await? {
        let against = since.against(tx, &decision).await?;
        if against.iter().any(|(other, _)| plan.stays_active(other.id)) {
            return Err(Problem::LostRace);
        }
    }
    Ok(())
}

/// Of what comes back, the newest stay where they are when there is no room for all.
async fn leave_over_quota<M>(scope: &Scope<Reviewing>, tx: &mut Tx<M>, plan: &mut Plan) -> Result<(), Problem> {
    let Some(quota) = scope.settings().quota_memories.map(i64::from) else { return Ok(()) };
    loop {
        let (growth, coming) = plan.growth();
        let there = store::workspaces::count_memories(tx, quota.saturating_add(growth.abs()).saturating_add(1)).await?;
        let over = usize::try_from(there + growth - quota).unwrap_or(0);
        if growth <= 0 || over == 0 || coming.is_empty() {
            return Ok(());
        }
        for id in coming.into_iter().take(over) {
            plan.leave(id, Reason::QuotaExceeded, None);
        }
        plan.settle();
    }
}
