//! Dreams: a row for each run and one for each thing it did; and what a run has to know before it begins.

use super::{Tx, tx::Write};
use crate::{
    engines::dream::pair,
    model::{
        Actor, ActorKind, AuditId, ConflictId, DreamId, Kind, MemoryId, ProposalId, SessionId,
        access::Mode,
        code::Standing,
        dreams::{Deed, Done, Dream, DreamState, Outcome, Stage, Tally, Why},
        memory::Report,
        page::{Limit, Page, decode},
        proposals::Change,
    },
    problem::Problem,
};
use serde_json::{Value, json};
use sqlx::{QueryBuilder, types::Json};
use std::collections::{HashMap, HashSet};
use time::OffsetDateTime;
use uuid::Uuid;

pub async fn insert(tx: &mut Tx<Write>, dream: &Dream, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "insert into dreams (workspace_id, id, project, mode, dry_run, state, stage, started_at, actor_type, actor_id, tally, audit_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        workspace.0,
        dream.id.0,
        dream.project,
        dream.mode as _,
        dream.dry_run,
        dream.state as _,
        dream.stage as _,
        dream.started_at,
        dream.started_by.kind as _,
        dream.started_by.id,
        Json(&dream.tally) as _,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// How far it has come.
pub async fn note_progress(tx: &mut Tx<Write>, id: DreamId, stage: Stage, tally: &Tally) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update dreams set stage = $3, tally = $4 where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        stage as _,
        Json(tally) as _
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

pub async fn end(
    tx: &mut Tx<Write>,
    id: DreamId,
    state: DreamState,
    tally: &Tally,
    at: OffsetDateTime,
    audit: AuditId,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update dreams set state = $3, stage = 'over', tally = $4, ended_at = $5, audit_id = $6 where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        state as _,
        Json(tally) as _,
        at,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Those that are said to run. Whoever has the turn knows that they do not.
pub async fn interrupted(tx: &mut Tx<Write>) -> Result<Vec<(DreamId, Tally)>, Problem> {
    let workspace = tx.workspace();
    let rows = sqlx::query!(
        r#"select id as "id: DreamId", tally as "tally: Json<Tally>" from dreams where workspace_id = $1 and state = 'running' for update"#,
        workspace.0
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.tally.0)).collect())
}

/// When the last one of the whole workspace began that was not dry.
pub async fn last_began<M>(tx: &mut Tx<M>) -> Result<Option<OffsetDateTime>, Problem> {
    let workspace = tx.workspace();
    Ok(sqlx::query_scalar!("select max(started_at) from dreams where workspace_id = $1 and not dry_run and project is null", workspace.0)
        .fetch_one(tx.conn())
        .await?)
}

/// Puts down what was done, numbered from `first` on.
pub async fn add_actions(tx: &mut Tx<Write>, id: DreamId, first: usize, done: &[Done]) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let rows: Vec<Value> = done
        .iter()
        .enumerate()
        .map(|(n, one)| {
            json!({
                "workspace_id": workspace, "dream_id": id, "n": first + n, "deed": one.deed, "why": one.why, "score": one.score,
                "outcome": one.outcome, "memory_id": one.memory, "others": one.others, "made_id": one.made, "proposal_id": one.proposal,
                "conflict_id": one.conflict,
            })
        })
        .collect();
    sqlx::query!("insert into dream_actions select * from jsonb_populate_recordset(null::dream_actions, $1)", json!(rows))
        .execute(tx.conn())
        .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct Row {
    id: DreamId,
    project: Option<String>,
    mode: Mode,
    dry_run: bool,
    state: DreamState,
    stage: Stage,
    started_at: OffsetDateTime,
    ended_at: Option<OffsetDateTime>,
    actor_type: ActorKind,
    actor_id: Uuid,
    actor_name: Option<String>,
    tally: Json<Tally>,
}

impl From<Row> for Dream {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            mode: row.mode,
            project: row.project,
            dry_run: row.dry_run,
            state: row.state,
            stage: row.stage,
            started_at: row.started_at,
            ended_at: row.ended_at,
            started_by: Actor::known(row.actor_type, row.actor_id, row.actor_name),
            tally: row.tally.0,
        }
    }
}

const SELECT: &str = "select d.id, d.project, d.mode, d.dry_run, d.stage, d.started_at, d.ended_at, d.actor_type, d.actor_id,
       coalesce(a.name, p.name) as actor_name, d.tally,
       case when d.state <> 'running' and exists (
           select 1 from rollbacks r where r.workspace_id = d.workspace_id and r.selector ->> 'dream_id' = d.id::text
       ) then 'rolled_back' else d.state end as state
from dreams d
left join agents a on a.workspace_id = d.workspace_id and a.id = d.actor_id
left join people p on p.id = d.actor_id
where d.workspace_id = ";

pub async fn find<M>(tx: &mut Tx<M>, id: DreamId) -> Result<Dream, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and d.id = ").push_bind(id);
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    row.map(Dream::from).ok_or(Problem::NotFound)
}

/// Newest first.
pub async fn list<M>(tx: &mut Tx<M>, limit: Limit, cursor: Option<&str>) -> Result<Page<Dream>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace());
    if let Some(cursor) = cursor {
        sql.push(" and d.id < ").push_bind(decode::<DreamId>(cursor)?);
    }
    sql.push(" order by d.id desc limit ").push_bind(limit.and_one());
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| row.id).map(Dream::from))
}

#[derive(sqlx::FromRow)]
struct ActionRow {
    n: i32,
    deed: Deed,
    why: Why,
    score: f32,
    outcome: Outcome,
    memory_id: MemoryId,
    others: Vec<Uuid>,
    made_id: Option<MemoryId>,
    proposal_id: Option<ProposalId>,
    conflict_id: Option<ConflictId>,
}

impl From<ActionRow> for Done {
    fn from(row: ActionRow) -> Self {
        Self {
            deed: row.deed,
            why: row.why,
            score: row.score,
            outcome: row.outcome,
            memory: row.memory_id,
            others: row.others.into_iter().map(MemoryId).collect(),
            made: row.made_id,
            proposal: row.proposal_id,
            conflict: row.conflict_id,
        }
    }
}

/// What it did, in order.
pub async fn actions<M>(
    tx: &mut Tx<M>,
    id: DreamId,
    deed: Option<Deed>,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Done>, Problem> {
    let mut sql = QueryBuilder::new(
        "select n, deed, why, score, outcome, memory_id, others, made_id, proposal_id, conflict_id from dream_actions where workspace_id = ",
    );
    sql.push_bind(tx.workspace()).push(" and dream_id = ").push_bind(id);
    if let Some(deed) = deed {
        sql.push(" and deed = ").push_bind(deed);
    }
    if let Some(cursor) = cursor {
        sql.push(" and n > ").push_bind(decode::<i32>(cursor)?);
    }
    sql.push(" order by n limit ").push_bind(limit.and_one());
    let rows: Vec<ActionRow> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| row.n).map(Done::from))
}

/// An active memory that the whole workspace sees, as far as a dream has to know it.
#[derive(Debug, sqlx::FromRow)]
pub struct Light {
    pub id: MemoryId,
    pub version: i32,
    pub kind: Kind,
    pub project: Option<String>,
    pub title: String,
    pub content: String,
    pub tags: Vec<String>,
    pub confidence: f32,
    pub anchored: bool,
    pub created_by: Uuid,
    pub created_by_type: ActorKind,
    pub session_id: Option<SessionId>,
    pub verified_at: Option<OffsetDateTime>,
    pub verified_by_person: bool,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
    pub stale_after: Option<OffsetDateTime>,
    pub expires_at: Option<OffsetDateTime>,
    pub reported_at: Option<OffsetDateTime>,
    pub reported_as: Option<Report>,
    pub code: Option<Json<Vec<Standing>>>,
    pub helpful: i32,
    pub told: i64,
}

/// A page of them, in the order of their ids; of one project only, where one is named.
pub async fn page<M>(tx: &mut Tx<M>, project: Option<&str>, after: MemoryId, most: i64) -> Result<Vec<Light>, Problem> {
    let rows = sqlx::query_as(
        "with page as materialized (
             select * from memories
             where workspace_id = $1 and id > $2 and state = 'active' and visibility = 'workspace' and ($3::text is null or project = $3)
               and store_id not in (select s.id from stores s where s.workspace_id = $1 and s.archived_at is not null)
             order by id
             limit $4
         ), told as (
             select i.memory_id, count(*) as told
             from receipt_items i
             where i.workspace_id = $1 and i.memory_id in (select id from page)
             group by i.memory_id
         )
         select m.id, m.version, m.kind, m.project, coalesce(v.title, '') as title, coalesce(v.content, '') as content, v.tags, v.confidence,
                jsonb_array_length(v.anchors) > 0 as anchored, m.created_by, m.created_by_type, m.session_id, m.verified_at,
                coalesce(v.verified_by_type = 'person', false) as verified_by_person, m.created_at,
                m.updated_at, m.stale_after, m.expires_at, m.reported_at, m.reported_as, m.helpful, coalesce(t.told, 0) as told,
                case when v.anchors <> '[]' then (select s.code from memory_states s where s.workspace_id = $1 and s.id = m.id and s.current) end as code
         from page m
         join memory_versions v on v.workspace_id = $1 and v.memory_id = m.id and v.version = m.version
         left join told t on t.memory_id = m.id
         order by m.id",
    )
    .bind(tx.workspace())
    .bind(after)
    .bind(project)
    .bind(most)
    .fetch_all(tx.conn())
    .await?;
    Ok(rows)
}

/// How many there are after a place.
pub async fn count_after<M>(tx: &mut Tx<M>, project: Option<&str>, after: MemoryId) -> Result<i64, Problem> {
    let workspace = tx.workspace();
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from memories
           where workspace_id = $1 and id > $2 and state = 'active' and visibility = 'workspace' and ($3::text is null or project = $3)"#,
        workspace.0,
        after.0,
        project
    )
    .fetch_one(tx.conn())
    .await?)
}

const CROWD: usize = 100;

/// What people decided on before or still think about.
#[derive(Debug, Default)]
pub struct Settled {
    pub kept_apart: HashSet<(MemoryId, MemoryId)>,
    pub left_alone: HashSet<MemoryId>,
    pub known_conflicts: HashSet<(MemoryId, MemoryId)>,
}

pub async fn settled<M>(tx: &mut Tx<M>) -> Result<Settled, Problem> {
    let workspace = tx.workspace();
    let changes: Vec<Json<Change>> = sqlx::query_scalar(
        "select change from proposals
         where workspace_id = $1 and origin = 'dream' and state in ('open', 'rejected') and change is not null and withdrawn_by is null",
    )
    .bind(workspace)
    .fetch_all(tx.conn())
    .await?;
    let mut settled = Settled::default();
    for Json(change) in changes {
        let about = change.touches();
        // Of many only those beside the first: nobody decided on all pairs of a crowd.
        let firsts = if about.len() > CROWD { 1 } else { about.len() };
        for (at, one) in about[..firsts].iter().enumerate() {
            settled.kept_apart.extend(about[at + 1..].iter().map(|other| pair(*one, *other)));
        }
        if !matches!(change, Change::Merge { .. }) {
            settled.left_alone.extend(about);
        }
    }
    let pairs: Vec<(Uuid, Uuid)> =
        sqlx::query_as("select a, b from conflicts where workspace_id = $1").bind(workspace).fetch_all(tx.conn()).await?;
    settled.known_conflicts = pairs.into_iter().map(|(a, b)| pair(MemoryId(a), MemoryId(b))).collect();
    Ok(settled)
}

/// Marks of the texts of these as they are now, with their versions.
pub async fn marks<M>(tx: &mut Tx<M>, ids: &[MemoryId]) -> Result<HashMap<MemoryId, (i32, [u8; 32])>, Problem> {
    let (workspace, ids): (_, Vec<Uuid>) = (tx.workspace(), ids.iter().map(|id| id.0).collect());
    let rows = sqlx::query!(
        r#"select m.id as "id: MemoryId", m.version, text_mark(v.content_sha256, v.title) as "mark!"
           from memories m
           join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
           where m.workspace_id = $1 and m.id = any($2) and v.content_sha256 is not null"#,
        workspace.0,
        &ids
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().filter_map(|row| Some((row.id, (row.version, row.mark.try_into().ok()?)))).collect())
}
