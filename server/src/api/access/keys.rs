//! Agents' keys.

use super::{
    super::{
        answers::{List, Secret},
        document::{Access, needs},
        sent::{MaybeJson, Params, Query},
    },
    Paged,
};
use crate::{
    App,
    acts::access,
    model::{AgentId, KeyId, Power, agents::AgentKey, clock::kept},
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
        .routes(needs(governing, routes!(create_key)))
        .routes(needs(governing, routes!(list_keys)))
        .routes(needs(governing, routes!(revoke_key)))
}

/// A key to make.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
struct NewKeyBody {
    /// When it stops by itself; never unless said.
    #[serde(default, with = "time::serde::rfc3339::option")]
    expires_at: Option<OffsetDateTime>,
}

/// A key, this once with its secret.
#[derive(Serialize, ToSchema)]
struct NewKeyAnswer {
    /// Its id.
    id: KeyId,
    /// The key itself. It is shown only here; what the server keeps is a hash.
    #[schema(example = "cairn_0197a6a83f0c7d70a2c10d3b1c9be7aa_Zk3…")]
    key: String,
    /// When it stops by itself; null: never.
    #[serde(with = "time::serde::rfc3339::option")]
    expires_at: Option<OffsetDateTime>,
}

#[derive(Deserialize)]
struct OfAgent {
    id: AgentId,
}

/// Make a key for an agent.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/agents/{id}/keys", tag = "Access", request_body(content = Option<NewKeyBody>), responses(
    (status = 201, description = "The key, shown this once.", body = NewKeyAnswer),
    (status = 409, description = "The person whom the agent works for has left (`owner_left`).")))]
async fn create_key(
    Of(app): Of<App>,
    scope: Scope<Governing>,
    Params(of): Params<OfAgent>,
    MaybeJson(sent): MaybeJson<NewKeyBody>,
) -> Result<Secret<NewKeyAnswer>, Problem> {
    let (key, shown) = access::create_key(&app, &scope, of.id, kept("expires_at", sent.expires_at)?).await?;
    Ok(Secret(StatusCode::CREATED, NewKeyAnswer { id: key.id, key: shown.text(), expires_at: key.expires_at }))
}

/// A key, without its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = Key)]
struct KeyBody {
    /// Its id, which is also the second part of the key.
    id: KeyId,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// When it stops by itself; null: never.
    #[serde(with = "time::serde::rfc3339::option")]
    expires_at: Option<OffsetDateTime>,
    /// When it was stopped.
    #[serde(with = "time::serde::rfc3339::option")]
    revoked_at: Option<OffsetDateTime>,
    /// When it was last used, to the minute.
    #[serde(with = "time::serde::rfc3339::option")]
    last_used_at: Option<OffsetDateTime>,
}

impl From<AgentKey> for KeyBody {
    fn from(key: AgentKey) -> Self {
        Self {
            id: key.id,
            created_at: key.created_at,
            expires_at: key.expires_at,
            revoked_at: key.revoked_at,
            last_used_at: key.last_used_at,
        }
    }
}

/// List the keys of an agent, newest first; revoked ones too.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/agents/{id}/keys", tag = "Access", params(Paged), responses((status = 200, description = "A page of them.", body = List<KeyBody>)))]
async fn list_keys(
    Of(app): Of<App>,
    scope: Scope<Governing>,
    Params(of): Params<OfAgent>,
    Query(asked): Query<Paged>,
) -> Result<axum::Json<List<KeyBody>>, Problem> {
    let (limit, cursor) = asked.parse()?;
    Ok(axum::Json(access::list_keys(&app, &scope, of.id, limit, cursor).await?.into()))
}

#[derive(Deserialize)]
struct OfKey {
    id: AgentId,
    key_id: KeyId,
}

/// Stop a key at once.
#[utoipa::path(delete, path = "/v1/workspaces/{ws}/agents/{id}/keys/{key_id}", tag = "Access", responses((status = 204, description = "Stopped.")))]
async fn revoke_key(Of(app): Of<App>, scope: Scope<Governing>, Params(of): Params<OfKey>) -> Result<StatusCode, Problem> {
    access::revoke_key(&app, &scope, of.id, of.key_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
