//! Agents of a workspace and their keys: made, listed and stopped.

use super::for_the_whole;
use crate::{
    App,
    acts::safety,
    audit::{Audit, Trail},
    auth::keys::ShownKey,
    model::{
        AgentId, KeyId, PersonId,
        agents::{Agent, AgentKey, NewAgent},
        clock,
        page::{Limit, Page},
    },
    problem::Problem,
    store::{self, Governing, Scope, Tx, Write, agents::KeysOf},
};
use time::OffsetDateTime;

/// Make an agent; it answers to whoever made it, and works for its owner.
pub async fn create_agent(app: &App, scope: &Scope<Governing>, new: &NewAgent) -> Result<Agent, Problem> {
    for_the_whole(scope)?;
    if !new.role.within(scope.standing().role()) {
        return Err(Problem::forbidden("You cannot make an agent that may do more than you."));
    }
    safety::refuse_in("name", &new.name)?;
    let mut tx = app.db().write(scope).await?;
    if let Some(owner) = new.owner {
        store::members::take_turns(&mut tx).await?;
        store::members::find(&mut tx, owner).await.map_err(|problem| match problem {
            Problem::NotFound => Problem::invalid("owner", "must be a member of this workspace"),
            other => other,
        })?;
    }
    let id = store::agents::insert(&mut tx, new, scope.answers_for()).await?;
    let agent = store::agents::find(&mut tx, id).await?;
    tx.commit(Audit::agent_created(id, agent.role, new.owner)).await?;
    Ok(agent)
}

pub async fn list_agents(app: &App, scope: &Scope<Governing>, limit: Limit, cursor: Option<&str>) -> Result<Page<Agent>, Problem> {
    for_the_whole(scope)?;
    store::agents::list(&mut app.db().read(scope).await?, limit, cursor).await
}

/// An agent, with what its keys are doing.
pub struct AgentInUse {
    pub agent: Agent,
    pub keys: KeysOf,
}

/// Agents, with what their keys are doing.
pub async fn agents_in_use(app: &App, scope: &Scope<Governing>, limit: Limit, cursor: Option<&str>) -> Result<Page<AgentInUse>, Problem> {
    for_the_whole(scope)?;
    let mut tx = app.db().read(scope).await?;
    let page = store::agents::list(&mut tx, limit, cursor).await?;
    let ids: Vec<AgentId> = page.data.iter().map(|agent| agent.id).collect();
    let keys = store::agents::keys_of(&mut tx, &ids).await?;
    Ok(page.map(|agent| AgentInUse { keys: keys.get(&agent.id).copied().unwrap_or_default(), agent }))
}

pub async fn agent_in_use(app: &App, scope: &Scope<Governing>, id: AgentId) -> Result<AgentInUse, Problem> {
    for_the_whole(scope)?;
    let mut tx = app.db().read(scope).await?;
    let agent = store::agents::find(&mut tx, id).await?;
    let keys = store::agents::keys_of(&mut tx, &[id]).await?.remove(&id).unwrap_or_default();
    Ok(AgentInUse { agent, keys })
}

/// Take an agent away; all its keys stop at once, and its name becomes free.
pub async fn delete_agent(app: &App, scope: &Scope<Governing>, id: AgentId) -> Result<(), Problem> {
    for_the_whole(scope)?;
    let mut tx = app.db().write(scope).await?;
    let agent = store::agents::find(&mut tx, id).await?;
    let revoked = store::agents::remove(&mut tx, id).await?;
    let mut trail = vec![Audit::agent("agent.deleted", id, agent.role)];
    trail.extend(revoked.into_iter().map(|key| Audit::key("key.revoked", id, key)));
    tx.commit(trail.into_iter().collect::<Trail>()).await
}

/// Make a key for an agent, to be shown once.
pub async fn create_key(
    app: &App,
    scope: &Scope<Governing>,
    agent: AgentId,
    expires_at: Option<OffsetDateTime>,
) -> Result<(AgentKey, ShownKey), Problem> {
    for_the_whole(scope)?;
    if expires_at.is_some_and(|at| at <= clock::now()) {
        return Err(Problem::invalid("expires_at", "must lie in the future"));
    }
    let mut tx = app.db().write(scope).await?;
    // Its owner may be leaving at this moment: their keys are stopped before this one is made, or with it.
    store::members::take_turns(&mut tx).await?;
    let found = store::agents::find(&mut tx, agent).await?;
    owner_is_in(&mut tx, &found).await?;
    let shown = ShownKey::make();
    let key = store::agents::insert_key(&mut tx, agent, shown.id, &shown.hash(), expires_at).await?;
    tx.commit(Audit::key("key.created", agent, key.id)).await?;
    Ok((key, shown))
}

/// An agent sees what is private to its owner: when they have left, nobody else may look through it.
async fn owner_is_in(tx: &mut Tx<Write>, agent: &Agent) -> Result<(), Problem> {
    let Some(owner) = &agent.owner else { return Ok(()) };
    store::members::find(tx, PersonId(owner.id)).await.map(drop).map_err(|problem| match problem {
        Problem::NotFound => {
            Problem::conflict("owner_left", "The person this agent works for is no member any more. Make an agent for somebody who is.")
        }
        other => other,
    })
}

/// The keys of an agent, newest first; those that were revoked, too.
pub async fn list_keys(
    app: &App,
    scope: &Scope<Governing>,
    agent: AgentId,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<AgentKey>, Problem> {
    for_the_whole(scope)?;
    let mut tx = app.db().read(scope).await?;
    store::agents::find(&mut tx, agent).await?;
    store::agents::list_keys(&mut tx, agent, limit, cursor).await
}

/// Stop a key at once. One that has stopped already stays so.
pub async fn revoke_key(app: &App, scope: &Scope<Governing>, agent: AgentId, key: KeyId) -> Result<(), Problem> {
    for_the_whole(scope)?;
    let mut tx = app.db().write(scope).await?;
    store::agents::find(&mut tx, agent).await?;
    if store::agents::revoke_key(&mut tx, agent, key).await? {
        tx.commit(Audit::key("key.revoked", agent, key)).await?;
    }
    Ok(())
}
