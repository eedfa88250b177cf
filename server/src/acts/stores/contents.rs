//! Memories in a store, by their ids: made, read, changed under a condition, and put away.

use super::{closed, files, files::rewriting, there};
use crate::{
    App,
    acts::{
        memories::{find_to_revise, next_state, revise_held},
        safety,
    },
    audit::{Audit, Trail},
    model::{
        Memory, MemoryId, Revision, State, StoreId,
        memory::Operation,
        page::{Limit, Page},
        stores::Listing,
        text::{Content, MemoryPath},
    },
    problem::{Conflict, Problem},
    store::{self, CanWrite, Permission, Scope, Tx, memories::Step},
};
use serde_json::{Map, json};
use std::collections::HashMap;

/// The digest of the text that the caller has seen.
pub type Expected = Option<[u8; 32]>;

/// What a list of a store shows.
pub enum Item {
    Memory(Box<Memory>),
    /// What lies deeper, with a slash at its end.
    Folder(String),
}

/// Remember a text at a path of a store.
pub async fn create<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    store: StoreId,
    path: MemoryPath,
    content: Content,
) -> Result<Memory, Problem> {
    app.db().unless_answered(scope).await?;
    if super::find(app, scope, store).await?.archived_at.is_some() {
        return Err(closed());
    }
    let made = files::create(app, scope, store, path.clone(), content).await;
    name_who_is_there(app, scope, store, &path, None, made).await
}

/// A memory that a store shows.
pub async fn find<P: Permission>(app: &App, scope: &Scope<P>, store: StoreId, id: MemoryId) -> Result<Memory, Problem> {
    let mut tx = app.db().read(scope).await?;
    there(store::stores::find(&mut tx, store).await?)?;
    shown(store::memories::find(&mut tx, id).await?, store)
}

/// By path, what lies deeper than asked as the folder it lies in.
pub async fn list<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    store: StoreId,
    asked: &Listing,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Item>, Problem> {
    let mut tx = app.db().read(scope).await?;
    there(store::stores::find(&mut tx, store).await?)?;
    let page = store::stores::list_contents(&mut tx, store, asked, limit, cursor).await?;
    let ids: Vec<MemoryId> = page.data.iter().filter_map(|one| one.id).collect();
    let memories = store::memories::find_some(&mut tx, &ids).await?;
    let mut memories: HashMap<MemoryId, Memory> = memories.into_iter().map(|memory| (memory.id, memory)).collect();
    // One that went between two looks is left out.
    let item = |one: store::stores::Lying| match one.id {
        Some(id) => memories.remove(&id).map(|memory| Item::Memory(Box::new(memory))),
        None => Some(Item::Folder(one.path)),
    };
    Ok(Page { data: page.data.into_iter().filter_map(item).collect(), next_cursor: page.next_cursor })
}

/// What shall be different in a memory, and under which condition.
#[derive(Default)]
pub struct Change {
    pub content: Option<Content>,
    pub path: Option<MemoryPath>,
    pub expected: Expected,
}

/// Change the text of a memory, or where it lies. What is so already needs no change, whatever was expected.
pub async fn update<P: CanWrite>(app: &App, scope: &Scope<P>, store: StoreId, id: MemoryId, change: Change) -> Result<Memory, Problem> {
    let (expected, wanted) = (change.expected, change.path.clone());
    let sent = Revision { content: change.content, path: change.path, ..Revision::default() };
    let (sent, found) = safety::admit_change(app, scope, sent).await?;
    let mut tx = app.db().write(scope).await?;
    let in_store = there(store::stores::find(&mut tx, store).await?)?;
    // Seen before it is asked whether it may be changed: not shown looks like not there.
    shown(store::memories::find(&mut tx, id).await?, store)?;
    let before = shown(find_to_revise(&mut tx, scope, id).await?, store)?;
    let same_text = sent.content.as_ref().is_none_or(|content| content.as_str() == before.content);
    if same_text && sent.path.as_ref().is_none_or(|path| *path == before.path) {
        tx.leave_as_is([id]).await?;
        return Ok(before);
    }
    meets(&before, expected)?;
    if in_store.archived_at.is_some() {
        return Err(closed());
    }
    let revision = match sent.content {
        Some(content) if !same_text => Revision { path: sent.path, ..rewriting(&before, content) },
        _ => Revision { path: sent.path, ..Revision::default() },
    };
    let revised = revise_held(app, scope, tx, &before, revision, &found).await;
    match wanted {
        Some(path) => name_who_is_there(app, scope, store, &path, Some(id), revised).await,
        None => revised,
    }
}

/// Put a memory away; its versions stay.
pub async fn delete<P: CanWrite>(app: &App, scope: &Scope<P>, store: StoreId, id: MemoryId, expected: Expected) -> Result<(), Problem> {
    let mut tx = app.db().write(scope).await?;
    there(store::stores::find(&mut tx, store).await?)?;
    shown(store::memories::find(&mut tx, id).await?, store)?;
    let before = shown(find_to_revise(&mut tx, scope, id).await?, store)?;
    meets(&before, expected)?;
    let next = Memory { state: State::Archived, ..next_state(scope, &before, Operation::Archived) };
    let mut steps = [Step { before, next, restores: None }];
    store::memories::advance_all(&mut tx, &mut steps).await?;
    tx.commit(steps.iter().map(|step| Audit::of_memory(&step.next)).collect::<Trail>()).await
}

fn shown(memory: Memory, store: StoreId) -> Result<Memory, Problem> {
    let is_there = memory.store_id == store && matches!(memory.state, State::Active | State::Proposed);
    if is_there { Ok(memory) } else { Err(Problem::NotFound) }
}

fn meets(memory: &Memory, expected: Expected) -> Result<(), Problem> {
    match expected {
        Some(digest) if digest != memory.content_sha256 => Err(Problem::conflict(
            "memory_precondition_failed",
            "The memory has another text than the one whose SHA-256 was sent. Read it again and decide anew.",
        )),
        _ => Ok(()),
    }
}

/// A path that cannot be had is told with who has it, as far as that is to be seen.
async fn name_who_is_there<P: Permission, T>(
    app: &App,
    scope: &Scope<P>,
    store: StoreId,
    path: &MemoryPath,
    but: Option<MemoryId>,
    done: Result<T, Problem>,
) -> Result<T, Problem> {
    let Err(Problem::Conflict(conflict)) = &done else { return done };
    if conflict.code != "path_conflict" {
        return done;
    }
    let mut tx: Tx<store::Read> = app.db().read(scope).await?;
    let found = store::stores::in_the_way(&mut tx, store, path, but).await?;
    let (id, at) = found.map_or((json!(null), json!(path)), |(id, at)| (json!(id), json!(at)));
    let more = Map::from_iter([("conflicting_memory_id".to_owned(), id), ("conflicting_path".to_owned(), at)]);
    let detail = "This path is taken, or lies above or below one that is. Choose another, or update the memory that is there.";
    Err(Problem::Conflict(Box::new(Conflict { code: "path_conflict", detail: detail.into(), more })))
}
