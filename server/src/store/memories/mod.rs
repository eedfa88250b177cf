//! Memories in Postgres: reading states, writing the next one, listing.

mod at_once;
mod labels;
mod list;
mod review;
mod row;
mod write;

pub use at_once::insert_at_once;
pub use labels::{Labels, labels, titles};
pub use list::list;
pub use review::{Doubted, doubted};
pub use write::{Step, Survey, advance, advance_all, insert, survey};

use super::{
    Tx,
    guise::{as_app, as_index},
    tx::Write,
};
use crate::{
    model::{Memory, MemoryId},
    problem::Problem,
};
pub(super) use row::Row;
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

/// Some, as they are now, in the order asked; what is gone or not to be seen is missing.
pub async fn find_some<M>(tx: &mut Tx<M>, ids: &[MemoryId]) -> Result<Vec<Memory>, Problem> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<uuid::Uuid> = ids.iter().map(|id| id.0).collect();
    let rows: Vec<Row> = sqlx::query_as(
        "select s.* from unnest($2::uuid[]) with ordinality w (id, n)
         cross join lateral (select s.* from memory_states s where s.workspace_id = $1 and s.id = w.id and s.current offset 0) s
         order by w.n",
    )
    .bind(tx.workspace())
    .bind(ids)
    .fetch_all(tx.conn())
    .await?;
    rows.into_iter().map(Memory::try_from).collect()
}

/// Whether something that others see was superseded by this.
pub async fn stands_for_others<M>(tx: &mut Tx<M>, id: MemoryId) -> Result<bool, Problem> {
    Ok(sqlx::query_scalar(
        "select exists (
             select 1 from memory_versions v
             join memories m on m.workspace_id = v.workspace_id and m.id = v.memory_id and m.version = v.version
             where v.workspace_id = $1 and v.superseded_by = $2 and m.visibility = 'workspace')",
    )
    .bind(tx.workspace())
    .bind(id)
    .fetch_one(tx.conn())
    .await?)
}

/// Whether there is such a memory, wherever it is hidden.
pub async fn is_there<M>(tx: &mut Tx<M>, id: MemoryId) -> Result<bool, Problem> {
    let workspace = tx.workspace();
    as_index(tx).await?;
    let there = sqlx::query_scalar("select exists (select 1 from memories where workspace_id = $1 and id = $2)")
        .bind(workspace)
        .bind(id)
        .fetch_one(tx.conn())
        .await?;
    as_app(tx).await?;
    Ok(there)
}

/// Whether a decision was made or changed since, but for these.
pub async fn decided_since<M>(tx: &mut Tx<M>, since: OffsetDateTime, but_for: &[MemoryId]) -> Result<bool, Problem> {
    let but_for: Vec<uuid::Uuid> = but_for.iter().map(|id| id.0).collect();
    Ok(sqlx::query_scalar(
        "select exists (
             select 1 from memories
             where workspace_id = $1 and kind = 'decision' and state = 'active' and updated_at > $2 and id <> all($3))",
    )
    .bind(tx.workspace())
    .bind(since)
    .bind(but_for)
    .fetch_one(tx.conn())
    .await?)
}

/// Of these kinds what is active in a project or for all, the verified first, then the newest.
pub async fn most_binding<M>(
    tx: &mut Tx<M>,
    kinds: &[crate::model::Kind],
    project: Option<&str>,
    most: i64,
) -> Result<Vec<Memory>, Problem> {
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
    let ids: Vec<MemoryId> = sqlx::query_scalar(
        // Of each kind the first from its index, and of those the first.
        "select m.id
         from unnest($2::text[]) k (kind)
         cross join lateral (
             select id, verified_at is null as unverified, updated_at
             from memories
             where workspace_id = $1 and state = 'active' and kind = k.kind and ($3::text is null or project is null or project = $3)
             order by verified_at is null, updated_at desc
             limit $4
         ) m
         order by m.unverified, m.updated_at desc
         limit $4",
    )
    .bind(tx.workspace())
    .bind(kinds)
    .bind(project)
    .bind(most)
    .fetch_all(tx.conn())
    .await?;
    find_some(tx, &ids).await
}

/// As it is now, and nobody else changes it before this transaction ends.
pub async fn find_to_change(tx: &mut Tx<Write>, id: MemoryId) -> Result<Memory, Problem> {
    sqlx::query!("select id from memories where workspace_id = $1 and id = $2 for no key update", tx.workspace().0, id.0)
        .fetch_optional(tx.conn())
        .await?
        .ok_or(Problem::NotFound)?;
    find(tx, id).await
}

/// Some, as they are now, held likewise; in one order, so that two who hold the same do not wait for each other. What is gone or
/// not to be seen is missing.
pub async fn find_some_to_change(tx: &mut Tx<Write>, ids: &[MemoryId]) -> Result<Vec<Memory>, Problem> {
    let (workspace, bare): (_, Vec<uuid::Uuid>) = (tx.workspace(), ids.iter().map(|id| id.0).collect());
    let held = sqlx::query_scalar!(
        r#"select id as "id: MemoryId" from memories where workspace_id = $1 and id = any($2) order by id for no key update"#,
        workspace.0,
        &bare
    )
    .fetch_all(tx.conn())
    .await?;
    find_some(tx, &held).await
}

/// As it was at a moment; before its first version it was not there.
pub async fn find_as_of<M>(tx: &mut Tx<M>, id: MemoryId, moment: OffsetDateTime) -> Result<Memory, Problem> {
    let row: Option<Row> = sqlx::query_as(
        "select * from memory_states where workspace_id = $1 and id = $2 and updated_at <= $3 order by version desc limit 1",
    )
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

/// Several versions at once, in the order asked; what is gone or not to be seen is missing.
pub async fn find_versions<M>(tx: &mut Tx<M>, wanted: &[(MemoryId, i32)]) -> Result<Vec<Memory>, Problem> {
    let (ids, versions): (Vec<uuid::Uuid>, Vec<i32>) = wanted.iter().map(|(id, version)| (id.0, *version)).unzip();
    let rows: Vec<Row> = sqlx::query_as(
        "select s.* from unnest($2::uuid[], $3::int[]) with ordinality w (id, version, n)
         cross join lateral (select s.* from memory_states s where s.workspace_id = $1 and s.id = w.id and s.version = w.version offset 0) s
         order by w.n",
    )
    .bind(tx.workspace())
    .bind(ids)
    .bind(versions)
    .fetch_all(tx.conn())
    .await?;
    rows.into_iter().map(Memory::try_from).collect()
}

#[derive(sqlx::FromRow)]
struct Proven {
    #[sqlx(flatten)]
    row: Row,
    workspace_id: uuid::Uuid,
    salt: Option<Vec<u8>>,
    entry_digest: Option<Vec<u8>>,
}

/// Versions whose digest is not what their text, salt and entry say; as the owner, page by page.
pub(super) async fn unproven(conn: &mut sqlx::PgConnection) -> Result<Vec<(uuid::Uuid, i32)>, sqlx::Error> {
    let mut place = (uuid::Uuid::nil(), uuid::Uuid::nil(), 0);
    let mut unproven = Vec::new();
    loop {
        let page: Vec<Proven> = sqlx::query_as(
            "select s.*, e.digest as entry_digest
             from memory_states s
             left join audit_entries e on e.workspace_id = s.workspace_id and e.id = s.audit_id and e.target_id = s.id and e.version = s.version
             where (s.workspace_id, s.id, s.version) > ($1, $2, $3)
             order by s.workspace_id, s.id, s.version
             limit 1000",
        )
        .bind(place.0)
        .bind(place.1)
        .bind(place.2)
        .fetch_all(&mut *conn)
        .await?;
        let Some(last) = page.last() else { return Ok(unproven) };
        place = (last.workspace_id, last.row.id.0, last.row.version);
        let named = page.into_iter().map(|proven| ((proven.row.id.0, proven.row.version), proven.holds()));
        unproven.extend(named.filter(|(_, holds)| !holds).map(|(version, _)| version));
    }
}

impl Proven {
    /// A redacted version has lost its text and salt; what is left must still be what the entry says.
    fn holds(self) -> bool {
        let Ok(memory) = Memory::try_from(self.row) else { return false };
        let text_fits = self.salt.is_none_or(|salt| write::digest(&memory, &salt) == memory.digest);
        text_fits && self.entry_digest.as_deref() == Some(&memory.digest[..])
    }
}

/// Newest first, below `before` if that is given.
pub async fn versions<M>(tx: &mut Tx<M>, id: MemoryId, before: Option<i32>, most: i64) -> Result<Vec<Memory>, Problem> {
    let rows: Vec<Row> =
        sqlx::query_as("select * from memory_states where workspace_id = $1 and id = $2 and version < $3 order by version desc limit $4")
            .bind(tx.workspace())
            .bind(id)
            .bind(before.unwrap_or(i32::MAX))
            .bind(most)
            .fetch_all(tx.conn())
            .await?;
    rows.into_iter().map(Memory::try_from).collect()
}
