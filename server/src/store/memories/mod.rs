//! Memories in Postgres: reading states, writing the next one, listing.

mod list;
mod row;
mod write;

pub use list::list;
pub use write::{Survey, advance, insert, survey};

use super::{Tx, tx::Write};
use crate::{
    model::{Memory, MemoryId},
    problem::Problem,
};
use row::Row;
use time::OffsetDateTime;

/// How Postgres reads bytes from JSON.
pub(super) fn bytea(bytes: &[u8]) -> String {
    format!("\\x{}", crate::model::text::hex(bytes))
}

/// A memory as it is now.
pub async fn find<M>(tx: &mut Tx<M>, id: MemoryId) -> Result<Memory, Problem> {
    let row: Option<Row> = sqlx::query_as("select * from memory_states where workspace_id = $1 and id = $2 and current")
        .bind(tx.workspace())
        .bind(id)
        .fetch_optional(tx.conn())
        .await?;
    row.ok_or(Problem::NotFound).and_then(Memory::try_from)
}

/// As it is now, and nobody else changes it before this transaction ends.
pub async fn find_to_change(tx: &mut Tx<Write>, id: MemoryId) -> Result<Memory, Problem> {
    sqlx::query!("select id from memories where workspace_id = $1 and id = $2 for update", tx.workspace().0, id.0)
        .fetch_optional(tx.conn())
        .await?
        .ok_or(Problem::NotFound)?;
    find(tx, id).await
}

/// As it was at a moment; before its first version it was not there.
pub async fn find_as_of<M>(tx: &mut Tx<M>, id: MemoryId, moment: OffsetDateTime) -> Result<Memory, Problem> {
    let row: Option<Row> =
        sqlx::query_as("select * from memory_states where workspace_id = $1 and id = $2 and updated_at <= $3 order by version desc limit 1")
            .bind(tx.workspace())
            .bind(id)
            .bind(moment)
            .fetch_optional(tx.conn())
            .await?;
    row.ok_or(Problem::NotFound).and_then(Memory::try_from)
}

pub async fn find_version<M>(tx: &mut Tx<M>, id: MemoryId, version: i32) -> Result<Memory, Problem> {
    let row: Option<Row> = sqlx::query_as("select * from memory_states where workspace_id = $1 and id = $2 and version = $3")
        .bind(tx.workspace())
        .bind(id)
        .bind(version)
        .fetch_optional(tx.conn())
        .await?;
    row.ok_or(Problem::NotFound).and_then(Memory::try_from)
}

/// Newest first, below `before` if that is given.
pub async fn versions<M>(tx: &mut Tx<M>, id: MemoryId, before: Option<i32>, most: i64) -> Result<Vec<Memory>, Problem> {
    let rows: Vec<Row> = sqlx::query_as(
        "select * from memory_states where workspace_id = $1 and id = $2 and version < $3 order by version desc limit $4",
    )
    .bind(tx.workspace())
    .bind(id)
    .bind(before.unwrap_or(i32::MAX))
    .bind(most)
    .fetch_all(tx.conn())
    .await?;
    rows.into_iter().map(Memory::try_from).collect()
}
