//! Conflicts as people see them, and what they decide.

use super::{Read, judge, notice::Noticed, read};
use crate::{
    App,
    acts::{
        memories,
        safety::{self, Found},
    },
    audit::{Audit, Trail},
    engines::{conflict::Contradiction, cores::on_all_cores},
    model::{
        AuditId, ConflictId, Memory, MemoryId, Run, State, clock,
        conflicts::{Conflict, ConflictFilter, ConflictState, Keep, Resolution},
        page::{Limit, Page},
    },
    problem::Problem,
    store::{self, Permission, Reviewing, Scope, Tx, Write, conflicts::Verdict},
};
use std::{collections::HashMap, ops::Range};

/// Texts, or pairs of them, that a core takes at a time.
const FEW: usize = 4;

/// A conflict with both memories as they are now, and why they clash.
pub struct Shown {
    pub conflict: Conflict,
    pub memories: [Memory; 2],
    pub reason: String,
}

pub async fn list<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    filter: &ConflictFilter,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Shown>, Problem> {
    let mut tx = app.db().read(scope).await?;
    let Page { data, next_cursor } = store::conflicts::list(&mut tx, filter, limit, cursor).await?;
    let ids: Vec<MemoryId> = data.iter().flat_map(|conflict| [conflict.a, conflict.b]).collect();
    let memories = store::memories::find_some(&mut tx, &ids).await?;
    drop(tx);
    // Aside: nobody else waits while a page of them is read.
    let data = tokio::task::spawn_blocking(move || all_shown(&data, &memories)).await.map_err(Problem::internal)?;
    Ok(Page { data, next_cursor })
}

pub async fn find<P: Permission>(app: &App, scope: &Scope<P>, id: ConflictId) -> Result<Shown, Problem> {
    let mut tx = app.db().read(scope).await?;
    let conflict = store::conflicts::find(&mut tx, id).await?;
    let memories = store::memories::find_some(&mut tx, &[conflict.a, conflict.b]).await?;
    all_shown(&[conflict], &memories).pop().ok_or(Problem::NotFound)
}

/// What clashes in these, by the titles of both, as far as they are there and the viewer may see them.
pub async fn titles<P: Permission>(app: &App, scope: &Scope<P>, ids: &[ConflictId]) -> Result<HashMap<ConflictId, String>, Problem> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut tx = app.db().read(scope).await?;
    let conflicts = store::conflicts::find_some(&mut tx, ids).await?;
    let sides: Vec<MemoryId> = conflicts.iter().flat_map(|conflict| [conflict.a, conflict.b]).collect();
    let titles = store::memories::titles(&mut tx, &sides).await?;
    let both = |conflict: &Conflict| Some(format!("“{}” and “{}”", titles.get(&conflict.a)?, titles.get(&conflict.b)?));
    Ok(conflicts.iter().filter_map(|conflict| Some((conflict.id, both(conflict)?))).collect())
}

/// What is open about a memory, the clearest first.
pub async fn open_of<P: Permission>(app: &App, scope: &Scope<P>, id: MemoryId) -> Result<Vec<Noticed>, Problem> {
    open_within(&mut app.db().read(scope).await?, id).await
}

/// The same within a transaction: of one that is changing the memory.
pub(in crate::acts) async fn open_within<M>(tx: &mut Tx<M>, id: MemoryId) -> Result<Vec<Noticed>, Problem> {
    let open = store::conflicts::open_of(tx, &[id]).await?.remove(&id).unwrap_or_default();
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<MemoryId> = open.iter().flat_map(|conflict| [conflict.a, conflict.b]).collect();
    let memories = store::memories::find_some(tx, &ids).await?;
    let noticed = |Shown { conflict, memories: [a, b], reason }: Shown| {
        let other = if a.id == id { b } else { a };
        Noticed { id: conflict.id, memory_id: other.id, title: other.title, score: conflict.score, certain: conflict.certain, reason }
    };
    Ok(all_shown(&open, &memories).into_iter().map(noticed).collect())
}

/// Say which holds: one, which supersedes the other; both, which are compatible then; or neither, which archives them.
pub async fn resolve(app: &App, scope: &Scope<Reviewing>, id: ConflictId, keep: Keep, note: Option<String>) -> Result<Shown, Problem> {
    let (note, found) = match note {
        Some(note) => {
            let (note, found) = safety::admit_text(app, scope, "note", note).await?;
            (Some(note), found)
        }
        None => (None, Vec::new()),
    };
    let mut tx = app.db().write(scope).await?;
    let seen = store::conflicts::find(&mut tx, id).await?;
    // Held until the end, and before the conflict, as by whoever revises one: who hides one meanwhile is seen here, or sees what
    // it took the place of.
    let held = store::memories::find_some_to_change(&mut tx, &[seen.a, seen.b]).await?;
    let mut conflict = store::conflicts::find_to_change(&mut tx, id).await?;
    if conflict.state != ConflictState::Open {
        return Err(Problem::conflict("wrong_state", "This conflict is resolved already, or one of the two is no longer active."));
    }
    let of = |id: MemoryId| held.iter().find(|memory| memory.id == id).ok_or(Problem::NotFound);
    let mut trail = applied(&mut tx, scope, [of(conflict.a)?, of(conflict.b)?], keep).await?;
    let (audit, now) = (AuditId::new(), clock::now());
    let (resolution, kept) = match keep {
        Keep::One(kept) => (Resolution::One, Some(kept)),
        Keep::Both => (Resolution::Both, None),
        Keep::Neither => (Resolution::Neither, None),
    };
    let verdict =
        Verdict { resolution, kept, note: note.as_deref(), by: scope.actor(), at: now, review: scope.run().and_then(Run::review) };
    store::conflicts::resolve(&mut tx, id, &verdict, audit).await?;
    trail.extend(redacted(id, &found));
    trail.push(Audit::conflict_resolved(audit, id, resolution, kept));
    let memories = store::memories::find_some(&mut tx, &[conflict.a, conflict.b]).await?;
    tx.shows([conflict.a, conflict.b]);
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    (conflict.state, conflict.resolution, conflict.kept) = (ConflictState::Resolved, Some(resolution), kept);
    (conflict.note, conflict.resolved_at, conflict.resolved_by) = (note, Some(now), Some(scope.actor().clone()));
    all_shown(&[conflict], &memories).pop().ok_or(Problem::NotFound)
}

/// What deciding does to the two, with the entries that stand for it.
async fn applied(tx: &mut Tx<Write>, scope: &Scope<Reviewing>, [a, b]: [&Memory; 2], keep: Keep) -> Result<Vec<Audit>, Problem> {
    match keep {
        Keep::One(kept) if kept == a.id || kept == b.id => {
            let (kept, other) = if kept == a.id { (a, b) } else { (b, a) };
            may_win(kept, other)?;
            Ok(vec![memories::put_aside(tx, scope, other.id, kept.id).await?])
        }
        Keep::One(_) => Err(Problem::invalid("keep", "must be the id of one of the two, `both` or `neither`")),
        Keep::Both => {
            // Who may change neither of the two has no say in it.
            let mut refusals = [a, b].into_iter().map(|memory| memories::may_change(scope, memory));
            if refusals.clone().all(|may| may.is_err()) { refusals.next().unwrap_or(Ok(())).map(|()| Vec::new()) } else { Ok(Vec::new()) }
        }
        Keep::Neither => {
            let mut trail = Vec::new();
            for memory in [a, b] {
                memories::may_change(scope, memory)?;
                if memory.state == State::Active {
                    trail.push(memories::put_away(tx, scope, memory).await?);
                }
            }
            Ok(trail)
        }
    }
}

/// Who keeps one lets it take the other's place.
fn may_win(kept: &Memory, other: &Memory) -> Result<(), Problem> {
    if !kept.kind.may_stand_for(other.kind) {
        return Err(Problem::invalid(
            "keep",
            "must be the decision: only a decision supersedes a decision; supersede it with a new one, or keep both",
        ));
    }
    if !kept.visibility.may_stand_for(other.visibility) {
        return Err(Problem::invalid(
            "keep",
            "cannot be the private one: others would not see what took the place of what they read; let them see it first, or keep both",
        ));
    }
    Ok(())
}

fn redacted(id: ConflictId, found: &[Found]) -> Option<Audit> {
    (!found.is_empty()).then(|| Audit::secrets("secrets.redacted", Some(("conflict", id.0)), found))
}

/// Those of which both memories are to be seen. Each memory is read once, however many it contradicts.
fn all_shown(conflicts: &[Conflict], memories: &[Memory]) -> Vec<Shown> {
    let read_some = |some: Range<usize>| memories[some].iter().map(|memory| (memory.id, read(memory))).collect::<Vec<_>>();
    let memories: HashMap<MemoryId, Read<'_>> = on_all_cores(memories.len(), FEW, read_some).into_iter().flatten().collect();
    let show_some = |some: Range<usize>| conflicts[some].iter().filter_map(|conflict| shown(conflict, &memories)).collect::<Vec<_>>();
    on_all_cores(conflicts.len(), FEW, show_some).into_iter().flatten().collect()
}

fn shown(conflict: &Conflict, memories: &HashMap<MemoryId, Read<'_>>) -> Option<Shown> {
    let (a, b) = (memories.get(&conflict.a)?, memories.get(&conflict.b)?);
    let reason = match judge(a, b) {
        Some(Contradiction { reason, .. }) => reason,
        None => "They were judged to contradict each other as they read then; as they read now they do not.".to_owned(),
    };
    Some(Shown { conflict: conflict.clone(), memories: [a.0.clone(), b.0.clone()], reason })
}
