//! One-time links, by the hash of their token: to set the house up, or to choose a password.

use super::{Tx, connect::Db, tx::Instance};
use crate::{
    model::{PersonId, access::Person},
    problem::Problem,
};

/// What a link that has neither been used nor run out is for.
#[derive(Clone, Debug)]
pub enum Purpose {
    /// To make the first admin.
    SetUp,
    /// To choose a password.
    Password(Person),
}

impl Db {
    pub async fn find_link(&self, hash: &[u8; 32]) -> Result<Option<Purpose>, Problem> {
        let row = sqlx::query!(
            r#"select l.purpose, p.id as "id?: PersonId", p.email as "email?", p.name as "name?", p.instance_admin as "instance_admin?", p.created_at as "created_at?"
               from one_time_links l
               left join people p on p.id = l.person_id and p.deleted_at is null
               where l.token_hash = $1 and l.used_at is null and l.expires_at > now()"#,
            hash
        )
        .fetch_optional(self.gate())
        .await?;
        Ok(row.and_then(|row| match row.purpose.as_str() {
            "set_up" => Some(Purpose::SetUp),
            _ => Some(Purpose::Password(Person {
                id: row.id?,
                email: row.email?,
                name: row.name?,
                instance_admin: row.instance_admin?,
                created_at: row.created_at?,
            })),
        }))
    }
}

/// A link for a person; the ones before it are void.
pub async fn insert_for(tx: &mut Tx<Instance>, hash: &[u8; 32], person: PersonId) -> Result<(), Problem> {
    void(tx, person).await?;
    sqlx::query!(
        "insert into one_time_links (token_hash, purpose, person_id, expires_at) values ($1, 'password', $2, now() + interval '7 days')",
        hash,
        person.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

pub async fn void(tx: &mut Tx<Instance>, person: PersonId) -> Result<(), Problem> {
    sqlx::query!("delete from one_time_links where person_id = $1", person.0).execute(tx.conn()).await?;
    Ok(())
}

/// The link of this start; that of an earlier one may have been seen by anyone who read the log since.
pub async fn insert_set_up(tx: &mut Tx<Instance>, hash: &[u8; 32]) -> Result<(), Problem> {
    sqlx::query!("delete from one_time_links where purpose = 'set_up'").execute(tx.conn()).await?;
    sqlx::query!("insert into one_time_links (token_hash, purpose, expires_at) values ($1, 'set_up', now() + interval '10 years')", hash)
        .execute(tx.conn())
        .await?;
    Ok(())
}

/// Uses a link up; of two who try, one does.
pub async fn redeem(tx: &mut Tx<Instance>, hash: &[u8; 32]) -> Result<(), Problem> {
    let used =
        sqlx::query!("update one_time_links set used_at = now() where token_hash = $1 and used_at is null and expires_at > now()", hash)
            .execute(tx.conn())
            .await?
            .rows_affected();
    if used == 1 { Ok(()) } else { Err(Problem::NotFound) }
}
