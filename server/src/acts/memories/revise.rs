//! Changing what is known: each change is a new version, and a decision is never changed, only superseded.

use super::{may_change, may_return, owners, remember::within_quota};
use crate::{
    App,
    acts::{
        code,
        conflicts::{self, Noticed, Weighed},
        safety::{self, Found},
    },
    audit::{Audit, Trail},
    engines::tokens,
    model::{AuditId, Kind, Memory, MemoryId, NewMemory, Revision, Run, State, clock, memory::Operation},
    problem::Problem,
    store::{self, CanWrite, Reviewing, Scope, Tx, Write},
};

/// The version that the caller has seen (`If-Match`), or none.
#[derive(Clone, Copy, Debug)]
pub struct Precondition(pub Option<i32>);

impl Precondition {
    fn check(self, memory: &Memory) -> Result<(), Problem> {
        match self.0 {
            Some(seen) if seen != memory.version => Err(Problem::PreconditionFailed(
                format!("This memory is at version {} by now, not {seen}. Read it again and decide anew.", memory.version).into(),
            )),
            _ => Ok(()),
        }
    }
}

/// Change some of a memory's fields; with what it contradicts then.
pub async fn revise<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    id: MemoryId,
    seen: Precondition,
    revision: Revision,
) -> Result<(Memory, Vec<Noticed>), Problem> {
    let (revision, found) = safety::admit_change(app, scope, revision).await?;
    let moves = revision.kind.is_some() || revision.project.is_some();
    let weighed = if moves { as_revised(app, scope, id, &revision).await? } else { None };
    let mut tx = app.db().write(scope).await?;
    let before = hold(&mut tx, scope, id, seen).await?;
    let (memory, trail) = revised(app, scope, &mut tx, &before, revision, &found, weighed.as_ref()).await?;
    // Before the commit: with an idempotency key it comes with the answer, which has to say this.
    let conflicts = conflicts::open_within(&mut tx, id).await?;
    tx.commit(trail).await?;
    Ok((memory, conflicts))
}

/// What the memory would contradict when it is revised so.
async fn as_revised<P: CanWrite>(app: &App, scope: &Scope<P>, id: MemoryId, revision: &Revision) -> Result<Option<Weighed>, Problem> {
    let found = store::memories::find(&mut app.db().read(scope).await?, id).await.map(|mut memory| {
        revision.clone().apply_to(&mut memory);
        memory
    });
    Weighed::ahead(app, scope, found).await
}

/// A memory that this transaction shall change, if it is the caller's to change.
pub(in crate::acts) async fn find_to_revise<P>(tx: &mut Tx<Write>, scope: &Scope<P>, id: MemoryId) -> Result<Memory, Problem> {
    hold(tx, scope, id, Precondition(None)).await
}

/// The same, of a memory that is held, with a change that was looked through.
pub(in crate::acts) async fn revise_held<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    mut tx: Tx<Write>,
    before: &Memory,
    revision: Revision,
    found: &[Found],
) -> Result<Memory, Problem> {
    let (memory, trail) = revised(app, scope, &mut tx, before, revision, found, None).await?;
    tx.commit(trail).await?;
    Ok(memory)
}

async fn revised<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    tx: &mut Tx<Write>,
    before: &Memory,
    revision: Revision,
    found: &[Found],
    weighed: Option<&Weighed>,
) -> Result<(Memory, Trail), Problem> {
    if before.kind == Kind::Decision && revision.touches_what_is_decided(before) {
        return Err(immutable());
    }
    if before.kind != Kind::Decision && matches!(before.state, State::Archived | State::Superseded) {
        return Err(Problem::conflict("not_active", format!("This memory is {}; restore it first.", before.state.word())));
    }
    if let Some(content) = revision.content.as_ref().filter(|content| content.as_str() != before.content) {
        may_return(app, tx, content.as_str()).await?;
    }
    let mut next = next_state(scope, before, Operation::Revised);
    let rehung = revision.anchors.is_some();
    revision.apply_to(&mut next);
    if rehung {
        next.code.clear();
    }
    if next.content != before.content {
        next.tokens = Some(tokens::count(&next.content));
    }
    // Whoever writes it anew, writes of the code as it is.
    if rehung || next.content != before.content {
        code::renew(tx, &mut next).await?;
    }
    next.owner = owners::after(tx, scope, before, next.visibility).await?;
    may_change(scope, &next)?;
    let moved = before.kind != next.kind || before.project != next.project;
    if next.kind == Kind::Decision && next.state == State::Active && moved {
        Weighed::stands(weighed, tx, &next).await?;
    }
    put_next(app, scope, tx, before, next, found).await
}

/// Put a memory away; it can be restored.
pub async fn archive<P: CanWrite>(app: &App, scope: &Scope<P>, id: MemoryId, seen: Precondition) -> Result<Memory, Problem> {
    let mut tx = app.db().write(scope).await?;
    let before = hold(&mut tx, scope, id, seen).await?;
    if before.state == State::Archived {
        tx.leave_as_is([before.id]).await?;
        return Ok(before);
    }
    let mut next = next_state(scope, &before, Operation::Archived);
    next.state = State::Archived;
    commit(app, scope, tx, &before, next).await
}

/// Bring an archived memory back to where it stood.
pub async fn restore<P: CanWrite>(app: &App, scope: &Scope<P>, id: MemoryId, seen: Precondition) -> Result<Memory, Problem> {
    let known = store::memories::find(&mut app.db().read(scope).await?, id).await;
    let weighed = Weighed::ahead(app, scope, known).await?;
    let mut tx = app.db().write(scope).await?;
    let before = hold(&mut tx, scope, id, seen).await?;
    if before.state != State::Archived {
        return Err(Problem::conflict("not_archived", format!("This memory is {}, not archived.", before.state.word())));
    }
    if before.is_redacted() {
        return Err(redacted(before.version));
    }
    let mut next = next_state(scope, &before, Operation::Restored);
    next.state = if before.superseded_by.is_some() { State::Superseded } else { State::Active };
    next.state = after_being_away(&mut tx, &before, next.state).await?;
    if next.kind == Kind::Decision && next.state == State::Active {
        Weighed::stands(weighed.as_ref(), &mut tx, &next).await?;
    }
    comes_back(&mut tx, scope, &before, &next).await?;
    commit(app, scope, tx, &before, next).await
}

/// How an archived memory stands when it is brought back: what was put away while it waited waits again, and what was rejected does
/// not come back.
async fn after_being_away(tx: &mut Tx<Write>, before: &Memory, next: State) -> Result<State, Problem> {
    if before.state != State::Archived || next == State::Archived || before.version == 1 {
        return Ok(next);
    }
    if store::proposals::was_rejected(tx, before.id).await? {
        return Err(Problem::conflict("wrong_state", "This memory was proposed and rejected; it does not come back."));
    }
    let waited = store::memories::find_version(tx, before.id, before.version - 1).await?.state == State::Proposed;
    let waits = waited || store::proposals::is_waiting(tx, before.id).await?;
    Ok(if waits { State::Proposed } else { next })
}

/// A new version with the state of an old one.
pub async fn revert<P: CanWrite>(app: &App, scope: &Scope<P>, id: MemoryId, seen: Precondition, version: i32) -> Result<Memory, Problem> {
    let known = store::memories::find_version(&mut app.db().read(scope).await?, id, version).await;
    let weighed = Weighed::ahead(app, scope, known).await?;
    let mut tx = app.db().write(scope).await?;
    let before = hold(&mut tx, scope, id, seen).await?;
    let old = store::memories::find_version(&mut tx, id, version).await?;
    if before.kind == Kind::Decision && !old.says(&before) {
        return Err(immutable());
    }
    if old.is_redacted() {
        return Err(redacted(version));
    }
    may_return(app, &mut tx, &old.content).await?;
    if old.visibility != before.visibility {
        owners::after(&mut tx, scope, &before, old.visibility).await?;
    }
    // Who verified these words, did so then; of the same words it holds.
    let verified = if old.says(&before) { &before } else { &old };
    let (verified_at, verified_by) = (verified.verified_at, verified.verified_by.clone());
    let now = next_state(scope, &before, Operation::Reverted);
    let state = match (before.superseded_by, before.state, old.state) {
        // Who superseded it stays true; otherwise it is as it was, and at least active.
        (Some(_), ..) => State::Superseded,
        // Neither a way around the review nor back into it.
        (None, State::Proposed, _) => State::Proposed,
        (None, now, State::Proposed) => now,
        (None, _, State::Superseded) => State::Active,
        (None, _, then) => then,
    };
    let next = Memory {
        id: before.id,
        operation: Operation::Reverted,
        supersedes: before.supersedes,
        superseded_by: before.superseded_by,
        state: after_being_away(&mut tx, &before, state).await?,
        reason: Some(format!("back to version {version}")),
        updated_at: now.updated_at,
        updated_by: now.updated_by,
        run_id: now.run_id,
        audit_id: now.audit_id,
        verified_at,
        verified_by,
        ..old
    };
    may_change(scope, &next)?;
    if next.kind == Kind::Decision && next.state == State::Active && before.state != State::Active {
        Weighed::stands(weighed.as_ref(), &mut tx, &next).await?;
    }
    comes_back(&mut tx, scope, &before, &next).await?;
    commit(app, scope, tx, &before, next).await
}

/// Still true: fresh again.
pub async fn verify(
    app: &App,
    scope: &Scope<Reviewing>,
    id: MemoryId,
    seen: Precondition,
    note: Option<String>,
) -> Result<Memory, Problem> {
    let (note, found) = match note {
        Some(note) => {
            let (note, found) = safety::admit_text(app, scope, "note", note).await?;
            (Some(note), found)
        }
        None => (None, Vec::new()),
    };
    let mut tx = app.db().write(scope).await?;
    let before = hold(&mut tx, scope, id, seen).await?;
    if before.state != State::Active {
        return Err(Problem::conflict(
            "not_active",
            format!("This memory is {}; only an active one can be verified.", before.state.word()),
        ));
    }
    let mut next = next_state(scope, &before, Operation::Verified);
    next.verified_at = Some(next.updated_at);
    next.verified_by = Some(scope.actor().clone());
    next.reason = note;
    code::renew(&mut tx, &mut next).await?;
    commit_with(app, scope, tx, &before, next, &found).await
}

/// What is to be superseded; a request that was answered before is answered so again, whatever became of it since.
pub async fn to_supersede<P: CanWrite>(app: &App, scope: &Scope<P>, old: MemoryId) -> Result<Memory, Problem> {
    app.db().unless_answered(scope).await?;
    super::find(app, scope, old).await
}

/// A new memory takes the place of an old one; both know of each other.
pub async fn supersede<P: CanWrite>(app: &App, scope: &Scope<P>, old: MemoryId, mut new: NewMemory) -> Result<Memory, Problem> {
    new.supersedes = Some(old);
    match super::remember(app, scope, new).await? {
        super::Remembered::New(memory, _) | super::Remembered::Already(memory) => Ok(memory),
    }
}

/// What another is to take the place of.
pub(in crate::acts) async fn to_put_aside<P>(tx: &mut Tx<Write>, scope: &Scope<P>, old: MemoryId) -> Result<Memory, Problem> {
    match hold(tx, scope, old, Precondition(None)).await {
        Err(Problem::NotFound) => Err(Problem::invalid("supersedes", "there is no such memory")),
        held => held,
    }
}

/// The old memory's side of a supersession, in the transaction that writes the new one.
pub(in crate::acts) async fn put_aside<P>(tx: &mut Tx<Write>, scope: &Scope<P>, old: MemoryId, by: MemoryId) -> Result<Audit, Problem> {
    let before = to_put_aside(tx, scope, old).await?;
    if before.state != State::Active {
        return Err(Problem::conflict(
            "not_active",
            format!("The memory to supersede is {}; only an active one can be superseded.", before.state.word()),
        ));
    }
    let mut next = next_state(scope, &before, Operation::Superseded);
    next.state = State::Superseded;
    next.superseded_by = Some(by);
    store::memories::advance(tx, &before, &mut next).await?;
    Ok(Audit::of_memory(&next))
}

/// Archived at once, in the transaction that wrote it.
pub(in crate::acts) async fn put_away<P>(tx: &mut Tx<Write>, scope: &Scope<P>, memory: &Memory) -> Result<Audit, Problem> {
    let mut next = next_state(scope, memory, Operation::Archived);
    next.state = State::Archived;
    store::memories::advance(tx, memory, &mut next).await?;
    Ok(Audit::of_memory(&next))
}

/// Verified, in a transaction that somebody else commits.
pub(in crate::acts) async fn still_true<P>(tx: &mut Tx<Write>, scope: &Scope<P>, memory: &Memory) -> Result<Audit, Problem> {
    let mut next = next_state(scope, memory, Operation::Verified);
    (next.verified_at, next.verified_by) = (Some(next.updated_at), Some(scope.actor().clone()));
    code::renew(tx, &mut next).await?;
    store::memories::advance(tx, memory, &mut next).await?;
    if memory.anchors != next.anchors || memory.code != next.code {
        code::rejudge(tx, &mut next).await?;
    }
    Ok(Audit::of_memory(&next))
}

/// What becomes of a memory that waited.
#[derive(Clone, Copy)]
pub(in crate::acts) enum Settled {
    /// A decision may take another's place that it says nothing of itself.
    Known {
        instead_of: Option<MemoryId>,
    },
    Rejected,
}

/// What waited is known, or put away.
pub(in crate::acts) async fn settle<P>(
    tx: &mut Tx<Write>,
    scope: &Scope<P>,
    id: MemoryId,
    settled: Settled,
) -> Result<(Memory, Audit), Problem> {
    let before = hold(tx, scope, id, Precondition(None)).await?;
    // What was put away while it waited can still be rejected: so it leaves the queue, and does not come back.
    let may_be = |state: State| state == State::Proposed || matches!(settled, Settled::Rejected) && state == State::Archived;
    if !may_be(before.state) {
        return Err(Problem::conflict("wrong_state", format!("This memory is {} and waits for nothing.", before.state.word())));
    }
    let (operation, state, reason) = match settled {
        Settled::Known { .. } => (Operation::Revised, State::Active, "approved"),
        Settled::Rejected => (Operation::Archived, State::Archived, "rejected"),
    };
    let mut next = next_state(scope, &before, operation);
    next.state = state;
    next.reason = Some(reason.to_owned());
    if let Settled::Known { instead_of } = settled {
        next.supersedes = next.supersedes.or(instead_of);
    }
    store::memories::advance(tx, &before, &mut next).await?;
    let entry = Audit::of_memory(&next);
    Ok((next, entry))
}

/// A captured memory told anew, within somebody else's transaction; nothing if it says the same or is no longer there.
pub(in crate::acts) async fn rewrite<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    tx: &mut Tx<Write>,
    id: MemoryId,
    new: NewMemory,
) -> Result<Option<Audit>, Problem> {
    let (new, _) = safety::admit(app, scope, new).await?;
    let before = match hold(tx, scope, id, Precondition(None)).await {
        Err(Problem::NotFound) => return Ok(None),
        held => held?,
    };
    if before.content == new.content.as_str() || !matches!(before.state, State::Active | State::Proposed) {
        return Ok(None);
    }
    may_return(app, tx, new.content.as_str()).await?;
    let mut next = next_state(scope, &before, Operation::Revised);
    next.unverify();
    next.title = new.title.unwrap_or_else(|| new.content.title());
    next.tokens = Some(tokens::count(new.content.as_str()));
    next.content = new.content.into_string();
    store::memories::advance(tx, &before, &mut next).await?;
    Ok(Some(Audit::of_memory(&next)))
}

async fn hold<P>(tx: &mut Tx<Write>, scope: &Scope<P>, id: MemoryId, seen: Precondition) -> Result<Memory, Problem> {
    let memory = store::memories::find_to_change(tx, id).await?;
    may_change(scope, &memory)?;
    seen.check(&memory)?;
    Ok(memory)
}

pub(in crate::acts) fn next_state<P>(scope: &Scope<P>, before: &Memory, operation: Operation) -> Memory {
    Memory {
        operation,
        updated_at: clock::now(),
        updated_by: scope.actor().clone(),
        run_id: scope.run().map(Run::id),
        audit_id: AuditId::new(),
        reason: None,
        ..before.clone()
    }
}

/// What was put away counts against the quota again.
async fn comes_back<P>(tx: &mut Tx<Write>, scope: &Scope<P>, before: &Memory, next: &Memory) -> Result<(), Problem> {
    let counts = |memory: &Memory| matches!(memory.state, State::Active | State::Proposed);
    if counts(next) && !counts(before) { within_quota(tx, scope, 1).await } else { Ok(()) }
}

async fn commit<P: CanWrite>(app: &App, scope: &Scope<P>, tx: Tx<Write>, before: &Memory, next: Memory) -> Result<Memory, Problem> {
    commit_with(app, scope, tx, before, next, &[]).await
}

async fn commit_with<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    mut tx: Tx<Write>,
    before: &Memory,
    next: Memory,
    found: &[Found],
) -> Result<Memory, Problem> {
    let (next, trail) = put_next(app, scope, &mut tx, before, next, found).await?;
    tx.commit(trail).await?;
    Ok(next)
}

/// The next version and what follows from it, within a transaction that somebody else commits.
async fn put_next<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    tx: &mut Tx<Write>,
    before: &Memory,
    mut next: Memory,
    found: &[Found],
) -> Result<(Memory, Trail), Problem> {
    store::memories::advance(tx, before, &mut next).await?;
    if before.anchors != next.anchors || before.code != next.code {
        code::rejudge(tx, &mut next).await?;
    }
    let redacted = (!found.is_empty()).then(|| Audit::secrets("secrets.redacted", Some(("memory", next.id.0)), found));
    let mut trail: Vec<Audit> = std::iter::once(Audit::of_memory(&next)).chain(redacted).collect();
    let another = !next.says(before) || before.project != next.project;
    if another {
        trail.extend(conflicts::settle_revised(scope, tx, &next).await?);
    }
    if another || before.state != next.state {
        trail.extend(conflicts::note(app, scope, tx, &next).await?);
    }
    Ok((next, trail.into_iter().collect()))
}

fn redacted(version: i32) -> Problem {
    Problem::conflict("version_redacted", format!("Version {version} was redacted and cannot come back."))
}

fn immutable() -> Problem {
    Problem::conflict("decision_immutable", "A decision is never changed, only superseded: POST …/supersede with the new one.")
}
