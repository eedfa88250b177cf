//! Stores, and the memories in them as files: what other tools call a memory is one of ours, with all that belongs to it.

pub mod contents;
mod deletion;
pub mod files;
pub mod versions;

pub use deletion::{delete, restore};

use super::safety;
use crate::{
    App,
    audit::{Audit, Trail},
    model::{
        StoreId, clock,
        page::{Limit, Page},
        stores::{NewStore, Store, StoreChange, StoreFilter},
    },
    problem::Problem,
    store::{self, CanWrite, Permission, Scope, Tx, Write},
};

/// Make a store.
pub async fn create<P: CanWrite>(app: &App, scope: &Scope<P>, new: NewStore) -> Result<Store, Problem> {
    let (new, found) = safety::admit_store(app, scope, new).await?;
    let mut tx = app.db().write(scope).await?;
    super::erased::refuse(app, &mut tx, &new.description).await?;
    let now = clock::now();
    let store = Store {
        id: StoreId::new(),
        name: new.name,
        description: new.description,
        metadata: new.metadata,
        project: scope.project().map(|project| project.as_str().to_owned()),
        created_at: now,
        updated_at: now,
        archived_at: None,
        deleted_at: None,
    };
    store::stores::insert(&mut tx, &store).await?;
    tx.commit(entries("store.created", store.id, &found)).await?;
    Ok(store)
}

/// The stores of a workspace, newest first; the default one is the oldest.
pub async fn list<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    filter: StoreFilter,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Store>, Problem> {
    store::stores::list(&mut app.db().read(scope).await?, filter, limit, cursor).await
}

/// One that is there.
pub async fn find<P: Permission>(app: &App, scope: &Scope<P>, id: StoreId) -> Result<Store, Problem> {
    there(store::stores::find(&mut app.db().read(scope).await?, id).await?)
}

/// What a store is called that is not the default one, whether it is still there or not.
pub async fn name_beside_main<P: Permission>(app: &App, scope: &Scope<P>, id: StoreId) -> Result<Option<String>, Problem> {
    if id == scope.main_store() {
        return Ok(None);
    }
    match store::stores::find(&mut app.db().read(scope).await?, id).await {
        Ok(store) => Ok(Some(store.name)),
        Err(Problem::NotFound) => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Change what a store is called and what is kept beside it.
pub async fn update<P: CanWrite>(app: &App, scope: &Scope<P>, id: StoreId, change: StoreChange) -> Result<Store, Problem> {
    let (change, found) = safety::admit_store_change(app, scope, change).await?;
    let mut tx = app.db().write(scope).await?;
    let store = hold(&mut tx, scope, id).await?;
    if store.archived_at.is_some() {
        return Err(closed());
    }
    if change.name.as_ref().is_some_and(|name| *name != store.name) {
        not_the_default(scope, id, "renamed")?;
    }
    super::erased::refuse(app, &mut tx, change.description.as_deref().unwrap_or_default()).await?;
    let Some(mut next) = change.apply_to(&store)? else {
        tx.leave_as_is([]).await?;
        return Ok(store);
    };
    next.updated_at = clock::now();
    store::stores::update(&mut tx, &next).await?;
    tx.commit(entries("store.changed", id, &found)).await?;
    Ok(next)
}

/// Close a store for good: what lies in it can be read and put away, and nothing comes in any more.
pub async fn archive<P: CanWrite>(app: &App, scope: &Scope<P>, id: StoreId) -> Result<Store, Problem> {
    not_the_default(scope, id, "archived")?;
    let mut tx = app.db().write(scope).await?;
    let store = hold(&mut tx, scope, id).await?;
    if store.archived_at.is_some() {
        tx.leave_as_is([]).await?;
        return Ok(store);
    }
    let now = clock::now();
    let next = Store { archived_at: Some(now), updated_at: now, ..store };
    store::stores::update(&mut tx, &next).await?;
    tx.commit(Audit::store("store.archived", id)).await?;
    Ok(next)
}

/// One that is not deleted, held, if it is the caller's to change.
async fn hold<P>(tx: &mut Tx<Write>, scope: &Scope<P>, id: StoreId) -> Result<Store, Problem> {
    let store = there(store::stores::find_to_change(tx, id).await?)?;
    may_change(scope, &store)?;
    Ok(store)
}

fn may_change<P>(scope: &Scope<P>, store: &Store) -> Result<(), Problem> {
    match scope.project() {
        Some(wall) if store.project.as_deref() != Some(wall.as_str()) => Err(Problem::forbidden(format!(
            "Your key is limited to the project {}; this store belongs to the whole workspace.",
            wall.as_str()
        ))),
        _ => Ok(()),
    }
}

fn there(store: Store) -> Result<Store, Problem> {
    if store.deleted_at.is_some() { Err(Problem::NotFound) } else { Ok(store) }
}

fn not_the_default<P>(scope: &Scope<P>, id: StoreId, what: &str) -> Result<(), Problem> {
    if id == scope.main_store() {
        return Err(Problem::conflict("default_store", format!("The default store is the workspace's own and cannot be {what}.")));
    }
    Ok(())
}

pub(super) fn closed() -> Problem {
    Problem::conflict("store_archived", "This store is archived: its memories can be read and deleted, and nothing in it can be written.")
}

fn entries(action: &'static str, id: StoreId, found: &[safety::Found]) -> Trail {
    let redacted = (!found.is_empty()).then(|| Audit::secrets("secrets.redacted", Some(("store", id.0)), found));
    std::iter::once(Audit::store(action, id)).chain(redacted).collect()
}
