//! Noticing: a text is held against the active memories nearest to it, and what clashes is put down beside it.

use super::{Read, judge, read};
use crate::{
    App,
    acts::recall::{self, NearTo},
    audit::Audit,
    engines::conflict::{Claim, Contradiction, Statement},
    model::{
        Anchor, AuditId, ConflictId, Kind, Memory, MemoryId, NewMemory, Project, State, clock,
        conflicts::{Clash, ConflictOrigin, Judged, Resolution},
    },
    problem::Problem,
    store::{self, CanWrite, Permission, Scope, Tx, Write, conflicts::Verdict},
};
use sha2::{Digest, Sha256};
use std::{collections::HashMap, sync::Arc, time::Duration};
use time::OffsetDateTime;

/// The nearest that a text is held against, and how near they have to be: contradictions speak of the same thing.
const NEAREST: usize = 12;
const NEAR: f32 = 0.35;
/// A write does not wait longer: a large workspace's index may have to be built first.
const PATIENCE: Duration = Duration::from_secs(2);
/// More pairs than this are judged aside.
const FEW: usize = 4 * NEAREST;

/// A text that is to be held against what is known.
#[derive(Clone, Debug)]
pub struct Look {
    kind: Kind,
    title: String,
    content: String,
    project: Option<String>,
    tags: Vec<String>,
    anchors: Vec<Anchor>,
    /// Itself, and what it takes the place of.
    but_for: [Option<MemoryId>; 2],
    /// Since when it is there; none if it only comes.
    since: Option<OffsetDateTime>,
}

impl Look {
    pub fn at(memory: &Memory) -> Self {
        Self {
            kind: memory.kind,
            title: memory.title.clone(),
            content: memory.content.clone(),
            project: memory.project.clone(),
            tags: memory.tags.clone(),
            anchors: memory.anchors.clone(),
            but_for: [Some(memory.id), memory.supersedes],
            since: Some(memory.created_at),
        }
    }

    pub fn at_new<P>(scope: &Scope<P>, new: &NewMemory) -> Self {
        Self {
            kind: new.kind,
            title: new.title.clone().unwrap_or_else(|| new.content.title()),
            content: new.content.as_str().to_owned(),
            project: new.project.as_ref().or(scope.project()).map(|project: &Project| project.as_str().to_owned()),
            tags: new.tags.clone(),
            anchors: new.anchors.clone(),
            but_for: [None, new.supersedes],
            since: None,
        }
    }

    fn claim(&self) -> Claim<'_> {
        Claim {
            kind: self.kind,
            title: &self.title,
            content: &self.content,
            project: self.project.as_deref(),
            tags: &self.tags,
            anchors: &self.anchors,
        }
    }
}

/// An active memory that a text contradicts.
#[derive(Clone, Debug)]
pub struct Against {
    pub other: Judged,
    pub title: String,
    pub found: Contradiction,
}

impl Against {
    pub fn clash(&self, memory: &Memory) -> Clash {
        Clash { one: judged(memory), other: self.other, score: self.found.score, certain: self.found.certain }
    }
}

/// An open conflict as seen from one of the two.
#[derive(Clone, PartialEq, Debug)]
pub struct Noticed {
    pub id: ConflictId,
    pub memory_id: MemoryId,
    pub title: String,
    pub score: f32,
    pub certain: bool,
    pub reason: String,
}

pub(super) fn judged(memory: &Memory) -> Judged {
    let mut mark = Sha256::new();
    mark.update(&memory.title);
    mark.update([0]);
    mark.update(&memory.content);
    Judged { id: memory.id, version: memory.version, mark: mark.finalize().into() }
}

/// What each text contradicts, as far as there is time to look; the rest is left to a sweep. Never a reason not to write.
pub async fn look<P: Permission>(app: &App, scope: &Scope<P>, at: Vec<Look>) -> Vec<Vec<Against>> {
    let none = vec![Vec::new(); at.len()];
    if at.iter().all(|one| one.kind == Kind::Episode) {
        return none;
    }
    let Some(_leave) = app.backlog().may_look().filter(|_| !app.db().is_busy()) else {
        app.backlog().leave(scope.workspace());
        return none;
    };
    // In a task of its own: one that is given up in the middle of a statement would leave its connection in a state of its own.
    let (house, standing, request) = (app.clone(), Arc::new(scope.standing().clone()), scope.request().clone());
    let looked = tokio::spawn(async move { find_against(&house, &Scope::<P>::of(standing, request)?, at).await });
    match tokio::time::timeout(PATIENCE, looked).await.map(|looked| looked.map_err(Problem::internal).flatten()) {
        Ok(Ok(found)) => return found,
        Ok(Err(problem)) => tracing::warn!(?problem, workspace = %scope.workspace(), "contradictions could not be looked for"),
        Err(_) => tracing::debug!(workspace = %scope.workspace(), "contradictions are looked for later: the index is being built"),
    }
    app.backlog().leave(scope.workspace());
    none
}

/// What each text contradicts, the clearest first.
pub async fn find_against<P: Permission>(app: &App, scope: &Scope<P>, at: Vec<Look>) -> Result<Vec<Vec<Against>>, Problem> {
    let texts = at.iter().map(|one| NearTo { title: one.title.clone(), content: one.content.clone(), project: one.project.clone() });
    let near = recall::near(app, scope, texts.collect(), NEAREST, NEAR).await?;
    let mut ids: Vec<MemoryId> = near.iter().flatten().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(vec![Vec::new(); at.len()]);
    }
    let known = store::memories::find_some(&mut app.db().read(scope).await?, &ids).await?;
    let pairs = near.iter().map(Vec::len).sum::<usize>();
    let judge = move || {
        // Read once, however many are held against it.
        let active = known.iter().filter(|memory| memory.state == State::Active);
        let known: HashMap<MemoryId, Read<'_>> = active.map(|memory| (memory.id, read(memory))).collect();
        at.iter().zip(&near).map(|(one, near)| hold_against(one, near, &known)).collect()
    };
    if pairs > FEW { tokio::task::spawn_blocking(judge).await.map_err(Problem::internal) } else { Ok(judge()) }
}

fn hold_against(one: &Look, near: &[(MemoryId, f32)], known: &HashMap<MemoryId, Read<'_>>) -> Vec<Against> {
    let claim = Statement::of(one.claim());
    let others = near.iter().filter(|(id, _)| !one.but_for.contains(&Some(*id))).filter_map(|(id, _)| known.get(id));
    let mut against: Vec<Against> = others
        .filter_map(|(other, other_claim)| {
            // The older first, whichever of the two is looked at: the reason is made the same way when it is read.
            let newer = one.since.is_some_and(|since| (since, one.but_for[0]) < (other.created_at, Some(other.id)));
            let found = if newer { claim.against(other_claim) } else { other_claim.against(&claim) }?;
            Some(Against { other: judged(other), title: other.title.clone(), found })
        })
        .collect();
    against.sort_by(|a, b| b.found.score.total_cmp(&a.found.score));
    against
}

/// Puts down what memories of this transaction contradict, with the entries that stand for it.
pub async fn put_down(
    tx: &mut Tx<Write>,
    origin: ConflictOrigin,
    of: &[(&Memory, &[Against])],
) -> Result<(Vec<Vec<Noticed>>, Vec<Audit>), Problem> {
    let clashes: Vec<Clash> = of.iter().flat_map(|(memory, against)| against.iter().map(|one| one.clash(memory))).collect();
    let opened = store::conflicts::insert_all(tx, &clashes, origin, clock::now()).await?;
    let noticed = of
        .iter()
        .map(|(memory, against)| {
            let told = |one: &Against| {
                let row = opened.iter().find(|row| row.is_of(memory.id, one.other.id))?;
                Some(Noticed {
                    id: row.id,
                    memory_id: one.other.id,
                    title: one.title.clone(),
                    score: one.found.score,
                    certain: one.found.certain,
                    reason: one.found.reason.clone(),
                })
            };
            let mut noticed: Vec<Noticed> = against.iter().filter_map(told).collect();
            noticed.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
            noticed
        })
        .collect();
    Ok((noticed, opened.iter().map(|row| Audit::conflict_found(row.audit, row.id, [row.a, row.b])).collect()))
}

/// Looks at a memory that this transaction has just changed or brought back, and puts down what it contradicts by now.
pub async fn note<P: CanWrite>(app: &App, scope: &Scope<P>, tx: &mut Tx<Write>, memory: &Memory) -> Result<Vec<Audit>, Problem> {
    if memory.state != State::Active {
        return Ok(Vec::new());
    }
    let against = look(app, scope, vec![Look::at(memory)]).await.pop().unwrap_or_default();
    Ok(put_down(tx, ConflictOrigin::Write, &[(memory, &against)]).await?.1)
}

/// A memory was rewritten: what it no longer contradicts is settled.
pub async fn settle_revised<P: CanWrite>(scope: &Scope<P>, tx: &mut Tx<Write>, memory: &Memory) -> Result<Vec<Audit>, Problem> {
    let open = store::conflicts::open_of(tx, &[memory.id]).await?.remove(&memory.id).unwrap_or_default();
    let mut trail = Vec::new();
    for conflict in open {
        let other = if conflict.a == memory.id { conflict.b } else { conflict.a };
        let Some(other) = store::memories::find_some(tx, &[other]).await?.pop() else { continue };
        if judge(&read(&other), &read(memory)).is_some() {
            continue;
        }
        let audit = AuditId::new();
        let verdict =
            Verdict { resolution: Resolution::Revised, kept: None, note: None, by: scope.actor(), at: clock::now(), review: None };
        store::conflicts::resolve(tx, conflict.id, &verdict, audit).await?;
        trail.push(Audit::conflict_resolved(audit, conflict.id, Resolution::Revised, None));
    }
    Ok(trail)
}
