//! The caller itself: who it is, its password, and where it is signed in.

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
    auth::{Caller, PersonCaller, Visitor},
    model::{
        LoginId, Role, WorkspaceId,
        access::{Login, Password},
        workspaces::Seen,
    },
    problem::Problem,
};
use axum::{extract::State as Of, http::StatusCode};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(needs(Access::Actor, routes!(get_me)))
        .routes(needs(Access::Person, routes!(change_password)))
        .routes(needs(Access::Person, routes!(list_logins)))
        .routes(needs(Access::Person, routes!(end_login)))
}

/// Who calls, and where they may go.
#[derive(Serialize, ToSchema)]
struct MeBody {
    /// The person or agent.
    actor: ActorBody,
    /// A person's e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada@example.org")]
    email: Option<String>,
    /// Whether a person runs the instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = false)]
    instance_admin: Option<bool>,
    /// The workspaces they are in; an agent is in exactly one.
    workspaces: Vec<MyWorkspaceBody>,
}

/// A workspace that the caller is in.
#[derive(Serialize, ToSchema)]
struct MyWorkspaceBody {
    /// Its id.
    id: WorkspaceId,
    /// Its name in addresses.
    #[schema(example = "platform")]
    slug: String,
    /// Its name.
    #[schema(example = "Platform team")]
    name: String,
    /// What it is for.
    #[schema(example = "What the platform team and its agents know")]
    purpose: String,
    /// What the caller may do there.
    role: Option<Role>,
    /// The project that an agent's key or token is walled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "api-gateway")]
    project: Option<String>,
}

impl From<Seen> for MyWorkspaceBody {
    fn from(seen: Seen) -> Self {
        let Seen { workspace, role, project } = seen;
        Self { id: workspace.id, slug: workspace.slug, name: workspace.name, purpose: workspace.purpose, role, project }
    }
}

/// Who am I?
#[utoipa::path(get, path = "/v1/me", tag = "Access", responses((status = 200, description = "The caller, its workspaces and roles.", body = MeBody)))]
async fn get_me(Of(app): Of<App>, caller: Caller) -> Result<axum::Json<MeBody>, Problem> {
    let me = access::me(&app, &caller).await?;
    let (email, instance_admin) = me.person.map(|person| (person.email, person.instance_admin)).unzip();
    let workspaces = me.workspaces.into_iter().map(MyWorkspaceBody::from).collect();
    Ok(axum::Json(MeBody { actor: (&me.actor).into(), email, instance_admin, workspaces }))
}

/// A change of password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PasswordBody {
    /// The one that holds now.
    #[schema(example = "correct horse battery staple")]
    current_password: String,
    /// The one to take its place, 12 to 256 characters.
    #[schema(example = "four entirely different words")]
    new_password: String,
}

/// Change one's password.
///
/// All other sign-ins end; this one stays.
#[utoipa::path(put, path = "/v1/me/password", tag = "Access", request_body = PasswordBody, responses((status = 204, description = "Changed.")))]
async fn change_password(
    Of(app): Of<App>,
    by: PersonCaller,
    visitor: Visitor,
    Json(sent): Json<PasswordBody>,
) -> Result<StatusCode, Problem> {
    let new = Password::parse(&sent.new_password).map_err(|problem| problem.at_field("new_password"))?;
    access::change_password(&app, &by, &sent.current_password, &new, &visitor).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A sign-in.
#[derive(Serialize, ToSchema)]
#[schema(as = SignIn)]
struct LoginBody {
    /// Its id.
    id: LoginId,
    /// Whether this request is made with it.
    #[schema(example = true)]
    current: bool,
    /// The browser or program, as it called itself.
    #[schema(example = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0")]
    user_agent: String,
    /// Where it came from.
    #[schema(example = "203.0.113.9")]
    address: String,
    /// Since when.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// When it was last used, to the minute.
    #[serde(with = "time::serde::rfc3339")]
    last_used_at: OffsetDateTime,
    /// When it ends by itself.
    #[serde(with = "time::serde::rfc3339")]
    expires_at: OffsetDateTime,
}

impl LoginBody {
    fn new(login: Login, current: LoginId) -> Self {
        Self {
            current: login.id == current,
            id: login.id,
            user_agent: login.user_agent,
            address: login.address,
            created_at: login.created_at,
            last_used_at: login.last_used_at,
            expires_at: login.expires_at,
        }
    }
}

/// List where one is signed in, newest first.
#[utoipa::path(get, path = "/v1/me/logins", tag = "Access", params(Paged), responses((status = 200, description = "A page of them.", body = List<LoginBody>)))]
async fn list_logins(Of(app): Of<App>, by: PersonCaller, Query(asked): Query<Paged>) -> Result<axum::Json<List<LoginBody>>, Problem> {
    let (limit, cursor) = asked.parse()?;
    let page = access::list_logins(&app, &by, limit, cursor).await?;
    Ok(axum::Json(page.map(|login| LoginBody::new(login, by.found.login)).into()))
}

#[derive(Deserialize)]
struct OfLogin {
    id: LoginId,
}

/// End one of one's own sign-ins.
#[utoipa::path(delete, path = "/v1/me/logins/{id}", tag = "Access", responses((status = 204, description = "Ended.")))]
async fn end_login(Of(app): Of<App>, by: PersonCaller, Params(of): Params<OfLogin>) -> Result<StatusCode, Problem> {
    access::end_login(&app, &by, of.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
