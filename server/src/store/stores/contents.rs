//! What lies in a store: lists by path, with what is deeper rolled up, and who stands where somebody wants to be.

use super::super::{Tx, tx::Write};
use crate::{
    model::{
        MemoryId, PersonId, StoreId,
        page::{Limit, Page, decode},
        stores::Listing,
        text::MemoryPath,
    },
    problem::Problem,
};
use sqlx::{Postgres, QueryBuilder};
use time::OffsetDateTime;

/// A memory, or a folder that stands for what lies in it; which it is, its end tells.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Lying {
    pub path: String,
    /// None of a folder.
    pub id: Option<MemoryId>,
}

/// In the order of paths. The cursor is where the last page ended.
pub async fn list<M>(tx: &mut Tx<M>, store: StoreId, asked: &Listing, limit: Limit, cursor: Option<&str>) -> Result<Page<Lying>, Problem> {
    let prefix = asked.prefix.as_deref().unwrap_or("/");
    let after = cursor.map(decode::<(String, Option<MemoryId>)>).transpose()?;
    let mut sql = QueryBuilder::new("select path, id from (select ");
    if asked.depth == 0 {
        sql.push("m.path, m.id from memories m");
    } else {
        roll_up(&mut sql, prefix, asked.depth);
    }
    sql.push(" where m.workspace_id = ").push_bind(tx.workspace());
    sql.push(" and m.store_id = ").push_bind(store).push(" and m.state in ('active', 'proposed') and m.path >= ");
    sql.push_bind(after.as_ref().map_or(prefix, |(path, _)| path.as_str().max(prefix)).to_owned());
    sql.push(" and m.path < ").push_bind(format!("{}0", prefix.strip_suffix('/').unwrap_or(prefix))).push(") told");
    if let Some((path, id)) = after {
        // Somebody's own may lie where everybody's does.
        sql.push(" where (path, coalesce(id, '00000000-0000-0000-0000-000000000000'::uuid)) > (").push_bind(path);
        sql.push(" collate \"C\", ").push_bind(id.map_or(uuid::Uuid::nil(), |id| id.0)).push(")");
    }
    sql.push(" order by path, id limit ").push_bind(limit.and_one());
    let rows: Vec<Lying> = sql.build_query_as().fetch_all(tx.conn()).await?;
    Ok(Page::cut(rows, limit, |one| (one.path.clone(), one.id)))
}

/// A path that has more names below the prefix than `depth` is told as the folder of so many, once.
fn roll_up(sql: &mut QueryBuilder<Postgres>, prefix: &str, depth: u32) {
    let depth = i32::try_from(depth).unwrap_or(i32::MAX);
    sql.push("distinct t.path, t.id from memories m cross join lateral (select string_to_array(substr(m.path, length(");
    sql.push_bind(prefix.to_owned()).push(") + 1), '/') as names) n cross join lateral (select case when cardinality(names) > ");
    sql.push_bind(depth).push(" then ").push_bind(prefix.to_owned()).push(" || array_to_string(names[1:").push_bind(depth);
    sql.push("], '/') || '/' else m.path end collate \"C\" as path, case when cardinality(names) <= ").push_bind(depth);
    sql.push(" then m.id end as id) t");
}

/// Who has a path, or one above or below it, as far as the one who asks may see.
pub async fn in_the_way<M>(
    tx: &mut Tx<M>,
    store: StoreId,
    path: &MemoryPath,
    but: Option<MemoryId>,
) -> Result<Option<(MemoryId, String)>, Problem> {
    let found = sqlx::query_as(
        "with recursive above as (
            select $3::text as path
            union all
            select parent_of(path) from above where parent_of(path) <> ''
         )
         select m.id, m.path from memories m
         where m.workspace_id = $1 and m.store_id = $2 and m.state in ('active', 'proposed') and m.id is distinct from $4
           and (m.path in (select path from above) or (m.path >= ($3 || '/') collate \"C\" and m.path < ($3 || '0') collate \"C\"))
         order by m.path
         limit 1",
    )
    .bind(tx.workspace())
    .bind(store)
    .bind(path.as_str())
    .bind(but)
    .fetch_optional(tx.conn())
    .await?;
    Ok(found)
}

/// Everything that a store shows, of one owner or of everybody.
pub async fn all_of(tx: &mut Tx<Write>, store: StoreId, owner: Option<PersonId>) -> Result<Vec<MemoryId>, Problem> {
    let found = sqlx::query_scalar(
        "select id from memories
         where workspace_id = $1 and store_id = $2 and owner_id is not distinct from $3 and state in ('active', 'proposed')
         order by id",
    )
    .bind(tx.workspace())
    .bind(store)
    .bind(owner)
    .fetch_all(tx.conn())
    .await?;
    Ok(found)
}

/// What was put away in a store since a moment, of one owner or of everybody, each with its project.
pub async fn put_away_since(
    tx: &mut Tx<Write>,
    store: StoreId,
    owner: Option<PersonId>,
    since: OffsetDateTime,
) -> Result<Vec<(MemoryId, Option<String>)>, Problem> {
    let found = sqlx::query_as(
        "select id, project from memories
         where workspace_id = $1 and store_id = $2 and owner_id is not distinct from $3 and state = 'archived' and updated_at >= $4
         order by id",
    )
    .bind(tx.workspace())
    .bind(store)
    .bind(owner)
    .bind(since)
    .fetch_all(tx.conn())
    .await?;
    Ok(found)
}

/// Whether a store shows anything outside of a project; asked with the wall lifted.
pub async fn reaches_beyond(tx: &mut Tx<Write>, store: StoreId, project: &str) -> Result<bool, Problem> {
    let found = sqlx::query_scalar(
        "select exists (select 1 from memories
         where workspace_id = $1 and store_id = $2 and state in ('active', 'proposed') and project is distinct from $3)",
    )
    .bind(tx.workspace())
    .bind(store)
    .bind(project)
    .fetch_one(tx.conn())
    .await?;
    Ok(found)
}
