//! Who comes through this door: agents, by their key. It decides the workspace, and nothing in a request can name another.

use crate::{
    App,
    auth::{AgentCaller, scopes::in_session_named},
    problem::Problem,
    store::{Permission, Scope},
};
use axum::{extract::FromRequestParts, http::request::Parts};

pub struct Keyed<P>(pub Scope<P>);

impl<P: Permission> FromRequestParts<App> for Keyed<P> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let AgentCaller(scope) = AgentCaller::from_request_parts(parts, app).await?;
        // Those clients may say which workspace they mean: the key's own, or one that is not there.
        if let Some(meant) = parts.headers.get("anthropic-workspace-id") {
            let own = scope.standing().workspace();
            let meant = meant.to_str().unwrap_or_default();
            if meant != own.slug && meant.trim_start_matches("wrkspc_") != own.id.to_string() {
                return Err(Problem::NotFound);
            }
        }
        in_session_named(app, scope, parts).await?.to().map(Self)
    }
}
