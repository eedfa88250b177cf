//! Writing what a rollback decided: some at a time, so that many thousands take neither long nor much room.

use crate::{
    acts::{code, memories::next_state},
    audit::Audit,
    engines::rollback::Plan,
    model::{Memory, MemoryId, RollbackId, State, memory::Operation},
    problem::Problem,
    store::{self, Reviewing, Scope, Tx, Write, memories::Step},
};
use std::collections::HashMap;

/// Memories that are read and written at a time.
const SOME: usize = 1000;

/// Writes a new version of each memory that moves, with the entries it commits with.
pub(super) async fn apply(tx: &mut Tx<Write>, scope: &Scope<Reviewing>, id: RollbackId, plan: &Plan) -> Result<Vec<Audit>, Problem> {
    let moves: Vec<(MemoryId, i32, i32)> = plan.moves().collect();
    let making_way = plan.making_way();
    if !making_way.is_empty() {
        store::rollbacks::make_way(tx, &making_way).await?;
    }
    // What goes away makes room for what comes back.
    let (away, back): (Vec<_>, Vec<_>) = moves.into_iter().partition(|(.., to)| *to == 0);
    let mut trail = Vec::with_capacity(away.len() + back.len());
    for some in away.chunks(SOME).chain(back.chunks(SOME)) {
        let mut steps = steps(tx, scope, some).await?;
        store::memories::advance_all(tx, &mut steps).await?;
        code::rejudge_moved(tx, &mut steps).await?;
        trail.extend(steps.iter().map(|step| Audit::rolled_back(&step.next, id)));
    }
    Ok(trail)
}

async fn steps(tx: &mut Tx<Write>, scope: &Scope<Reviewing>, some: &[(MemoryId, i32, i32)]) -> Result<Vec<Step>, Problem> {
    let now: Vec<(MemoryId, i32)> = some.iter().map(|(id, now, _)| (*id, *now)).collect();
    let then: Vec<(MemoryId, i32)> = some.iter().filter(|(.., to)| *to > 0).map(|(id, _, to)| (*id, *to)).collect();
    let mut befores = store::memories::find_versions(tx, &now).await?;
    code::recall_first_sight(tx, befores.iter_mut()).await?;
    let mut states: HashMap<MemoryId, Memory> =
        store::memories::find_versions(tx, &then).await?.into_iter().map(|memory| (memory.id, memory)).collect();
    if befores.len() != some.len() || states.len() != then.len() {
        return Err(Problem::LostRace);
    }
    let step = |(before, (.., to)): (Memory, &(MemoryId, i32, i32))| {
        let next = match states.remove(&before.id) {
            Some(old) => as_it_was(scope, &before, old),
            None => put_away(scope, &before),
        };
        Step { before, next, restores: Some(*to) }
    };
    Ok(befores.into_iter().zip(some).map(step).collect())
}

/// All that an old version said, as a new one.
fn as_it_was(scope: &Scope<Reviewing>, before: &Memory, old: Memory) -> Memory {
    let now = next_state(scope, before, Operation::Reverted);
    Memory {
        anchors: code::hung_as_before(&before.anchors, &old.anchors),
        version: now.version,
        operation: now.operation,
        reason: Some(format!("rolled back to version {}", old.version)),
        updated_at: now.updated_at,
        updated_by: now.updated_by,
        run_id: now.run_id,
        audit_id: now.audit_id,
        ..old
    }
}

/// It was not there before, and so took nobody's place.
fn put_away(scope: &Scope<Reviewing>, before: &Memory) -> Memory {
    Memory {
        state: State::Archived,
        supersedes: None,
        superseded_by: None,
        reason: Some("rolled back: it was not there before".to_owned()),
        ..next_state(scope, before, Operation::Archived)
    }
}
