//! People of the instance, for those who run it.

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
    acts::access::{self, NewPerson},
    auth::InstanceAdmin,
    model::{
        Email, PersonId,
        access::{Password, Person},
        text,
    },
    problem::Problem,
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
    OpenApiRouter::new()
        .routes(needs(Access::InstanceAdmin, routes!(create_user)))
        .routes(needs(Access::InstanceAdmin, routes!(list_users)))
        .routes(needs(Access::InstanceAdmin, routes!(delete_user)))
        .routes(needs(Access::InstanceAdmin, routes!(create_user_link)))
}

/// Somebody new.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewUserBody {
    /// Their e-mail address, which they sign in with.
    #[schema(example = "ada@example.org")]
    email: String,
    /// What they are called.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// A first password, 12 to 256 characters; without one, the answer has a one-time link to choose it.
    #[schema(example = "correct horse battery staple")]
    password: Option<String>,
    /// Whether they run the instance: people and workspaces. No unless said.
    #[schema(example = false)]
    instance_admin: Option<bool>,
}

/// A person.
#[derive(Serialize, ToSchema)]
#[schema(as = User)]
struct UserBody {
    /// Their id.
    id: PersonId,
    /// Their e-mail address.
    #[schema(example = "ada@example.org")]
    email: String,
    /// What they are called.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// Whether they run the instance.
    #[schema(example = false)]
    instance_admin: bool,
    /// Since when they are here.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// A one-time link to choose a password, for 7 days; shown only here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://cairn.example.org/invitations/5tJq…")]
    invitation: Option<String>,
}

impl From<Person> for UserBody {
    fn from(person: Person) -> Self {
        Self {
            id: person.id,
            email: person.email,
            name: person.name,
            instance_admin: person.instance_admin,
            created_at: person.created_at,
            invitation: None,
        }
    }
}

/// Make a person.
#[utoipa::path(post, path = "/v1/users", tag = "Access", request_body = NewUserBody, responses(
    (status = 201, description = "Made. Without a password, `invitation` is the link to choose one.", body = UserBody),
    (status = 409, description = "The address is taken (`email_taken`).")))]
async fn create_user(Of(app): Of<App>, by: InstanceAdmin, Json(sent): Json<NewUserBody>) -> Result<Response, Problem> {
    let new = NewPerson {
        email: Email::parse(&sent.email)?,
        name: text::line("name", &sent.name, 200)?,
        password: sent.password.as_deref().map(Password::parse).transpose()?,
        instance_admin: sent.instance_admin.unwrap_or(false),
    };
    let (person, invitation) = access::create_person(&app, &by, new).await?;
    Ok(match invitation {
        None => (StatusCode::CREATED, axum::Json(UserBody::from(person))).into_response(),
        shown => Secret(StatusCode::CREATED, UserBody { invitation: shown, ..person.into() }).into_response(),
    })
}

/// List people.
#[utoipa::path(get, path = "/v1/users", tag = "Access", params(Paged), responses((status = 200, description = "A page of them.", body = List<UserBody>)))]
async fn list_users(Of(app): Of<App>, by: InstanceAdmin, Query(asked): Query<Paged>) -> Result<axum::Json<List<UserBody>>, Problem> {
    let (limit, cursor) = asked.parse()?;
    Ok(axum::Json(access::list_people(&app, &by, limit, cursor).await?.into()))
}

#[derive(Deserialize)]
struct OfUser {
    id: PersonId,
}

/// Remove a person.
///
/// They are signed out everywhere, are no member of any workspace any more, and the keys of the agents that work for
/// them stop. What they wrote stays.
#[utoipa::path(delete, path = "/v1/users/{id}", tag = "Access", responses(
    (status = 204, description = "Removed."),
    (status = 409, description = "The only instance admin, or the only admin of a workspace (`last_admin`).")))]
async fn delete_user(Of(app): Of<App>, by: InstanceAdmin, Params(of): Params<OfUser>) -> Result<StatusCode, Problem> {
    access::delete_person(&app, &by, of.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Make a new one-time link for a person.
///
/// For a password that was forgotten or an account that must be locked: the old password and all sign-ins end at once. Whom a
/// provider of single sign-on lets in can still sign in through it: keep them out there first.
#[utoipa::path(post, path = "/v1/users/{id}/link", tag = "Access", responses((status = 201, description = "`invitation` is the link.", body = UserBody)))]
async fn create_user_link(Of(app): Of<App>, by: InstanceAdmin, Params(of): Params<OfUser>) -> Result<Secret<UserBody>, Problem> {
    let (person, invitation) = access::make_link(&app, &by, of.id).await?;
    Ok(Secret(StatusCode::CREATED, UserBody { invitation: Some(invitation), ..person.into() }))
}
