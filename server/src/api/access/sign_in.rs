//! Signing in and out, one-time links, and the short-lived tokens of agents.

use super::super::{
    answers::Secret,
    document::{Access, needs},
    sent::{Json, MaybeJson, Params},
};
use crate::{
    App,
    acts::access::{self, Narrower, Redemption, SignedIn},
    auth::{KeyCaller, PersonCaller, Visitor},
    model::{Email, Project, Role, access::Password, text},
    problem::Problem,
    store::Request,
};
use axum::{extract::State as Of, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(needs(Access::Anyone, routes!(login)))
        .routes(needs(Access::Anyone, routes!(refresh_login)))
        .routes(needs(Access::Person, routes!(logout)))
        .routes(needs(Access::Anyone, routes!(redeem_link)))
        .routes(needs(Access::AgentKey, routes!(issue_token)))
}

/// Who wants to sign in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Credentials)]
struct LoginBody {
    /// The person's e-mail address.
    #[schema(example = "ada@example.org")]
    email: String,
    /// Their password.
    #[schema(example = "correct horse battery staple")]
    password: String,
}

/// What a person's program holds after signing in.
#[derive(Serialize, ToSchema)]
struct SignedInBody {
    /// To be sent as `Authorization: Bearer …`.
    #[schema(example = "eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSIs…")]
    access_token: String,
    /// Buys the next pair, once. Showing it again ends the sign-in.
    #[schema(example = "0197a6a83f0c7d70a2c10d3b1c9be7aa.0.Zk3…")]
    refresh_token: String,
    /// Always `Bearer`.
    #[schema(example = "Bearer")]
    token_type: &'static str,
    /// Seconds that the access token holds.
    #[schema(example = 900)]
    expires_in: i64,
}

impl From<SignedIn> for SignedInBody {
    fn from(pair: SignedIn) -> Self {
        Self { access_token: pair.access_token, refresh_token: pair.refresh_token, token_type: "Bearer", expires_in: pair.expires_in }
    }
}

/// Sign in with e-mail address and password.
///
/// After five failures for an account or from an address, the next attempts have to wait: 1, 2, 4 … up to 900 seconds.
#[utoipa::path(post, path = "/v1/auth/login", tag = "Access", request_body = LoginBody, responses(
    (status = 200, description = "Signed in for 30 days.", body = SignedInBody),
    (status = 401, description = "The e-mail address or the password is wrong."),
    (status = 429, description = "Too many failures; `Retry-After` says how long to wait.")))]
async fn login(Of(app): Of<App>, request: Request, visitor: Visitor, Json(sent): Json<LoginBody>) -> Result<Secret<SignedInBody>, Problem> {
    let found = access::sign_in(&app, &sent.email, &sent.password, &visitor, &request).await?;
    Ok(Secret(StatusCode::OK, access::hand_out(&app, &found)?.into()))
}

/// A refresh token that was not used yet.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RefreshBody {
    /// As it was handed out last.
    #[schema(example = "0197a6a83f0c7d70a2c10d3b1c9be7aa.0.Zk3…")]
    refresh_token: String,
}

/// Get a new pair of tokens.
///
/// The refresh token is used up by this. If it is shown again, somebody has a copy, and the whole sign-in ends.
#[utoipa::path(post, path = "/v1/auth/refresh", tag = "Access", request_body = RefreshBody, responses(
    (status = 200, description = "The next pair.", body = SignedInBody),
    (status = 401, description = "The token was used, has run out, or is not ours.")))]
async fn refresh_login(Of(app): Of<App>, request: Request, Json(sent): Json<RefreshBody>) -> Result<Secret<SignedInBody>, Problem> {
    Ok(Secret(StatusCode::OK, access::refresh(&app, &sent.refresh_token, &request).await?.into()))
}

/// The sign-in to end, or another one.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
struct LogoutBody {
    /// A refresh token that was not used yet: its sign-in ends, alone or beside the one that the request is made with.
    #[schema(example = "0197a6a83f0c7d70a2c10d3b1c9be7aa.0.Zk3…")]
    refresh_token: Option<String>,
}

/// Sign out.
///
/// Ends the sign-in that the request is made with: its tokens and its cookie stop at once. Without a credential that holds, a
/// refresh token says which.
#[utoipa::path(post, path = "/v1/auth/logout", tag = "Access", request_body(content = Option<LogoutBody>), responses((status = 204, description = "Signed out.")))]
async fn logout(
    Of(app): Of<App>,
    by: Result<PersonCaller, Problem>,
    request: Request,
    MaybeJson(sent): MaybeJson<LogoutBody>,
) -> Result<StatusCode, Problem> {
    match (by, sent.refresh_token) {
        (Err(Problem::Unauthenticated(_)), Some(token)) => access::sign_out_by(&app, &token, &request).await?,
        (by, token) => {
            let by = by?;
            access::sign_out_with(&app, &by.found, token.as_deref(), &by.request).await?;
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct OfLink {
    token: String,
}

/// What somebody who has a one-time link says.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RedeemBody {
    /// The password to sign in with from now on, 12 to 256 characters.
    #[schema(example = "correct horse battery staple")]
    password: String,
    /// What to be called.
    #[schema(example = "Ada Lovelace")]
    name: Option<String>,
    /// The first admin's e-mail address; only for the set-up link, which needs it.
    #[schema(example = "ada@example.org")]
    email: Option<String>,
}

/// Use a one-time link: choose a password, or become the first admin.
///
/// The token is the last part of an invitation's address, or the `token` of the set-up link in the server's log.
#[utoipa::path(post, path = "/v1/auth/links/{token}", tag = "Access", request_body = RedeemBody, responses(
    (status = 200, description = "Done, and signed in.", body = SignedInBody)))]
async fn redeem_link(
    Of(app): Of<App>,
    request: Request,
    visitor: Visitor,
    Params(of): Params<OfLink>,
    Json(sent): Json<RedeemBody>,
) -> Result<Secret<SignedInBody>, Problem> {
    let said = Redemption {
        password: Password::parse(&sent.password)?,
        name: sent.name.as_deref().map(|name| text::line("name", name, 200)).transpose()?,
        email: sent.email.as_deref().map(Email::parse).transpose()?,
    };
    let found = access::redeem_link(&app, &of.token, said, &visitor, &request).await?;
    Ok(Secret(StatusCode::OK, access::hand_out(&app, &found)?.into()))
}

/// How a token shall be narrower than its key.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
struct TokenBody {
    /// Seconds that it holds, 1 to 3,600; 900 unless said.
    #[schema(example = 900, minimum = 1, maximum = 3600)]
    ttl_seconds: Option<i64>,
    /// A role that may do no more than the key's; the key's unless said.
    role: Option<Role>,
    /// A project to be walled in; the key's unless said.
    #[schema(example = "api-gateway")]
    project: Option<String>,
}

/// A short-lived token of an agent.
#[derive(Serialize, ToSchema)]
struct TokenAnswer {
    /// To be sent as `Authorization: Bearer …`; an EdDSA JWT, see `/.well-known/jwks.json`.
    #[schema(example = "eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSIs…")]
    access_token: String,
    /// Always `Bearer`.
    #[schema(example = "Bearer")]
    token_type: &'static str,
    /// Seconds that it holds, unless the key is revoked before.
    #[schema(example = 900)]
    expires_in: i64,
    /// The role that it has.
    role: Role,
    /// The project that it is walled in; null: the whole workspace.
    #[schema(example = "api-gateway")]
    project: Option<String>,
}

/// Make a short-lived token from an agent's key.
///
/// It has at most the key's rights; anything wider is 403 `wider_than_key`. A person's sign-in, or a token, gets 403
/// `agent_key_required`.
#[utoipa::path(post, path = "/v1/auth/token", tag = "Access", request_body(content = Option<TokenBody>), responses((status = 200, description = "The token.", body = TokenAnswer)))]
async fn issue_token(Of(app): Of<App>, by: KeyCaller, MaybeJson(sent): MaybeJson<TokenBody>) -> Result<Secret<TokenAnswer>, Problem> {
    let project = sent.project.as_deref().map(Project::parse).transpose()?;
    let made = access::issue_token(&app, &by, Narrower { ttl_seconds: sent.ttl_seconds, role: sent.role, project }).await?;
    let answer = TokenAnswer {
        access_token: made.access_token,
        token_type: "Bearer",
        expires_in: made.expires_in,
        role: made.role,
        project: made.project,
    };
    Ok(Secret(StatusCode::OK, answer))
}
