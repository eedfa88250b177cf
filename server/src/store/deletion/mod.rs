//! Deletion requests, the lists they are frozen to, the holds that stop them, and the erasure itself: rows really gone,
//! keyed hashes left so that no text can return.

mod derived;
mod erase;
pub mod holds;
pub mod journal;
mod kept;
mod list;
mod memories;
mod notes;
mod requests;
mod select;
mod words;

pub use derived::{copies, derived};
pub use erase::{Erased, erase, forget_answers};
pub use kept::{Keeping, in_the_way};
pub use list::{items, put, touched};
pub use requests::{Closing, block, certificate, certify, close, decide, find, find_to_change, insert, list, open_ones, unblock};
pub use select::{Reached, Wanted, archived_since, select, wanted};

use super::{Tx, guise::stand_behind};
use crate::{
    model::{DeletionId, Project},
    problem::Problem,
};
use time::OffsetDateTime;

/// When something was last erased here, by a request or by a rule: whoever stands behind a wall hears of it too.
pub async fn last_erasure<M>(tx: &mut Tx<M>, wall: Option<&Project>) -> Result<Option<OffsetDateTime>, Problem> {
    if wall.is_some() {
        stand_behind(tx, "").await?;
    }
    let workspace = tx.workspace();
    let sql = "select max(executed_at) from deletion_requests where workspace_id = $1 and state = 'executed'";
    let at = sqlx::query_scalar(sql).bind(workspace).fetch_one(tx.conn()).await?;
    if let Some(wall) = wall {
        stand_behind(tx, wall.as_str()).await?;
    }
    Ok(at)
}

/// Whoever searches or erases a large workspace may take longer than a question may.
pub async fn take_time<M>(tx: &mut Tx<M>) -> Result<(), Problem> {
    sqlx::query("set local statement_timeout = '15min'").execute(tx.conn()).await?;
    Ok(())
}

/// The request that erased any of these texts, and which of them, if one did.
pub async fn erased_by<M>(tx: &mut Tx<M>, macs: &[[u8; 32]]) -> Result<Option<(usize, DeletionId)>, Problem> {
    if macs.is_empty() {
        return Ok(None);
    }
    let workspace = tx.workspace();
    let macs: Vec<&[u8]> = macs.iter().map(|mac| &mac[..]).collect();
    let found: Option<(i64, DeletionId)> = sqlx::query_as(
        "select t.n, e.request_id
         from unnest($2::bytea[]) with ordinality t (mac, n)
         join erasures e on e.workspace_id = $1 and e.content_mac = t.mac
         order by t.n
         limit 1",
    )
    .bind(workspace)
    .bind(macs)
    .fetch_optional(tx.conn())
    .await?;
    Ok(found.map(|(n, request)| (usize::try_from(n - 1).unwrap_or_default(), request)))
}

/// Of these texts, those that were erased.
pub async fn erased_among<M>(tx: &mut Tx<M>, macs: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Problem> {
    let workspace = tx.workspace();
    let sql = "select distinct content_mac from erasures where workspace_id = $1 and content_mac = any($2)";
    Ok(sqlx::query_scalar(sql).bind(workspace).bind(macs).fetch_all(tx.conn()).await?)
}
