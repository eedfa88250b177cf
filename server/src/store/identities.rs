//! Who somebody is at a provider of single sign-on, and who that is here.

use super::{Tx, tx::Instance};
use crate::{
    model::{PersonId, WorkspaceId, access::Person},
    problem::Problem,
};

/// The person behind an identity, if there is one; it was seen.
pub async fn find(tx: &mut Tx<Instance>, issuer: &str, subject: &str) -> Result<Option<Person>, Problem> {
    let found = sqlx::query_as!(
        Person,
        r#"update identities i
           set last_seen_at = now()
           from people p
           where i.issuer = $1 and i.subject = $2 and p.id = i.person_id and p.deleted_at is null
           returning p.id as "id: PersonId", p.email, p.name, p.instance_admin, p.created_at"#,
        issuer,
        subject
    )
    .fetch_optional(tx.conn())
    .await?;
    Ok(found)
}

pub async fn link(tx: &mut Tx<Instance>, issuer: &str, subject: &str, person: PersonId) -> Result<(), Problem> {
    sqlx::query!(
        "insert into identities (issuer, subject, person_id)
         values ($1, $2, $3)
         on conflict (issuer, subject) do update set person_id = excluded.person_id, linked_at = now(), last_seen_at = now()",
        issuer,
        subject,
        person.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Whoever is removed is nobody at the provider either.
pub async fn forget(tx: &mut Tx<Instance>, person: PersonId) -> Result<(), Problem> {
    sqlx::query!("delete from identities where person_id = $1", person.0).execute(tx.conn()).await?;
    Ok(())
}

/// Live workspaces by their short names, and those that a group has opened for a person: always in the same order.
pub async fn workspaces(tx: &mut Tx<Instance>, slugs: &[String], person: PersonId) -> Result<Vec<(WorkspaceId, String)>, Problem> {
    let rows = sqlx::query!(
        r#"select w.id as "id: WorkspaceId", w.slug
           from workspaces w
           where w.deleted_at is null
             and (w.slug = any($1)
               or exists (select 1 from members m
                          where m.workspace_id = w.id and m.person_id = $2 and m.by_group and m.removed_at is null))
           order by w.id"#,
        slugs,
        person.0
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.slug)).collect())
}
