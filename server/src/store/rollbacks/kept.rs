//! What a rollback did, kept: ids, numbers and words; titles and names are joined when it is read.

use super::super::{Tx, tx::Write};
use crate::{
    model::{
        Actor, ActorKind, AuditId, MemoryId, Project, RollbackId,
        page::{Limit, Page, decode},
        rollbacks::{Counts, Item, Outcome, Reason, Rollback, Selector, ShownItem},
    },
    problem::Problem,
};
use serde_json::{Value, json};
use sqlx::{QueryBuilder, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

pub async fn insert(
    tx: &mut Tx<Write>,
    rollback: &Rollback,
    items: &[Item],
    wall: Option<&Project>,
    audit: AuditId,
) -> Result<(), Problem> {
    let (workspace, counts) = (tx.workspace(), rollback.counts);
    sqlx::query!(
        "insert into rollbacks (workspace_id, id, project, selector, restored, unwound, archived, kept, withdrawn, at, actor_type, actor_id, audit_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        workspace.0,
        rollback.id.0,
        wall.map(Project::as_str),
        Json(&rollback.selector) as _,
        counts.restored,
        counts.unwound,
        counts.archived,
        counts.left,
        counts.withdrawn,
        rollback.at,
        rollback.by.kind as _,
        rollback.by.id,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    for some in items.chunks(5000) {
        let rows: Vec<Value> = some
            .iter()
            .map(|item| json!({"memory_id": item.memory_id, "outcome": item.outcome, "version": item.version, "back_to": item.back_to, "reason": item.reason, "other_id": item.other}))
            .collect();
        sqlx::query!(
            "insert into rollback_items (workspace_id, rollback_id, memory_id, owner_id, outcome, version, back_to, reason, other_id)
             select $1, $2, i.memory_id, m.owner_id, i.outcome, i.version, i.back_to, i.reason, i.other_id
             from jsonb_populate_recordset(null::rollback_items, $3) i
             cross join lateral (select o.owner_id from memories o where o.workspace_id = $1 and o.id = i.memory_id offset 0) m",
            workspace.0,
            rollback.id.0,
            json!(rows)
        )
        .execute(tx.conn())
        .await?;
    }
    Ok(())
}

#[derive(sqlx::FromRow)]
struct Row {
    id: RollbackId,
    selector: Json<Selector>,
    restored: i32,
    unwound: i32,
    archived: i32,
    kept: i32,
    withdrawn: i32,
    at: OffsetDateTime,
    actor_type: ActorKind,
    actor_id: Uuid,
    actor_name: Option<String>,
}

impl From<Row> for Rollback {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            selector: row.selector.0,
            counts: Counts {
                restored: row.restored,
                unwound: row.unwound,
                archived: row.archived,
                left: row.kept,
                withdrawn: row.withdrawn,
            },
            at: row.at,
            by: Actor::known(row.actor_type, row.actor_id, row.actor_name),
        }
    }
}

/// What the reader may not see is neither counted nor named. Withdrawn proposals are counted anew only where something is
/// hidden: one that was reopened since no longer says by what it had been withdrawn.
const SELECT: &str =
    "select r.id, r.at, r.actor_type, r.actor_id, coalesce(a.name, p.name) as actor_name, c.restored, c.unwound, c.archived, c.kept,
       case
           when c.seen = r.restored + r.unwound + r.archived + r.kept then r.withdrawn
           else (select count(*)::int from proposals o where o.workspace_id = r.workspace_id and o.withdrawn_by = r.id)
       end as withdrawn,
       case
           when r.selector -> 'memory_ids' is null then r.selector
           else r.selector || jsonb_build_object('memory_ids', (
               select coalesce(jsonb_agg(w.id order by w.n), '[]')
               from jsonb_array_elements_text(r.selector -> 'memory_ids') with ordinality w (id, n)
               where exists (select 1 from memories m where m.workspace_id = r.workspace_id and m.id = w.id::uuid)
                  or exists (
                      select 1 from rollback_items i
                      where i.workspace_id = r.workspace_id and i.rollback_id = r.id and i.memory_id = w.id::uuid)))
       end as selector
from rollbacks r
cross join lateral (
    select count(*)::int as seen,
           count(*) filter (where i.outcome = 'restored')::int as restored,
           count(*) filter (where i.outcome = 'unwound')::int as unwound,
           count(*) filter (where i.outcome = 'archived')::int as archived,
           count(*) filter (where i.outcome = 'left')::int as kept
    from rollback_items i
    where i.workspace_id = r.workspace_id and i.rollback_id = r.id) c
left join agents a on a.workspace_id = r.workspace_id and a.id = r.actor_id
left join people p on p.id = r.actor_id
where r.workspace_id = ";

pub async fn find<M>(tx: &mut Tx<M>, id: RollbackId) -> Result<Rollback, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and r.id = ").push_bind(id);
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    row.map(Rollback::from).ok_or(Problem::NotFound)
}

/// Newest first.
pub async fn list<M>(tx: &mut Tx<M>, limit: Limit, cursor: Option<&str>) -> Result<Page<Rollback>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace());
    if let Some(cursor) = cursor {
        sql.push(" and r.id < ").push_bind(decode::<RollbackId>(cursor)?);
    }
    sql.push(" order by r.id desc limit ").push_bind(limit.and_one());
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| row.id).map(Rollback::from))
}

#[derive(sqlx::FromRow)]
struct ItemRow {
    memory_id: MemoryId,
    outcome: Outcome,
    version: Option<i32>,
    back_to: Option<i32>,
    reason: Option<Reason>,
    other_id: Option<MemoryId>,
    title: Option<String>,
    path: Option<String>,
    at: Option<OffsetDateTime>,
    actor_type: Option<ActorKind>,
    actor_id: Option<Uuid>,
    actor_name: Option<String>,
}

impl From<ItemRow> for ShownItem {
    fn from(row: ItemRow) -> Self {
        let by = row.actor_type.zip(row.actor_id).map(|(kind, id)| Actor::known(kind, id, row.actor_name));
        Self {
            item: Item {
                memory_id: row.memory_id,
                outcome: row.outcome,
                version: row.version,
                back_to: row.back_to,
                reason: row.reason,
                other: row.other_id,
            },
            title: row.title,
            path: row.path,
            changed: row.at.zip(by),
        }
    }
}

/// What stood in the way is named to those who see it.
const WITH_NAMES: &str = "select i.memory_id, i.outcome, i.version, i.back_to, i.reason, o.id as other_id, n.title, n.path, c.at, c.actor_type, c.actor_id,
       coalesce(a.name, p.name) as actor_name
from items i
left join lateral (
    select v.title, v.path from memories m join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
    where m.workspace_id = i.workspace_id and m.id = i.memory_id offset 0) n on true
left join lateral (
    select v.workspace_id, v.at, v.actor_type, v.actor_id from memory_versions v
    where v.workspace_id = i.workspace_id and v.memory_id = i.memory_id and v.version = i.version offset 0) c on i.reason = 'changed_since'
left join memories o on o.workspace_id = i.workspace_id and o.id = i.other_id
left join agents a on a.workspace_id = c.workspace_id and a.id = c.actor_id
left join people p on p.id = c.actor_id
order by i.memory_id";

/// What became of the memories, by their ids.
pub async fn items<M>(
    tx: &mut Tx<M>,
    id: RollbackId,
    outcome: Option<Outcome>,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<ShownItem>, Problem> {
    let mut sql = QueryBuilder::new("with items as (select * from rollback_items where workspace_id = ");
    sql.push_bind(tx.workspace()).push(" and rollback_id = ").push_bind(id);
    if let Some(outcome) = outcome {
        sql.push(" and outcome = ").push_bind(outcome);
    }
    if let Some(cursor) = cursor {
        sql.push(" and memory_id > ").push_bind(decode::<MemoryId>(cursor)?);
    }
    sql.push(" order by memory_id limit ").push_bind(limit.and_one()).push(") ").push(WITH_NAMES);
    let rows: Vec<ItemRow> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| row.memory_id).map(ShownItem::from))
}

/// The same for items that are not kept.
pub async fn name<M>(tx: &mut Tx<M>, items: &[Item]) -> Result<Vec<ShownItem>, Problem> {
    let workspace = tx.workspace();
    let rows: Vec<Value> = items
        .iter()
        .map(|item| json!({"workspace_id": workspace, "memory_id": item.memory_id, "outcome": item.outcome, "version": item.version, "back_to": item.back_to, "reason": item.reason, "other_id": item.other}))
        .collect();
    let mut sql = QueryBuilder::new("with items as (select * from jsonb_populate_recordset(null::rollback_items, ");
    sql.push_bind(json!(rows)).push(")) ").push(WITH_NAMES);
    let rows: Vec<ItemRow> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(rows.into_iter().map(ShownItem::from).collect())
}
