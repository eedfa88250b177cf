//! Legal holds, and what they keep.

use super::{
    erase::forget_answers,
    list::items,
    select::{select, wanted},
};
use crate::{
    model::{
        Actor, ActorKind, AuditId, DeletionId, HoldId, MemoryId, SessionId,
        deletion::{Hold, Item, ItemKind, Selectors},
        page::{Limit, Page, decode},
    },
    problem::Problem,
    store::{Tx, Write},
};
use sqlx::QueryBuilder;
use std::collections::HashSet;
use time::OffsetDateTime;
use uuid::Uuid;

/// Until the end of this transaction nobody places a hold, and nobody erases.
pub async fn lock(tx: &mut Tx<Write>) -> Result<(), Problem> {
    sqlx::query("select lock_holds($1)").bind(tx.workspace()).execute(tx.conn()).await?;
    Ok(())
}

pub async fn insert(tx: &mut Tx<Write>, hold: &Hold, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "insert into holds (workspace_id, id, subject, reason, placed_at, placed_by_type, placed_by, audit_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        workspace.0,
        hold.id.0,
        hold.subject,
        hold.reason,
        hold.placed_at,
        hold.placed_by.kind as _,
        hold.placed_by.id,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    let memories: Vec<Uuid> = hold.memory_ids.iter().map(|id| id.0).collect();
    let sessions: Vec<Uuid> = hold.session_ids.iter().map(|id| id.0).collect();
    sqlx::query!(
        "insert into hold_items (workspace_id, hold_id, kind, target_id)
         select $1::uuid, $2::uuid, 'memory', id from unnest($3::uuid[]) id
         union all
         select $1, $2, 'session', id from unnest($4::uuid[]) id",
        workspace.0,
        hold.id.0,
        &memories,
        &sessions
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// It keeps nothing any more, and nothing of what it said stays but its entries in the trail.
pub async fn delete(tx: &mut Tx<Write>, id: HoldId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let gone = sqlx::query!("delete from holds where workspace_id = $1 and id = $2", workspace.0, id.0).execute(tx.conn()).await?;
    if gone.rows_affected() == 0 {
        return Err(Problem::NotFound);
    }
    forget_answers(tx, &[id.0]).await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct Row {
    id: HoldId,
    subject: Option<String>,
    reason: String,
    placed_at: OffsetDateTime,
    placed_by_type: ActorKind,
    placed_by: Uuid,
    placed_by_name: Option<String>,
    memory_ids: Vec<MemoryId>,
    session_ids: Vec<SessionId>,
}

const SELECT: &str = "select h.id, h.subject, h.reason, h.placed_at, h.placed_by_type, h.placed_by, coalesce(a.name, p.name) as placed_by_name,
       array(select i.target_id from hold_items i where i.workspace_id = h.workspace_id and i.hold_id = h.id and i.kind = 'memory' order by 1) as memory_ids,
       array(select i.target_id from hold_items i where i.workspace_id = h.workspace_id and i.hold_id = h.id and i.kind = 'session' order by 1) as session_ids
from holds h
left join agents a on a.workspace_id = h.workspace_id and a.id = h.placed_by
left join people p on p.id = h.placed_by
where h.workspace_id = ";

/// Newest first.
pub async fn list<M>(tx: &mut Tx<M>, limit: Limit, cursor: Option<&str>) -> Result<Page<Hold>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace());
    if let Some(cursor) = cursor {
        sql.push(" and h.id < ").push_bind(decode::<HoldId>(cursor)?);
    }
    sql.push(" order by h.id desc limit ").push_bind(limit.and_one());
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| row.id).map(Hold::from))
}

pub async fn find<M>(tx: &mut Tx<M>, id: HoldId) -> Result<Hold, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and h.id = ").push_bind(id);
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    row.map(Hold::from).ok_or(Problem::NotFound)
}

/// All that stand.
pub async fn all<M>(tx: &mut Tx<M>) -> Result<Vec<Hold>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" order by h.id");
    Ok(sql.build_query_as::<Row>().fetch_all(tx.conn()).await?.into_iter().map(Hold::from).collect())
}

/// The holds that keep anything that a request would take.
pub async fn in_the_way<M>(tx: &mut Tx<M>, request: DeletionId) -> Result<Vec<Hold>, Problem> {
    let holds = all(tx).await?;
    if holds.is_empty() {
        return Ok(holds);
    }
    let items: Vec<Item> = items(tx, request).await?.into_iter().filter(|item| item.taken).collect();
    let mut found = Vec::new();
    for hold in holds {
        if !kept_by(tx, &hold, &items).await?.is_empty() {
            found.push(hold);
        }
    }
    Ok(found)
}

/// Which of these a hold keeps: by id, by the run it belongs to, and by the person it is about, as things are now.
pub async fn kept_by<M>(tx: &mut Tx<M>, hold: &Hold, items: &[Item]) -> Result<HashSet<(ItemKind, Uuid, i64)>, Problem> {
    let asked = Selectors { memory_ids: hold.memory_ids.clone(), session_ids: hold.session_ids.clone(), ..Selectors::default() };
    let wanted = wanted(tx, hold.subject.as_deref(), None).await?;
    let kept = select(tx, &asked, &wanted).await?;
    // What is named is kept, whether or not the viewer sees it.
    let named = hold.memory_ids.iter().map(|id| (ItemKind::Memory, id.0, 0));
    let places: HashSet<(ItemKind, Uuid, i64)> = kept.iter().map(|item| (item.kind, item.id, item.part)).chain(named).collect();
    let runs: HashSet<Uuid> = kept.iter().filter(|item| item.kind == ItemKind::Session).map(|item| item.id).collect();
    // Words in a log keep the whole of it from going.
    let logs: HashSet<Uuid> =
        kept.iter().filter(|item| matches!(item.kind, ItemKind::Event | ItemKind::SessionWords)).map(|item| item.id).collect();
    let in_runs = of_runs(tx, &runs.iter().copied().collect::<Vec<_>>()).await?;
    let is_kept = |item: &&Item| {
        let place = (item.kind, item.id, item.part);
        let log = matches!(item.kind, ItemKind::Session | ItemKind::SessionWords | ItemKind::Event);
        places.contains(&place)
            || in_runs.contains(&place)
            || (log && runs.contains(&item.id))
            || (item.kind == ItemKind::Session && logs.contains(&item.id))
    };
    Ok(items.iter().filter(is_kept).map(|item| (item.kind, item.id, item.part)).collect())
}

/// What belongs to a run besides its log.
async fn of_runs<M>(tx: &mut Tx<M>, runs: &[Uuid]) -> Result<HashSet<(ItemKind, Uuid, i64)>, Problem> {
    if runs.is_empty() {
        return Ok(HashSet::new());
    }
    let rows: Vec<(ItemKind, Uuid, i64)> = sqlx::query_as(
        "select 'memory', v.memory_id, 0::bigint from memory_versions v where v.workspace_id = $1 and v.session_id = any($2)
         union
         select 'checkpoint', c.id, 0 from checkpoints c where c.workspace_id = $1 and c.session_id = any($2)
         union
         select 'task_item', t.task_id, t.position from task_items t where t.workspace_id = $1 and t.session_id = any($2)
         union
         select 'receipt', r.id, 0 from receipts r where r.workspace_id = $1 and r.session_id = any($2)",
    )
    .bind(tx.workspace())
    .bind(runs)
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().collect())
}

impl From<Row> for Hold {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            memory_ids: row.memory_ids,
            session_ids: row.session_ids,
            subject: row.subject,
            reason: row.reason,
            placed_at: row.placed_at,
            placed_by: Actor::known(row.placed_by_type, row.placed_by, row.placed_by_name),
        }
    }
}
