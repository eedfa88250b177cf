//! Deletion.
use super::{Tx, tx::Write};
use crate::{model::DeletionId, problem::Problem};

/// The request that erased this text, if one did.
pub async fn erased_by(tx: &mut Tx<Write>, mac: &[u8]) -> Result<Option<DeletionId>, Problem> {
    let workspace = tx.workspace();
    let found = sqlx::query_scalar!("select request_id from erasures where workspace_id = $1 and content_mac = $2 limit 1", workspace.0, mac)
        .fetch_optional(tx.conn())
        .await?;
    Ok(found.map(DeletionId))
}
