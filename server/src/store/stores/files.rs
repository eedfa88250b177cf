//! Memories by where they lie: those that hold their path, which are active or proposed. Paths are ranges in collation C.

use super::super::Tx;
use crate::{
    engines::memory_tool::Entry,
    model::{MemoryId, StoreId, text::MemoryPath},
    problem::Problem,
};

/// More of a folder nobody is shown.
const MOST_ENTRIES: i64 = 5000;

/// What lies at a path. One's own goes before everybody's where both have it.
pub async fn at<M>(tx: &mut Tx<M>, store: StoreId, path: &MemoryPath) -> Result<Option<MemoryId>, Problem> {
    let found = sqlx::query_scalar!(
        r#"select id as "id: MemoryId" from memories
           where workspace_id = $1 and store_id = $2 and path = $3 and state in ('active', 'proposed')
           order by owner_id is null
           limit 1"#,
        tx.workspace().0,
        store.0,
        path.as_str()
    )
    .fetch_optional(tx.conn())
    .await?;
    Ok(found)
}

/// Everything below a path, in order.
pub async fn below<M>(tx: &mut Tx<M>, store: StoreId, path: &MemoryPath) -> Result<Vec<MemoryId>, Problem> {
    let (from, to) = range(path.as_str());
    let found = sqlx::query_scalar!(
        r#"select id as "id: MemoryId" from memories
           where workspace_id = $1 and store_id = $2 and path >= $3 and path < $4 and state in ('active', 'proposed')
           order by path, id"#,
        tx.workspace().0,
        store.0,
        from,
        to
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(found)
}

/// What a folder has, two levels deep, in order, with sizes; one level where two would be too much. The size of a text is
/// read without the text.
pub async fn entries<M>(tx: &mut Tx<M>, store: StoreId, folder: Option<&MemoryPath>) -> Result<Vec<Entry>, Problem> {
    let (from, to) = range(folder.map_or("", MemoryPath::as_str));
    let rows = sqlx::query!(
        r#"with lying as (
               select substr(m.path, length($3) + 1) as path, octet_length(v.content)::bigint as bytes
               from memories m
               join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
               where m.workspace_id = $1 and m.store_id = $2 and m.path >= $3 and m.path < $4 and m.state in ('active', 'proposed')
           )
           select split_part(path, '/', 1) as "name!", split_part(path, '/', 2) as "below!",
                  bool_or(split_part(path, '/', 3) <> '') as "folder!", coalesce(sum(bytes), 0)::bigint as "bytes!"
           from lying
           group by 1, 2
           order by split_part(path, '/', 1) collate "C", split_part(path, '/', 2) collate "C"
           limit $5"#,
        tx.workspace().0,
        store.0,
        from,
        to,
        MOST_ENTRIES
    )
    .fetch_all(tx.conn())
    .await?;
    let entry = |name: String, below: String, folder, bytes: i64| Entry {
        name,
        below: Some(below).filter(|below| !below.is_empty()),
        folder,
        bytes: u64::try_from(bytes).unwrap_or_default(),
    };
    if i64::try_from(rows.len()).is_ok_and(|there| there == MOST_ENTRIES) {
        return first_level(tx, store, &from, &to).await;
    }
    Ok(rows.into_iter().map(|row| entry(row.name, row.below, row.folder, row.bytes)).collect())
}

async fn first_level<M>(tx: &mut Tx<M>, store: StoreId, from: &str, to: &str) -> Result<Vec<Entry>, Problem> {
    let rows: Vec<(String, bool, i64)> = sqlx::query_as(
        r#"select split_part(substr(m.path, length($3) + 1), '/', 1) as name, bool_or(split_part(substr(m.path, length($3) + 1), '/', 2) <> '') as folder,
                  coalesce(sum(octet_length(v.content)), 0)::bigint as bytes
           from memories m
           join memory_versions v on v.workspace_id = m.workspace_id and v.memory_id = m.id and v.version = m.version
           where m.workspace_id = $1 and m.store_id = $2 and m.path >= $3 and m.path < $4 and m.state in ('active', 'proposed')
           group by 1
           order by split_part(substr(m.path, length($3) + 1), '/', 1) collate "C"
           limit $5"#,
    )
    .bind(tx.workspace())
    .bind(store)
    .bind(from)
    .bind(to)
    .bind(MOST_ENTRIES)
    .fetch_all(tx.conn())
    .await?;
    let entry = |(name, folder, bytes)| Entry { name, below: None, folder, bytes: u64::try_from(bytes).unwrap_or_default() };
    Ok(rows.into_iter().map(entry).collect())
}

/// `0` is what follows `/`.
fn range(path: &str) -> (String, String) {
    (format!("{path}/"), format!("{path}0"))
}
