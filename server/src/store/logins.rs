//! Sign-ins: made, used, counted up when their refresh token is, and ended.

use super::{Tx, connect::Db, tx::Instance};
use crate::{
    model::{
        LoginId, PersonId,
        access::{Login, Person},
        page::{Limit, Page, decode},
    },
    problem::Problem,
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

pub const DAYS: i64 = 30;

/// A refresh token that was used: whose it was, and the generation of the next one.
pub struct Renewed {
    pub person: Person,
    pub generation: i32,
}

impl Db {
    /// Uses up one generation of a sign-in. Like any last use it leaves no entry.
    pub async fn renew_login(&self, login: LoginId, generation: i32) -> Result<Option<Renewed>, Problem> {
        let row = sqlx::query!(
            r#"update logins l
               set generation = l.generation + 1, last_used_at = now()
               from people p
               where l.id = $1 and l.generation = $2 and l.ended_at is null and l.expires_at > now()
                 and p.id = l.person_id and p.deleted_at is null
               returning l.generation, p.id as "id: PersonId", p.email, p.name, p.instance_admin, p.created_at"#,
            login.0,
            generation
        )
        .fetch_optional(self.gate())
        .await?;
        Ok(row.map(|row| Renewed {
            person: Person { id: row.id, email: row.email, name: row.name, instance_admin: row.instance_admin, created_at: row.created_at },
            generation: row.generation,
        }))
    }
}

pub async fn insert(
    tx: &mut Tx<Instance>,
    person: PersonId,
    user_agent: &str,
    address: &str,
    now: OffsetDateTime,
) -> Result<LoginId, Problem> {
    let id = LoginId::new();
    sqlx::query!(
        "insert into logins (id, person_id, user_agent, address, created_at, last_used_at, expires_at) values ($1, $2, $3, $4, $5, $5, $6)",
        id.0,
        person.0,
        user_agent,
        address,
        now,
        now + Duration::days(DAYS)
    )
    .execute(tx.conn())
    .await?;
    Ok(id)
}

/// Those that have not ended, newest first.
pub async fn list<M>(tx: &mut Tx<M>, person: PersonId, limit: Limit, cursor: Option<&str>) -> Result<Page<Login>, Problem> {
    let before = cursor.map(decode::<LoginId>).transpose()?.map(|id| id.0);
    let rows = sqlx::query_as!(
        Login,
        r#"select id as "id: LoginId", user_agent, address, created_at, last_used_at, expires_at
           from logins
           where person_id = $1 and ended_at is null and expires_at > now() and ($2::uuid is null or id < $2)
           order by id desc
           limit $3"#,
        person.0,
        before,
        limit.and_one()
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(Page::cut(rows, limit, |login| login.id))
}

/// Ends a sign-in of this person; false when there is none to end.
pub async fn end(tx: &mut Tx<Instance>, person: PersonId, login: LoginId) -> Result<bool, Problem> {
    let ended = sqlx::query!(
        "update logins set ended_at = now() where id = $1 and person_id = $2 and ended_at is null and expires_at > now()",
        login.0,
        person.0
    )
    .execute(tx.conn())
    .await?
    .rows_affected();
    Ok(ended > 0)
}

/// Ends every sign-in of a person, but for the one to keep.
pub async fn end_all(tx: &mut Tx<Instance>, person: PersonId, but: Option<LoginId>) -> Result<(), Problem> {
    sqlx::query!(
        "update logins set ended_at = now() where person_id = $1 and ended_at is null and id is distinct from $2",
        person.0,
        but.map(|login| login.0)
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// A token of an earlier generation was shown again: somebody has a copy. The sign-in ends, whoever is right.
pub async fn end_reused(tx: &mut Tx<Instance>, login: LoginId, generation: i32) -> Result<Option<PersonId>, Problem> {
    Ok(sqlx::query_scalar!(
        r#"update logins
           set ended_at = now()
           where id = $1 and generation > $2 and ended_at is null and expires_at > now()
           returning person_id as "person_id: PersonId""#,
        login.0,
        generation
    )
    .fetch_optional(tx.conn())
    .await?)
}

/// Forgets where and with what a person signed in.
pub async fn forget(tx: &mut Tx<Instance>, person: PersonId) -> Result<(), Problem> {
    sqlx::query!("delete from logins where person_id = $1", person.0).execute(tx.conn()).await?;
    Ok(())
}

/// Removes what has no further use: failures of yesterday, links that ran out, answers kept for a day, and sign-ins that
/// ended a season ago.
pub async fn forget_the_past(db: &Db) -> Result<(), Problem> {
    let mut tx = super::connect::begin_in(db.gate(), "begin").await?;
    sqlx::query!("select enter_instance($1)", Uuid::nil()).execute(&mut *tx).await?;
    sqlx::query!("delete from sign_in_failures where last_at < now() - interval '1 day'").execute(&mut *tx).await?;
    sqlx::query!("delete from one_time_links where expires_at < now()").execute(&mut *tx).await?;
    sqlx::query!("delete from idempotency_keys where created_at < now() - interval '24 hours'").execute(&mut *tx).await?;
    sqlx::query!("delete from logins where least(ended_at, expires_at) < now() - interval '90 days'").execute(&mut *tx).await?;
    Ok(tx.commit().await?)
}
