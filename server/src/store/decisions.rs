//! The log of decisions, and what each took the place of.

use super::Tx;
use crate::{
    model::{
        MemoryId, State,
        page::{Limit, Page, decode},
    },
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use sqlx::QueryBuilder;
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(Serialize, Deserialize, sqlx::FromRow)]
struct Place {
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    id: MemoryId,
}

/// The newest first.
pub async fn list<M>(
    tx: &mut Tx<M>,
    state: State,
    project: Option<&str>,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<MemoryId>, Problem> {
    let mut sql = QueryBuilder::new("select created_at, id from memories where kind = 'decision' and workspace_id = ");
    sql.push_bind(tx.workspace()).push(" and state = ").push_bind(state.word());
    if let Some(project) = project {
        sql.push(" and project = ").push_bind(project.to_owned());
    }
    if let Some(cursor) = cursor {
        let place: Place = decode(cursor)?;
        sql.push(" and (created_at, id) < (").push_bind(place.created_at).push(", ").push_bind(place.id).push(")");
    }
    sql.push(" order by created_at desc, id desc limit ").push_bind(limit.and_one());
    let rows: Vec<Place> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| Place { created_at: row.created_at, id: row.id }).map(|row| row.id))
}

/// For each of these, those before it, the newest first: `(head, one before)`.
pub async fn before<M>(tx: &mut Tx<M>, heads: &[MemoryId], most: i32) -> Result<Vec<(MemoryId, MemoryId)>, Problem> {
    let heads: Vec<Uuid> = heads.iter().map(|id| id.0).collect();
    let rows = sqlx::query_as(
        "with recursive chain as (
             select h.id as head, v.supersedes as id, 1 as depth
             from unnest($2::uuid[]) h (id)
             join memories m on m.workspace_id = $1 and m.id = h.id
             join memory_versions v on v.workspace_id = $1 and v.memory_id = m.id and v.version = m.version
             where v.supersedes is not null
             union all
             select c.head, v.supersedes, c.depth + 1
             from chain c
             join memories m on m.workspace_id = $1 and m.id = c.id
             join memory_versions v on v.workspace_id = $1 and v.memory_id = m.id and v.version = m.version
             where v.supersedes is not null and c.depth < $3
         )
         select head, id from chain order by head, depth",
    )
    .bind(tx.workspace())
    .bind(heads)
    .bind(most)
    .fetch_all(tx.conn())
    .await?;
    Ok(rows)
}
