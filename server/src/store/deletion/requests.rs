//! The requests themselves, from the asking to the closing.

use crate::{
    keyring::Keyring,
    model::{
        Actor, ActorKind, AuditId, DeletionId, MemoryId, PersonId, SessionId,
        deletion::{DeletionRequest, DeletionState, Rule, Selectors},
        page::{Limit, Page, decode},
    },
    problem::Problem,
    store::{Tx, Write},
};
use serde_json::Value;
use sqlx::{QueryBuilder, types::Json};
use std::collections::BTreeMap;
use time::OffsetDateTime;
use uuid::Uuid;

pub async fn insert(tx: &mut Tx<Write>, request: &DeletionRequest, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "insert into deletion_requests (workspace_id, id, state, reason, asked_at, asked_by_type, asked_by, asked_for, audit_id,
             subject, query, include_copies, rule)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        workspace.0,
        request.id.0,
        request.state as _,
        request.reason,
        request.asked_at,
        request.asked_by.kind as _,
        request.asked_by.id,
        request.asked_for.0,
        audit.0,
        request.asked.subject,
        request.asked.query,
        request.asked.include_copies,
        request.rule.map(Json) as _
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct Row {
    id: DeletionId,
    state: DeletionState,
    resumes_as: Option<DeletionState>,
    reason: Option<String>,
    subject: Option<String>,
    query: Option<String>,
    include_copies: bool,
    asked_at: OffsetDateTime,
    asked_by_type: ActorKind,
    asked_by: Uuid,
    asked_by_name: Option<String>,
    asked_for: PersonId,
    decided_at: Option<OffsetDateTime>,
    decided_by: Option<Uuid>,
    decided_by_name: Option<String>,
    executed_at: Option<OffsetDateTime>,
    executed_by: Option<Uuid>,
    executed_by_name: Option<String>,
    alone: bool,
    rule: Option<Json<Rule>>,
    counts: Option<Value>,
    memory_ids: Vec<Uuid>,
    session_ids: Vec<Uuid>,
    touches: Json<BTreeMap<String, u64>>,
    copies: i64,
}

const SELECT: &str = "select r.id, r.state, r.resumes_as, r.reason, r.subject, r.query, r.include_copies, r.asked_at, r.asked_by_type, r.asked_by,
       coalesce(a.name, p.name) as asked_by_name, r.asked_for, r.decided_at, r.decided_by, d.name as decided_by_name, r.executed_at, r.executed_by,
       e.name as executed_by_name, r.alone, r.rule, r.counts,
       array(select i.memory_id from deletion_request_items i where i.workspace_id = r.workspace_id and i.request_id = r.id
             and i.kind = 'memory' and i.why = 'named' order by i.memory_id) as memory_ids,
       array(select i.memory_id from deletion_request_items i where i.workspace_id = r.workspace_id and i.request_id = r.id
             and i.kind = 'session' and i.why = 'named' order by i.memory_id) as session_ids,
       coalesce((select jsonb_object_agg(g.kind, g.n) from (
             select i.kind, count(*) as n from deletion_request_items i
             where i.workspace_id = r.workspace_id and i.request_id = r.id and i.taken group by i.kind) g), '{}') as touches,
       (select count(*) from deletion_request_items i where i.workspace_id = r.workspace_id and i.request_id = r.id and not i.taken) as copies
from deletion_requests r
left join agents a on a.workspace_id = r.workspace_id and a.id = r.asked_by
left join people p on p.id = r.asked_by
left join people d on d.id = r.decided_by
left join people e on e.id = r.executed_by
where r.workspace_id = ";

pub async fn find<M>(tx: &mut Tx<M>, id: DeletionId) -> Result<DeletionRequest, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and r.id = ").push_bind(id);
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    row.map(DeletionRequest::from).ok_or(Problem::NotFound)
}

/// As above, and nobody else decides on it before this transaction ends.
pub async fn find_to_change(tx: &mut Tx<Write>, id: DeletionId) -> Result<DeletionRequest, Problem> {
    let workspace = tx.workspace();
    sqlx::query!("select id from deletion_requests where workspace_id = $1 and id = $2 for update", workspace.0, id.0)
        .fetch_optional(tx.conn())
        .await?
        .ok_or(Problem::NotFound)?;
    find(tx, id).await
}

/// Newest first.
pub async fn list<M>(
    tx: &mut Tx<M>,
    state: Option<DeletionState>,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<DeletionRequest>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace());
    if let Some(state) = state {
        sql.push(" and r.state = ").push_bind(state.word());
    }
    if let Some(cursor) = cursor {
        sql.push(" and r.id < ").push_bind(decode::<DeletionId>(cursor)?);
    }
    sql.push(" order by r.id desc limit ").push_bind(limit.and_one());
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| row.id).map(DeletionRequest::from))
}

/// Those that may yet be executed, locked: a hold that comes or goes changes where they stand.
pub async fn open_ones(tx: &mut Tx<Write>) -> Result<Vec<DeletionRequest>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and r.state in ('pending', 'approved', 'blocked') order by r.id for update of r");
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(rows.into_iter().map(DeletionRequest::from).collect())
}

/// Approved or rejected, by a person.
pub async fn decide(tx: &mut Tx<Write>, decided: &DeletionRequest, by: PersonId, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update deletion_requests
         set state = $3, resumes_as = null, decided_by = $4, decided_at = $5, alone = $6, audit_id = $7
         where workspace_id = $1 and id = $2",
        workspace.0,
        decided.id.0,
        decided.state as _,
        by.0,
        decided.decided_at,
        decided.alone,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// A hold is in the way.
pub async fn block(tx: &mut Tx<Write>, request: &DeletionRequest, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update deletion_requests set state = 'blocked', resumes_as = state, audit_id = $3
         where workspace_id = $1 and id = $2 and state in ('pending', 'approved')",
        workspace.0,
        request.id.0,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// None is any more.
pub async fn unblock(tx: &mut Tx<Write>, request: &DeletionRequest, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update deletion_requests set state = resumes_as, resumes_as = null, audit_id = $3
         where workspace_id = $1 and id = $2 and state = 'blocked' and resumes_as is not null",
        workspace.0,
        request.id.0,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// By whom and when a request is executed.
pub struct Closing<'a> {
    pub by: &'a Actor,
    pub at: OffsetDateTime,
    pub alone: bool,
}

/// Executed, from here to the end of the transaction: who and when; what was looked for only as keyed hashes.
pub async fn close(
    tx: &mut Tx<Write>,
    request: &DeletionRequest,
    closing: &Closing<'_>,
    keyring: &Keyring,
    audit: AuditId,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let mac = |text: &Option<String>| text.as_deref().map(|text| keyring.erasure_mac(text).to_vec());
    sqlx::query!(
        "update deletion_requests
         set state = 'executed', resumes_as = null, executed_by = $3, executed_at = $4, executed_xid = pg_current_xact_id(), alone = $5,
             reason = null, reason_mac = $6, subject = null, subject_mac = $7, query = null, query_mac = $8, audit_id = $9
         where workspace_id = $1 and id = $2",
        workspace.0,
        request.id.0,
        closing.by.id,
        closing.at,
        closing.alone,
        mac(&request.reason),
        mac(&request.asked.subject),
        mac(&request.asked.query),
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// How much went, and the certificate that says so.
pub async fn certify(tx: &mut Tx<Write>, id: DeletionId, counts: &Value, certificate: &str) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update deletion_requests set counts = $3, certificate = $4 where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        counts,
        certificate
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// The certificate of an executed request, as it was signed.
pub async fn certificate<M>(tx: &mut Tx<M>, id: DeletionId) -> Result<Option<String>, Problem> {
    let workspace = tx.workspace();
    let found = sqlx::query_scalar!("select certificate from deletion_requests where workspace_id = $1 and id = $2", workspace.0, id.0)
        .fetch_optional(tx.conn())
        .await?;
    Ok(found.flatten())
}

impl From<Row> for DeletionRequest {
    fn from(row: Row) -> Self {
        let system = row.rule.is_some();
        let kind = if system { ActorKind::System } else { ActorKind::Person };
        let actor = |id: Option<Uuid>, name: Option<String>| id.map(|id| Actor::known(kind, id, name));
        Self {
            id: row.id,
            state: row.state,
            resumes_as: row.resumes_as,
            reason: row.reason,
            asked: Selectors {
                memory_ids: row.memory_ids.into_iter().map(MemoryId).collect(),
                session_ids: row.session_ids.into_iter().map(SessionId).collect(),
                subject: row.subject,
                query: row.query,
                include_copies: row.include_copies,
            },
            touches: row.touches.0,
            copies: u64::try_from(row.copies).unwrap_or_default(),
            asked_at: row.asked_at,
            asked_by: Actor::known(row.asked_by_type, row.asked_by, row.asked_by_name),
            asked_for: row.asked_for,
            decided_at: row.decided_at,
            decided_by: actor(row.decided_by, row.decided_by_name),
            executed_at: row.executed_at,
            executed_by: actor(row.executed_by, row.executed_by_name),
            alone: row.alone,
            rule: row.rule.map(|rule| rule.0),
            counts: row.counts,
        }
    }
}
