//! Who is in a workspace, and as what.

use super::{Tx, tx::Write};
use crate::{
    model::{
        AgentId, KeyId, PersonId, Power, Role,
        access::{Member, ROLES},
        page::{Limit, Page, decode},
    },
    problem::Problem,
};

/// Whoever changes who is in, one at a time: two admins must not remove each other.
pub async fn take_turns(tx: &mut Tx<Write>) -> Result<(), Problem> {
    let workspace = tx.workspace().to_string();
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('members ' || $1::text, 0))", workspace).execute(tx.conn()).await?;
    Ok(())
}

/// In the order in which they came to the instance.
pub async fn list<M>(tx: &mut Tx<M>, limit: Limit, cursor: Option<&str>) -> Result<Page<Member>, Problem> {
    let after = cursor.map(decode::<PersonId>).transpose()?.map(|id| id.0);
    let rows = sqlx::query_as!(
        Member,
        r#"select m.person_id as "person: PersonId", p.email, p.name, m.role as "role: Role", m.since, m.by_group
           from members m
           join people p on p.id = m.person_id
           where m.workspace_id = $1 and m.removed_at is null and ($2::uuid is null or m.person_id > $2)
           order by m.person_id
           limit $3"#,
        tx.workspace().0,
        after,
        limit.and_one()
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(Page::cut(rows, limit, |member| member.person))
}

pub async fn find<M>(tx: &mut Tx<M>, person: PersonId) -> Result<Member, Problem> {
    let found = sqlx::query_as!(
        Member,
        r#"select m.person_id as "person: PersonId", p.email, p.name, m.role as "role: Role", m.since, m.by_group
           from members m
           join people p on p.id = m.person_id
           where m.workspace_id = $1 and m.person_id = $2 and m.removed_at is null"#,
        tx.workspace().0,
        person.0
    )
    .fetch_optional(tx.conn())
    .await?;
    found.ok_or(Problem::NotFound)
}

/// Lets somebody in, also one who was in before; false when they are in already.
pub async fn add(tx: &mut Tx<Write>, person: PersonId, role: Role) -> Result<bool, Problem> {
    let added = sqlx::query!(
        "insert into members (workspace_id, person_id, role)
         values ($1, $2, $3)
         on conflict (workspace_id, person_id) do update
         set role = excluded.role, since = now(), removed_at = null, by_group = false
         where members.removed_at is not null",
        tx.workspace().0,
        person.0,
        role.word()
    )
    .execute(tx.conn())
    .await?
    .rows_affected();
    Ok(added == 1)
}

pub async fn set_role(tx: &mut Tx<Write>, person: PersonId, role: Role) -> Result<(), Problem> {
    sqlx::query!(
        "update members set role = $3 where workspace_id = $1 and person_id = $2 and removed_at is null",
        tx.workspace().0,
        person.0,
        role.word()
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// Whether the role comes from a group of single sign-on, and follows it.
pub async fn set_by_group(tx: &mut Tx<Write>, person: PersonId, by_group: bool) -> Result<(), Problem> {
    sqlx::query!(
        "update members set by_group = $3 where workspace_id = $1 and person_id = $2 and removed_at is null",
        tx.workspace().0,
        person.0,
        by_group
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

pub async fn remove(tx: &mut Tx<Write>, person: PersonId) -> Result<(), Problem> {
    sqlx::query!(
        "update members set removed_at = now() where workspace_id = $1 and person_id = $2 and removed_at is null",
        tx.workspace().0,
        person.0
    )
    .execute(tx.conn())
    .await?;
    Ok(())
}

/// All who may do something, in the order in which they came to the instance.
pub async fn who_may<M>(tx: &mut Tx<M>, power: Power) -> Result<Vec<Member>, Problem> {
    let roles = roles_that_may(power);
    Ok(sqlx::query_as!(
        Member,
        r#"select m.person_id as "person: PersonId", p.email, p.name, m.role as "role: Role", m.since, m.by_group
           from members m
           join people p on p.id = m.person_id
           where m.workspace_id = $1 and m.removed_at is null and m.role = any($2)
           order by m.person_id"#,
        tx.workspace().0,
        &roles as &[&str]
    )
    .fetch_all(tx.conn())
    .await?)
}

/// People who may approve a deletion.
pub async fn who_may_approve<M>(tx: &mut Tx<M>) -> Result<Vec<PersonId>, Problem> {
    Ok(sqlx::query_scalar(
        "select m.person_id
         from members m
         join people p on p.id = m.person_id
         where m.workspace_id = $1 and m.removed_at is null and p.deleted_at is null and m.role = any($2)
         limit 2",
    )
    .bind(tx.workspace())
    .bind(roles_that_may(Power::Reviewing))
    .fetch_all(tx.conn())
    .await?)
}

fn roles_that_may(power: Power) -> Vec<&'static str> {
    ROLES.iter().filter(|(role, _)| role.may(power)).map(|(role, _)| role.word()).collect()
}

pub async fn count_admins(tx: &mut Tx<Write>) -> Result<i64, Problem> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from members where workspace_id = $1 and role = 'admin' and removed_at is null"#,
        tx.workspace().0
    )
    .fetch_one(tx.conn())
    .await?)
}

/// The keys of agents that work for this person stop: they may be in that person's hands, and see what is private to them.
pub async fn revoke_keys_of(tx: &mut Tx<Write>, person: PersonId) -> Result<Vec<(AgentId, KeyId)>, Problem> {
    let rows = sqlx::query!(
        r#"update agent_keys k
           set revoked_at = now()
           from agents a
           where k.workspace_id = $1 and k.revoked_at is null
             and a.workspace_id = k.workspace_id and a.id = k.agent_id and a.owner_id = $2
           returning k.agent_id as "agent: AgentId", k.id as "key: KeyId""#,
        tx.workspace().0,
        person.0
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(|row| (row.agent, row.key)).collect())
}
