//! Members of a workspace.

use super::{
    super::{
        answers::{List, Secret},
        document::{Access, needs},
        sent::{Json, Params, Query},
    },
    Paged,
};
use crate::{
    App,
    acts::access,
    model::{Email, PersonId, Power, Role, access::Member, text},
    problem::Problem,
    store::{Governing, Scope},
};
use axum::{
    extract::State as Of,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    let governing = Access::Workspace(Power::Governing);
    OpenApiRouter::new()
        .routes(needs(governing, routes!(list_members)))
        .routes(needs(governing, routes!(add_member)))
        .routes(needs(governing, routes!(change_member)))
        .routes(needs(governing, routes!(remove_member)))
}

/// A person in a workspace.
#[derive(Serialize, ToSchema)]
#[schema(as = Member)]
struct MemberBody {
    /// The person's id.
    user_id: PersonId,
    /// Their e-mail address.
    #[schema(example = "ada@example.org")]
    email: String,
    /// What they are called.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// What they may do here.
    role: Role,
    /// Since when they are in.
    #[serde(with = "time::serde::rfc3339")]
    since: OffsetDateTime,
    /// For somebody new to this server: a one-time link to choose a password, for 7 days; shown only here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://cairn.example.org/invitations/5tJq…")]
    invitation: Option<String>,
}

impl From<Member> for MemberBody {
    fn from(member: Member) -> Self {
        Self { user_id: member.person, email: member.email, name: member.name, role: member.role, since: member.since, invitation: None }
    }
}

/// List who is in the workspace.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/members", tag = "Access", params(Paged), responses((status = 200, description = "A page of them.", body = List<MemberBody>)))]
async fn list_members(
    Of(app): Of<App>,
    scope: Scope<Governing>,
    Query(asked): Query<Paged>,
) -> Result<axum::Json<List<MemberBody>>, Problem> {
    let (limit, cursor) = asked.parse()?;
    Ok(axum::Json(access::list_members(&app, &scope, limit, cursor).await?.into()))
}

/// Somebody to let in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewMemberBody {
    /// Their e-mail address.
    #[schema(example = "ada@example.org")]
    email: String,
    /// What they may do here.
    role: Role,
    /// What to call somebody new to this server; they can change it with their first password.
    #[schema(example = "Ada Lovelace")]
    name: Option<String>,
}

/// Let somebody in.
///
/// For a person whom this server does not know yet, the answer has a one-time link to choose a password.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/members", tag = "Access", request_body = NewMemberBody, responses(
    (status = 201, description = "They are in.", body = MemberBody),
    (status = 409, description = "They are in already (`already_member`).")))]
async fn add_member(Of(app): Of<App>, scope: Scope<Governing>, Json(sent): Json<NewMemberBody>) -> Result<Response, Problem> {
    let (email, name) = (Email::parse(&sent.email)?, sent.name.as_deref().map(|name| text::line("name", name, 200)).transpose()?);
    let joined = access::add_member(&app, &scope, &email, name.as_deref(), sent.role).await?;
    Ok(match joined.invitation {
        None => (StatusCode::CREATED, axum::Json(MemberBody::from(joined.member))).into_response(),
        shown => Secret(StatusCode::CREATED, MemberBody { invitation: shown, ..joined.member.into() }).into_response(),
    })
}

#[derive(Deserialize)]
struct OfMember {
    user_id: PersonId,
}

/// Another role.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RoleBody {
    /// What they may do from now on.
    role: Role,
}

/// Give a member another role.
#[utoipa::path(put, path = "/v1/workspaces/{ws}/members/{user_id}", tag = "Access", request_body = RoleBody, responses(
    (status = 200, description = "As they are now.", body = MemberBody),
    (status = 409, description = "They are the only admin (`last_admin`).")))]
async fn change_member(
    Of(app): Of<App>,
    scope: Scope<Governing>,
    Params(of): Params<OfMember>,
    Json(sent): Json<RoleBody>,
) -> Result<axum::Json<MemberBody>, Problem> {
    Ok(axum::Json(access::change_role(&app, &scope, of.user_id, sent.role).await?.into()))
}

/// Take somebody out.
///
/// Their access ends at once, and so do the keys of the agents that work for them. What they wrote stays.
#[utoipa::path(delete, path = "/v1/workspaces/{ws}/members/{user_id}", tag = "Access", responses(
    (status = 204, description = "They are out."),
    (status = 409, description = "They are the only admin (`last_admin`).")))]
async fn remove_member(Of(app): Of<App>, scope: Scope<Governing>, Params(of): Params<OfMember>) -> Result<StatusCode, Problem> {
    access::remove_member(&app, &scope, of.user_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
