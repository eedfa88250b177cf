//! Deleting a store, and bringing one back. Deleting puts away, as it does everywhere: the store and all that lay in it are gone
//! for whoever comes through its door, holds and four eyes stand, and erasure is a deletion request like any other.

use super::{
    files::{SOME, within_reason, write},
    hold, may_change, not_the_default,
};
use crate::{
    App,
    acts::{
        conflicts,
        memories::{next_state, within_quota},
    },
    audit::{Audit, Trail},
    model::{Kind, Memory, MemoryId, PersonId, State, StoreId, clock, memory::Operation, stores::Store},
    problem::Problem,
    store::{self, CanWrite, Reviewing, Scope, Tx, Write, memories::Step},
};
use std::collections::{BTreeMap, HashSet};

/// Delete a store with everything in it, whosever it is. What was kept beside its name has no history, and goes for good.
pub async fn delete<P: CanWrite>(app: &App, scope: &Scope<P>, id: StoreId) -> Result<(), Problem> {
    not_the_default(scope, id, "deleted")?;
    let mut tx = app.db().write(scope).await?;
    let store = hold(&mut tx, scope, id).await?;
    let now = clock::now();
    let next = Store { description: String::new(), metadata: BTreeMap::new(), deleted_at: Some(now), updated_at: now, ..store };
    store::stores::update(&mut tx, &next).await?;
    store::deletion::forget_answers(&mut tx, &[id.0]).await?;
    let mut trail = vec![Audit::store("store.deleted", id)];
    for owner in everybody(&mut tx).await? {
        store::stores::stand_for(&mut tx, owner).await?;
        if let Some(wall) = scope.project()
            && store::stores::reaches_beyond(&mut tx, id, wall.as_str()).await?
        {
            return Err(Problem::forbidden(
                "This store holds memories that are outside of your key's project; it cannot be deleted with it.",
            ));
        }
        let ids = store::stores::all_of(&mut tx, id, owner).await?;
        within_reason(trail.len() + ids.len())?;
        let away = |before: Memory| {
            let reason = Some("its store was deleted".to_owned());
            let next = Memory { state: State::Archived, updated_at: now, reason, ..next_state(scope, &before, Operation::Archived) };
            Step { before, next, restores: None }
        };
        for some in ids.chunks(SOME) {
            let held = store::memories::find_some_to_change(&mut tx, some).await?;
            trail.extend(write(&mut tx, held.into_iter().map(away).collect()).await?);
        }
    }
    tx.commit(trail.into_iter().collect::<Trail>()).await
}

/// Bring a deleted store back, with what its deletion put away and may still be known.
pub async fn restore(app: &App, scope: &Scope<Reviewing>, id: StoreId) -> Result<(Store, usize), Problem> {
    let mut tx = app.db().write(scope).await?;
    let store = store::stores::find_to_change(&mut tx, id).await?;
    may_change(scope, &store)?;
    let Some(since) = store.deleted_at else {
        return Err(Problem::conflict("not_deleted", "This store is not deleted."));
    };
    let next = Store { deleted_at: None, updated_at: clock::now(), ..store };
    // What lies in an archived one comes back with it: it is opened for that long.
    store::stores::update(&mut tx, &Store { archived_at: None, ..next.clone() }).await?;
    let mut trail = vec![Audit::store("store.restored", id)];
    for owner in everybody(&mut tx).await? {
        store::stores::stand_for(&mut tx, owner).await?;
        let away = store::stores::put_away_since(&mut tx, id, owner, since).await?;
        if let Some(wall) = scope.project()
            && away.iter().any(|(_, project)| project.as_deref() != Some(wall.as_str()))
        {
            return Err(Problem::forbidden(
                "This store held memories that are outside of your key's project; it cannot be brought back with it.",
            ));
        }
        let ids: Vec<MemoryId> = away.into_iter().map(|(id, _)| id).collect();
        within_reason(trail.len() + ids.len())?;
        for some in ids.chunks(SOME) {
            let held = store::memories::find_some_to_change(&mut tx, some).await?;
            let steps = coming_back(app, scope, &mut tx, held).await?;
            within_quota(&mut tx, scope, steps.len()).await?;
            trail.extend(write(&mut tx, steps).await?);
        }
    }
    if next.archived_at.is_some() {
        store::stores::update(&mut tx, &next).await?;
    }
    let count = trail.len() - 1;
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok((next, count))
}

/// What was erased or redacted meanwhile does not come back, nor does a decision that contradicts one which is active by now.
async fn coming_back(app: &App, scope: &Scope<Reviewing>, tx: &mut Tx<Write>, held: Vec<Memory>) -> Result<Vec<Step>, Problem> {
    let macs: Vec<Vec<u8>> = held.iter().map(|memory| app.keyring().erasure_mac(&memory.content).to_vec()).collect();
    let erased: HashSet<Vec<u8>> = store::deletion::erased_among(tx, &macs).await?.into_iter().collect();
    let mut steps = Vec::with_capacity(held.len());
    for (before, mac) in held.into_iter().zip(&macs) {
        if before.version < 2 || erased.contains(mac) || before.is_redacted() {
            continue;
        }
        let mut was = store::memories::find_version(tx, before.id, before.version - 1).await?.state;
        if matches!(was, State::Archived | State::Proposed) {
            if store::proposals::is_waiting(tx, before.id).await? {
                was = State::Proposed;
            } else if was == State::Archived || store::proposals::was_rejected(tx, before.id).await? {
                // It was put away for another reason, or rejected since.
                continue;
            }
        }
        let next = Memory { state: was, ..next_state(scope, &before, Operation::Restored) };
        let clashes = next.kind == Kind::Decision && was == State::Active && conflicts::stands(app, scope, tx, &next).await.is_err();
        if !clashes {
            steps.push(Step { before, next, restores: None });
        }
    }
    Ok(steps)
}

/// Nobody's, and each member's own.
async fn everybody(tx: &mut Tx<Write>) -> Result<Vec<Option<PersonId>>, Problem> {
    let owners = store::stores::owners(tx).await?;
    Ok(std::iter::once(None).chain(owners.into_iter().map(Some)).collect())
}
