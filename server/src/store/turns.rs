//! Work that one server does at a time, whichever it is: a lock on a connection of its own, gone with it.

use super::Db;
use crate::problem::Problem;
use sqlx::{Connection, PgConnection};

pub struct Turn(PgConnection);

impl Db {
    /// Nothing if another server has it.
    pub async fn take_turn(&self, work: &str) -> Result<Option<Turn>, Problem> {
        let mut conn = PgConnection::connect_with(&self.tenants().connect_options()).await?;
        let ours: bool =
            sqlx::query_scalar("select pg_try_advisory_lock(hashtextextended('cairn ' || $1, 0))").bind(work).fetch_one(&mut conn).await?;
        if ours {
            return Ok(Some(Turn(conn)));
        }
        conn.close().await?;
        Ok(None)
    }
}

impl Turn {
    /// Whether it is still ours: the connection may have broken.
    pub async fn lasts(&mut self) -> bool {
        self.0.ping().await.is_ok()
    }
}
