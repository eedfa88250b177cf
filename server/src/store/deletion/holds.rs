//! Legal holds themselves; what they keep is `kept`.

use super::{erase::forget_answers, select::whom};
use crate::{
    model::{
        Actor, ActorKind, AuditId, HoldId, MemoryId, PersonId, SessionId,
        deletion::Hold,
        page::{Limit, Page, decode},
    },
    problem::Problem,
    store::{Tx, Write},
};
use sqlx::QueryBuilder;
use time::OffsetDateTime;
use uuid::Uuid;

/// Until the end of this transaction nobody places a hold, and nobody erases.
pub async fn lock(tx: &mut Tx<Write>) -> Result<(), Problem> {
    sqlx::query("select lock_holds($1)").bind(tx.workspace()).execute(tx.conn()).await?;
    Ok(())
}

/// Whom a hold on a person means, and by which names: kept with it, for people leave and are renamed.
pub async fn meant<M>(tx: &mut Tx<M>, subject: Option<&str>) -> Result<(Vec<PersonId>, Vec<String>), Problem> {
    match subject {
        Some(subject) => whom(tx, subject, &[]).await,
        None => Ok(Default::default()),
    }
}

pub async fn insert(tx: &mut Tx<Write>, hold: &Hold, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query(
        "insert into holds (workspace_id, id, subject, people, names, reason, placed_at, placed_by_type, placed_by, audit_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(workspace)
    .bind(hold.id)
    .bind(&hold.subject)
    .bind(hold.people.iter().map(|id| id.0).collect::<Vec<_>>())
    .bind(&hold.names)
    .bind(&hold.reason)
    .bind(hold.placed_at)
    .bind(hold.placed_by.kind)
    .bind(hold.placed_by.id)
    .bind(audit)
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
    people: Vec<PersonId>,
    names: Vec<String>,
    reason: String,
    placed_at: OffsetDateTime,
    placed_by_type: ActorKind,
    placed_by: Uuid,
    placed_by_name: Option<String>,
    memory_ids: Vec<MemoryId>,
    session_ids: Vec<SessionId>,
}

const SELECT: &str = "select h.id, h.subject, h.people, h.names, h.reason, h.placed_at, h.placed_by_type, h.placed_by, coalesce(a.name, p.name) as placed_by_name,
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

impl From<Row> for Hold {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            memory_ids: row.memory_ids,
            session_ids: row.session_ids,
            subject: row.subject,
            people: row.people,
            names: row.names,
            reason: row.reason,
            placed_at: row.placed_at,
            placed_by: Actor::known(row.placed_by_type, row.placed_by, row.placed_by_name),
        }
    }
}
