//! Failed sign-ins, counted per account and per network under keyed hashes, for all replicas together.

use super::{Tx, connect::Db, tx::Instance};
use crate::problem::Problem;
use sqlx::PgExecutor;

/// Whom failures are counted against: an account, and where the attempts come from.
pub struct Subjects {
    pub account: [u8; 32],
    pub network: [u8; 32],
}

impl Subjects {
    /// Always in the same order, so that two who count do not block each other.
    fn all(&self) -> Vec<Vec<u8>> {
        let mut all = vec![self.account.to_vec(), self.network.to_vec()];
        all.sort();
        all
    }
}

impl Db {
    /// Seconds to wait before the next attempt.
    pub async fn wait_before_sign_in(&self, subjects: &Subjects) -> Result<Option<u64>, Problem> {
        wait(self.gate(), subjects).await
    }
}

/// The same, with everybody else who tries this account waiting for the outcome: many guesses sent at once must
/// not all be made before the first is counted.
pub async fn wait_in_line(tx: &mut Tx<Instance>, subjects: &Subjects) -> Result<Option<u64>, Problem> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('sign-in ' || encode($1, 'hex'), 0))", &subjects.account)
        .execute(tx.conn())
        .await?;
    wait(tx.conn(), subjects).await
}

/// Five failures are free, then the wait doubles; an hour without failures is a fresh start.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 900")]
async fn wait(on: impl PgExecutor<'_>, subjects: &Subjects) -> Result<Option<u64>, Problem> {
    let seconds = sqlx::query_scalar!(
        r#"select max(extract(epoch from last_at - clock_timestamp()) + least(900, power(2, least(failures, 20) - 5)))::float8
           from sign_in_failures
           where subject = any($1) and failures >= 5 and last_at > clock_timestamp() - interval '1 hour'"#,
        &subjects.all()
    )
    .fetch_one(on)
    .await?;
    Ok(seconds.filter(|seconds| *seconds > 0.0).map(|seconds| seconds.ceil().min(900.0) as u64))
}

pub async fn count(tx: &mut Tx<Instance>, subjects: &Subjects) -> Result<(), Problem> {
    sqlx::query!(
        "insert into sign_in_failures as kept (subject, failures, last_at)
         select subject, 1, clock_timestamp()
         from unnest($1::bytea[]) as subject
         on conflict (subject) do update
         set failures = case when kept.last_at < clock_timestamp() - interval '1 hour' then 1 else kept.failures + 1 end,
             last_at = clock_timestamp()",
        &subjects.all()
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Somebody knew the password: the account starts afresh. Where they came from does not, or an attacker with
/// an account of their own could reset it at will.
pub async fn forgive(tx: &mut Tx<Instance>, account: &[u8; 32]) -> Result<(), Problem> {
    sqlx::query!("delete from sign_in_failures where subject = $1", account).execute(tx.conn()).await?;
    Ok(())
}
