//! The stores themselves.

use super::super::{Tx, tx::Write};
use crate::{
    model::{
        PersonId, StoreId,
        page::{Limit, Page, decode},
        stores::{Store, StoreFilter},
    },
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use sqlx::{QueryBuilder, types::Json};
use std::collections::{BTreeMap, HashSet};
use time::OffsetDateTime;

#[derive(sqlx::FromRow)]
struct Row {
    id: StoreId,
    name: String,
    description: String,
    metadata: Json<BTreeMap<String, String>>,
    project: Option<String>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
    archived_at: Option<OffsetDateTime>,
    deleted_at: Option<OffsetDateTime>,
}

const SELECT: &str =
    "select id, name, description, metadata, project, created_at, coalesce(updated_at, created_at) as updated_at, archived_at, deleted_at
from stores
where workspace_id = ";

#[derive(Serialize, Deserialize)]
struct Place {
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    id: StoreId,
}

pub async fn insert(tx: &mut Tx<Write>, store: &Store) -> Result<(), Problem> {
    sqlx::query(
        "insert into stores (workspace_id, id, name, description, metadata, project, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(tx.workspace())
    .bind(store.id)
    .bind(&store.name)
    .bind(&store.description)
    .bind(Json(&store.metadata))
    .bind(&store.project)
    .bind(store.created_at)
    .bind(store.updated_at)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// One that is there, deleted or not.
pub async fn find<M>(tx: &mut Tx<M>, id: StoreId) -> Result<Store, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and id = ").push_bind(id);
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    row.map(Store::from).ok_or(Problem::NotFound)
}

/// As above, and nobody else changes it, or writes into it, before this transaction ends.
pub async fn find_to_change(tx: &mut Tx<Write>, id: StoreId) -> Result<Store, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace()).push(" and id = ").push_bind(id).push(" for update");
    let row: Option<Row> = sql.build_query_as().fetch_optional(tx.conn()).await?;
    row.map(Store::from).ok_or(Problem::NotFound)
}

/// Newest first.
pub async fn list<M>(tx: &mut Tx<M>, filter: StoreFilter, limit: Limit, cursor: Option<&str>) -> Result<Page<Store>, Problem> {
    let mut sql = QueryBuilder::new(SELECT);
    sql.push_bind(tx.workspace());
    if !filter.archived {
        sql.push(" and archived_at is null");
    }
    if !filter.deleted {
        sql.push(" and deleted_at is null");
    }
    if let Some(from) = filter.from {
        sql.push(" and created_at >= ").push_bind(from);
    }
    if let Some(to) = filter.to {
        sql.push(" and created_at <= ").push_bind(to);
    }
    if let Some(cursor) = cursor {
        let place: Place = decode(cursor)?;
        sql.push(" and (created_at, id) < (").push_bind(place.created_at).push(", ").push_bind(place.id).push(")");
    }
    sql.push(" order by created_at desc, id desc limit ").push_bind(limit.and_one());
    let rows: Vec<Row> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |row| Place { created_at: row.created_at, id: row.id }).map(Store::from))
}

/// A store that this transaction holds, as it is from now on.
pub async fn update(tx: &mut Tx<Write>, store: &Store) -> Result<(), Problem> {
    sqlx::query(
        "update stores
         set name = $3, description = $4, metadata = $5, updated_at = $6, archived_at = $7, deleted_at = $8
         where workspace_id = $1 and id = $2",
    )
    .bind(tx.workspace())
    .bind(store.id)
    .bind(&store.name)
    .bind(&store.description)
    .bind(Json(&store.metadata))
    .bind(store.updated_at)
    .bind(store.archived_at)
    .bind(store.deleted_at)
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Those that take nothing any more.
pub async fn closed<M>(tx: &mut Tx<M>) -> Result<HashSet<StoreId>, Problem> {
    let ids: Vec<StoreId> =
        sqlx::query_scalar("select id from stores where workspace_id = $1 and (archived_at is not null or deleted_at is not null)")
            .bind(tx.workspace())
            .fetch_all(tx.conn())
            .await?;
    Ok(ids.into_iter().collect())
}

/// Everyone who is or was a member: whose private memories a store may hold.
pub async fn owners<M>(tx: &mut Tx<M>) -> Result<Vec<PersonId>, Problem> {
    Ok(sqlx::query_scalar("select person_id from members where workspace_id = $1 order by 1")
        .bind(tx.workspace())
        .fetch_all(tx.conn())
        .await?)
}

/// What belongs to a store goes and comes with it, whatever wall or owner it has: the policy knows no other way in.
pub async fn stand_for(tx: &mut Tx<Write>, owner: Option<PersonId>) -> Result<(), Problem> {
    sqlx::query("select set_config('cairn.project', '', true), set_config('cairn.person', $1, true)")
        .bind(owner.map(|owner| owner.to_string()).unwrap_or_default())
        .execute(tx.conn())
        .await?;
    Ok(())
}

impl From<Row> for Store {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            name: row.name,
            description: row.description,
            metadata: row.metadata.0,
            project: row.project,
            created_at: row.created_at,
            updated_at: row.updated_at,
            archived_at: row.archived_at,
            deleted_at: row.deleted_at,
        }
    }
}
