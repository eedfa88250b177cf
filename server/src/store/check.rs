//! A look through a whole database as its owner: is it empty, and does every version have its entry in the trail.

use super::{
    memories,
    sealed::{self, Leaf},
};
use crate::{
    model::{WorkspaceId, trail::Filter},
    problem::Problem,
};
use sqlx::{Connection, Executor, PgConnection};
use uuid::Uuid;

/// What a look through found.
#[derive(Debug, Default)]
pub struct Found {
    pub workspaces: i64,
    pub memories: i64,
    pub versions: i64,
    pub entries: i64,
    /// Versions whose entry is missing or says something else.
    pub unproven: i64,
    /// Entries of versions that are neither there nor erased.
    pub orphaned: i64,
    /// Entries in trees that are what was signed.
    pub sealed: u64,
    /// Workspaces whose sealed trail is not; the nil one is the instance.
    pub broken: Vec<Uuid>,
}

impl Found {
    pub fn holds(&self) -> bool {
        self.unproven == 0 && self.orphaned == 0 && self.broken.is_empty()
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { workspaces, memories, versions, entries, sealed, .. } = self;
        write!(f, "{workspaces} workspaces, {memories} memories in {versions} versions, {entries} entries in the trail. ")?;
        if self.holds() {
            return write!(f, "Every version has its entry, and every digest fits. {sealed} entries are sealed, and are what was signed.");
        }
        write!(f, "{} versions do not fit their entry, and {} entries have lost their version.", self.unproven, self.orphaned)?;
        for workspace in &self.broken {
            write!(f, " The sealed trail of {workspace} is not what was signed.")?;
        }
        Ok(())
    }
}

pub async fn is_empty(owner_url: &str) -> Result<bool, sqlx::Error> {
    let mut conn = PgConnection::connect(owner_url).await?;
    let tables: i64 = sqlx::query_scalar(
        "select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind = 'r'",
    )
    .fetch_one(&mut conn)
    .await?;
    conn.close().await?;
    Ok(tables == 0)
}

/// A dump speaks of roles but does not make them.
pub async fn make_roles(owner_url: &str) -> Result<(), sqlx::Error> {
    let mut conn = PgConnection::connect(owner_url).await?;
    for role in ["cairn_app", "cairn_gate", "cairn_index", "cairn_seal"] {
        let make = format!(
            "do $$ begin create role {role} nologin noinherit; exception when duplicate_object or unique_violation then null; end $$"
        );
        conn.execute(sqlx::AssertSqlSafe(make)).await?;
    }
    conn.close().await
}

/// Counts, and holds every version against its entry and its digest.
pub async fn look_through(owner_url: &str) -> Result<Found, sqlx::Error> {
    let mut conn = PgConnection::connect(owner_url).await?;
    let (workspaces, memories, versions, entries): (i64, i64, i64, i64) = sqlx::query_as(
        "select (select count(*) from workspaces), (select count(*) from memories), (select count(*) from memory_versions), (select count(*) from audit_entries)",
    )
    .fetch_one(&mut conn)
    .await?;
    let orphaned: i64 = sqlx::query_scalar(
        "select count(*)
         from audit_entries e
         where e.target_type = 'memory' and e.version is not null
           and not exists (
               select 1 from memory_versions v
               where v.workspace_id = e.workspace_id and v.memory_id = e.target_id and v.version = e.version
                 and (v.audit_id = e.id or (e.action = 'memory.redacted' and v.redacted_at is not null)))
           and not exists (select 1 from audit_entries g where g.workspace_id = e.workspace_id and g.action = 'memory.erased' and g.target_id = e.target_id)",
    )
    .fetch_one(&mut conn)
    .await?;
    let unproven = i64::try_from(memories::unproven(&mut conn).await?.len()).unwrap_or(i64::MAX);
    conn.close().await?;
    Ok(Found { workspaces, memories, versions, entries, unproven, orphaned, ..Found::default() })
}

/// All sealed trails, read as the owner.
pub struct Trails<'a>(&'a mut PgConnection);

impl<'a> Trails<'a> {
    pub fn of(conn: &'a mut PgConnection) -> Self {
        Self(conn)
    }

    /// The names and public keys of all that ever signed.
    pub async fn keys(&mut self) -> Result<Vec<(String, [u8; 32])>, Problem> {
        let rows: Vec<(String, Vec<u8>)> =
            sqlx::query_as("select name, public_key from signing_keys where purpose = 'trail'").fetch_all(&mut *self.0).await?;
        rows.into_iter().map(|(name, key)| Ok((name, key.as_slice().try_into().map_err(Problem::internal)?))).collect()
    }

    /// Every workspace that has a tree, with its newest checkpoint.
    pub async fn checkpoints(&mut self) -> Result<Vec<(Uuid, Option<String>)>, Problem> {
        Ok(sqlx::query_as(
            "select t.workspace_id,
                    (select c.note from audit_checkpoints c where c.workspace_id = t.workspace_id order by c.size desc limit 1)
             from (select workspace_id from audit_leaves union select workspace_id from audit_checkpoints) t
             order by 1",
        )
        .fetch_all(&mut *self.0)
        .await?)
    }

    /// The next leaves of a tree, from an index on.
    pub async fn leaves(&mut self, workspace: Uuid, from: u64) -> Result<Vec<Leaf>, Problem> {
        let all = Filter::default();
        sealed::leaves_of(self.0, WorkspaceId(workspace), from, i64::MAX.cast_unsigned(), &all, 5000).await
    }

    /// How many leaves a tree has, with or without their entries.
    pub async fn count(&mut self, workspace: Uuid) -> Result<u64, Problem> {
        let count: i64 =
            sqlx::query_scalar("select count(*) from audit_leaves where workspace_id = $1").bind(workspace).fetch_one(&mut *self.0).await?;
        Ok(count.cast_unsigned())
    }
}
