//! The trail: entries go in with the change they stand for, and are read with names joined.

use super::Tx;
use crate::{
    audit::Trail,
    model::{
        Actor, ActorKind, AuditId, Role, WorkspaceId,
        page::{Limit, Page, decode},
        trail::{Entry, Filter},
    },
    problem::Problem,
};
use serde_json::json;
use sqlx::{PgConnection, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

/// Entries that one statement takes.
const MOST: usize = 5000;

/// A statement for any number of entries up to a few thousand.
pub(super) async fn append(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    actor: &Actor,
    role: Option<Role>,
    request: &str,
    trail: &Trail,
) -> Result<(), Problem> {
    for some in trail.0.chunks(MOST) {
        let rows: Vec<_> = some
            .iter()
            .map(|audit| {
                json!({
                    "workspace_id": workspace, "id": audit.id, "actor_type": actor.kind, "actor_id": actor.id, "role": role,
                    "action": audit.action, "target_type": audit.target.map(|t| t.0), "target_id": audit.target.map(|t| t.1),
                    "version": audit.version, "request_id": audit.request.as_deref().unwrap_or(request), "session_id": audit.session,
                    "digest": audit.digest.map(|digest| super::memories::bytea(&digest)), "details": audit.details,
                })
            })
            .collect();
        sqlx::query!(
            "insert into audit_entries (workspace_id, id, actor_type, actor_id, role, action, target_type, target_id, version, request_id, session_id, digest, details)
             select workspace_id, id, actor_type, actor_id, role, action, target_type, target_id, version, request_id, session_id, digest, details
             from jsonb_populate_recordset(null::audit_entries, $1)",
            json!(rows)
        )
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

#[derive(sqlx::FromRow)]
pub(super) struct Row {
    id: AuditId,
    index: Option<i64>,
    at: OffsetDateTime,
    actor_type: ActorKind,
    actor_id: Uuid,
    actor_name: Option<String>,
    role: Option<Role>,
    action: String,
    target_type: Option<String>,
    target_id: Option<Uuid>,
    version: Option<i32>,
    request_id: String,
    session_id: Option<Uuid>,
    digest: Option<Vec<u8>>,
    details: Option<serde_json::Value>,
}

/// Newest first. A page may be short where few entries fit, and the next goes on from where this one stopped looking.
pub async fn list<M>(tx: &mut Tx<M>, filter: &Filter, limit: Limit, cursor: Option<&str>) -> Result<Page<Entry>, Problem> {
    let Look { page, until } = look(tx, filter, limit, cursor).await?;
    let next_cursor = page.next_cursor.or(until.map(|(_, cursor)| cursor));
    Ok(Page { data: page.data, next_cursor })
}

/// Entries that one look goes through, where a filter has no index of its own: writing one would cost every write.
const LOOKED_THROUGH: i64 = 20_000;
/// An id is made a little before or after the moment that the entry names; ids between two moments are those with this to spare.
pub(super) const TO_SPARE: time::Duration = time::Duration::HOUR;

/// A page of a look through the trail, newest first: it goes through a bounded number of entries, however few of them fit.
pub struct Look {
    pub page: Page<Entry>,
    /// Where it stopped, if it stopped before the end of the trail: the moment, and the cursor to go on from.
    pub until: Option<(OffsetDateTime, String)>,
}

pub async fn look<M>(tx: &mut Tx<M>, filter: &Filter, limit: Limit, cursor: Option<&str>) -> Result<Look, Problem> {
    let cursor = cursor.map(decode::<AuditId>).transpose()?;
    let workspace = tx.workspace();
    let within = |sql: &mut QueryBuilder<Postgres>| {
        sql.push_bind(workspace);
        if let Some(cursor) = cursor {
            sql.push(" and id < ").push_bind(cursor);
        }
        // Ids grow with time, and their index is there anyway.
        if let Some(from) = filter.from.and_then(|from| from.checked_sub(TO_SPARE)) {
            sql.push(" and id >= ").push_bind(first_id_of(from));
        }
        if let Some(to) = filter.to.and_then(|to| to.checked_add(TO_SPARE)) {
            sql.push(" and id < ").push_bind(first_id_of(to));
        }
        sql.push(" order by id desc");
    };
    let mut sql = QueryBuilder::new("with looked as (select * from audit_entries where workspace_id = ");
    within(&mut sql);
    sql.push(" limit ").push_bind(LOOKED_THROUGH);
    sql.push("), e as (select * from looked e where true");
    narrow(&mut sql, filter);
    sql.push(" order by e.id desc limit ").push_bind(limit.and_one());
    sql.push(
        ") select e.id, l.index, e.at, e.actor_type, e.actor_id, coalesce(a.name, p.name) as actor_name, e.role, e.action, e.target_type, e.target_id,
                 e.version, e.request_id, e.session_id, e.digest, e.details
          from e
          left join audit_leaves l on l.workspace_id = e.workspace_id and l.entry_id = e.id
          left join agents a on a.workspace_id = e.workspace_id and a.id = e.actor_id
          left join people p on p.id = e.actor_id
          order by e.id desc",
    );
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    let page = Page::cut(rows, limit, |row| row.id).map(Entry::from);
    if page.next_cursor.is_some() {
        return Ok(Look { page, until: None });
    }
    let mut sql = QueryBuilder::new("select id, at from audit_entries where workspace_id = ");
    within(&mut sql);
    sql.push(" offset ").push_bind(LOOKED_THROUGH - 1).push(" limit 1");
    let last: Option<(AuditId, OffsetDateTime)> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    Ok(Look { page, until: last.map(|(id, at)| (at, Page::<Entry>::place(&id))) })
}

/// Smaller than every id that was made from this moment on.
pub(super) fn first_id_of(moment: OffsetDateTime) -> Uuid {
    let millis = u64::try_from(moment.unix_timestamp_nanos() / 1_000_000).unwrap_or_default() & 0xffff_ffff_ffff;
    Uuid::from_u128(u128::from(millis) << 80)
}

/// Of the entries `e`, only those that the filter lets through.
pub(super) fn narrow(sql: &mut QueryBuilder<Postgres>, filter: &Filter) {
    if let Some(actor) = filter.actor {
        sql.push(" and e.actor_id = ").push_bind(actor);
    }
    if let Some(action) = &filter.action {
        sql.push(" and e.action = ").push_bind(action.clone());
    }
    if let Some(target) = filter.target {
        sql.push(" and e.target_id = ").push_bind(target);
    }
    if let Some(from) = filter.from {
        sql.push(" and e.at >= ").push_bind(from);
    }
    if let Some(to) = filter.to {
        sql.push(" and e.at < ").push_bind(to);
    }
}

impl From<Row> for Entry {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            index: row.index.and_then(|index| u64::try_from(index).ok()),
            at: row.at,
            actor: Actor::known(row.actor_type, row.actor_id, row.actor_name),
            role: row.role,
            action: row.action,
            target: row.target_type.zip(row.target_id),
            version: row.version,
            request_id: row.request_id,
            session_id: row.session_id,
            digest: row.digest,
            details: row.details,
        }
    }
}
