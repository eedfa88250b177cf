//! Agents of a workspace, and their keys.

use super::{Tx, tx::Write};
use crate::{
    model::{
        Actor, AgentId, KeyId, PersonId, Role,
        agents::{Agent, AgentKey, NewAgent},
        page::{Limit, Page, decode},
    },
    problem::Problem,
};
use std::collections::HashMap;
use time::OffsetDateTime;

struct Row {
    id: AgentId,
    name: String,
    role: Role,
    project: Option<String>,
    owner_id: Option<PersonId>,
    owner_name: Option<String>,
    made_by: PersonId,
    made_by_name: Option<String>,
    created_at: OffsetDateTime,
}

impl From<Row> for Agent {
    fn from(row: Row) -> Self {
        let person = |id: PersonId, name: Option<String>| Actor::person(id, name.unwrap_or_else(|| "unknown".to_owned()));
        Self {
            id: row.id,
            name: row.name,
            role: row.role,
            project: row.project,
            owner: row.owner_id.map(|id| person(id, row.owner_name)),
            made_by: person(row.made_by, row.made_by_name),
            created_at: row.created_at,
        }
    }
}

pub async fn insert(tx: &mut Tx<Write>, new: &NewAgent, made_by: PersonId) -> Result<AgentId, Problem> {
    let id = AgentId::new();
    sqlx::query!(
        "insert into agents (workspace_id, id, name, role, project, owner_id, made_by) values ($1, $2, $3, $4, $5, $6, $7)",
        tx.workspace().0,
        id.0,
        new.name,
        new.role.word(),
        new.project.as_ref().map(crate::model::Project::as_str),
        new.owner.map(|owner| owner.0),
        made_by.0
    )
    .execute(tx.conn())
    .await?;
    Ok(id)
}

pub async fn find<M>(tx: &mut Tx<M>, id: AgentId) -> Result<Agent, Problem> {
    let row = sqlx::query_as!(
        Row,
        r#"select a.id as "id: AgentId", a.name, a.role as "role: Role", a.project, a.owner_id as "owner_id: PersonId", o.name as "owner_name?",
                  a.made_by as "made_by: PersonId", m.name as "made_by_name?", a.created_at
           from agents a
           left join people o on o.id = a.owner_id
           left join people m on m.id = a.made_by
           where a.workspace_id = $1 and a.id = $2 and a.deleted_at is null"#,
        tx.workspace().0,
        id.0
    )
    .fetch_optional(tx.conn())
    .await?;
    row.map(Agent::from).ok_or(Problem::NotFound)
}

/// Whom an agent works for, if anybody, also one that was taken away.
pub async fn owner<M>(tx: &mut Tx<M>, id: AgentId) -> Result<Option<PersonId>, Problem> {
    let owner = sqlx::query_scalar("select owner_id from agents where workspace_id = $1 and id = $2")
        .bind(tx.workspace())
        .bind(id)
        .fetch_optional(tx.conn())
        .await?;
    Ok(owner.flatten())
}

/// In the order they were made.
pub async fn list<M>(tx: &mut Tx<M>, limit: Limit, cursor: Option<&str>) -> Result<Page<Agent>, Problem> {
    let after = cursor.map(decode::<AgentId>).transpose()?.map(|id| id.0);
    let rows = sqlx::query_as!(
        Row,
        r#"select a.id as "id: AgentId", a.name, a.role as "role: Role", a.project, a.owner_id as "owner_id: PersonId", o.name as "owner_name?",
                  a.made_by as "made_by: PersonId", m.name as "made_by_name?", a.created_at
           from agents a
           left join people o on o.id = a.owner_id
           left join people m on m.id = a.made_by
           where a.workspace_id = $1 and a.deleted_at is null and ($2::uuid is null or a.id > $2)
           order by a.id
           limit $3"#,
        tx.workspace().0,
        after,
        limit.and_one()
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(Page::cut(rows, limit, |row| row.id).map(Agent::from))
}

/// The keys of an agent, in short.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeysOf {
    /// Those that hold.
    pub holding: i64,
    pub last_used_at: Option<OffsetDateTime>,
}

/// The keys of some agents, in short.
pub async fn keys_of<M>(tx: &mut Tx<M>, agents: &[AgentId]) -> Result<HashMap<AgentId, KeysOf>, Problem> {
    let rows = sqlx::query!(
        r#"select agent_id as "agent: AgentId", max(last_used_at) as last_used_at,
                  count(*) filter (where revoked_at is null and (expires_at is null or expires_at > now())) as "holding!"
           from agent_keys
           where workspace_id = $1 and agent_id = any($2)
           group by agent_id"#,
        tx.workspace().0,
        &agents.iter().map(|id| id.0).collect::<Vec<_>>()
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(rows.into_iter().map(|row| (row.agent, KeysOf { holding: row.holding, last_used_at: row.last_used_at })).collect())
}

/// Takes an agent away, which frees its name, and answers with the keys that held until now.
pub async fn remove(tx: &mut Tx<Write>, id: AgentId) -> Result<Vec<KeyId>, Problem> {
    let workspace = tx.workspace();
    sqlx::query!("update agents set deleted_at = now() where workspace_id = $1 and id = $2", workspace.0, id.0).execute(tx.conn()).await?;
    Ok(sqlx::query_scalar!(
        r#"update agent_keys
           set revoked_at = now()
           where workspace_id = $1 and agent_id = $2 and revoked_at is null
           returning id as "id: KeyId""#,
        workspace.0,
        id.0
    )
    .fetch_all(tx.conn())
    .await?)
}

pub async fn insert_key(
    tx: &mut Tx<Write>,
    agent: AgentId,
    key: KeyId,
    secret_hash: &[u8; 32],
    expires_at: Option<OffsetDateTime>,
) -> Result<AgentKey, Problem> {
    Ok(sqlx::query_as!(
        AgentKey,
        r#"insert into agent_keys (workspace_id, id, agent_id, secret_hash, expires_at)
           values ($1, $2, $3, $4, $5)
           returning id as "id: KeyId", created_at, expires_at, revoked_at, last_used_at"#,
        tx.workspace().0,
        key.0,
        agent.0,
        secret_hash,
        expires_at
    )
    .fetch_one(tx.conn())
    .await?)
}

/// Newest first, revoked ones too.
pub async fn list_keys<M>(tx: &mut Tx<M>, agent: AgentId, limit: Limit, cursor: Option<&str>) -> Result<Page<AgentKey>, Problem> {
    let before = cursor.map(decode::<KeyId>).transpose()?.map(|id| id.0);
    let rows = sqlx::query_as!(
        AgentKey,
        r#"select id as "id: KeyId", created_at, expires_at, revoked_at, last_used_at
           from agent_keys
           where workspace_id = $1 and agent_id = $2 and ($3::uuid is null or id < $3)
           order by id desc
           limit $4"#,
        tx.workspace().0,
        agent.0,
        before,
        limit.and_one()
    )
    .fetch_all(tx.conn())
    .await?;
    Ok(Page::cut(rows, limit, |key| key.id))
}

/// Stops a key at once; false when it had stopped before.
pub async fn revoke_key(tx: &mut Tx<Write>, agent: AgentId, key: KeyId) -> Result<bool, Problem> {
    let found = sqlx::query_scalar!(
        r#"select revoked_at is null as "holds!" from agent_keys where workspace_id = $1 and agent_id = $2 and id = $3 for update"#,
        tx.workspace().0,
        agent.0,
        key.0
    )
    .fetch_optional(tx.conn())
    .await?
    .ok_or(Problem::NotFound)?;
    sqlx::query!(
        "update agent_keys set revoked_at = coalesce(revoked_at, now()) where workspace_id = $1 and agent_id = $2 and id = $3",
        tx.workspace().0,
        agent.0,
        key.0
    )
    .execute(tx.conn())
    .await?;
    Ok(found)
}
