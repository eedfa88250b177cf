//! Writing a memory: the current state and its immutable version in one statement.

use super::{
    super::{
        Scope, Tx,
        guise::{lay_down_wall, stand_behind},
        tx::Write,
    },
    row::Columns,
};
use crate::{
    model::{
        Anchor, DeletionId, Kind, Memory, MemoryId, NewMemory, PersonId, SessionId, Source, State, StoreId, Visibility,
        memory::Operation,
        text::{MemoryPath, sha256},
    },
    problem::Problem,
};
use rand::RngExt;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

/// What is already known about a text that someone wants remembered.
#[derive(Debug, Default)]
pub struct Survey {
    /// The same text, kind and project is there and active.
    pub known: Option<MemoryId>,
    /// The same waits for review.
    pub waiting: Option<MemoryId>,
    /// The same was proposed and rejected.
    pub rejected: Option<MemoryId>,
    /// It was erased, by this request, and must not come back.
    pub barred: Option<DeletionId>,
    /// The path is somebody's.
    pub taken: bool,
    /// Its folder, or one above that, is somebody's memory.
    pub below: bool,
}

impl Survey {
    /// No more than that the place is somebody's, or that the text was erased.
    fn of_the_place_alone(self) -> Self {
        Self { known: None, waiting: None, rejected: None, ..self }
    }
}

/// Looks all of them up at once, in the order given. What is known is of the same project, which each names, and for a limited
/// key of its own only; paths are shared with those behind its wall.
pub async fn survey<P>(tx: &mut Tx<Write>, scope: &Scope<P>, news: &[(&NewMemory, &MemoryPath, [u8; 32])]) -> Result<Vec<Survey>, Problem> {
    let Some(own) = scope.project() else { return look(tx, scope.person(), news).await };
    let wall = lay_down_wall(tx).await?;
    let surveys = look(tx, scope.person(), news).await?;
    stand_behind(tx, &wall).await?;
    let seen = |(survey, (new, ..)): (Survey, &(&NewMemory, _, _))| {
        if new.project.as_ref() == Some(own) { survey } else { survey.of_the_place_alone() }
    };
    Ok(surveys.into_iter().zip(news).map(seen).collect())
}

async fn look(tx: &mut Tx<Write>, owner: Option<PersonId>, news: &[(&NewMemory, &MemoryPath, [u8; 32])]) -> Result<Vec<Survey>, Problem> {
    let main = tx.workspace().main_store();
    let wanted: Vec<Value> = news
        .iter()
        .enumerate()
        .map(|(n, (new, path, mac))| {
            json!({
                "n": n, "store": new.store.unwrap_or(main), "path": path, "folders": path.folders().collect::<Vec<_>>(), "kind": new.kind, "project": new.project, "mac": super::bytea(mac),
                "sha": super::bytea(&sha256(new.content.as_str())), "owner": owner.filter(|_| new.visibility == Visibility::Private),
            })
        })
        .collect();
    let rows = sqlx::query!(
        r#"select known.id as "known?", waiting.id as "waiting?", rejected.id as "rejected?", barred.request_id as "barred?", taken.id is not null as "taken!",
                  below.id is not null as "below!"
           from jsonb_to_recordset($2) as i (n int, store uuid, path text, folders text[], kind text, project text, mac bytea, sha bytea, owner uuid)
           left join lateral (
               select m.id from memories m
               where m.workspace_id = $1 and m.content_sha256 = i.sha and m.kind = i.kind and m.project is not distinct from i.project
                 and m.state = 'active' and m.store_id = i.store and m.owner_id is not distinct from i.owner
               limit 1
           ) known on true
           left join lateral (
               select m.id from memories m
               where m.workspace_id = $1 and m.content_sha256 = i.sha and m.kind = i.kind and m.project is not distinct from i.project
                 and m.state = 'proposed' and m.store_id = i.store and m.owner_id is not distinct from i.owner
               limit 1
           ) waiting on true
           left join lateral (
               select m.id from memories m
               join proposals r on r.workspace_id = m.workspace_id and r.memory_id = m.id and r.state = 'rejected'
               where m.workspace_id = $1 and m.content_sha256 = i.sha and m.kind = i.kind and m.project is not distinct from i.project
                 and m.state = 'archived' and m.owner_id is not distinct from i.owner and coalesce(r.change ->> 'type', 'remember') = 'remember'
               limit 1
           ) rejected on true
           left join lateral (
               select e.request_id from erasures e where e.workspace_id = $1 and e.content_mac = i.mac limit 1
           ) barred on true
           left join lateral (
               select m.id from memories m
               where m.workspace_id = $1 and m.store_id = i.store and m.path = i.path and m.state in ('active', 'proposed') limit 1
           ) taken on true
           left join lateral (
               select m.id from memories m
               where m.workspace_id = $1 and m.store_id = i.store and m.path = any (i.folders) and m.state in ('active', 'proposed') limit 1
           ) below on true
           order by i.n"#,
        tx.workspace().0,
        json!(wanted)
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Survey {
            known: row.known.map(MemoryId),
            waiting: row.waiting.map(MemoryId),
            rejected: row.rejected.map(MemoryId),
            barred: row.barred.map(DeletionId),
            taken: row.taken,
            below: row.below,
        })
        .collect())
}

/// Inserts memories and their first versions. `twin` marks those sent without a path, of which equal ones must meet.
pub async fn insert(tx: &mut Tx<Write>, memories: &mut [(Memory, bool)]) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let mut twins = Vec::with_capacity(memories.len());
    let rows: Vec<Columns> = memories
        .iter_mut()
        .map(|(memory, twin)| {
            let salt = seal(memory);
            twins.push(twin.then(|| twin_key(memory).to_vec()));
            Columns::new(workspace, memory, &salt)
        })
        .collect();
    sqlx::query!(
        "with r as materialized (
            select * from rows from (jsonb_populate_recordset(null::memory_versions, $1), unnest($2::bytea[])) as r
         ), m as (
            insert into memories (workspace_id, id, version, store_id, path, kind, project, state, visibility, owner_id, content_sha256, twin_key,
                subject, stale_after, expires_at, verified_at, session_id, created_at, created_by_type, created_by, updated_at, updated_by, audit_id)
            select workspace_id, memory_id, version, store_id, path, kind, project, state, visibility, owner_id, content_sha256, unnest,
                subject, stale_after, expires_at, verified_at, session_id, at, actor_type, actor_id, at, actor_id, audit_id
            from r
         )
         insert into memory_versions (workspace_id, memory_id, version, operation, store_id, path, title, content, kind, tags, project, anchors, source,
            confidence, state, visibility, owner_id, subject, valid_from, stale_after, expires_at, supersedes, superseded_by, verified_at,
            verified_by_type, verified_by, content_sha256, reason, at, actor_type, actor_id, session_id, run_id, salt, digest, audit_id, tokens)
         select workspace_id, memory_id, version, operation, store_id, path, title, content, kind, tags, project, anchors, source,
            confidence, state, visibility, owner_id, subject, valid_from, stale_after, expires_at, supersedes, superseded_by, verified_at,
            verified_by_type, verified_by, content_sha256, reason, at, actor_type, actor_id, session_id, run_id, salt, digest, audit_id, tokens
         from r",
        Json(&rows) as _,
        &twins as _
    )
    .execute(tx.conn())
    .await?;
    if rows.iter().any(|row| !row.tags.is_empty() || !row.anchors.is_empty()) {
        label(tx, &rows).await?;
    }
    Ok(())
}

/// The next state of a memory that this transaction holds.
pub struct Step {
    pub before: Memory,
    pub next: Memory,
    /// Of a rollback: the version whose state this is, or 0.
    pub restores: Option<i32>,
}

/// Writes the next state of a memory that this transaction holds, as a new version.
pub async fn advance(tx: &mut Tx<Write>, before: &Memory, next: &mut Memory) -> Result<(), Problem> {
    let mut steps = [Step { before: before.clone(), next: next.clone(), restores: None }];
    advance_all(tx, &mut steps).await?;
    let [step] = steps;
    *next = step.next;
    Ok(())
}

/// The same for many, at once: a few thousand are a good measure.
pub async fn advance_all(tx: &mut Tx<Write>, steps: &mut [Step]) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let rows: Vec<Columns> = steps
        .iter_mut()
        .map(|Step { before, next, restores }| {
            next.version = before.version + 1;
            // Versions of one memory are in order even when clocks are not.
            next.updated_at = next.updated_at.max(before.updated_at + time::Duration::MICROSECOND);
            let salt = seal(next);
            Columns::new(workspace, next, &salt).restoring(*restores)
        })
        .collect();
    // Of tables that grew a moment ago the planner knows too little to join many with many well.
    let many = rows.len() > 100;
    if many {
        sqlx::query("set local enable_nestloop = off").execute(tx.conn()).await?;
    }
    let done = sqlx::query!(
        "with r as materialized (
            select * from jsonb_populate_recordset(null::memory_versions, $1)
         ), m as (
            update memories m
            set version = r.version, store_id = r.store_id, path = r.path, kind = r.kind, project = r.project, state = r.state,
                visibility = r.visibility, owner_id = r.owner_id, content_sha256 = r.content_sha256, twin_key = null, subject = r.subject,
                stale_after = r.stale_after, expires_at = r.expires_at, verified_at = r.verified_at, session_id = r.session_id,
                updated_at = r.at, updated_by = r.actor_id, audit_id = r.audit_id
            from r
            where m.workspace_id = $2 and m.id = r.memory_id and m.version = r.version - 1
            returning m.id
         )
         insert into memory_versions (workspace_id, memory_id, version, operation, store_id, path, title, content, kind, tags, project, anchors, source,
            confidence, state, visibility, owner_id, subject, valid_from, stale_after, expires_at, supersedes, superseded_by, verified_at,
            verified_by_type, verified_by, content_sha256, reason, at, actor_type, actor_id, session_id, run_id, restores, salt, digest, audit_id, tokens)
         select v.workspace_id, v.memory_id, v.version, v.operation, v.store_id, v.path, v.title, v.content, v.kind, v.tags, v.project, v.anchors, v.source,
            v.confidence, v.state, v.visibility, v.owner_id, v.subject, v.valid_from, v.stale_after, v.expires_at, v.supersedes, v.superseded_by, v.verified_at,
            v.verified_by_type, v.verified_by, v.content_sha256, v.reason, v.at, v.actor_type, v.actor_id, v.session_id, v.run_id, v.restores, v.salt, v.digest, v.audit_id, v.tokens
         from r v
         join m on m.id = v.memory_id",
        Json(&rows) as _,
        workspace.0
    )
    .execute(tx.conn())
    .await?
    .rows_affected();
    if many {
        sqlx::query("set local enable_nestloop = on").execute(tx.conn()).await?;
    }
    if done != rows.len() as u64 {
        return Err(Problem::LostRace);
    }
    // What contradicts one of these is doubted for it only while it stands, and for whoever sees both.
    let stands_otherwise = |step: &&Step| {
        (step.before.state, step.before.owner, &step.before.project) != (step.next.state, step.next.owner, &step.next.project)
    };
    let moved: Vec<Uuid> = steps.iter().filter(stands_otherwise).map(|step| step.next.id.0).collect();
    if !moved.is_empty() {
        tx.stirs(&moved).await?;
    }
    let of = |changed: fn(&Step) -> bool| -> (Vec<Uuid>, Vec<Columns<'_>>) {
        let those = steps.iter().filter(|step| changed(step));
        those.map(|step| (step.next.id.0, Columns::new(workspace, &step.next, &[]))).unzip()
    };
    let (retagged, rows) = of(|step| step.before.tags != step.next.tags);
    if !retagged.is_empty() {
        sqlx::query!("delete from memory_tags where workspace_id = $1 and memory_id = any($2)", workspace.0, &retagged)
            .execute(tx.conn())
            .await?;
        label_tags(tx, &rows).await?;
    }
    // What is said of the code under an anchor goes with it: one that stays must not be touched.
    let (moved, rows) = of(|step| step.before.anchors != step.next.anchors);
    if !moved.is_empty() {
        sqlx::query!("delete from anchors where workspace_id = $1 and memory_id = any($2)", workspace.0, &moved).execute(tx.conn()).await?;
        label_anchors(tx, &rows).await?;
    }
    Ok(())
}

/// Tags and anchors again, in tables that can be searched.
async fn label(tx: &mut Tx<Write>, rows: &[Columns<'_>]) -> Result<(), Problem> {
    label_tags(tx, rows).await?;
    label_anchors(tx, rows).await
}

async fn label_tags(tx: &mut Tx<Write>, rows: &[Columns<'_>]) -> Result<(), Problem> {
    sqlx::query!(
        "insert into memory_tags (workspace_id, tag, memory_id)
         select r.workspace_id, t.tag, r.memory_id
         from jsonb_populate_recordset(null::memory_versions, $1) r, unnest(r.tags) t (tag)",
        Json(rows) as _
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

async fn label_anchors(tx: &mut Tx<Write>, rows: &[Columns<'_>]) -> Result<(), Problem> {
    sqlx::query!(
        "insert into anchors (workspace_id, memory_id, position, repo, path, symbol, fingerprint)
         select r.workspace_id, r.memory_id, a.position, coalesce(a.anchor ->> 'repo', ''), a.anchor ->> 'path', a.anchor ->> 'symbol',
             a.anchor ->> 'fingerprint'
         from jsonb_populate_recordset(null::memory_versions, $1) r, jsonb_array_elements(r.anchors) with ordinality a (anchor, position)",
        Json(rows) as _
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

pub(super) fn seal(memory: &mut Memory) -> [u8; 16] {
    let salt: [u8; 16] = rand::rng().random();
    memory.content_sha256 = sha256(&memory.content);
    memory.digest = digest(memory, &salt);
    salt
}

/// What a digest is of: this object as JSON without spaces, its members in this order.
#[derive(Serialize)]
struct Stated<'a> {
    memory_id: MemoryId,
    version: i32,
    operation: Operation,
    store_id: StoreId,
    path: &'a MemoryPath,
    title: &'a str,
    content: &'a str,
    kind: Kind,
    tags: &'a [String],
    project: Option<&'a str>,
    anchors: &'a [Anchor],
    source: Option<&'a Source>,
    confidence: f32,
    state: State,
    visibility: Visibility,
    owner_id: Option<PersonId>,
    subject: Option<&'a str>,
    #[serde(with = "time::serde::rfc3339")]
    valid_from: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339::option")]
    stale_after: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    expires_at: Option<OffsetDateTime>,
    supersedes: Option<MemoryId>,
    superseded_by: Option<MemoryId>,
    #[serde(with = "time::serde::rfc3339::option")]
    verified_at: Option<OffsetDateTime>,
    verified_by: Option<Uuid>,
    reason: Option<&'a str>,
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
    actor_id: Uuid,
    session_id: Option<SessionId>,
}

/// The digest that the trail keeps: salted, so that an erased text cannot be guessed back from it.
pub(super) fn digest(memory: &Memory, salt: &[u8]) -> [u8; 32] {
    let stated = Stated {
        memory_id: memory.id,
        version: memory.version,
        operation: memory.operation,
        store_id: memory.store_id,
        path: &memory.path,
        title: &memory.title,
        content: &memory.content,
        kind: memory.kind,
        tags: &memory.tags,
        project: memory.project.as_deref(),
        anchors: &memory.anchors,
        source: memory.source.as_ref(),
        confidence: memory.confidence,
        state: memory.state,
        visibility: memory.visibility,
        owner_id: memory.owner,
        subject: memory.subject.as_deref(),
        valid_from: memory.valid_from,
        stale_after: memory.stale_after,
        expires_at: memory.expires_at,
        supersedes: memory.supersedes,
        superseded_by: memory.superseded_by,
        verified_at: memory.verified_at,
        verified_by: memory.verified_by.as_ref().map(|by| by.id),
        reason: memory.reason.as_deref(),
        at: memory.updated_at,
        actor_id: memory.updated_by.id,
        session_id: memory.session_id,
    };
    let mut hasher = Sha256::new();
    hasher.update(salt);
    hasher.update(serde_json::to_vec(&stated).unwrap_or_default());
    hasher.finalize().into()
}

pub(super) fn twin_key(memory: &Memory) -> [u8; 32] {
    let same = json!([memory.store_id, memory.kind, memory.project, memory.owner, memory.content]);
    sha256(&same.to_string())
}
