//! Agents of a workspace.

use super::{
    super::{
        answers::List,
        document::{Access, needs},
        memories::ActorBody,
        sent::{Json, Params, Query},
    },
    Paged,
};
use crate::{
    App,
    acts::access,
    model::{
        AgentId, PersonId, Power, Project, Role,
        agents::{Agent, NewAgent},
        text,
    },
    problem::Problem,
    store::{Governing, Scope},
};
use axum::{extract::State as Of, http::StatusCode};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    let governing = Access::Workspace(Power::Governing);
    OpenApiRouter::new()
        .routes(needs(governing, routes!(create_agent)))
        .routes(needs(governing, routes!(list_agents)))
        .routes(needs(governing, routes!(delete_agent)))
}

/// An agent.
#[derive(Serialize, ToSchema)]
#[schema(as = Agent)]
struct AgentBody {
    /// Its id.
    id: AgentId,
    /// Its name, unique in the workspace.
    #[schema(example = "coding-agent")]
    name: String,
    /// What its keys may do.
    role: Role,
    /// The project that its keys are walled in; null: the whole workspace.
    #[schema(example = "api-gateway")]
    project: Option<String>,
    /// The person it works for, whose private memories it may see.
    owner: Option<ActorBody>,
    /// The person who made it, and whose doing its requests count as.
    made_by: ActorBody,
    /// Since when it is there.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

impl From<Agent> for AgentBody {
    fn from(agent: Agent) -> Self {
        Self {
            id: agent.id,
            name: agent.name,
            role: agent.role,
            project: agent.project,
            owner: agent.owner.as_ref().map(ActorBody::from),
            made_by: (&agent.made_by).into(),
            created_at: agent.created_at,
        }
    }
}

/// An agent to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewAgentBody {
    /// Its name, unique in the workspace.
    #[schema(example = "coding-agent")]
    name: String,
    /// What its keys may do; no more than you.
    role: Role,
    /// A project to wall its keys in; without one they see the whole workspace.
    #[schema(example = "api-gateway")]
    project: Option<String>,
    /// The person it works for, a member: it may see their private memories, and its keys stop when they leave.
    owner: Option<PersonId>,
}

/// Make an agent.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/agents", tag = "Access", request_body = NewAgentBody, responses(
    (status = 201, description = "Made; it needs a key to come in.", body = AgentBody),
    (status = 409, description = "The name is taken (`name_taken`).")))]
async fn create_agent(
    Of(app): Of<App>,
    scope: Scope<Governing>,
    Json(sent): Json<NewAgentBody>,
) -> Result<(StatusCode, axum::Json<AgentBody>), Problem> {
    let new = NewAgent {
        name: text::line("name", &sent.name, 200)?,
        role: sent.role,
        project: sent.project.as_deref().map(Project::parse).transpose()?,
        owner: sent.owner,
    };
    Ok((StatusCode::CREATED, axum::Json(access::create_agent(&app, &scope, &new).await?.into())))
}

/// List the agents of a workspace.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/agents", tag = "Access", params(Paged), responses((status = 200, description = "A page of them.", body = List<AgentBody>)))]
async fn list_agents(
    Of(app): Of<App>,
    scope: Scope<Governing>,
    Query(asked): Query<Paged>,
) -> Result<axum::Json<List<AgentBody>>, Problem> {
    let (limit, cursor) = asked.parse()?;
    Ok(axum::Json(access::list_agents(&app, &scope, limit, cursor).await?.into()))
}

#[derive(Deserialize)]
struct OfAgent {
    id: AgentId,
}

/// Take an agent away.
///
/// All its keys stop at once, and its name becomes free. What it wrote stays.
#[utoipa::path(delete, path = "/v1/workspaces/{ws}/agents/{id}", tag = "Access", responses((status = 204, description = "Gone.")))]
async fn delete_agent(Of(app): Of<App>, scope: Scope<Governing>, Params(of): Params<OfAgent>) -> Result<StatusCode, Problem> {
    access::delete_agent(&app, &scope, of.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
