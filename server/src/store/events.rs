//! What changed in a workspace since a look, as ids and words: read under the listener's own scope, so that the wall and
//! the privacy of memories hold here as everywhere. By the transactions that wrote it: clocks and ids lie under
//! concurrent commits.

use super::{Tx, tx::Read};
use crate::{model::ReceiptId, problem::Problem};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// Receipts have no transaction's number; their ids are made shortly before they are kept.
const BEHIND: Duration = Duration::seconds(10);

/// One change: of what sort, and of which.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The entry in the trail, or the receipt: to tell what was told before.
    pub mark: Uuid,
    pub kind: String,
    pub id: Uuid,
}

/// What a look saw, and from where the next one has to look.
pub struct Look {
    pub horizon: u64,
    pub changes: Vec<Change>,
}

#[derive(sqlx::FromRow)]
struct Row {
    horizon: String,
    mark: Option<Uuid>,
    kind: Option<String>,
    id: Option<Uuid>,
}

/// What was written at or after a horizon and is of these sorts; of what has a wall of its own only what the listener may
/// see. No horizon: only where to begin.
pub async fn since(tx: &mut Tx<Read>, horizon: Option<u64>, kinds: &[&str], most: i64) -> Result<Look, Problem> {
    let rows: Vec<Row> = sqlx::query_as(
        "select h.horizon, e.mark, e.kind, e.id
         from (select pg_snapshot_xmin(pg_current_snapshot())::text as horizon) h
         left join lateral (
             select e.id as mark, e.target_type as kind, e.target_id as id
             from audit_entries e
             where e.workspace_id = $1 and e.written_xid >= ($2::text)::xid8 and e.target_type = any($3) and e.target_id is not null
               and case e.target_type
                   when 'memory' then exists (select 1 from memories m where m.workspace_id = $1 and m.id = e.target_id)
                   when 'session' then exists (select 1 from sessions s where s.workspace_id = $1 and s.id = e.target_id)
                   when 'task' then exists (select 1 from tasks t where t.workspace_id = $1 and t.id = e.target_id)
                   when 'proposal' then exists (select 1 from proposals p where p.workspace_id = $1 and p.id = e.target_id)
                   when 'conflict' then exists (select 1 from conflicts c where c.workspace_id = $1 and c.id = e.target_id)
                   else scope_project() is null
               end
             order by e.written_xid desc
             limit $4
         ) e on $2 is not null",
    )
    .bind(tx.workspace())
    .bind(horizon.map(|horizon| horizon.to_string()))
    .bind(kinds.iter().map(|kind| (*kind).to_owned()).collect::<Vec<_>>())
    .bind(most)
    .fetch_all(tx.conn())
    .await?;
    let number = rows.first().and_then(|row| row.horizon.parse().ok());
    let horizon = number.ok_or_else(|| Problem::internal("a transaction's number cannot be read"))?;
    let changes = rows.into_iter().filter_map(|row| Some(Change { mark: row.mark?, kind: row.kind?, id: row.id? })).collect();
    Ok(Look { horizon, changes })
}

/// Receipts kept since a moment or shortly before it.
pub async fn receipts(tx: &mut Tx<Read>, since: OffsetDateTime, most: i64) -> Result<Vec<ReceiptId>, Problem> {
    let ids = sqlx::query_scalar("select id from receipts where workspace_id = $1 and id >= $2 order by id desc limit $3")
        .bind(tx.workspace())
        .bind(super::activity::first_id(since - BEHIND))
        .bind(most)
        .fetch_all(tx.conn())
        .await?;
    Ok(ids)
}
