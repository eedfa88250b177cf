//! Proposals: one row per memory that waits or waited, and per finding however often it is seen.

use super::{Tx, tx::Write};
use crate::{
    model::{
        Actor, ActorKind, AuditId, MemoryId, ProposalId, SessionId,
        page::{Limit, Page, decode},
        proposals::{Origin, Proposal, ProposalState, Sighting},
    },
    problem::Problem,
};
use sqlx::{QueryBuilder, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(sqlx::FromRow)]
struct Row {
    id: ProposalId,
    origin: Origin,
    memory_id: MemoryId,
    project: Option<String>,
    state: ProposalState,
    reason: String,
    confidence: f32,
    sightings: Json<Vec<Sighting>>,
    created_at: OffsetDateTime,
    decided_at: Option<OffsetDateTime>,
    decided_by_type: Option<ActorKind>,
    decided_by: Option<Uuid>,
    decided_by_name: Option<String>,
}

impl From<Row> for Proposal {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            origin: row.origin,
            memory_id: row.memory_id,
            project: row.project,
            state: row.state,
            reason: row.reason,
            confidence: row.confidence,
            sightings: row.sightings.0,
            created_at: row.created_at,
            decided_at: row.decided_at,
            decided_by: row.decided_by_type.zip(row.decided_by).map(|(kind, id)| Actor::known(kind, id, row.decided_by_name)),
        }
    }
}

const SELECT: &str =
    "select r.id, r.origin, r.memory_id, r.project, r.state, r.reason, r.confidence, r.sightings, r.created_at, r.decided_at,
       r.decided_by_type, r.decided_by, coalesce(a.name, p.name) as decided_by_name
from proposals r
left join agents a on a.workspace_id = r.workspace_id and a.id = r.decided_by
left join people p on p.id = r.decided_by
where r.workspace_id = ";

pub async fn insert(tx: &mut Tx<Write>, proposal: &Proposal, key: Option<&str>, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "insert into proposals (workspace_id, id, origin, key, project, memory_id, state, reason, confidence, sightings, created_at, audit_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        workspace.0,
        proposal.id.0,
        proposal.origin as _,
        key,
        proposal.project,
        proposal.memory_id.0,
        proposal.state as _,
        proposal.reason,
        proposal.confidence,
        Json(&proposal.sightings) as _,
        proposal.created_at,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

pub async fn find<M>(tx: &mut Tx<M>, id: ProposalId) -> Result<Proposal, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and r.id = ").push_bind(id);
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    row.map(Proposal::from).ok_or(Problem::NotFound)
}

/// As above, and nobody else decides on it before this transaction ends.
pub async fn find_to_change(tx: &mut Tx<Write>, id: ProposalId) -> Result<Proposal, Problem> {
    let workspace = tx.workspace();
    sqlx::query!("select id from proposals where workspace_id = $1 and id = $2 for update", workspace.0, id.0)
        .fetch_optional(tx.conn())
        .await?
        .ok_or(Problem::NotFound)?;
    find(tx, id).await
}

/// Whether somebody looked at a memory and did not want it.
pub async fn was_rejected<M>(tx: &mut Tx<M>, memory: MemoryId) -> Result<bool, Problem> {
    let workspace = tx.workspace();
    Ok(sqlx::query_scalar!(
        r#"select exists (select 1 from proposals where workspace_id = $1 and memory_id = $2 and state = 'rejected') as "rejected!""#,
        workspace.0,
        memory.0
    )
    .fetch_one(tx.conn())
    .await?)
}

/// The same finding, if it was seen before, whatever became of it.
pub async fn with_key(tx: &mut Tx<Write>, project: Option<&str>, key: &str) -> Result<Option<Proposal>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and coalesce(r.project, '') = ").push_bind(project.unwrap_or_default());
    // Two runs that end at once must not lose each other's word for it.
    sql.push(" and r.key = ").push_bind(key).push(" for update of r");
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    Ok(row.map(Proposal::from))
}

/// Seen again: another run speaks for it.
pub async fn seen_again(
    tx: &mut Tx<Write>,
    id: ProposalId,
    sightings: &[Sighting],
    confidence: f32,
    audit: AuditId,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update proposals set sightings = $3, confidence = $4, audit_id = $5 where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        Json(sightings) as _,
        confidence,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

pub async fn decide(
    tx: &mut Tx<Write>,
    id: ProposalId,
    state: ProposalState,
    by: &Actor,
    at: OffsetDateTime,
    audit: AuditId,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update proposals set state = $3, decided_at = $4, decided_by_type = $5, decided_by = $6, audit_id = $7 where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        state as _,
        at,
        by.kind as _,
        by.id,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Newest first.
pub async fn list<M>(
    tx: &mut Tx<M>,
    state: Option<ProposalState>,
    session: Option<SessionId>,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Proposal>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace());
    if let Some(state) = state {
        sql.push(" and r.state = ").push_bind(state);
    }
    if let Some(session) = session {
        sql.push(" and r.sightings @> jsonb_build_array(jsonb_build_object('session_id', ").push_bind(session).push("::text))");
    }
    if let Some(cursor) = cursor {
        sql.push(" and r.id < ").push_bind(decode::<ProposalId>(cursor)?);
    }
    sql.push(" order by r.id desc limit ").push_bind(limit.and_one());
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| row.id).map(Proposal::from))
}
