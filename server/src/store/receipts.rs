//! Receipts: what was told, to whom and why, kept with each recall; and what became of it.

use super::{
    Db, Permission, Scope, Tx,
    trail::{TO_SPARE, first_id_of},
    tx::Write,
};
use crate::{
    model::{
        Actor, ActorKind, AuditId, MemoryId, Project, ReceiptId, SessionId,
        memory::Report,
        page::{Limit, Page, decode},
        recall::{Judged, Recall, Receipt, ReceiptFilter, Told, Verdict},
    },
    problem::Problem,
};
use sqlx::{QueryBuilder, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

impl Db {
    /// Kept before the answer leaves, in one trip. Not kept, and false, if something that it tells of is gone by now: then the answer
    /// must not leave.
    pub async fn keep_receipt<P: Permission>(&self, scope: &Scope<P>, receipt: &Receipt) -> Result<bool, Problem> {
        let number = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
        let mut memories: Vec<Uuid> =
            receipt.items.iter().flat_map(|told| told.folded.iter().chain([&told.memory_id])).map(|id| id.0).collect();
        memories.sort_unstable();
        memories.dedup();
        let mut hand = self.tenants_hand().await?;
        let kept = sqlx::query_scalar!(
            r#"select write_receipt_unless_gone($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) as "kept!""#,
            scope.workspace().0,
            scope.actor().id,
            scope.actor().kind as _,
            scope.person().map(|person| person.0),
            scope.project().map(Project::as_str),
            receipt.id.0,
            receipt.at,
            receipt.session_id.map(|session| session.0),
            receipt.surface,
            receipt.query,
            Json(&receipt.asked) as _,
            Json(&receipt.items) as _,
            &memories,
            number(receipt.tokens),
            number(receipt.omitted),
            receipt.took_ms
        )
        .fetch_one(&mut *hand)
        .await?;
        hand.lay_down();
        Ok(kept)
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: ReceiptId,
    at: OffsetDateTime,
    actor_type: ActorKind,
    actor_id: Uuid,
    actor_name: Option<String>,
    session_id: Option<SessionId>,
    surface: String,
    query: Option<String>,
    asked: Json<Recall>,
    items: Json<Vec<Told>>,
    tokens: i32,
    omitted: i32,
    took_ms: f32,
}

impl From<Row> for Receipt {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            at: row.at,
            actor: Actor::known(row.actor_type, row.actor_id, row.actor_name),
            session_id: row.session_id,
            surface: row.surface,
            query: row.query,
            asked: row.asked.0,
            items: row.items.0,
            tokens: u32::try_from(row.tokens).unwrap_or_default(),
            omitted: u32::try_from(row.omitted).unwrap_or_default(),
            took_ms: row.took_ms,
        }
    }
}

const SELECT: &str =
    "select r.id, r.at, r.actor_type, r.actor_id, coalesce(a.name, p.name) as actor_name, r.session_id, r.surface, r.query, r.asked,
       r.items, r.tokens, r.omitted, r.took_ms
from receipts r
left join agents a on a.workspace_id = r.workspace_id and a.id = r.actor_id
left join people p on p.id = r.actor_id
where r.workspace_id = ";

pub async fn find<M>(tx: &mut Tx<M>, id: ReceiptId) -> Result<Receipt, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and r.id = ").push_bind(id);
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    row.map(Receipt::from).ok_or(Problem::NotFound)
}

/// Newest first.
pub async fn list<M>(tx: &mut Tx<M>, filter: &ReceiptFilter, limit: Limit, cursor: Option<&str>) -> Result<Page<Receipt>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace());
    if let Some(memory) = filter.memory_id {
        // From the memory's own list, the newest of it, unless something else narrows that list further.
        sql.push(" and r.id = any (array(select i.receipt_id from receipt_items i where i.workspace_id = ").push_bind(tx.workspace());
        sql.push(" and i.memory_id = ").push_bind(memory);
        if let Some(cursor) = cursor {
            sql.push(" and i.receipt_id < ").push_bind(decode::<ReceiptId>(cursor)?);
        }
        sql.push(" order by i.receipt_id desc");
        if filter.actor.is_none() && filter.session_id.is_none() && filter.from.is_none() && filter.to.is_none() {
            // A limited key does not see all of that list.
            sql.push(" limit (case when scope_project() is null then ").push_bind(limit.and_one()).push("::bigint end)");
        }
        sql.push("))");
    }
    if let Some(actor) = filter.actor {
        sql.push(" and r.actor_id = ").push_bind(actor);
    }
    if let Some(session) = filter.session_id {
        sql.push(" and r.session_id = ").push_bind(session);
    }
    if let Some(from) = filter.from {
        sql.push(" and r.at >= ").push_bind(from);
        // Ids grow with time, and their index is there anyway.
        if let Some(first) = from.checked_sub(TO_SPARE) {
            sql.push(" and r.id >= ").push_bind(first_id_of(first));
        }
    }
    if let Some(to) = filter.to {
        sql.push(" and r.at < ").push_bind(to);
        if let Some(end) = to.checked_add(TO_SPARE) {
            sql.push(" and r.id < ").push_bind(first_id_of(end));
        }
    }
    if let Some(cursor) = cursor {
        sql.push(" and r.id < ").push_bind(decode::<ReceiptId>(cursor)?);
    }
    sql.push(" order by r.id desc limit ").push_bind(limit.and_one());
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| row.id).map(Receipt::from))
}

/// What was said of the memories of a receipt, in the order it was said.
pub async fn verdicts<M>(tx: &mut Tx<M>, id: ReceiptId) -> Result<Vec<Judged>, Problem> {
    let workspace = tx.workspace();
    let rows = sqlx::query!(
        r#"select v.memory_id as "memory_id: MemoryId", v.actor_type as "actor_type: ActorKind", v.actor_id, coalesce(a.name, p.name) as name,
                  v.verdict as "verdict: Verdict", v.at
           from receipt_verdicts v
           left join agents a on a.workspace_id = v.workspace_id and a.id = v.actor_id
           left join people p on p.id = v.actor_id
           where v.workspace_id = $1 and v.receipt_id = $2
           order by v.at"#,
        workspace.0,
        id.0
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Judged {
            memory_id: row.memory_id,
            actor: Actor::known(row.actor_type, row.actor_id, row.name),
            verdict: row.verdict,
            at: row.at,
        })
        .collect())
}

/// One verdict per actor, memory and receipt: the last one counts. The memory learns what changes its ranking or its trust.
pub async fn judge(
    tx: &mut Tx<Write>,
    receipt: ReceiptId,
    memory: MemoryId,
    by: &Actor,
    verdict: Verdict,
    at: OffsetDateTime,
    audit: AuditId,
) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let before = sqlx::query_scalar!(
        r#"select verdict as "verdict: Verdict" from receipt_verdicts
           where workspace_id = $1 and receipt_id = $2 and memory_id = $3 and actor_id = $4
           for update"#,
        workspace.0,
        receipt.0,
        memory.0,
        by.id
    )
    .fetch_optional(tx.conn())
    .await?;
    sqlx::query!(
        "insert into receipt_verdicts (workspace_id, receipt_id, memory_id, actor_id, actor_type, verdict, at, audit_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (workspace_id, receipt_id, memory_id, actor_id) do update set verdict = excluded.verdict, at = excluded.at, audit_id = excluded.audit_id",
        workspace.0,
        receipt.0,
        memory.0,
        by.id,
        by.kind as _,
        verdict as _,
        at,
        audit.0
    )
    .execute(tx.conn())
    .await?;
    let worth = |verdict: Verdict| match verdict {
        Verdict::Used => 0,
        Verdict::Helpful => 1,
        Verdict::Wrong | Verdict::Stale => -1,
    };
    let report = match verdict {
        Verdict::Wrong => Some(Report::Wrong),
        Verdict::Stale => Some(Report::Stale),
        Verdict::Used | Verdict::Helpful => None,
    };
    look_over_the_wall(tx, memory).await?;
    let changed = sqlx::query!(
        "update memories
         set helpful = helpful + $3, reported_at = case when $4::text is null then reported_at else $5 end, reported_as = coalesce($4, reported_as), audit_id = $6
         where workspace_id = $1 and id = $2",
        workspace.0,
        memory.0,
        worth(verdict) - before.map_or(0, worth),
        report.map(Report::word),
        at,
        audit.0
    )
    .execute(tx.conn())
    .await?
    .rows_affected();
    if changed == 1 { Ok(()) } else { Err(Problem::NotFound) }
}

/// A walled key may say what it thinks of all that it sees, and so of what belongs to the whole workspace, which it may
/// not change otherwise. What it does not see is not there.
async fn look_over_the_wall(tx: &mut Tx<Write>, memory: MemoryId) -> Result<(), Problem> {
    let lifted: Option<String> =
        sqlx::query_scalar("select set_config('cairn.project', '', true) from memories where workspace_id = $1 and id = $2")
            .bind(tx.workspace())
            .bind(memory)
            .fetch_optional(tx.conn())
            .await?;
    lifted.map(drop).ok_or(Problem::NotFound)
}
