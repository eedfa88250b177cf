//! Proposals: one row per memory that waits or waited, and per finding however often it is seen.

use super::{Tx, tx::Write};
use crate::{
    model::{
        Actor, ActorKind, AuditId, MemoryId, PersonId, ProposalId, ReviewId,
        page::{Limit, Page, decode},
        proposals::{Change, Origin, Proposal, ProposalFilter, ProposalState, Sighting},
    },
    problem::Problem,
};
use serde_json::{Value, json};
use sqlx::{Postgres, QueryBuilder, types::Json};
use std::collections::HashSet;
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(sqlx::FromRow)]
struct Row {
    id: ProposalId,
    origin: Origin,
    memory_id: MemoryId,
    change: Option<Json<Change>>,
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
    assigned_to: Option<Uuid>,
    assigned_to_name: Option<String>,
    note: Option<String>,
}

impl From<Row> for Proposal {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            origin: row.origin,
            memory_id: row.memory_id,
            change: row.change.map(|change| change.0),
            project: row.project,
            state: row.state,
            reason: row.reason,
            confidence: row.confidence,
            sightings: row.sightings.0,
            created_at: row.created_at,
            decided_at: row.decided_at,
            decided_by: row.decided_by_type.zip(row.decided_by).map(|(kind, id)| Actor::known(kind, id, row.decided_by_name)),
            assigned_to: row.assigned_to.map(|id| Actor::known(ActorKind::Person, id, row.assigned_to_name)),
            note: row.note,
        }
    }
}

const SELECT: &str =
    "select r.id, r.origin, r.memory_id, r.change, r.project, r.state, r.reason, r.confidence, r.sightings, r.created_at, r.decided_at,
       r.decided_by_type, r.decided_by, coalesce(a.name, p.name) as decided_by_name, r.assigned_to, q.name as assigned_to_name, r.note
from proposals r
left join agents a on a.workspace_id = r.workspace_id and a.id = r.decided_by
left join people p on p.id = r.decided_by
left join people q on q.id = r.assigned_to
where r.workspace_id = ";

/// A proposal to make, the key that tells whether it was made before, and the entry that stands for it.
pub type Made<'a> = (&'a Proposal, Option<&'a str>, AuditId);

/// Puts any number down in one statement, and says which: one whose key is there already, whatever became of it, is left out.
pub async fn insert_all(tx: &mut Tx<Write>, made: &[Made<'_>]) -> Result<HashSet<ProposalId>, Problem> {
    let workspace = tx.workspace();
    let rows: Vec<Value> = made
        .iter()
        .map(|(proposal, key, audit)| {
            json!({
                "workspace_id": workspace, "id": proposal.id, "origin": proposal.origin, "key": key, "project": proposal.project,
                "memory_id": proposal.memory_id, "change": proposal.change, "state": proposal.state, "reason": proposal.reason,
                "confidence": proposal.confidence, "sightings": proposal.sightings, "created_at": rfc3339(proposal.created_at), "audit_id": audit,
            })
        })
        .collect();
    let inserted = sqlx::query_scalar!(
        r#"insert into proposals (workspace_id, id, origin, key, project, memory_id, change, state, reason, confidence, sightings, created_at, audit_id)
           select workspace_id, id, origin, key, project, memory_id, nullif(change, 'null'), state, reason, confidence, sightings, created_at, audit_id
           from jsonb_populate_recordset(null::proposals, $1)
           on conflict do nothing
           returning id as "id: ProposalId""#,
        json!(rows)
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(inserted.into_iter().collect())
}

fn rfc3339(at: OffsetDateTime) -> String {
    at.format(&time::format_description::well_known::Rfc3339).unwrap_or_default()
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
        r#"select exists (
               select 1 from proposals
               where workspace_id = $1 and memory_id = $2 and state = 'rejected' and coalesce(change ->> 'type', 'remember') = 'remember'
           ) as "rejected!""#,
        workspace.0,
        memory.0
    )
    .fetch_one(tx.conn())
    .await?)
}

/// Whether a memory was put up for review, and nobody has decided on it yet.
pub async fn is_waiting<M>(tx: &mut Tx<M>, memory: MemoryId) -> Result<bool, Problem> {
    let waiting = sqlx::query_scalar(
        "select exists (
             select 1 from proposals
             where workspace_id = $1 and memory_id = $2 and state = 'open' and coalesce(change ->> 'type', 'remember') = 'remember')",
    );
    Ok(waiting.bind(tx.workspace()).bind(memory).fetch_one(tx.conn()).await?)
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

/// Approved or rejected, by whom, and what they said.
pub struct Verdict<'a> {
    pub state: ProposalState,
    pub by: &'a Actor,
    pub at: OffsetDateTime,
    pub note: Option<&'a str>,
    /// The memory that came of it, where that is another than the one that waited.
    pub became: Option<MemoryId>,
    /// What it was decided together with.
    pub review: Option<ReviewId>,
}

pub async fn decide(tx: &mut Tx<Write>, id: ProposalId, verdict: &Verdict<'_>, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update proposals
         set state = $3, decided_at = $4, decided_by_type = $5, decided_by = $6, note = $7, memory_id = coalesce($8, memory_id), audit_id = $9,
             review_id = $10
         where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        verdict.state as _,
        verdict.at,
        verdict.by.kind as _,
        verdict.by.id,
        verdict.note,
        verdict.became.map(|memory| memory.0),
        audit.0,
        verdict.review.map(|review| review.0)
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// What was decided together.
pub async fn of_review<M>(tx: &mut Tx<M>, review: ReviewId) -> Result<Vec<Proposal>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and r.review_id = ").push_bind(review).push(" order by r.id limit 1000");
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(rows.into_iter().map(Proposal::from).collect())
}

/// As if nobody had decided on it.
pub async fn reopen(tx: &mut Tx<Write>, id: ProposalId, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update proposals
         set state = 'open', decided_at = null, decided_by_type = null, decided_by = null, note = null, review_id = null, audit_id = $3
         where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

pub async fn assign(tx: &mut Tx<Write>, id: ProposalId, to: Option<PersonId>, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update proposals set assigned_to = $3, audit_id = $4 where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        to.map(|person| person.0),
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Newest first, unless asked otherwise.
pub async fn list<M>(tx: &mut Tx<M>, filter: &ProposalFilter, limit: Limit, cursor: Option<&str>) -> Result<Page<Proposal>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace());
    narrow(&mut sql, filter);
    if let Some(cursor) = cursor {
        sql.push(if filter.oldest_first { " and r.id > " } else { " and r.id < " }).push_bind(decode::<ProposalId>(cursor)?);
    }
    // Ids grow with time.
    sql.push(if filter.oldest_first { " order by r.id limit " } else { " order by r.id desc limit " }).push_bind(limit.and_one());
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| row.id).map(Proposal::from))
}

fn narrow(sql: &mut QueryBuilder<Postgres>, filter: &ProposalFilter) {
    if let Some(state) = filter.state {
        sql.push(" and r.state = ").push_bind(state);
    }
    if let Some(session) = filter.session {
        sql.push(" and (r.sightings @> jsonb_build_array(jsonb_build_object('session_id', ").push_bind(session);
        sql.push(
            "::text)) or exists (select 1 from memories m where m.workspace_id = r.workspace_id and m.id = r.memory_id and m.session_id = ",
        );
        sql.push_bind(session).push("))");
    }
    if let Some(origin) = filter.origin {
        sql.push(" and r.origin = ").push_bind(origin);
    }
    if let Some(kind) = filter.kind {
        sql.push(" and exists (select 1 from memories m where m.workspace_id = r.workspace_id and m.id = r.memory_id and m.kind = ");
        sql.push_bind(kind.word()).push(")");
    }
    if let Some(project) = &filter.project {
        sql.push(" and r.project = ").push_bind(project.clone());
    }
    if let Some(person) = filter.assigned_to {
        sql.push(" and r.assigned_to = ").push_bind(person);
    }
    if let Some(before) = filter.before {
        sql.push(" and r.created_at < ").push_bind(before);
    }
}
