//! The versions of a store's memories: they stay when a memory goes, and a reviewer may empty one that is not what is known now.

use super::there;
use crate::{
    App,
    acts::memories::find_to_revise,
    audit::Audit,
    model::{
        AuditId, MemoryId, State, StoreId,
        deletion::{Item, ItemKind, Why},
        page::{Limit, Page},
        stores::{VersionFilter, VersionInStore},
    },
    problem::Problem,
    store::{self, Permission, Reviewing, Scope, deletion::Keeping},
};

/// Newest first, with their texts or without.
pub async fn list<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    store: StoreId,
    filter: &VersionFilter,
    full: bool,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<VersionInStore>, Problem> {
    let mut tx = app.db().read(scope).await?;
    there(store::stores::find(&mut tx, store).await?)?;
    store::stores::list_versions(&mut tx, store, filter, full, limit, cursor).await
}

pub async fn find<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    store: StoreId,
    (memory, version): (MemoryId, i32),
    full: bool,
) -> Result<VersionInStore, Problem> {
    let mut tx = app.db().read(scope).await?;
    there(store::stores::find(&mut tx, store).await?)?;
    store::stores::find_version(&mut tx, store, memory, version, full).await
}

/// Empty a version: who wrote it and when stays. What is known now is not emptied but changed or erased, and nothing that a hold keeps.
pub async fn redact(
    app: &App,
    scope: &Scope<Reviewing>,
    store: StoreId,
    (id, version): (MemoryId, i32),
) -> Result<VersionInStore, Problem> {
    let mut tx = app.db().write(scope).await?;
    store::deletion::holds::lock(&mut tx).await?;
    there(store::stores::find(&mut tx, store).await?)?;
    let before = store::stores::find_version(&mut tx, store, id, version, false).await?;
    let memory = find_to_revise(&mut tx, scope, id).await?;
    if before.redacted_at.is_some() {
        tx.leave_as_is([id]).await?;
        return Ok(before);
    }
    if memory.version == version && matches!(memory.state, State::Active | State::Proposed) {
        return Err(Problem::conflict(
            "current_version",
            "This version is what the memory says now. Update or delete the memory first, then redact the version; or ask for its deletion.",
        ));
    }
    let item = Item { kind: ItemKind::Memory, id: id.0, part: 0, owner: memory.owner.map(|owner| owner.0), why: Why::Named, taken: true };
    if !Keeping::of(&mut tx).await?.kept(&mut tx, &[item]).await?.is_empty() {
        return Err(Problem::conflict("held", "A legal hold keeps this memory, and so all of its versions. Nothing was redacted."));
    }
    let audit = AuditId::new();
    store::stores::redact(&mut tx, &memory, version, scope.actor(), audit).await?;
    let after = store::stores::find_version(&mut tx, store, id, version, false).await?;
    tx.commit(Audit::redacted(audit, id, version)).await?;
    Ok(after)
}
