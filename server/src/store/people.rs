//! People: they belong to the instance, and are found by e-mail address or id.

use super::{Tx, connect::Db, tx::Instance};
use crate::{
    model::{
        Email, PersonId, WorkspaceId,
        access::Person,
        page::{Limit, Page, decode},
    },
    problem::Problem,
};
use sqlx::PgExecutor;

/// A person and what their password is checked against, if they have chosen one.
pub struct Known {
    pub person: Person,
    pub password_hash: Option<String>,
}

impl Db {
    pub async fn find_person(&self, email: &Email) -> Result<Option<Known>, Problem> {
        let row = sqlx::query!(
            r#"select id as "id: PersonId", email, name, instance_admin, created_at, password_hash
               from people
               where lower(email) = $1 and deleted_at is null"#,
            email.as_str()
        )
        .fetch_optional(self.gate())
        .await?;
        Ok(row.map(|row| Known {
            person: Person { id: row.id, email: row.email, name: row.name, instance_admin: row.instance_admin, created_at: row.created_at },
            password_hash: row.password_hash,
        }))
    }

    /// Whether there ever was a person; the first one is made otherwise.
    pub async fn has_people(&self) -> Result<bool, Problem> {
        there(self.gate()).await
    }
}

/// Whoever makes or removes people does so one at a time, across replicas.
pub async fn take_turns(tx: &mut Tx<Instance>) -> Result<(), Problem> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('cairn people', 0))").execute(tx.conn()).await?;
    Ok(())
}

pub async fn any(tx: &mut Tx<Instance>) -> Result<bool, Problem> {
    there(tx.conn()).await
}

async fn there(on: impl PgExecutor<'_>) -> Result<bool, Problem> {
    Ok(sqlx::query_scalar!(r#"select exists (select 1 from people) as "there!""#).fetch_one(on).await?)
}

pub async fn find(tx: &mut Tx<Instance>, id: PersonId) -> Result<Person, Problem> {
    let found = sqlx::query_as!(
        Person,
        r#"select id as "id: PersonId", email, name, instance_admin, created_at
           from people
           where id = $1 and deleted_at is null"#,
        id.0
    )
    .fetch_optional(tx.conn())
    .await?;
    found.ok_or(Problem::NotFound)
}

pub async fn find_by_email(tx: &mut Tx<Instance>, email: &Email) -> Result<Option<Person>, Problem> {
    Ok(sqlx::query_as!(
        Person,
        r#"select id as "id: PersonId", email, name, instance_admin, created_at
           from people
           where lower(email) = $1 and deleted_at is null"#,
        email.as_str()
    )
    .fetch_optional(tx.conn())
    .await?)
}

pub async fn insert(
    tx: &mut Tx<Instance>,
    email: &Email,
    name: &str,
    password_hash: Option<&str>,
    instance_admin: bool,
) -> Result<Person, Problem> {
    Ok(sqlx::query_as!(
        Person,
        r#"insert into people (id, email, name, password_hash, instance_admin)
           values ($1, $2, $3, $4, $5)
           returning id as "id: PersonId", email, name, instance_admin, created_at"#,
        PersonId::new().0,
        email.as_str(),
        name,
        password_hash,
        instance_admin
    )
    .fetch_one(tx.conn())
    .await?)
}

/// In the order they came.
pub async fn list<M>(tx: &mut Tx<M>, limit: Limit, cursor: Option<&str>) -> Result<Page<Person>, Problem> {
    let after = cursor.map(decode::<PersonId>).transpose()?.map(|id| id.0);
    let rows = sqlx::query_as!(
        Person,
        r#"select id as "id: PersonId", email, name, instance_admin, created_at
           from people
           where deleted_at is null and ($1::uuid is null or id > $1)
           order by id
           limit $2"#,
        after,
        limit.and_one()
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(Page::cut(rows, limit, |person| person.id))
}

/// None: the person cannot sign in until a link was used.
pub async fn set_password(tx: &mut Tx<Instance>, id: PersonId, password_hash: Option<&str>) -> Result<(), Problem> {
    sqlx::query!("update people set password_hash = $2 where id = $1", id.0, password_hash).execute(tx.conn()).await?;
    Ok(())
}

pub async fn rename(tx: &mut Tx<Instance>, id: PersonId, name: &str) -> Result<(), Problem> {
    sqlx::query!("update people set name = $2 where id = $1", id.0, name).execute(tx.conn()).await?;
    Ok(())
}

/// The row stays, because the trail speaks of its id; what it said of the person goes.
pub async fn remove(tx: &mut Tx<Instance>, id: PersonId) -> Result<(), Problem> {
    sqlx::query!("update people set deleted_at = now(), password_hash = null, email = '', name = 'removed person' where id = $1", id.0)
        .execute(tx.conn())
        .await?;
    Ok(())
}

pub async fn count_instance_admins(tx: &mut Tx<Instance>) -> Result<i64, Problem> {
    Ok(sqlx::query_scalar!(r#"select count(*) as "count!" from people where instance_admin and deleted_at is null"#)
        .fetch_one(tx.conn())
        .await?)
}

/// The live workspaces a person is in, always in the same order, so that two who look after them do not block each other.
pub async fn workspaces(tx: &mut Tx<Instance>, id: PersonId) -> Result<Vec<WorkspaceId>, Problem> {
    Ok(sqlx::query_scalar!(
        r#"select w.id as "id: WorkspaceId"
           from members m
           join workspaces w on w.id = m.workspace_id
           where m.person_id = $1 and m.removed_at is null and w.deleted_at is null
           order by w.id"#,
        id.0
    )
    .fetch_all(tx.conn())
    .await?)
}
