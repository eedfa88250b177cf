//! Memories as an erasure takes them: each version as whoever it belonged to would see it; the policy knows no other way in.

use super::erase::{Counts, add, bar};
use crate::{
    keyring::Keyring,
    model::{DeletionId, MemoryId},
    problem::Problem,
    store::{
        Tx, Write,
        guise::{as_app, as_index},
    },
};
use futures_util::TryStreamExt;
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// Memories by whose they are, or whose a version of them was.
type ByOwner = BTreeMap<Option<Uuid>, Vec<Uuid>>;

/// Erases these memories, whosever they are by now or were before, and gives each with how many versions it had.
pub(super) async fn erase_memories(
    tx: &mut Tx<Write>,
    request: DeletionId,
    ids: &[Uuid],
    keyring: &Keyring,
    counts: &mut Counts,
) -> Result<Vec<(MemoryId, i64)>, Problem> {
    let owners = hold(tx, ids).await?;
    tx.stirs(ids).await?;
    let mut sizes: HashMap<Uuid, i64> = HashMap::new();
    for (owner, ids) in owners_of(tx, VERSIONS, ids).await? {
        see_as(tx, owner).await?;
        bar_texts(tx, request, &ids, keyring).await?;
        for id in erase_versions(tx, &ids).await? {
            *sizes.entry(id).or_default() += 1;
        }
    }
    add(counts, "memory_versions", sizes.values().sum::<i64>().unsigned_abs());
    let mut erased = Vec::new();
    for (owner, ids) in owners {
        see_as(tx, owner).await?;
        erased.extend(erase_rest(tx, &ids, counts).await?);
    }
    see_as(tx, None).await?;
    must_be_gone(tx, ids).await?;
    Ok(erased.into_iter().map(|id| (MemoryId(id), sizes.get(&id).copied().unwrap_or_default())).collect())
}

const MEMORIES: &str = "select owner_id, id from memories where workspace_id = $1 and id = any($2)";
const VERSIONS: &str = "select distinct owner_id, memory_id from memory_versions where workspace_id = $1 and memory_id = any($2)";

/// The index reads private memories of a workspace, and writes nothing.
async fn owners_of(tx: &mut Tx<Write>, sql: &'static str, ids: &[Uuid]) -> Result<ByOwner, Problem> {
    let workspace = tx.workspace();
    as_index(tx).await?;
    let rows: Vec<(Option<Uuid>, Uuid)> = sqlx::query_as(sql).bind(workspace).bind(ids).fetch_all(tx.conn()).await?;
    as_app(tx).await?;
    let mut owners = ByOwner::new();
    for (owner, id) in rows {
        owners.entry(owner).or_default().push(id);
    }
    Ok(owners)
}

async fn see_as(tx: &mut Tx<Write>, owner: Option<Uuid>) -> Result<(), Problem> {
    let owner = owner.map(|id| id.to_string()).unwrap_or_default();
    sqlx::query_scalar!("select set_config('cairn.person', $1, true)", owner).fetch_one(tx.conn()).await?;
    Ok(())
}

/// Whoever is about to add a version waits from here on, and then finds nothing.
async fn hold(tx: &mut Tx<Write>, ids: &[Uuid]) -> Result<ByOwner, Problem> {
    let (workspace, owners) = (tx.workspace(), owners_of(tx, MEMORIES, ids).await?);
    for (owner, ids) in &owners {
        see_as(tx, *owner).await?;
        let held =
            sqlx::query!("select id from memories where workspace_id = $1 and id = any($2) order by id for update", workspace.0, ids)
                .fetch_all(tx.conn())
                .await?;
        // One of them became somebody else's while this waited for it.
        if held.len() < ids.len() {
            return Err(Problem::LostRace);
        }
    }
    Ok(owners)
}

/// Leaves the keyed hash of every text that these memories had, and of each at least one: by them the indexes hear that it is gone.
async fn bar_texts(tx: &mut Tx<Write>, request: DeletionId, ids: &[Uuid], keyring: &Keyring) -> Result<(), Problem> {
    let workspace = tx.workspace();
    let mut barred = Vec::new();
    let mut texts =
        sqlx::query!("select memory_id, content from memory_versions where workspace_id = $1 and memory_id = any($2)", workspace.0, ids)
            .fetch(tx.conn());
    // One text at a time: all of them may be more than the server has room for.
    while let Some(row) = texts.try_next().await? {
        // An empty file is everybody's: of it the id is barred, behind a NUL, which no text has.
        let said = row.content.filter(|content| !content.trim().is_empty()).unwrap_or_else(|| format!("\0{}", row.memory_id));
        barred.push((keyring.erasure_mac(&said), row.memory_id));
    }
    drop(texts);
    bar(tx, request, barred).await
}

async fn erase_versions(tx: &mut Tx<Write>, ids: &[Uuid]) -> Result<Vec<Uuid>, Problem> {
    let workspace = tx.workspace();
    Ok(sqlx::query_scalar!(
        "delete from memory_versions where workspace_id = $1 and memory_id = any($2) returning memory_id",
        workspace.0,
        ids
    )
    .fetch_all(tx.conn())
    .await?)
}

async fn erase_rest(tx: &mut Tx<Write>, ids: &[Uuid], counts: &mut Counts) -> Result<Vec<Uuid>, Problem> {
    let workspace = tx.workspace();
    for (table, sql) in [
        ("memory_tags", "delete from memory_tags where workspace_id = $1 and memory_id = any($2)"),
        ("code_verdicts", "delete from code_verdicts where workspace_id = $1 and memory_id = any($2)"),
        ("anchors", "delete from anchors where workspace_id = $1 and memory_id = any($2)"),
        ("memory_vectors", "delete from memory_vectors where workspace_id = $1 and memory_id = any($2)"),
        ("proposals", "delete from proposals where workspace_id = $1 and memory_id = any($2)"),
    ] {
        let done = sqlx::query(sql).bind(workspace).bind(ids).execute(tx.conn()).await?;
        add(counts, table, done.rows_affected());
    }
    let memories = sqlx::query_scalar!("delete from memories where workspace_id = $1 and id = any($2) returning id", workspace.0, ids)
        .fetch_all(tx.conn())
        .await?;
    add(counts, "memories", memories.len() as u64);
    Ok(memories)
}

/// A certificate is signed for what is gone, and for nothing else.
async fn must_be_gone(tx: &mut Tx<Write>, ids: &[Uuid]) -> Result<(), Problem> {
    let left = owners_of(tx, MEMORIES, ids).await?.len() + owners_of(tx, VERSIONS, ids).await?.len();
    if left == 0 { Ok(()) } else { Err(Problem::internal("memories that were to be erased are still there")) }
}
