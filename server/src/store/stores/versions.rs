//! The versions of a store's memories, whether those are still there or not, and the emptying of one.

use super::super::{Tx, tx::Write};
use crate::{
    model::{
        Actor, ActorKind, AuditId, Memory, MemoryId, SessionId, State, StoreId, clock,
        page::{Limit, Page, decode},
        stores::{Deed, VersionFilter, VersionInStore},
    },
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use sqlx::{Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(sqlx::FromRow)]
struct Row {
    memory_id: MemoryId,
    version: i32,
    store_id: StoreId,
    state: State,
    path: Option<String>,
    content: Option<String>,
    bytes: Option<i32>,
    content_sha256: Option<Vec<u8>>,
    at: OffsetDateTime,
    actor_type: ActorKind,
    actor_id: Uuid,
    session_id: Option<SessionId>,
    redacted_at: Option<OffsetDateTime>,
    redacted_by_type: Option<ActorKind>,
    redacted_by: Option<Uuid>,
}

#[derive(Serialize, Deserialize)]
struct Place {
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
    memory: MemoryId,
    version: i32,
}

/// Texts are read only where they are shown; a run that is no session of the writer's own is nobody's. What is private or another
/// project's today was so in the past too.
fn select(full: bool) -> QueryBuilder<Postgres> {
    let mut sql = QueryBuilder::new("select v.memory_id, v.version, v.store_id, v.state, v.path, ");
    sql.push(if full { "v.content" } else { "null::text as content" });
    sql.push(
        ", octet_length(v.content) as bytes, v.content_sha256, v.at, v.actor_type, v.actor_id, s.id as session_id,
           v.redacted_at, v.redacted_by_type, v.redacted_by
         from memory_versions v
         join memories m on m.workspace_id = v.workspace_id and m.id = v.memory_id
         left join sessions s on s.workspace_id = v.workspace_id and s.id = coalesce(v.run_id, case when v.version = 1 then v.session_id end)
             and s.actor_id = v.actor_id
         where v.workspace_id = ",
    );
    sql
}

/// Newest first.
pub async fn list<M>(
    tx: &mut Tx<M>,
    store: StoreId,
    filter: &VersionFilter,
    full: bool,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<VersionInStore>, Problem> {
    let mut sql = select(full);
    sql.push_bind(tx.workspace()).push(" and v.store_id = ").push_bind(store);
    if store != tx.workspace().main_store() {
        // For the index of those beside the default one.
        sql.push(" and v.store_id <> v.workspace_id");
    }
    if let Some(memory) = filter.memory {
        sql.push(" and v.memory_id = ").push_bind(memory);
    }
    match filter.deed {
        None => &mut sql,
        Some(Deed::Created) => sql.push(" and v.version = 1"),
        Some(Deed::Modified) => sql.push(" and v.version > 1 and v.state in ('active', 'proposed')"),
        Some(Deed::Deleted) => sql.push(" and v.version > 1 and v.state not in ('active', 'proposed')"),
    };
    if let Some(session) = filter.session {
        sql.push(" and s.id = ").push_bind(session);
    }
    if let Some((kind, id)) = filter.actor {
        sql.push(" and s.id is null and v.actor_type = ").push_bind(kind).push(" and v.actor_id = ").push_bind(id);
    }
    if let Some(from) = filter.from {
        sql.push(" and v.at >= ").push_bind(from);
    }
    if let Some(to) = filter.to {
        sql.push(" and v.at <= ").push_bind(to);
    }
    if let Some(cursor) = cursor {
        let place: Place = decode(cursor)?;
        sql.push(" and (v.at, v.memory_id, v.version) < (").push_bind(place.at).push(", ");
        sql.push_bind(place.memory).push(", ").push_bind(place.version).push(")");
    }
    sql.push(" order by v.at desc, v.memory_id desc, v.version desc limit ").push_bind(limit.and_one());
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    let place = |row: &Row| Place { at: row.at, memory: row.memory_id, version: row.version };
    Ok(Page::cut(rows, limit, place).map(VersionInStore::from))
}

pub async fn find<M>(tx: &mut Tx<M>, store: StoreId, memory: MemoryId, version: i32, full: bool) -> Result<VersionInStore, Problem> {
    let mut sql = select(full);
    sql.push_bind(tx.workspace()).push(" and v.store_id = ").push_bind(store);
    sql.push(" and v.memory_id = ").push_bind(memory).push(" and v.version = ").push_bind(version);
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    row.map(VersionInStore::from).ok_or(Problem::NotFound)
}

/// Empties a version of a memory that this transaction holds. Of the last one, what the memory itself says of it goes too.
pub async fn redact(tx: &mut Tx<Write>, memory: &Memory, version: i32, by: &Actor, audit: AuditId) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query(
        "update memory_versions
         set path = null, title = null, content = null, tags = '{}', anchors = '[]', source = null, subject = null, content_sha256 = null,
             reason = null, salt = null, tokens = null, redacted_at = $4, redacted_by_type = $5, redacted_by = $6
         where workspace_id = $1 and memory_id = $2 and version = $3",
    )
    .bind(workspace)
    .bind(memory.id)
    .bind(version)
    .bind(clock::now())
    .bind(by.kind)
    .bind(by.id)
    .execute(tx.conn())
    .await?;
    sqlx::query("delete from imported_versions where workspace_id = $1 and memory_id = $2 and version = $3")
        .bind(workspace)
        .bind(memory.id)
        .bind(version)
        .execute(tx.conn())
        .await?;
    if version == memory.version {
        for sql in [
            "delete from memory_tags where workspace_id = $1 and memory_id = $2",
            "delete from anchors where workspace_id = $1 and memory_id = $2",
            "delete from memory_vectors where workspace_id = $1 and memory_id = $2",
        ] {
            sqlx::query(sql).bind(workspace).bind(memory.id).execute(tx.conn()).await?;
        }
        sqlx::query(
            "update memories
             set path = '/redacted', content_sha256 = sha256(id::text::bytea), twin_key = null, subject = null, audit_id = $3
             where workspace_id = $1 and id = $2",
        )
        .bind(workspace)
        .bind(memory.id)
        .bind(audit)
        .execute(tx.conn())
        .await?;
    }
    super::super::deletion::forget_answers(tx, &[memory.id.0]).await?;
    Ok(())
}

impl From<Row> for VersionInStore {
    fn from(row: Row) -> Self {
        let deed = match (row.version, row.state) {
            (1, _) => Deed::Created,
            (_, State::Active | State::Proposed) => Deed::Modified,
            (_, State::Superseded | State::Archived) => Deed::Deleted,
        };
        Self {
            memory_id: row.memory_id,
            version: row.version,
            store_id: row.store_id,
            deed,
            path: row.path,
            content: row.content,
            bytes: row.bytes,
            content_sha256: row.content_sha256,
            at: row.at,
            actor: (row.actor_type, row.actor_id),
            session: row.session_id,
            redacted_at: row.redacted_at,
            redacted_by: row.redacted_by_type.zip(row.redacted_by),
        }
    }
}
