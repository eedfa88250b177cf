//! Deletion requests, and the erasure itself: rows really gone, keyed hashes left so that the text cannot return.

use super::{Tx, tx::Write};
use crate::{
    keyring::Keyring,
    model::{
        Actor, ActorKind, AuditId, DeletionId, MemoryId, PersonId,
        deletion::{DeletionRequest, DeletionState, Touched},
        page::{Limit, Page, decode},
    },
    problem::Problem,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use time::OffsetDateTime;
use uuid::Uuid;

/// The request that erased this text, if one did.
pub async fn erased_by(tx: &mut Tx<Write>, mac: &[u8]) -> Result<Option<DeletionId>, Problem> {
    let workspace = tx.workspace();
    let found =
        sqlx::query_scalar!("select request_id from erasures where workspace_id = $1 and content_mac = $2 limit 1", workspace.0, mac)
            .fetch_optional(tx.conn())
            .await?;
    Ok(found.map(DeletionId))
}

/// Of these texts, those that were erased.
pub async fn erased_among<M>(tx: &mut Tx<M>, macs: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Problem> {
    let workspace = tx.workspace();
    let sql = "select distinct content_mac from erasures where workspace_id = $1 and content_mac = any($2)";
    Ok(sqlx::query_scalar(sql).bind(workspace).bind(macs).fetch_all(tx.conn()).await?)
}

pub async fn insert(tx: &mut Tx<Write>, request: &DeletionRequest, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "insert into deletion_requests (workspace_id, id, state, reason, asked_at, asked_by_type, asked_by, asked_for, audit_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        workspace.0,
        request.id.0,
        request.state as _,
        request.reason,
        request.asked_at,
        request.asked_by.kind as _,
        request.asked_by.id,
        request.asked_for.0,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    let memories: Vec<Uuid> = request.memory_ids.iter().map(|id| id.0).collect();
    sqlx::query!(
        "insert into deletion_request_items (workspace_id, request_id, memory_id, owner_id)
         select workspace_id, $2, id, owner_id from memories where workspace_id = $1 and id = any($3)",
        workspace.0,
        request.id.0,
        &memories
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct Row {
    id: DeletionId,
    state: DeletionState,
    reason: Option<String>,
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
    counts: Option<Value>,
    memory_ids: Vec<Uuid>,
}

const SELECT: &str = "select r.id, r.state, r.reason, r.asked_at, r.asked_by_type, r.asked_by, coalesce(a.name, p.name) as asked_by_name, r.asked_for,
       r.decided_at, r.decided_by, d.name as decided_by_name, r.executed_at, r.executed_by, e.name as executed_by_name, r.counts,
       array(select i.memory_id from deletion_request_items i where i.workspace_id = r.workspace_id and i.request_id = r.id order by i.memory_id) as memory_ids
from deletion_requests r
left join agents a on a.workspace_id = r.workspace_id and a.id = r.asked_by
left join people p on p.id = r.asked_by
left join people d on d.id = r.decided_by
left join people e on e.id = r.executed_by
where r.workspace_id = ";

pub async fn find<M>(tx: &mut Tx<M>, id: DeletionId) -> Result<DeletionRequest, Problem> {
    let mut sql = sqlx::QueryBuilder::new(SELECT);
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
    let mut sql = sqlx::QueryBuilder::new(SELECT);
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

/// What a request touches, as far as it is still there and the viewer may see it.
pub async fn touched<M>(tx: &mut Tx<M>, id: DeletionId) -> Result<Vec<Touched>, Problem> {
    let workspace = tx.workspace();
    Ok(sqlx::query_as!(
        Touched,
        r#"select i.memory_id as "memory_id: MemoryId", m.path as "path?", v.title as "title?",
                  (select count(*) from memory_versions c where c.workspace_id = i.workspace_id and c.memory_id = i.memory_id) as "versions!"
           from deletion_request_items i
           left join memories m on m.workspace_id = i.workspace_id and m.id = i.memory_id
           left join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
           where i.workspace_id = $1 and i.request_id = $2
           order by m.path, i.memory_id"#,
        workspace.0,
        id.0
    )
    .fetch_all(tx.conn())
    .await?)
}

/// Approved or rejected, by a person.
pub async fn decide(
    tx: &mut Tx<Write>,
    id: DeletionId,
    state: DeletionState,
    by: PersonId,
    at: OffsetDateTime,
    audit: AuditId,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update deletion_requests set state = $3, decided_by = $4, decided_at = $5, audit_id = $6 where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        state as _,
        by.0,
        at,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// What is gone, memory by memory, and how much of what.
pub struct Erased {
    pub memories: Vec<(MemoryId, i64)>,
    pub counts: Value,
}

/// Erases what the request names, from every table that holds any of it, and leaves keyed hashes of the texts.
pub async fn erase(tx: &mut Tx<Write>, request: &DeletionRequest, keyring: &Keyring) -> Result<Erased, Problem> {
    let workspace = tx.workspace();
    let groups = sqlx::query!(
        r#"select owner_id, array_agg(memory_id) as "ids!" from deletion_request_items where workspace_id = $1 and request_id = $2 group by owner_id"#,
        workspace.0,
        request.id.0
    )
    .fetch_all(tx.conn())
    .await?;
    let mut erased = Vec::new();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for group in groups {
        // A private memory is erased as its owner would see it; the policy knows no other way in.
        let owner = group.owner_id.map(|id| id.to_string()).unwrap_or_default();
        sqlx::query_scalar!("select set_config('cairn.person', $1, true)", owner).fetch_one(tx.conn()).await?;
        bar(tx, request.id, &group.ids, keyring).await?;
        erase_rows(tx, &group.ids, &mut counts, &mut erased).await?;
    }
    Ok(Erased { memories: erased, counts: json!(counts) })
}

/// Leaves the keyed hash of every text that these memories ever had.
async fn bar(tx: &mut Tx<Write>, request: DeletionId, ids: &[Uuid], keyring: &Keyring) -> Result<(), Problem> {
    let workspace = tx.workspace();
    // Whoever is about to add a version waits here, and then finds nothing.
    sqlx::query!("select id from memories where workspace_id = $1 and id = any($2) order by id for update", workspace.0, ids)
        .fetch_all(tx.conn())
        .await?;
    let texts =
        sqlx::query!("select memory_id, content from memory_versions where workspace_id = $1 and memory_id = any($2)", workspace.0, ids)
            .fetch_all(tx.conn())
            .await?;
    let (macs, of): (Vec<Vec<u8>>, Vec<Uuid>) =
        texts.iter().filter_map(|row| Some((keyring.erasure_mac(row.content.as_deref()?).to_vec(), row.memory_id))).unzip();
    sqlx::query!(
        "insert into erasures (workspace_id, content_mac, request_id, memory_id)
         select $1, t.mac, $2, t.memory_id
         from unnest($3::bytea[], $4::uuid[]) t (mac, memory_id)
         on conflict do nothing",
        workspace.0,
        request.0,
        &macs,
        &of
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

async fn erase_rows(
    tx: &mut Tx<Write>,
    ids: &[Uuid],
    counts: &mut BTreeMap<&'static str, u64>,
    erased: &mut Vec<(MemoryId, i64)>,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let tags = sqlx::query!("delete from memory_tags where workspace_id = $1 and memory_id = any($2)", workspace.0, ids)
        .execute(tx.conn())
        .await?;
    let anchors =
        sqlx::query!("delete from anchors where workspace_id = $1 and memory_id = any($2)", workspace.0, ids).execute(tx.conn()).await?;
    let vectors = sqlx::query!("delete from memory_vectors where workspace_id = $1 and memory_id = any($2)", workspace.0, ids)
        .execute(tx.conn())
        .await?;
    let proposals = sqlx::query("delete from proposals where workspace_id = $1 and memory_id = any($2)")
        .bind(workspace)
        .bind(ids)
        .execute(tx.conn())
        .await?;
    let answers = sqlx::query!(
        "update idempotency_keys
         set body = null, headers = null, erased = true
         where workspace_id = $1 and memory_ids && $2 and not erased",
        workspace.0,
        ids
    )
    .execute(tx.conn())
    .await?;
    // Who asked for it may have said it.
    let questions = sqlx::query(
        "update receipts
         set query = null, asked = '{}'
         where workspace_id = $1 and query is not null
           and id in (select receipt_id from receipt_items where workspace_id = $1 and memory_id = any($2))",
    )
    .bind(workspace)
    .bind(ids)
    .execute(tx.conn())
    .await?;
    let versions = sqlx::query_scalar!(
        "delete from memory_versions where workspace_id = $1 and memory_id = any($2) returning memory_id",
        workspace.0,
        ids
    )
    .fetch_all(tx.conn())
    .await?;
    let memories = sqlx::query_scalar!("delete from memories where workspace_id = $1 and id = any($2) returning id", workspace.0, ids)
        .fetch_all(tx.conn())
        .await?;
    for (table, rows) in [
        ("memories", memories.len() as u64),
        ("memory_versions", versions.len() as u64),
        ("memory_tags", tags.rows_affected()),
        ("anchors", anchors.rows_affected()),
        ("memory_vectors", vectors.rows_affected()),
        ("proposals", proposals.rows_affected()),
        ("idempotency_keys", answers.rows_affected()),
        ("receipts", questions.rows_affected()),
    ] {
        *counts.entry(table).or_default() += rows;
    }
    erased.extend(memories.iter().map(|id| (MemoryId(*id), versions.iter().filter(|version| *version == id).map(|_| 1).sum())));
    Ok(())
}

/// The request after its execution: who, when and how much; its reason only as a keyed hash.
pub async fn close(
    tx: &mut Tx<Write>,
    request: &DeletionRequest,
    by: PersonId,
    at: OffsetDateTime,
    counts: &Value,
    keyring: &Keyring,
    audit: AuditId,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let reason = request.reason.as_deref().map(|reason| keyring.erasure_mac(reason).to_vec());
    sqlx::query!(
        "update deletion_requests
         set state = 'executed', executed_by = $3, executed_at = $4, counts = $5, reason = null, reason_mac = $6, audit_id = $7
         where workspace_id = $1 and id = $2",
        workspace.0,
        request.id.0,
        by.0,
        at,
        counts,
        reason,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

impl From<Row> for DeletionRequest {
    fn from(row: Row) -> Self {
        let person = |id: Option<Uuid>, name: Option<String>| id.map(|id| Actor::known(ActorKind::Person, id, name));
        Self {
            id: row.id,
            state: row.state,
            reason: row.reason,
            memory_ids: row.memory_ids.into_iter().map(MemoryId).collect(),
            asked_at: row.asked_at,
            asked_by: Actor::known(row.asked_by_type, row.asked_by, row.asked_by_name),
            asked_for: row.asked_for,
            decided_at: row.decided_at,
            decided_by: person(row.decided_by, row.decided_by_name),
            executed_at: row.executed_at,
            executed_by: person(row.executed_by, row.executed_by_name),
            counts: row.counts,
        }
    }
}
