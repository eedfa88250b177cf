//! Memories by their paths, as a file system has them: a folder is there as long as something lies in it.

use crate::{
    App,
    acts::{
        memories::{self, Remembered, find_to_revise, next_state, revise_held},
        safety,
    },
    audit::{Audit, Trail},
    engines::memory_tool::{Edit, Entry, Place, Refused},
    model::{
        Kind, Memory, MemoryId, NewMemory, Revision, State, StoreId,
        memory::Operation,
        text::{Content, MemoryPath},
    },
    problem::Problem,
    store::{self, CanWrite, Permission, Scope, Tx, Write, memories::Step},
};

/// Of a text that many change at once, each waits for its turn so often.
const TRIES: usize = 50;
/// Memories that are read and written at a time: no more of their texts are held at once.
pub(super) const SOME: usize = 1000;
/// More than these are not put away, moved or brought back in one go.
const MOST: usize = 20_000;

/// What lies at a place.
pub enum Seen {
    File(Box<Memory>),
    Folder(Vec<Entry>),
    Nothing,
}

/// Look at a place: the root is a folder, even an empty one.
pub async fn look<P: Permission>(app: &App, scope: &Scope<P>, store: StoreId, place: &Place) -> Result<Seen, Problem> {
    let mut tx = app.db().read(scope).await?;
    let folder = match place {
        Place::Root => None,
        Place::At(path) => {
            if let Some(id) = store::stores::at(&mut tx, store, path).await? {
                return Ok(Seen::File(Box::new(store::memories::find(&mut tx, id).await?)));
            }
            Some(path)
        }
    };
    let entries = store::stores::entries(&mut tx, store, folder).await?;
    Ok(if entries.is_empty() && folder.is_some() { Seen::Nothing } else { Seen::Folder(entries) })
}

/// Remember a text at a path that nothing lies at, above or below.
pub async fn create<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    store: StoreId,
    path: MemoryPath,
    content: Content,
) -> Result<Memory, Problem> {
    let new = NewMemory { path: Some(path), store: Some(store), ..NewMemory::of(content, Kind::Fact) };
    match memories::remember(app, scope, new).await? {
        Remembered::New(memory, _) => Ok(memory),
        Remembered::Already(_) => {
            Err(Problem::conflict("wrong_state", "This text was proposed before and rejected by a person; it is not kept."))
        }
    }
}

/// Change the text at a path; the memory as it is kept, and the line of the change. What the change is, is decided on the text as
/// it is: nobody's change is lost.
pub async fn edit<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    store: StoreId,
    path: &MemoryPath,
    change: impl Fn(&str) -> Result<Edit, Refused>,
) -> Result<Option<Result<(Memory, usize), Refused>>, Problem> {
    app.db().unless_answered(scope).await?;
    for _ in 0..TRIES {
        let seen = {
            let mut tx = app.db().read(scope).await?;
            let Some(id) = store::stores::at(&mut tx, store, path).await? else { return Ok(None) };
            store::memories::find(&mut tx, id).await?
        };
        let Edit { text, line } = match change(&seen.content) {
            Ok(edit) => edit,
            Err(refused) => return Ok(Some(Err(refused))),
        };
        let revision = rewriting(&seen, Content::of_a_file(text)?);
        let (revision, found) = safety::admit_change(app, scope, revision).await?;
        let mut tx = app.db().write(scope).await?;
        let before = match find_to_revise(&mut tx, scope, seen.id).await {
            Err(Problem::NotFound) => continue,
            held => held?,
        };
        if before.version != seen.version {
            continue;
        }
        let kept = if revision.content.as_ref().is_some_and(|content| content.as_str() == before.content) {
            tx.leave_as_is([before.id]).await?;
            before
        } else {
            revise_held(app, scope, tx, &before, revision, &found).await?
        };
        return Ok(Some(Ok((kept, line))));
    }
    Err(Problem::LostRace)
}

/// Another text; a title that was taken from the old one is taken from it.
pub(super) fn rewriting(before: &Memory, content: Content) -> Revision {
    let follows = Content::of_a_file(before.content.clone()).is_ok_and(|old| old.title() == before.title) && before.kind != Kind::Decision;
    Revision { title: follows.then(|| content.title()), content: Some(content), ..Revision::default() }
}

/// Put away what lies at a path, or all that lies below it; how much that was.
pub async fn remove<P: CanWrite>(app: &App, scope: &Scope<P>, store: StoreId, path: &MemoryPath) -> Result<usize, Problem> {
    let mut tx = app.db().write(scope).await?;
    let mut trail = Vec::new();
    for some in ids_at(&mut tx, store, path).await?.chunks(SOME) {
        let away = |before: Memory| {
            let next = Memory { state: State::Archived, ..next_state(scope, &before, Operation::Archived) };
            Step { before, next, restores: None }
        };
        let held = hold_some(&mut tx, scope, some).await?;
        trail.extend(write(&mut tx, held.into_iter().map(away).collect()).await?);
    }
    let count = trail.len();
    if count > 0 {
        tx.commit(trail.into_iter().collect::<Trail>()).await?;
    }
    Ok(count)
}

/// Move what lies at a path, or all that lies below it, to where nothing is. False when there is nothing to move.
pub async fn rename<P: CanWrite>(app: &App, scope: &Scope<P>, store: StoreId, from: &MemoryPath, to: &MemoryPath) -> Result<bool, Problem> {
    safety::refuse_in("path", to.as_str())?;
    let mut tx = app.db().write(scope).await?;
    let taken = || Problem::conflict("path_conflict", format!("The path {} is taken.", to.as_str()));
    let inside = to.as_str().strip_prefix(from.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if store::stores::at(&mut tx, store, to).await?.is_some() || !store::stores::below(&mut tx, store, to).await?.is_empty() {
        return Err(taken());
    }
    let ids = ids_at(&mut tx, store, from).await?;
    if inside && !ids.is_empty() {
        return Err(taken());
    }
    let mut trail = Vec::new();
    for some in ids.chunks(SOME) {
        let mut steps = Vec::with_capacity(some.len());
        for before in hold_some(&mut tx, scope, some).await? {
            let rest = before.path.as_str().strip_prefix(from.as_str()).unwrap_or_default();
            let path = MemoryPath::parse(&format!("{}{rest}", to.as_str()))?;
            let next = Memory { path, ..next_state(scope, &before, Operation::Revised) };
            steps.push(Step { before, next, restores: None });
        }
        trail.extend(write(&mut tx, steps).await?);
    }
    if trail.is_empty() {
        return Ok(false);
    }
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok(true)
}

/// The memory at a path, or all below it, in the order in which everybody holds many.
async fn ids_at(tx: &mut Tx<Write>, store: StoreId, path: &MemoryPath) -> Result<Vec<MemoryId>, Problem> {
    let mut ids: Vec<MemoryId> = match store::stores::at(tx, store, path).await? {
        Some(id) => vec![id],
        None => store::stores::below(tx, store, path).await?,
    };
    ids.sort_unstable();
    within_reason(ids.len())?;
    Ok(ids)
}

/// What is done in one go is done whole or not at all, and has to be done while somebody waits.
pub(super) fn within_reason(count: usize) -> Result<(), Problem> {
    if count <= MOST {
        return Ok(());
    }
    let said = format!("This would change {count} memories; one call changes at most {MOST}. Go folder by folder.");
    Err(Problem::conflict("too_many_memories", said))
}

/// Some of them, held; each has to be the caller's to change.
async fn hold_some<P>(tx: &mut Tx<Write>, scope: &Scope<P>, ids: &[MemoryId]) -> Result<Vec<Memory>, Problem> {
    let mut held = store::memories::find_some_to_change(tx, ids).await?;
    // Somebody may have put one away while this one waited.
    held.retain(|memory| matches!(memory.state, State::Active | State::Proposed));
    held.iter().try_for_each(|memory| memories::may_change(scope, memory))?;
    Ok(held)
}

pub(super) async fn write(tx: &mut Tx<Write>, mut steps: Vec<Step>) -> Result<Vec<Audit>, Problem> {
    if !steps.is_empty() {
        store::memories::advance_all(tx, &mut steps).await?;
    }
    Ok(steps.iter().map(|step| Audit::of_memory(&step.next)).collect())
}
