//! Erasures as the journal keeps them, and how one is done again where an older backup has brought its texts back.

use super::{erase::bar, list};
use crate::{
    model::{
        ActorKind, AuditId, DeletionId, PersonId,
        deletion::{ItemKind, Journalled, Rule, Step},
        text::hex,
    },
    problem::Problem,
    store::{Tx, Write},
};
use serde_json::Value;
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

/// Every request that was executed here, the oldest first.
pub async fn executed<M>(tx: &mut Tx<M>) -> Result<Vec<DeletionId>, Problem> {
    let workspace = tx.workspace();
    Ok(sqlx::query_scalar!(
        r#"select id as "id: DeletionId" from deletion_requests where workspace_id = $1 and state = 'executed' order by executed_at, id"#,
        workspace.0
    )
    .fetch_all(tx.conn())
    .await?)
}

#[derive(sqlx::FromRow)]
struct Row {
    asked_at: OffsetDateTime,
    asked_by_type: ActorKind,
    asked_by: Uuid,
    asked_for: PersonId,
    decided_at: Option<OffsetDateTime>,
    decided_by: Option<Uuid>,
    executed_at: Option<OffsetDateTime>,
    executed_by: Option<Uuid>,
    alone: bool,
    rule: Option<Json<Rule>>,
    counts: Option<Value>,
    reason_mac: Option<Vec<u8>>,
    subject_mac: Option<Vec<u8>>,
    query_mac: Option<Vec<u8>>,
    certificate: Option<String>,
}

/// All that has to be known to do it again.
pub async fn journalled<M>(tx: &mut Tx<M>, id: DeletionId) -> Result<Journalled, Problem> {
    let workspace = tx.workspace();
    let row: Option<Row> = sqlx::query_as(
        "select asked_at, asked_by_type, asked_by, asked_for, decided_at, decided_by, executed_at, executed_by, alone, rule, counts,
                reason_mac, subject_mac, query_mac, certificate
         from deletion_requests
         where workspace_id = $1 and id = $2 and state = 'executed'",
    )
    .bind(workspace)
    .bind(id)
    .fetch_optional(tx.conn())
    .await?;
    let row = row.ok_or(Problem::NotFound)?;
    let macs = sqlx::query!("select content_mac, memory_id from erasures where workspace_id = $1 and request_id = $2", workspace.0, id.0)
        .fetch_all(tx.conn())
        .await?;
    let items = list::items(tx, id).await?.into_iter().filter(|item| item.taken).collect();
    let kind = if row.rule.is_some() { ActorKind::System } else { ActorKind::Person };
    let step = |at: Option<OffsetDateTime>, id: Option<Uuid>| at.zip(id).map(|(at, id)| Step { at, kind, id });
    let digits = |mac: Option<Vec<u8>>| mac.map(|mac| hex(&mac));
    Ok(Journalled {
        workspace,
        request: id,
        asked: Step { at: row.asked_at, kind: row.asked_by_type, id: row.asked_by },
        asked_for: row.asked_for,
        decided: step(row.decided_at, row.decided_by),
        executed: step(row.executed_at, row.executed_by).ok_or_else(|| Problem::internal("executed by nobody"))?,
        alone: row.alone,
        rule: row.rule.map(|rule| rule.0),
        counts: row.counts,
        items,
        macs: macs.into_iter().map(|row| (hex(&row.content_mac), row.memory_id)).collect(),
        reason_mac: digits(row.reason_mac),
        subject_mac: digits(row.subject_mac),
        query_mac: digits(row.query_mac),
        certificate: row.certificate,
    })
}

/// Whether this database has seen it executed.
pub async fn knows<M>(tx: &mut Tx<M>, id: DeletionId) -> Result<bool, Problem> {
    let workspace = tx.workspace();
    Ok(sqlx::query_scalar!(
        r#"select exists (select 1 from deletion_requests where workspace_id = $1 and id = $2 and state = 'executed') as "knows!""#,
        workspace.0,
        id.0
    )
    .fetch_one(tx.conn())
    .await?)
}

/// The request as it was when it had been executed, with its list and its keyed hashes: what is left is to erase.
pub async fn bring_back(tx: &mut Tx<Write>, entry: &Journalled, audit: AuditId) -> Result<(), Problem> {
    sqlx::query(
        "insert into deletion_requests (workspace_id, id, state, asked_at, asked_by_type, asked_by, asked_for, decided_at, decided_by,
             executed_at, executed_by, executed_xid, alone, rule, counts, reason_mac, subject_mac, query_mac, certificate, audit_id)
         values ($1, $2, 'executed', $3, $4, $5, $6, $7, $8, $9, $10, pg_current_xact_id(), $11, $12, $13,
             decode($14, 'hex'), decode($15, 'hex'), decode($16, 'hex'), $17, $18)
         on conflict (workspace_id, id) do update
         set state = 'executed', resumes_as = null, reason = null, subject = null, query = null,
             decided_at = excluded.decided_at, decided_by = excluded.decided_by, executed_at = excluded.executed_at,
             executed_by = excluded.executed_by, executed_xid = excluded.executed_xid, alone = excluded.alone, rule = excluded.rule,
             counts = excluded.counts, reason_mac = excluded.reason_mac, subject_mac = excluded.subject_mac, query_mac = excluded.query_mac,
             certificate = excluded.certificate, audit_id = excluded.audit_id",
    )
    .bind(tx.workspace())
    .bind(entry.request)
    .bind(entry.asked.at)
    .bind(entry.asked.kind)
    .bind(entry.asked.id)
    .bind(entry.asked_for)
    .bind(entry.decided.as_ref().map(|step| step.at))
    .bind(entry.decided.as_ref().map(|step| step.id))
    .bind(entry.executed.at)
    .bind(entry.executed.id)
    .bind(entry.alone)
    .bind(entry.rule.map(Json))
    .bind(&entry.counts)
    .bind(&entry.reason_mac)
    .bind(&entry.subject_mac)
    .bind(&entry.query_mac)
    .bind(&entry.certificate)
    .bind(audit)
    .execute(tx.conn())
    .await?;
    list::put(tx, entry.request, &entry.items).await?;
    let macs = entry.macs.iter().filter_map(|(digits, of)| Some((from_hex(digits)?, *of)));
    bar(tx, entry.request, macs.collect()).await
}

/// The requests on its list came to nothing before it was executed: those that the backup still has open are rejected, so that
/// they lose their words with the rest. Which they are; each has an entry of its own.
pub async fn close_listed(tx: &mut Tx<Write>, entry: &Journalled) -> Result<Vec<(DeletionId, AuditId)>, Problem> {
    let listed: Vec<Uuid> = entry.items.iter().filter(|item| item.kind == ItemKind::DeletionRequest).map(|item| item.id).collect();
    let entries: Vec<Uuid> = listed.iter().map(|_| AuditId::new().0).collect();
    Ok(sqlx::query_as(
        "update deletion_requests r set state = 'rejected', resumes_as = null, audit_id = l.audit_id
         from unnest($2::uuid[], $3::uuid[]) l (id, audit_id)
         where r.workspace_id = $1 and r.id = l.id and r.state in ('pending', 'approved', 'blocked')
         returning r.id, r.audit_id",
    )
    .bind(tx.workspace())
    .bind(listed)
    .bind(entries)
    .fetch_all(tx.conn())
    .await?)
}

fn from_hex(digits: &str) -> Option<[u8; 32]> {
    let bytes: Vec<u8> =
        (0..digits.len() / 2).map(|n| u8::from_str_radix(digits.get(2 * n..2 * n + 2)?, 16).ok()).collect::<Option<_>>()?;
    bytes.try_into().ok()
}
