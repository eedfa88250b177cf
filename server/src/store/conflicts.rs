//! Conflicts: one row per pair of memories, however often it is found. Whoever may not see both sees none of it.

use super::{Tx, tx::Write};
use crate::{
    engines::conflict::LIKELY,
    model::{
        Actor, ActorKind, AuditId, ConflictId, MemoryId, ReviewId,
        conflicts::{Clash, Conflict, ConflictFilter, ConflictOrigin, ConflictState, Judged, Resolution},
        page::{Limit, Page, decode},
    },
    problem::Problem,
};
use sqlx::QueryBuilder;
use std::collections::HashMap;
use time::OffsetDateTime;
use uuid::Uuid;

/// A pair that is open from now on, and the entry that has to stand for it.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    pub id: ConflictId,
    pub audit: AuditId,
    pub a: MemoryId,
    pub b: MemoryId,
}

impl Opened {
    pub fn is_of(&self, one: MemoryId, other: MemoryId) -> bool {
        (self.a, self.b) == (one.min(other), one.max(other))
    }
}

/// Puts any number down in one statement, and says which are new: a pair that is known stays as it is, decided or not,
/// until one of the texts is another. Only two that are active at this moment clash.
pub async fn insert_all(tx: &mut Tx<Write>, clashes: &[Clash], origin: ConflictOrigin, at: OffsetDateTime) -> Result<Vec<Opened>, Problem> {
    if clashes.is_empty() {
        return Ok(Vec::new());
    }
    let workspace = tx.workspace();
    let mut pairs: Vec<(Judged, Judged, &Clash)> = clashes
        .iter()
        .filter(|clash| clash.one.id != clash.other.id)
        .map(|clash| if clash.one.id < clash.other.id { (clash.one, clash.other, clash) } else { (clash.other, clash.one, clash) })
        .collect();
    // In one order for everybody: two who find the same pairs must not wait for each other.
    pairs.sort_unstable_by_key(|(a, b, _)| (a.id, b.id));
    pairs.dedup_by_key(|(a, b, _)| (a.id, b.id));
    let rows = sqlx::query!(
        r#"insert into conflicts (workspace_id, id, a, b, a_version, b_version, a_mark, b_mark, score, certain, origin, state, found_at, audit_id)
           select $1, r.id, r.a, r.b, r.a_version, r.b_version, r.a_mark, r.b_mark, r.score, r.certain, $2, 'open', $3, r.audit_id
           from unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::int[], $8::int[], $9::bytea[], $10::bytea[], $11::real[], $12::boolean[], $13::uuid[])
               as r (id, a, b, a_version, b_version, a_mark, b_mark, score, certain, audit_id)
           cross join lateral (select 1 from memories m where m.workspace_id = $1 and m.id = r.a and m.state = 'active' offset 0) one
           cross join lateral (select 1 from memories m where m.workspace_id = $1 and m.id = r.b and m.state = 'active' offset 0) other
           on conflict (workspace_id, a, b) do update
           set a_version = excluded.a_version, b_version = excluded.b_version, a_mark = excluded.a_mark, b_mark = excluded.b_mark,
               score = excluded.score, certain = excluded.certain, origin = excluded.origin, state = 'open', found_at = excluded.found_at,
               resolution = null, kept = null, note = null, resolved_at = null, resolved_by_type = null, resolved_by = null,
               audit_id = excluded.audit_id
           where (conflicts.a_mark, conflicts.b_mark) is distinct from (excluded.a_mark, excluded.b_mark)
           returning id as "id: ConflictId", audit_id as "audit: AuditId", a as "a: MemoryId", b as "b: MemoryId""#,
        workspace.0,
        origin as _,
        at,
        &column(&pairs, |_| ConflictId::new().0),
        &column(&pairs, |(a, ..)| a.id.0),
        &column(&pairs, |(_, b, _)| b.id.0),
        &column(&pairs, |(a, ..)| a.version),
        &column(&pairs, |(_, b, _)| b.version),
        &column(&pairs, |(a, ..)| a.mark.to_vec()),
        &column(&pairs, |(_, b, _)| b.mark.to_vec()),
        &column(&pairs, |(.., clash)| clash.score),
        &column(&pairs, |(.., clash)| clash.certain),
        &column(&pairs, |_| AuditId::new().0)
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(|row| Opened { id: row.id, audit: row.audit, a: row.a, b: row.b }).collect())
}

fn column<T>(pairs: &[(Judged, Judged, &Clash)], of: impl Fn(&(Judged, Judged, &Clash)) -> T) -> Vec<T> {
    pairs.iter().map(of).collect()
}

/// What is to be seen at this moment.
pub async fn snapshot<M>(tx: &mut Tx<M>) -> Result<String, Problem> {
    Ok(sqlx::query_scalar("select pg_current_snapshot()::text").fetch_one(tx.conn()).await?)
}

/// The active decisions that were not to be seen then, or not so, and this transaction's own. Who asks is the only one who makes
/// decisions active in this workspace until the transaction ends, so that of two at the same moment one sees the other.
pub async fn decisions_since(tx: &mut Tx<Write>, snapshot: &str) -> Result<Vec<MemoryId>, Problem> {
    let workspace = tx.workspace();
    sqlx::query("select pg_advisory_xact_lock(hashtextextended('cairn decisions ' || $1::text, 0))")
        .bind(workspace)
        .execute(tx.conn())
        .await?;
    // A statement of its own: only then does it see what was committed before the lock was had.
    let sql = "select id from memories
               where workspace_id = $1 and changed_xid >= pg_snapshot_xmin($2::text::pg_snapshot) and kind = 'decision' and state = 'active'
                 and (not pg_visible_in_snapshot(changed_xid, $2::text::pg_snapshot) or changed_xid = pg_current_xact_id_if_assigned())
               order by id";
    Ok(sqlx::query_scalar(sql).bind(workspace).bind(snapshot).fetch_all(tx.conn()).await?)
}

#[derive(sqlx::FromRow)]
struct Row {
    id: ConflictId,
    a: MemoryId,
    b: MemoryId,
    a_version: i32,
    b_version: i32,
    score: f32,
    certain: bool,
    origin: ConflictOrigin,
    open: bool,
    found_at: OffsetDateTime,
    resolution: Option<Resolution>,
    kept: Option<MemoryId>,
    note: Option<String>,
    resolved_at: Option<OffsetDateTime>,
    resolved_by_type: Option<ActorKind>,
    resolved_by: Option<Uuid>,
    resolved_by_name: Option<String>,
}

impl From<Row> for Conflict {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            a: row.a,
            b: row.b,
            versions: (row.a_version, row.b_version),
            score: row.score,
            certain: row.certain,
            origin: row.origin,
            state: if row.open { ConflictState::Open } else { ConflictState::Resolved },
            found_at: row.found_at,
            resolution: row.resolution,
            kept: row.kept,
            note: row.note,
            resolved_at: row.resolved_at,
            resolved_by: row.resolved_by_type.zip(row.resolved_by).map(|(kind, id)| Actor::known(kind, id, row.resolved_by_name)),
        }
    }
}

/// What was put away or superseded clashes with nothing until it comes back; then it does, also where somebody had decided
/// against it.
const OPEN: &str = "(a.state = 'active' and b.state = 'active' and (c.state = 'open' or c.resolution in ('one', 'neither')))";
const SELECT: &str = "select c.id, c.a, c.b, c.a_version, c.b_version, c.score, c.certain, c.origin,
       (a.state = 'active' and b.state = 'active' and (c.state = 'open' or c.resolution in ('one', 'neither'))) as open, c.found_at, c.resolution, c.kept, c.note, c.resolved_at,
       c.resolved_by_type, c.resolved_by, coalesce(n.name, p.name) as resolved_by_name
from conflicts c
join memories a on a.workspace_id = c.workspace_id and a.id = c.a
join memories b on b.workspace_id = c.workspace_id and b.id = c.b
left join agents n on n.workspace_id = c.workspace_id and n.id = c.resolved_by
left join people p on p.id = c.resolved_by
where c.workspace_id = ";

pub async fn find<M>(tx: &mut Tx<M>, id: ConflictId) -> Result<Conflict, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and c.id = ").push_bind(id);
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    row.map(Conflict::from).ok_or(Problem::NotFound)
}

/// Those of them whose memories are both there, and to be seen.
pub async fn find_some<M>(tx: &mut Tx<M>, ids: &[ConflictId]) -> Result<Vec<Conflict>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and c.id = any(").push_bind(ids).push(")");
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(rows.into_iter().map(Conflict::from).collect())
}

/// As above, and nobody else resolves it before this transaction ends.
pub async fn find_to_change(tx: &mut Tx<Write>, id: ConflictId) -> Result<Conflict, Problem> {
    let workspace = tx.workspace();
    sqlx::query!("select id from conflicts where workspace_id = $1 and id = $2 for update", workspace.0, id.0)
        .fetch_optional(tx.conn())
        .await?
        .ok_or(Problem::NotFound)?;
    find(tx, id).await
}

/// Newest first.
pub async fn list<M>(tx: &mut Tx<M>, filter: &ConflictFilter, limit: Limit, cursor: Option<&str>) -> Result<Page<Conflict>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace());
    match filter.state {
        Some(ConflictState::Open) => {
            sql.push(" and ").push(OPEN);
        }
        Some(ConflictState::Resolved) => {
            sql.push(" and not ").push(OPEN);
        }
        None => {}
    }
    if let Some(project) = &filter.project {
        sql.push(" and (a.project = ").push_bind(project.clone()).push(" or b.project = ").push_bind(project.clone()).push(")");
    }
    if let Some(memory) = filter.memory {
        sql.push(" and (c.a = ").push_bind(memory).push(" or c.b = ").push_bind(memory).push(")");
    }
    if let Some(likely) = filter.likely {
        sql.push(" and (c.certain or c.score >= ").push_bind(LIKELY).push(") = ").push_bind(likely);
    }
    if let Some(cursor) = cursor {
        sql.push(" and c.id < ").push_bind(decode::<ConflictId>(cursor)?);
    }
    sql.push(" order by c.id desc limit ").push_bind(limit.and_one());
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| row.id).map(Conflict::from))
}

/// The open ones of some memories, by memory.
pub async fn open_of<M>(tx: &mut Tx<M>, memories: &[MemoryId]) -> Result<HashMap<MemoryId, Vec<Conflict>>, Problem> {
    let ids: Vec<Uuid> = memories.iter().map(|id| id.0).collect();
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and ").push(OPEN);
    sql.push(" and (c.a = any(").push_bind(&ids).push(") or c.b = any(").push_bind(&ids).push(")) order by c.score desc, c.id limit 200");
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    let mut of: HashMap<MemoryId, Vec<Conflict>> = HashMap::new();
    for conflict in rows.into_iter().map(Conflict::from) {
        for id in [conflict.a, conflict.b].into_iter().filter(|id| memories.contains(id)) {
            of.entry(id).or_default().push(conflict.clone());
        }
    }
    Ok(of)
}

/// How it was resolved, by whom, and what they said.
pub struct Verdict<'a> {
    pub resolution: Resolution,
    pub kept: Option<MemoryId>,
    pub note: Option<&'a str>,
    pub by: &'a Actor,
    pub at: OffsetDateTime,
    /// What it was decided together with.
    pub review: Option<ReviewId>,
}

pub async fn resolve(tx: &mut Tx<Write>, id: ConflictId, verdict: &Verdict<'_>, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update conflicts
         set state = 'resolved', resolution = $3, kept = $4, note = $5, resolved_by_type = $6, resolved_by = $7, resolved_at = $8, audit_id = $9,
             review_id = $10
         where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        verdict.resolution as _,
        verdict.kept.map(|memory| memory.0),
        verdict.note,
        verdict.by.kind as _,
        verdict.by.id,
        verdict.at,
        audit.0,
        verdict.review.map(|review| review.0)
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// What was decided together.
pub async fn of_review<M>(tx: &mut Tx<M>, review: ReviewId) -> Result<Vec<Conflict>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and c.review_id = ").push_bind(review).push(" order by c.id limit 1000");
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(rows.into_iter().map(Conflict::from).collect())
}

/// As if nobody had resolved it.
pub async fn reopen(tx: &mut Tx<Write>, id: ConflictId, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "update conflicts
         set state = 'open', resolution = null, kept = null, note = null, resolved_by_type = null, resolved_by = null, resolved_at = null,
             review_id = null, audit_id = $3
         where workspace_id = $1 and id = $2",
        workspace.0,
        id.0,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// How far a sweep came: the last memory it looked at, in the order in which they changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Swept {
    pub to: OffsetDateTime,
    pub id: MemoryId,
}

/// Where the last sweep ended. One at a time goes on from there.
pub async fn last_sweep(tx: &mut Tx<Write>) -> Result<Option<Swept>, Problem> {
    let workspace = tx.workspace();
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('conflicts ' || $1::text, 0))", workspace.to_string())
        .execute(tx.conn())
        .await?;
    let row =
        sqlx::query!(r#"select swept_to, swept_id as "swept_id: MemoryId" from conflict_sweeps where workspace_id = $1"#, workspace.0)
            .fetch_optional(tx.conn())
            .await?;
    Ok(row.map(|row| Swept { to: row.swept_to, id: row.swept_id }))
}

pub async fn swept(tx: &mut Tx<Write>, swept: Swept, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query!(
        "insert into conflict_sweeps (workspace_id, swept_to, swept_id, audit_id)
         values ($1, $2, $3, $4)
         on conflict (workspace_id) do update set swept_to = excluded.swept_to, swept_id = excluded.swept_id, audit_id = excluded.audit_id",
        workspace.0,
        swept.to,
        swept.id.0,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Active memories that changed after a place, in that order; episodes only tell what happened, and contradict nothing.
pub async fn changed_since<M>(tx: &mut Tx<M>, after: Option<Swept>, most: i64) -> Result<Vec<MemoryId>, Problem> {
    let workspace = tx.workspace();
    let (to, id) = after.map_or((OffsetDateTime::UNIX_EPOCH, Uuid::nil()), |swept| (swept.to, swept.id.0));
    let rows = sqlx::query_scalar!(
        r#"select id as "id: MemoryId"
           from memories
           where workspace_id = $1 and (updated_at, id) > ($2, $3) and state = 'active' and kind <> 'episode'
           order by updated_at, id
           limit $4"#,
        workspace.0,
        to,
        id,
        most
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows)
}
