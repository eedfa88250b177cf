//! Statements for which a transaction stands elsewhere for a moment, within its workspace always.

use super::Tx;
use crate::problem::Problem;

/// As the index, which sees the private memories of a whole workspace too, and may write next to nothing.
pub(super) async fn as_index<M>(tx: &mut Tx<M>) -> Result<(), Problem> {
    sqlx::query("set local role cairn_index").execute(tx.conn()).await?;
    Ok(())
}

pub(super) async fn as_app<M>(tx: &mut Tx<M>) -> Result<(), Problem> {
    sqlx::query("set local role cairn_app").execute(tx.conn()).await?;
    Ok(())
}

/// Without the wall of the viewer's key. The wall, to be put up again.
pub(super) async fn lay_down_wall<M>(tx: &mut Tx<M>) -> Result<String, Problem> {
    let wall = sqlx::query_scalar("select coalesce(current_setting('cairn.project', true), '')").fetch_one(tx.conn()).await?;
    stand_behind(tx, "").await?;
    Ok(wall)
}

pub(super) async fn stand_behind<M>(tx: &mut Tx<M>, wall: &str) -> Result<(), Problem> {
    sqlx::query("select set_config('cairn.project', $1, true)").bind(wall).execute(tx.conn()).await?;
    Ok(())
}
