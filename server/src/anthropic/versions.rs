//! Versions of a store's memories, as that API has them; here they have no end.

use super::{
    ids::{ActorBody, MemoryRef, SessionRef, StoreRef, VersionRef, agent_of},
    keyed::Keyed,
    query::{Paged, View, limit, of_page},
    stores::OfStore,
};
use crate::{
    App,
    acts::stores::versions,
    api::sent::{Params, Query},
    model::{
        ActorKind,
        clock::kept,
        stores::{Deed, VersionFilter, VersionInStore},
        text,
    },
    problem::Problem,
    store::{Reading, Reviewing},
};
use axum::extract::State as Of;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

/// One change of a memory, and who made it.
#[derive(Serialize, ToSchema)]
#[schema(as = StoredMemoryVersion)]
pub struct VersionBody {
    /// Its id.
    #[schema(value_type = String, example = "memver_0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa_1")]
    id: VersionRef,
    /// Always `memory_version`.
    #[serde(rename = "type")]
    #[schema(example = "memory_version")]
    kind: &'static str,
    /// The memory.
    #[schema(value_type = String, example = "mem_0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa")]
    memory_id: MemoryRef,
    /// The store.
    #[schema(value_type = String, example = "memstore_0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa")]
    memory_store_id: StoreRef,
    /// What was done.
    operation: Deed,
    /// Where it lay; null once redacted.
    path: Option<String>,
    /// The text; null with `view=basic`, of a deletion, and once redacted.
    content: Option<String>,
    /// SHA-256 of the text; null of a deletion, and once redacted.
    content_sha256: Option<String>,
    /// How many bytes the text has; null of a deletion, and once redacted.
    content_size_bytes: Option<i32>,
    /// When it was written.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// By whom.
    created_by: ActorBody,
    /// When it was redacted.
    #[serde(with = "time::serde::rfc3339::option")]
    redacted_at: Option<OffsetDateTime>,
    /// By whom.
    redacted_by: Option<ActorBody>,
}

impl From<VersionInStore> for VersionBody {
    fn from(version: VersionInStore) -> Self {
        let said = version.deed != Deed::Deleted && version.redacted_at.is_none();
        Self {
            id: VersionRef(version.memory_id, version.version),
            kind: "memory_version",
            memory_id: MemoryRef(version.memory_id),
            memory_store_id: StoreRef(version.store_id),
            operation: version.deed,
            path: version.path,
            content: version.content.filter(|_| said),
            content_sha256: version.content_sha256.filter(|_| said).map(|sha| text::hex(&sha)),
            content_size_bytes: version.bytes.filter(|_| said),
            created_at: version.at,
            created_by: ActorBody::new(version.actor, version.session),
            redacted_at: version.redacted_at,
            redacted_by: version.redacted_by.map(|by| ActorBody::new(by, None)),
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ListVersions {
    /// Only of this memory, whether it is still there or not.
    #[param(value_type = Option<String>)]
    memory_id: Option<MemoryRef>,
    /// Only `created`, `modified` or `deleted`.
    operation: Option<Deed>,
    /// Only written in this session.
    #[param(value_type = Option<String>)]
    session_id: Option<SessionRef>,
    /// Only written by this agent, outside of sessions.
    api_key_id: Option<String>,
    /// Only written by this service account.
    service_account_id: Option<String>,
    /// Only written at this time or later.
    #[serde(default, rename = "created_at[gte]", with = "time::serde::rfc3339::option")]
    #[param(rename = "created_at[gte]")]
    from: Option<OffsetDateTime>,
    /// Only written at this time or before.
    #[serde(default, rename = "created_at[lte]", with = "time::serde::rfc3339::option")]
    #[param(rename = "created_at[lte]")]
    to: Option<OffsetDateTime>,
    /// Whether versions have their texts.
    view: Option<View>,
    /// How many, 1 to 100; with texts at most 20.
    limit: Option<i64>,
    /// The last answer's `next_page`.
    page: Option<String>,
    /// Some clients say `true`; it changes nothing.
    #[serde(rename = "beta")]
    #[param(rename = "beta")]
    _beta: Option<String>,
}

impl ListVersions {
    fn filter(&self) -> Result<VersionFilter, Problem> {
        let agent = self.api_key_id.as_deref().map(|key| (ActorKind::Agent, agent_of(key)));
        let server = self.service_account_id.as_deref().map(|account| {
            let id = if account == "svac_cairn" { uuid::Uuid::nil() } else { uuid::Uuid::max() };
            (ActorKind::System, id)
        });
        if agent.is_some() && server.is_some() {
            return Err(Problem::invalid("service_account_id", "cannot be asked together with api_key_id: one of them wrote a version"));
        }
        Ok(VersionFilter {
            memory: self.memory_id.map(|memory| memory.0),
            deed: self.operation,
            session: self.session_id.map(|session| session.0),
            actor: agent.or(server),
            from: kept("created_at[gte]", self.from)?,
            to: kept("created_at[lte]", self.to)?,
        })
    }
}

/// The versions of a store's memories, newest first, also of memories that are gone.
#[utoipa::path(get, path = "/v1/memory_stores/{memory_store_id}/memory_versions", tag = "Anthropic", params(ListVersions), responses((status = 200, description = "A page of them.", body = Paged<VersionBody>)))]
pub async fn list_stored_versions(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Reading>,
    Params(of): Params<OfStore>,
    Query(asked): Query<ListVersions>,
) -> Result<axum::Json<Paged<VersionBody>>, Problem> {
    let full = View::is_full(asked.view, View::Basic);
    let (filter, limit) = (asked.filter()?, limit(asked.limit, full)?);
    let page = versions::list(&app, &scope, of.memory_store_id.0, &filter, full, limit, asked.page.as_deref()).await;
    Ok(axum::Json(page.map_err(of_page)?.map(VersionBody::from).into()))
}

#[derive(Deserialize)]
pub struct OfVersion {
    memory_store_id: StoreRef,
    memory_version_id: VersionRef,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ShownVersion {
    /// Whether the answer has the text.
    view: Option<View>,
    /// Some clients say `true`; it changes nothing.
    #[serde(rename = "beta")]
    #[param(rename = "beta")]
    _beta: Option<String>,
}

/// One version.
#[utoipa::path(get, path = "/v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}", tag = "Anthropic", params(ShownVersion), responses((status = 200, description = "The version.", body = VersionBody)))]
pub async fn get_stored_version(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Reading>,
    Params(of): Params<OfVersion>,
    Query(shown): Query<ShownVersion>,
) -> Result<axum::Json<VersionBody>, Problem> {
    let VersionRef(memory, version) = of.memory_version_id;
    let full = View::is_full(shown.view, View::Full);
    Ok(axum::Json(versions::find(&app, &scope, of.memory_store_id.0, (memory, version), full).await?.into()))
}

/// Empty a version: its text and path go, who wrote it and when stays.
///
/// Not of what a memory says now, and not while a legal hold keeps the memory.
#[utoipa::path(post, path = "/v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}/redact", tag = "Anthropic", responses((status = 200, description = "The version.", body = VersionBody)))]
pub async fn redact_stored_version(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Reviewing>,
    Params(of): Params<OfVersion>,
) -> Result<axum::Json<VersionBody>, Problem> {
    let VersionRef(memory, version) = of.memory_version_id;
    Ok(axum::Json(versions::redact(&app, &scope, of.memory_store_id.0, (memory, version)).await?.into()))
}
