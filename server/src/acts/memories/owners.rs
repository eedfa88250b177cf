//! Whose a memory is, who may take it from everybody else's sight, and what may take its place.

use super::remember::owner_of;
use crate::{
    model::{ActorKind, AgentId, Kind, Memory, NewMemory, PersonId, Visibility},
    problem::Problem,
    store::{self, Scope, Tx, Write},
};

/// Whose it is after a change of who sees it.
pub(in crate::acts) async fn after<P>(
    tx: &mut Tx<Write>,
    scope: &Scope<P>,
    before: &Memory,
    visibility: Visibility,
) -> Result<Option<PersonId>, Problem> {
    if visibility == before.visibility {
        return Ok(before.owner);
    }
    let owner = owner_of(scope, visibility)?;
    if visibility == Visibility::Private {
        may_hide(tx, scope, before).await?;
    }
    Ok(owner)
}

/// What everybody reads becomes private only by the person who wrote it, or whose agent did.
async fn may_hide<P>(tx: &mut Tx<Write>, scope: &Scope<P>, memory: &Memory) -> Result<(), Problem> {
    if memory.kind == Kind::Decision {
        return Err(Problem::conflict(
            "decision_immutable",
            "A decision holds for everybody who reads it, and cannot be taken from them; supersede it: POST …/supersede with the new one.",
        ));
    }
    let by = &memory.created_by;
    let person = match by.kind {
        ActorKind::Person => Some(PersonId(by.id)),
        ActorKind::Agent => store::agents::owner(tx, AgentId(by.id)).await?,
        ActorKind::System => None,
    };
    if person.is_none() || person != scope.person() {
        return Err(Problem::forbidden("Somebody else wrote this memory, and others read it: only its author can make it private."));
    }
    if stands_for_others(tx, memory).await? {
        return Err(Problem::conflict(
            "stands_for_others",
            "It took the place of a memory that others read, and they would be left with neither; archive it, or write a private one beside it.",
        ));
    }
    Ok(())
}

/// Whether it took the place of what others see. What it superseded and is not to be found may be behind a wall.
async fn stands_for_others(tx: &mut Tx<Write>, memory: &Memory) -> Result<bool, Problem> {
    if let Some(old) = memory.supersedes {
        match store::memories::find(tx, old).await {
            Ok(old) if !Visibility::Private.may_stand_for(old.visibility) => return Ok(true),
            // What was erased is read by nobody.
            Err(Problem::NotFound) if store::memories::is_there(tx, old).await? => return Ok(true),
            Ok(_) | Err(Problem::NotFound) => {}
            Err(problem) => return Err(problem),
        }
    }
    store::memories::stands_for_others(tx, memory.id).await
}

/// Who decided something decided it for all who read it: only another decision takes its place, and nothing that others
/// do not see takes the place of what they see.
pub(super) async fn may_succeed(tx: &mut Tx<Write>, new: &NewMemory) -> Result<(), Problem> {
    let Some(old) = new.supersedes.filter(|_| new.kind != Kind::Decision || new.visibility == Visibility::Private) else { return Ok(()) };
    let old = match store::memories::find(tx, old).await {
        // Told when its place is taken.
        Err(Problem::NotFound) => return Ok(()),
        found => found?,
    };
    if !new.kind.may_stand_for(old.kind) {
        return Err(Problem::invalid("kind", "must be decision: only a decision supersedes a decision"));
    }
    if !new.visibility.may_stand_for(old.visibility) {
        return Err(Problem::invalid("visibility", "must be workspace, as that of the memory to supersede is"));
    }
    Ok(())
}
