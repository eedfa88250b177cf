//! What points from one table to another, as far as the catalog or the list below knows of it.

use super::{Outcome, Promise, keeps};
use sqlx::PgConnection;

/// Columns that name a row of another table of the same workspace, with or without a key that says so.
const LINKS: &[(&str, &str, &str)] = &[
    ("agent_keys", "agent_id", "agents"),
    ("memories", "store_id", "stores"),
    ("memories", "session_id", "sessions"),
    ("memory_versions", "memory_id", "memories"),
    ("memory_versions", "store_id", "stores"),
    ("memory_versions", "session_id", "sessions"),
    ("memory_versions", "supersedes", "memories"),
    ("memory_versions", "superseded_by", "memories"),
    ("memory_versions", "run_id", "sessions"),
    ("memory_versions", "run_id", "dreams"),
    ("memory_versions", "run_id", "rollbacks"),
    ("memory_tags", "memory_id", "memories"),
    ("anchors", "memory_id", "memories"),
    ("code_verdicts", "memory_id", "memories"),
    ("memory_vectors", "memory_id", "memories"),
    ("imported_versions", "memory_id", "memories"),
    ("receipts", "session_id", "sessions"),
    ("receipt_items", "memory_id", "memories"),
    ("receipt_items", "receipt_id", "receipts"),
    ("receipt_verdicts", "memory_id", "memories"),
    ("receipt_verdicts", "receipt_id", "receipts"),
    ("sessions", "task_id", "tasks"),
    ("sessions", "episode_id", "memories"),
    ("session_events", "session_id", "sessions"),
    ("run_looks", "session_id", "sessions"),
    ("code_pair_runs", "session_id", "sessions"),
    ("checkpoints", "session_id", "sessions"),
    ("checkpoints", "task_id", "tasks"),
    ("tasks", "episode_id", "memories"),
    ("task_items", "task_id", "tasks"),
    ("task_items", "session_id", "sessions"),
    ("task_items", "checkpoint_id", "checkpoints"),
    ("proposals", "memory_id", "memories"),
    ("conflicts", "a", "memories"),
    ("conflicts", "b", "memories"),
    ("rollback_items", "rollback_id", "rollbacks"),
    ("rollback_items", "memory_id", "memories"),
    ("dream_actions", "dream_id", "dreams"),
    ("dream_actions", "memory_id", "memories"),
    ("dream_actions", "made_id", "memories"),
    ("deletion_request_items", "request_id", "deletion_requests"),
    ("hold_items", "hold_id", "holds"),
    ("code_files", "snapshot_id", "code_snapshots"),
    ("code_parts", "snapshot_id", "code_snapshots"),
    ("audit_leaves", "entry_id", "audit_entries"),
    ("audit_entries", "target_id", "memories"),
    ("audit_entries", "session_id", "sessions"),
];

/// A row that names its entry has it.
pub(super) async fn with_entries(conn: &mut PgConnection) -> Result<Outcome, sqlx::Error> {
    let tables = having(conn, "audit_id").await?;
    let breaks = union(tables.iter().map(|table| {
        format!(
            "select format('a row of {table}, entry %s', t.audit_id) from {table} t
             where not exists (select 1 from audit_entries e where e.workspace_id = t.workspace_id and e.id = t.audit_id)"
        )
    }));
    let promise = Promise {
        name: "rows_have_entries",
        says: "whatever names the audit entry that it was written with has that entry",
        counts: "select count(*) from audit_entries",
        breaks: &breaks,
    };
    keeps(conn, &promise).await
}

/// Nothing names what lies in another workspace, and only there.
pub(super) async fn within_walls(conn: &mut PgConnection) -> Result<Outcome, sqlx::Error> {
    let breaks = union(LINKS.iter().map(|(table, column, to)| {
        format!(
            "select distinct format('{table}.{column} %s in workspace %s', t.{column}, t.workspace_id) from {table} t
             where exists (select 1 from {to} o where o.id = t.{column} and o.workspace_id <> t.workspace_id)
               and not exists (select 1 from {to} o where o.id = t.{column} and o.workspace_id = t.workspace_id)"
        )
    }));
    let promise = Promise {
        name: "workspaces_apart",
        says: "nothing in a workspace names a memory, a run, a store or anything else of another workspace",
        counts: "select count(*) from workspaces",
        breaks: &breaks,
    };
    keeps(conn, &promise).await
}

/// Every row is that of a workspace that is there; the trail of the instance is that of the nil one.
pub(super) async fn in_workspaces(conn: &mut PgConnection) -> Result<Outcome, sqlx::Error> {
    let tables = having(conn, "workspace_id").await?;
    let breaks = union(tables.iter().map(|table| {
        format!(
            "select format('{table} in %s', t.workspace_id) from (select distinct workspace_id from {table}) t
             where t.workspace_id <> '00000000-0000-0000-0000-000000000000' and not exists (select 1 from workspaces w where w.id = t.workspace_id)"
        )
    }));
    let promise = Promise {
        name: "rows_have_workspaces",
        says: "every row belongs to a workspace",
        counts: "select count(*) from workspaces",
        breaks: &breaks,
    };
    keeps(conn, &promise).await
}

/// The tables of workspaces that have a column.
async fn having(conn: &mut PgConnection, column: &str) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar(
        "select c.relname::text
         from pg_class c
         where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
           and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped)
           and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = $1 and not a.attisdropped)
         order by 1",
    )
    .bind(column)
    .fetch_all(conn)
    .await
}

fn union(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" union all ")
}
