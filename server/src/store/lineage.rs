//! Which cluster the database lies in. Memories, erasures and entries carry the numbers of the transactions that wrote them, and
//! those of another cluster – after a restore, by whatever tool – mean nothing here.

use sqlx::{Executor, PgConnection};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

/// A copy of a cluster that went another way from some moment on has another timeline. Where it writes now, and not where its last
/// checkpoint was: a replica that was promoted writes long before it makes one, and gives numbers anew that the lost primary had given.
const WHICH: &str = "select system_identifier::text || '/' ||
           case when pg_is_in_recovery() then timeline_id::text else left(pg_walfile_name(pg_current_wal_lsn()), 8) end
    from pg_control_system(), pg_control_checkpoint()";

/// What connections have found behind the address so far.
#[derive(Clone, Debug, Default)]
pub struct Lineage(Arc<Met>);

#[derive(Debug, Default)]
struct Met {
    last: Mutex<Option<String>>,
    turn: AtomicU64,
}

impl Lineage {
    pub fn turn(&self) -> u64 {
        self.0.turn.load(Ordering::Acquire)
    }

    /// A new connection looks where it has come to, before anybody uses it.
    pub async fn meet(&self, conn: &mut PgConnection) {
        match sqlx::query_scalar::<_, String>(WHICH).fetch_one(conn).await {
            Ok(here) => self.is_at(here),
            // Not every provider lets one ask; then only a start finds out.
            Err(error) => tracing::debug!(%error, "which cluster this is cannot be asked"),
        }
    }

    fn is_at(&self, here: String) {
        let mut last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_some_and(|last| *last != here) {
            tracing::warn!("another Postgres cluster answers at the database's address: recall indexes are built anew");
            self.0.turn.fetch_add(1, Ordering::AcqRel);
        }
        *last = Some(here);
    }
}

/// At a start, as the owner: where the tables were filled in another cluster, its numbers are forgotten.
pub async fn settle_in(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    let Ok(here) = sqlx::query_scalar::<_, String>("select system_identifier::text from pg_control_system()").fetch_one(&mut *conn).await
    else {
        return Ok(());
    };
    let kept: Option<String> = sqlx::query_scalar("select system_identifier from home").fetch_optional(&mut *conn).await?;
    if kept.as_ref() == Some(&here) {
        return Ok(());
    }
    if kept.is_some() || has_others(conn).await? {
        tracing::warn!("this database comes from another Postgres cluster: the numbers of its transactions are forgotten");
        forget_transactions(conn).await?;
    }
    sqlx::query("insert into home (system_identifier) values ($1) on conflict (singleton) do update set system_identifier = excluded.system_identifier")
        .bind(here)
        .execute(conn)
        .await
        .map(drop)
}

/// A copy from before tables knew where they are at home gives itself away by numbers that were not given here yet.
async fn has_others(conn: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let sql = "select exists (select 1 from memories where changed_xid >= pg_snapshot_xmax(pg_current_snapshot()))
                   or exists (select 1 from audit_entries where written_xid >= pg_snapshot_xmax(pg_current_snapshot()))";
    sqlx::query_scalar(sql).fetch_one(conn).await
}

/// The numbers of another cluster's transactions mean nothing here, and the highest would be read anew with every recall.
async fn forget_transactions(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    conn.execute(
        "begin;
         alter table memories disable trigger user;
         update memories set changed_xid = pg_current_xact_id();
         alter table memories enable trigger user;
         update erasures set changed_xid = pg_current_xact_id();
         update memory_touches set changed_xid = pg_current_xact_id();
         update audit_entries set written_xid = '0';
         update audit_horizon set horizon = '0';
         update deletion_requests set executed_xid = '0' where executed_xid is not null;
         update memory_vectors set changed_xid = pg_current_xact_id() where changed_xid is not null;
         commit",
    )
    .await
    .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_cluster_begins_another_turn_and_the_same_one_does_not() {
        let lineage = Lineage::default();
        for (here, turn) in [("1/1", 0), ("1/1", 0), ("2/1", 1), ("2/1", 1), ("2/2", 2), ("1/1", 3)] {
            lineage.is_at(here.to_owned());
            assert_eq!(lineage.turn(), turn, "{here}");
        }
    }
}
