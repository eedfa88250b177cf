//! Workspaces.
use super::{Tx, tx::Write};
use crate::problem::Problem;

/// How many memories count against the quota, up to `most`. One writer at a time looks and adds, where there is a quota.
pub async fn count_memories(tx: &mut Tx<Write>, most: i64) -> Result<i64, Problem> {
    let workspace = tx.workspace();
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('quota ' || $1::text, 0))", workspace.to_string()).execute(tx.conn()).await?;
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from (select 1 from memories where workspace_id = $1 and state in ('active', 'proposed') limit $2) counted"#,
        workspace.0,
        most
    )
    .fetch_one(tx.conn())
    .await?)
}
