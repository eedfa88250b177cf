//! Signing keys, wrapped by the master key: what lies in the database is of no use without it.

use super::{Tx, connect::Db, tx::Instance};
use crate::problem::Problem;
use time::OffsetDateTime;
use uuid::Uuid;

/// What a key signs. Each purpose has keys of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Tokens,
    Trail,
}

impl Purpose {
    pub fn word(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Trail => "trail",
        }
    }
}

pub struct SigningKeyRow {
    pub id: Uuid,
    /// What the trail's keys are known by; those of tokens go by their id.
    pub name: Option<String>,
    pub public_key: Vec<u8>,
    pub wrapped_key: Vec<u8>,
    pub created_at: OffsetDateTime,
    pub retired_at: Option<OffsetDateTime>,
}

impl Db {
    /// Newest first. A retired one is listed for as long as what it signed may be shown: a token for a day, the trail for ever.
    pub async fn signing_keys(&self, purpose: Purpose) -> Result<Vec<SigningKeyRow>, Problem> {
        Ok(sqlx::query_as!(
            SigningKeyRow,
            "select id, name, public_key, wrapped_key, created_at, retired_at
             from signing_keys
             where purpose = $1 and (purpose = 'trail' or retired_at is null or retired_at > now() - interval '1 day')
             order by created_at desc, id desc",
            purpose.word()
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

/// A key that is about to sign.
pub struct NewKey<'a> {
    pub id: Uuid,
    pub name: Option<&'a str>,
    pub public_key: &'a [u8],
    pub wrapped_key: &'a [u8],
}

/// Makes a new key the signing one and retires those before it, whose name it takes. Replicas take turns.
pub async fn rotate(tx: &mut Tx<Instance>, purpose: Purpose, key: NewKey<'_>) -> Result<(), Problem> {
    sqlx::query!("update signing_keys set retired_at = now() where purpose = $1 and retired_at is null", purpose.word())
        .execute(tx.conn())
        .await?;
    sqlx::query!(
        "insert into signing_keys (id, purpose, name, public_key, wrapped_key)
         values ($1, $2, coalesce((select name from signing_keys where purpose = $2 order by created_at, id limit 1), $3), $4, $5)",
        key.id,
        purpose.word(),
        key.name,
        key.public_key,
        key.wrapped_key
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
pub async fn age_in_days(tx: &mut Tx<Instance>, purpose: Purpose) -> Result<Option<f64>, Problem> {
    Ok(sqlx::query_scalar!(
        r#"select (extract(epoch from now() - max(created_at)) / 86400)::float8 from signing_keys where purpose = $1 and retired_at is null"#,
        purpose.word()
    )
    .fetch_one(tx.conn())
    .await?)
}
