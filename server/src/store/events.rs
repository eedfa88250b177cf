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
    pub kind: String,
    pub id: Uuid,
}

/// As far as a listener has been told: of all that was committed when this was taken. It holds no more than what was under way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot(String);

/// Where a page of changes ended, in the order of the transactions that wrote them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    written: String,
    mark: Uuid,
}

/// A page of what was committed between two snapshots; without `rest`, that was all.
pub struct Look {
    pub until: Snapshot,
    pub changes: Vec<Change>,
    pub rest: Option<Place>,
}

#[derive(sqlx::FromRow)]
struct Row {
    until: String,
    written: Option<String>,
    mark: Option<Uuid>,
    kind: Option<String>,
    id: Option<Uuid>,
}

/// Where to begin.
pub async fn now(tx: &mut Tx<Read>) -> Result<Snapshot, Problem> {
    Ok(Snapshot(sqlx::query_scalar("select pg_current_snapshot()::text").fetch_one(tx.conn()).await?))
}

/// What was committed after one snapshot and before another, or before this moment, and is of these sorts; of what has a
/// wall of its own only what the listener may see. A page of it, after the one before.
pub async fn between(
    tx: &mut Tx<Read>,
    told: &Snapshot,
    goes_on: Option<&(Snapshot, Place)>,
    kinds: &[&str],
    most: u32,
) -> Result<Look, Problem> {
    let (until, place) = goes_on.map(|(until, place)| (until, place)).unzip();
    let rows: Vec<Row> = sqlx::query_as(
        "select h.until, e.written, e.mark, e.kind, e.id
         from (select coalesce($3, pg_current_snapshot()::text) as until,
             coalesce(($4::text)::xid8, pg_snapshot_xmin(($2::text)::pg_snapshot)) as written) h
         left join lateral (
             select e.written_xid::text as written, e.id as mark, e.target_type as kind, e.target_id as id
             from audit_entries e
             where e.workspace_id = $1
               and (e.written_xid, e.id) > (h.written, $5)
               and not pg_visible_in_snapshot(e.written_xid, ($2::text)::pg_snapshot)
               and pg_visible_in_snapshot(e.written_xid, h.until::pg_snapshot)
               and e.target_type = any($6) and e.target_id is not null
               and case e.target_type
                   when 'memory' then (select true from memories m where m.workspace_id = $1 and m.id = e.target_id)
                   when 'session' then (select true from sessions s where s.workspace_id = $1 and s.id = e.target_id)
                   when 'task' then (select true from tasks t where t.workspace_id = $1 and t.id = e.target_id)
                   when 'proposal' then (select true from proposals p where p.workspace_id = $1 and p.id = e.target_id)
                   when 'conflict' then (select true from conflicts c where c.workspace_id = $1 and c.id = e.target_id)
                   else scope_project() is null
               end
             order by e.written_xid, e.id
             limit $7
         ) e on true",
    )
    .bind(tx.workspace())
    .bind(&told.0)
    .bind(until.map(|until| until.0.as_str()))
    .bind(place.map(|place| place.written.as_str()))
    .bind(place.map_or(Uuid::nil(), |place| place.mark))
    .bind(kinds.iter().map(|kind| (*kind).to_owned()).collect::<Vec<_>>())
    .bind(i64::from(most))
    // A plan that is kept goes through the index from its beginning: it does not know where this page begins.
    .persistent(false)
    .fetch_all(tx.conn())
    .await?;
    let until = rows.first().map(|row| Snapshot(row.until.clone())).ok_or_else(|| Problem::internal("a snapshot cannot be read"))?;
    let rest =
        rows.last().filter(|_| rows.len() >= most as usize).and_then(|row| Some(Place { written: row.written.clone()?, mark: row.mark? }));
    let changes = rows.into_iter().filter_map(|row| Some(Change { kind: row.kind?, id: row.id? })).collect();
    Ok(Look { until, changes, rest })
}

/// Receipts kept since a moment or shortly before it, but for those that were told of.
pub async fn receipts(tx: &mut Tx<Read>, since: OffsetDateTime, told: &[Uuid], most: i64) -> Result<Vec<ReceiptId>, Problem> {
    let ids = sqlx::query_scalar("select id from receipts where workspace_id = $1 and id >= $2 and id <> all($3) order by id limit $4")
        .bind(tx.workspace())
        .bind(first_receipt(since))
        .bind(told)
        .bind(most)
        .fetch_all(tx.conn())
        .await?;
    Ok(ids)
}

/// None that is kept from this moment on has an id below this.
pub fn first_receipt(since: OffsetDateTime) -> Uuid {
    super::activity::first_id(since - BEHIND)
}
