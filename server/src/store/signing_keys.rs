//! Signing keys, wrapped by the master key: what lies in the database is of no use without it.

use super::{Tx, connect::Db, tx::Instance};
use crate::problem::Problem;
use time::OffsetDateTime;
use uuid::Uuid;

pub struct SigningKeyRow {
    pub id: Uuid,
    pub public_key: Vec<u8>,
    pub wrapped_key: Vec<u8>,
    pub created_at: OffsetDateTime,
    pub retired_at: Option<OffsetDateTime>,
}

impl Db {
    /// Newest first. Retired ones are listed for as long as a token signed with them could be valid.
    pub async fn token_keys(&self) -> Result<Vec<SigningKeyRow>, Problem> {
        Ok(sqlx::query_as!(
            SigningKeyRow,
            "select id, public_key, wrapped_key, created_at, retired_at
             from signing_keys
             where purpose = 'tokens' and (retired_at is null or retired_at > now() - interval '1 day')
             order by created_at desc, id desc"
        )
        .fetch_all(self.gate())
        .await?)
    }

    /// Whether the database belongs to this master key; the first server to ask decides.
    pub async fn belongs_to(&self, check: &[u8]) -> Result<bool, Problem> {
        sqlx::query!("insert into instance (master_key_check) values ($1) on conflict do nothing", check).execute(self.gate()).await?;
        let kept = sqlx::query_scalar!("select master_key_check from instance").fetch_one(self.gate()).await?;
        Ok(kept == check)
    }
}

/// Makes a new key the signing one and retires those before it. Replicas take turns.
pub async fn rotate(tx: &mut Tx<Instance>, id: Uuid, public_key: &[u8], wrapped_key: &[u8]) -> Result<(), Problem> {
    sqlx::query!("update signing_keys set retired_at = now() where purpose = 'tokens' and retired_at is null").execute(tx.conn()).await?;
    sqlx::query!(
        "insert into signing_keys (id, purpose, public_key, wrapped_key) values ($1, 'tokens', $2, $3)",
        id,
        public_key,
        wrapped_key
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// One at a time across replicas, until the transaction ends.
pub async fn take_turns(tx: &mut Tx<Instance>) -> Result<(), Problem> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('cairn signing keys', 0))").execute(tx.conn()).await?;
    Ok(())
}

/// How old the signing key is, in days; none when there is none yet.
pub async fn age_in_days(tx: &mut Tx<Instance>) -> Result<Option<f64>, Problem> {
    Ok(sqlx::query_scalar!(
        r#"select (extract(epoch from now() - max(created_at)) / 86400)::float8 from signing_keys where purpose = 'tokens' and retired_at is null"#
    )
    .fetch_one(tx.conn())
    .await?)
}
