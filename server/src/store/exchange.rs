//! Memories on their way out, page by page, and what is kept of those that came in.

use super::{
    Tx, Write,
    memories::{Row, bytea},
};
use crate::{
    model::{
        DeletionId, Memory, MemoryId, StoreId,
        exchange::{Filter, Format, Imported, Origin},
        text::MemoryPath,
    },
    problem::Problem,
};
use serde_json::{Value, json};
use sqlx::{Postgres, QueryBuilder, types::Json};
use std::collections::HashMap;
use time::OffsetDateTime;
use uuid::Uuid;

/// A version as it leaves, with what a verifier needs.
pub struct Leaving {
    pub memory: Memory,
    pub salt: Option<Vec<u8>>,
    pub redacted: bool,
    pub imported: Option<Origin>,
}

#[derive(sqlx::FromRow)]
struct LeavingRow {
    #[sqlx(flatten)]
    row: Row,
    salt: Option<Vec<u8>>,
    redacted_at: Option<OffsetDateTime>,
    origin: Option<Json<Origin>>,
}

/// At most this many at once: each may have 100 KiB.
const PAGE: i64 = 64;

/// The next versions behind a place, of those that were there at a moment: in the order of ids, so that a memory's stand
/// together. What was erased since the last page is not on this one.
pub async fn versions<M>(tx: &mut Tx<M>, filter: &Filter, until: OffsetDateTime, after: (MemoryId, i32)) -> Result<Vec<Leaving>, Problem> {
    let mut sql = QueryBuilder::new(
        "select s.*, i.origin
         from memory_states s
         join memories m on m.workspace_id = s.workspace_id and m.id = s.id
         left join imported_versions i on i.workspace_id = s.workspace_id and i.memory_id = s.id and i.version = s.version
         where s.workspace_id = ",
    );
    sql.push_bind(tx.workspace());
    narrow(&mut sql, filter);
    sql.push(" and s.updated_at <= ").push_bind(until);
    sql.push(" and (s.id, s.version) > (").push_bind(after.0).push(", ").push_bind(after.1).push(")");
    sql.push(" order by s.id, s.version limit ").push_bind(PAGE);
    let rows: Vec<LeavingRow> = sql.build_query_as().fetch_all(tx.conn()).await?;
    rows.into_iter()
        .map(|found| {
            let (salt, redacted, imported) = (found.salt, found.redacted_at.is_some(), found.origin.map(|origin| origin.0));
            Ok(Leaving { memory: found.row.try_into()?, salt, redacted, imported })
        })
        .collect()
}

/// Where a page of files ended: in the order of the index over paths.
pub type FilePlace = (StoreId, MemoryPath, MemoryId);

/// The next memories as they are now behind a place, store by store in the order of their paths.
pub async fn files<M>(tx: &mut Tx<M>, filter: &Filter, after: Option<&FilePlace>) -> Result<Vec<Memory>, Problem> {
    let mut sql = QueryBuilder::new(
        "select s.* from memories m join memory_states s on s.workspace_id = m.workspace_id and s.id = m.id and s.version = m.version
         where m.workspace_id = ",
    );
    sql.push_bind(tx.workspace());
    narrow(&mut sql, filter);
    if filter.state.is_none() {
        sql.push(" and m.state in ('active', 'proposed')");
    }
    if let Some((store, path, id)) = after {
        sql.push(" and (m.store_id, m.path, m.id) > (").push_bind(*store).push(", ");
        sql.push_bind(path.as_str().to_owned()).push(" collate \"C\", ").push_bind(*id).push(")");
    }
    sql.push(" order by m.store_id, m.path, m.id limit ").push_bind(PAGE);
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    rows.into_iter().map(Memory::try_from).collect()
}

fn narrow(sql: &mut QueryBuilder<Postgres>, filter: &Filter) {
    if let Some(project) = &filter.project {
        sql.push(" and m.project = ").push_bind(project.clone());
    }
    if let Some(kind) = filter.kind {
        sql.push(" and m.kind = ").push_bind(kind.word());
    }
    if let Some(state) = filter.state {
        sql.push(" and m.state = ").push_bind(state.word());
    }
}

/// The stores beside the default one.
pub async fn other_stores<M>(tx: &mut Tx<M>) -> Result<Vec<(StoreId, String)>, Problem> {
    let main = tx.workspace().main_store();
    let rows =
        sqlx::query_as("select id, name from stores where workspace_id = $1 and id <> $2 order by id").bind(tx.workspace()).bind(main);
    Ok(rows.fetch_all(tx.conn()).await?)
}

/// One import at a time in a workspace, until this transaction ends: two of the same file would both find it new.
pub async fn take_turns(tx: &mut Tx<Write>) -> Result<(), Problem> {
    let workspace = tx.workspace();
    sqlx::query("select pg_advisory_xact_lock(hashtextextended('cairn import ' || $1::text, 0))")
        .bind(workspace)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// What was imported under these keys: the memory, and its last version that came in a file.
pub async fn known<M>(tx: &mut Tx<M>, keys: &[[u8; 32]]) -> Result<HashMap<[u8; 32], (MemoryId, Last)>, Problem> {
    let keys: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
    let rows: Vec<(Vec<u8>, MemoryId, i32, Json<Origin>)> = sqlx::query_as(
        "select distinct on (key) key, memory_id, version, origin
         from imported_versions
         where workspace_id = $1 and key = any($2)
         order by key, version desc, memory_id",
    )
    .bind(tx.workspace())
    .bind(keys)
    .fetch_all(tx.conn())
    .await?;
    let known = |(key, memory, version, origin): (Vec<u8>, MemoryId, i32, Json<Origin>)| {
        Some((<[u8; 32]>::try_from(key).ok()?, (memory, Last { version, there: origin.0.version })))
    };
    Ok(rows.into_iter().filter_map(known).collect())
}

/// The last version that came in a file: its number here, and there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Last {
    pub version: i32,
    pub there: Option<i32>,
}

/// Which of these memories were erased here, and by which request.
pub async fn erased<M>(tx: &mut Tx<M>, ids: &[MemoryId]) -> Result<HashMap<MemoryId, DeletionId>, Problem> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows: Vec<(MemoryId, DeletionId)> =
        sqlx::query_as("select memory_id, request_id from erasures where workspace_id = $1 and memory_id = any($2)")
            .bind(tx.workspace())
            .bind(ids)
            .fetch_all(tx.conn())
            .await?;
    Ok(rows.into_iter().collect())
}

/// A version that came in.
pub struct Arrived {
    pub memory: MemoryId,
    pub version: i32,
    pub format: Format,
    pub key: [u8; 32],
    pub origin: Origin,
}

pub async fn keep(tx: &mut Tx<Write>, arrived: &[Arrived]) -> Result<(), Problem> {
    let rows: Vec<Value> = arrived
        .iter()
        .map(|one| {
            json!({"workspace_id": tx.workspace(), "memory_id": one.memory, "version": one.version, "format": one.format,
                "key": bytea(&one.key), "origin": one.origin})
        })
        .collect();
    sqlx::query("insert into imported_versions select * from jsonb_populate_recordset(null::imported_versions, $1)")
        .bind(json!(rows))
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Which versions of a memory came in files, oldest first.
pub async fn imported<M>(tx: &mut Tx<M>, id: MemoryId) -> Result<Vec<Imported>, Problem> {
    let rows: Vec<(i32, Format, Json<Origin>)> = sqlx::query_as(
        "select version, format, origin from imported_versions where workspace_id = $1 and memory_id = $2 order by version limit 1000",
    )
    .bind(tx.workspace())
    .bind(id)
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(|(version, format, origin)| Imported { version, format, origin: origin.0 }).collect())
}
