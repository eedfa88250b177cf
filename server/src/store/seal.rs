//! What the sealer does, in its own role: it looks at the entries of all workspaces and adds to their trees.

use super::{Db, sealed::nodes_of, trail};
use crate::{
    engines::seal::{Hash, Node, tree::Kept},
    model::{AuditId, WorkspaceId, trail::Entry},
    problem::Problem,
};
use sqlx::{AssertSqlSafe, FromRow, PgConnection, Postgres, Row, Transaction, postgres::PgRow};
use std::collections::BTreeSet;

/// A look at what waits to be sealed, in one snapshot.
pub struct Look {
    tx: Transaction<'static, Postgres>,
    /// Where it began.
    pub since: u64,
    /// Whatever this look does not see is written at or after it.
    pub horizon: u64,
}

/// Of which workspaces.
#[derive(Clone, Copy)]
pub enum Of<'a> {
    AllBut(&'a BTreeSet<WorkspaceId>),
    These(&'a BTreeSet<WorkspaceId>),
}

impl Of<'_> {
    /// Ids are ids: they need no quoting.
    fn sql(self) -> String {
        let (ids, word) = match self {
            Self::AllBut(ids) => (ids, "<> all"),
            Self::These(ids) => (ids, "= any"),
        };
        let ids: Vec<String> = ids.iter().map(WorkspaceId::to_string).collect();
        format!("e.workspace_id {word} ('{{{}}}'::uuid[])", ids.join(","))
    }
}

/// An entry that waits.
pub struct Waiting {
    pub workspace: WorkspaceId,
    pub entry: Entry,
}

impl<'r> FromRow<'r, PgRow> for Waiting {
    fn from_row(row: &'r PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self { workspace: row.try_get("workspace_id")?, entry: trail::Row::from_row(row)?.into() })
    }
}

/// What a workspace's tree grows by.
pub struct Growth<'a> {
    pub first: u64,
    pub entries: &'a [AuditId],
    pub leaves: &'a [Hash],
    /// Above the leaves.
    pub nodes: &'a [(Node, Hash)],
    pub size: u64,
    pub note: &'a str,
}

impl Db {
    /// Opens a look from where the last one ended, in this server or another.
    pub async fn look_for_unsealed(&self, since: Option<u64>, of: Of<'_>) -> Result<Look, Problem> {
        let begin = "begin isolation level repeatable read read only; select enter_seal(); set local statement_timeout = 0";
        let mut tx = super::connect::begin_in(self.tenants(), begin).await?;
        // A horizon above all that ever was is that of another cluster: whoever restored a copy begins anew.
        let (kept, horizon): (String, String) = sqlx::query_as(
            "select case when horizon > pg_snapshot_xmax(pg_current_snapshot()) then '0' else horizon::text end,
                    pg_snapshot_xmin(pg_current_snapshot())::text
             from audit_horizon",
        )
        .fetch_one(&mut *tx)
        .await?;
        let since = since.map_or_else(|| kept.parse().map_err(Problem::internal), Ok)?;
        // Entries at or after the horizon may be sealed already: an older transaction held it back.
        let cursor = format!(
            "declare unsealed no scroll cursor for
             select e.workspace_id, e.id, null::bigint as index, e.at, e.actor_type, e.actor_id, null::text as actor_name, e.role, e.action,
                    e.target_type, e.target_id, e.version, e.request_id, e.session_id, e.digest, e.details
             from audit_entries e
             where e.written_xid >= '{since}'::xid8 and {of}
               and not exists (select 1 from audit_leaves l where l.workspace_id = e.workspace_id and l.entry_id = e.id)
             order by e.workspace_id, e.id",
            of = of.sql()
        );
        sqlx::query(AssertSqlSafe(cursor)).execute(&mut *tx).await?;
        Ok(Look { tx, since, horizon: horizon.parse().map_err(Problem::internal)? })
    }

    /// The last checkpoint of a workspace, and its nodes that `edge` asks for.
    pub async fn edge_of(&self, workspace: WorkspaceId, edge: fn(u64) -> BTreeSet<Node>) -> Result<Option<(String, u64, Kept)>, Problem> {
        let mut tx = self.to_seal(workspace).await?;
        let last: Option<(String, i64)> =
            sqlx::query_as("select note, size from audit_checkpoints where workspace_id = $1 order by size desc limit 1")
                .bind(workspace)
                .fetch_optional(&mut *tx)
                .await?;
        let Some((note, size)) = last else { return Ok(None) };
        let size = u64::try_from(size).map_err(Problem::internal)?;
        let kept = nodes_of(&mut tx, workspace, &edge(size)).await?;
        Ok(Some((note, size, kept)))
    }

    /// All of it or nothing. Two who would go on from the same leaf cannot both.
    pub async fn grow(&self, workspace: WorkspaceId, by: Growth<'_>) -> Result<(), Problem> {
        let mut tx = self.to_seal(workspace).await?;
        insert_leaves(&mut tx, workspace, &by).await?;
        sqlx::query!(
            "insert into audit_nodes (workspace_id, level, place, hash)
             select $1, level, place, hash from unnest($2::smallint[], $3::bigint[], $4::bytea[]) as n (level, place, hash)",
            workspace.0,
            &by.nodes.iter().map(|(node, _)| i16::from(node.level)).collect::<Vec<_>>(),
            &by.nodes.iter().map(|(node, _)| node.place.cast_signed()).collect::<Vec<_>>(),
            &by.nodes.iter().map(|(_, hash)| hash.0.to_vec()).collect::<Vec<_>>(),
        )
        .execute(&mut *tx)
        .await?;
        sqlx::query!(
            "insert into audit_checkpoints (workspace_id, size, note) values ($1, $2, $3)",
            workspace.0,
            by.size.cast_signed(),
            by.note
        )
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// Everything before this is sealed. Losing it costs a longer look, no more, so nobody waits for the disk.
    pub async fn sealed_up_to(&self, horizon: u64) -> Result<(), Problem> {
        let mut tx = super::connect::begin_in(self.tenants(), "begin; select enter_seal(); set local synchronous_commit = off").await?;
        sqlx::query("update audit_horizon set horizon = $1::text::xid8").bind(horizon.to_string()).execute(&mut *tx).await?;
        Ok(tx.commit().await?)
    }

    async fn to_seal(&self, workspace: WorkspaceId) -> Result<Transaction<'static, Postgres>, Problem> {
        Ok(super::connect::begin_in(self.tenants(), AssertSqlSafe(format!("begin; select enter_seal('{workspace}')"))).await?)
    }
}

async fn insert_leaves(conn: &mut PgConnection, workspace: WorkspaceId, by: &Growth<'_>) -> Result<(), Problem> {
    sqlx::query!(
        "insert into audit_leaves (workspace_id, index, entry_id, hash)
         select $1, $2 + n - 1, entry, hash from unnest($3::uuid[], $4::bytea[]) with ordinality as l (entry, hash, n)",
        workspace.0,
        by.first.cast_signed(),
        &by.entries.iter().map(|id| id.0).collect::<Vec<_>>(),
        &by.leaves.iter().map(|hash| hash.0.to_vec()).collect::<Vec<_>>(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

impl Look {
    /// The next ones, by workspace; none at the end.
    pub async fn next(&mut self, most: u32) -> Result<Vec<Waiting>, Problem> {
        Ok(sqlx::query_as(AssertSqlSafe(format!("fetch {most} from unsealed"))).fetch_all(&mut *self.tx).await?)
    }
}
