//! Stores, as that API has them.

use super::{ids::StoreRef, keyed::Keyed, query::Paged};
use crate::{
    App, acts,
    api::sent::{Json, Params, Query},
    model::{
        clock::kept,
        page::Limit,
        stores::{NewStore, Store, StoreChange, StoreFilter},
    },
    problem::Problem,
    store::{Reading, Writing},
};
use axum::extract::State as Of;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

/// A collection of memories in the workspace of the key.
#[derive(Serialize, ToSchema)]
#[schema(as = MemoryStore)]
pub struct StoreBody {
    /// Its id.
    #[schema(value_type = String, example = "memstore_0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa")]
    id: StoreRef,
    /// Always `memory_store`.
    #[serde(rename = "type")]
    #[schema(example = "memory_store")]
    kind: &'static str,
    /// What it is called; the default store is `main`.
    #[schema(example = "Prefs of user 42")]
    name: String,
    /// What is in it.
    description: String,
    /// Whatever its maker keeps beside it.
    metadata: BTreeMap<String, String>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// When its name, description, metadata or state last changed.
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    /// When it was archived.
    #[serde(with = "time::serde::rfc3339::option")]
    archived_at: Option<OffsetDateTime>,
}

impl From<Store> for StoreBody {
    fn from(store: Store) -> Self {
        Self {
            id: StoreRef(store.id),
            kind: "memory_store",
            name: store.name,
            description: store.description,
            metadata: store.metadata,
            created_at: store.created_at,
            updated_at: store.updated_at,
            archived_at: store.archived_at,
        }
    }
}

#[derive(Deserialize)]
pub struct OfStore {
    pub memory_store_id: StoreRef,
}

/// A store to be made.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewMemoryStore)]
#[serde(deny_unknown_fields)]
pub struct NewStoreBody {
    /// 1 to 255 characters; need not be unique.
    #[schema(example = "Prefs of user 42")]
    name: String,
    /// At most 1,024 characters.
    #[serde(default)]
    description: Option<String>,
    /// At most 16 pairs; keys of 1 to 64 characters, values of at most 512.
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
}

/// Make a store in the workspace of the key.
#[utoipa::path(post, path = "/v1/memory_stores", tag = "Anthropic", request_body = NewStoreBody, responses((status = 200, description = "The store.", body = StoreBody)))]
pub async fn create_memory_store(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Writing>,
    Json(sent): Json<NewStoreBody>,
) -> Result<axum::Json<StoreBody>, Problem> {
    let new = NewStore { name: sent.name, description: sent.description.unwrap_or_default(), metadata: sent.metadata.unwrap_or_default() };
    Ok(axum::Json(acts::stores::create(&app, &scope, new.checked()?).await?.into()))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ListStores {
    /// Those too that are archived.
    #[serde(default)]
    include_archived: bool,
    /// Only made at this time or later.
    #[serde(default, rename = "created_at[gte]", with = "time::serde::rfc3339::option")]
    #[param(rename = "created_at[gte]")]
    from: Option<OffsetDateTime>,
    /// Only made at this time or before.
    #[serde(default, rename = "created_at[lte]", with = "time::serde::rfc3339::option")]
    #[param(rename = "created_at[lte]")]
    to: Option<OffsetDateTime>,
    /// How many, 1 to 100.
    limit: Option<i64>,
    /// The last answer's `next_page`.
    page: Option<String>,
    /// Some clients say `true`; it changes nothing.
    #[serde(rename = "beta")]
    #[param(rename = "beta")]
    _beta: Option<String>,
}

/// The stores of the key's workspace, newest first.
#[utoipa::path(get, path = "/v1/memory_stores", tag = "Anthropic", params(ListStores), responses((status = 200, description = "A page of them.", body = Paged<StoreBody>)))]
pub async fn list_memory_stores(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Reading>,
    Query(asked): Query<ListStores>,
) -> Result<axum::Json<Paged<StoreBody>>, Problem> {
    let filter = StoreFilter {
        archived: asked.include_archived,
        deleted: false,
        from: kept("created_at[gte]", asked.from)?,
        to: kept("created_at[lte]", asked.to)?,
    };
    let limit = Limit::within(asked.limit, 20, 100)?;
    let page = acts::stores::list(&app, &scope, filter, limit, asked.page.as_deref()).await;
    Ok(axum::Json(Paged::from(page.map_err(super::query::of_page)?.map(StoreBody::from))))
}

/// One store.
#[utoipa::path(get, path = "/v1/memory_stores/{memory_store_id}", tag = "Anthropic", responses((status = 200, description = "The store.", body = StoreBody)))]
pub async fn get_memory_store(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Reading>,
    Params(of): Params<OfStore>,
) -> Result<axum::Json<StoreBody>, Problem> {
    Ok(axum::Json(acts::stores::find(&app, &scope, of.memory_store_id.0).await?.into()))
}

/// Changes to a store; what is left out or null stays.
#[derive(Deserialize, ToSchema)]
#[schema(as = MemoryStoreChange)]
#[serde(deny_unknown_fields)]
pub struct StoreChangeBody {
    /// Another name.
    #[serde(default)]
    name: Option<String>,
    /// Another description; empty clears it.
    #[serde(default)]
    #[schema(example = "What user 42 likes")]
    description: Option<String>,
    /// Pairs to set; null takes one away.
    #[serde(default)]
    metadata: Option<BTreeMap<String, Option<String>>>,
}

/// Change a store's name, description or metadata.
#[utoipa::path(post, path = "/v1/memory_stores/{memory_store_id}", tag = "Anthropic", request_body = StoreChangeBody, responses((status = 200, description = "The store.", body = StoreBody)))]
pub async fn update_memory_store(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Writing>,
    Params(of): Params<OfStore>,
    Json(sent): Json<StoreChangeBody>,
) -> Result<axum::Json<StoreBody>, Problem> {
    let change = StoreChange { name: sent.name, description: sent.description, metadata: sent.metadata.unwrap_or_default() };
    Ok(axum::Json(acts::stores::update(&app, &scope, of.memory_store_id.0, change.checked()?).await?.into()))
}

/// The same, for clients that say it so.
#[utoipa::path(patch, path = "/v1/memory_stores/{memory_store_id}", tag = "Anthropic", request_body = StoreChangeBody, responses((status = 200, description = "The store.", body = StoreBody)))]
pub async fn patch_memory_store(
    app: Of<App>,
    scope: Keyed<Writing>,
    of: Params<OfStore>,
    sent: Json<StoreChangeBody>,
) -> Result<axum::Json<StoreBody>, Problem> {
    update_memory_store(app, scope, of, sent).await
}

/// Close a store for good.
///
/// Its memories stay readable and deletable; nothing in it can be written.
#[utoipa::path(post, path = "/v1/memory_stores/{memory_store_id}/archive", tag = "Anthropic", responses((status = 200, description = "The store.", body = StoreBody)))]
pub async fn archive_memory_store(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Writing>,
    Params(of): Params<OfStore>,
) -> Result<axum::Json<StoreBody>, Problem> {
    Ok(axum::Json(acts::stores::archive(&app, &scope, of.memory_store_id.0).await?.into()))
}

/// What was deleted.
#[derive(Serialize, ToSchema)]
pub struct Deleted {
    /// Its id.
    #[schema(example = "mem_0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa")]
    pub id: String,
    /// `memory_store_deleted` or `memory_deleted`.
    #[serde(rename = "type")]
    #[schema(example = "memory_deleted")]
    pub kind: &'static str,
}

/// Delete a store with its memories and versions.
///
/// They are gone through this API, and put away in the workspace: a reviewer may bring the store back. To erase something for
/// good, ask for deletion.
#[utoipa::path(delete, path = "/v1/memory_stores/{memory_store_id}", tag = "Anthropic", responses((status = 200, description = "Gone.", body = Deleted)))]
pub async fn delete_memory_store(
    Of(app): Of<App>,
    Keyed(scope): Keyed<Writing>,
    Params(of): Params<OfStore>,
) -> Result<axum::Json<Deleted>, Problem> {
    acts::stores::delete(&app, &scope, of.memory_store_id.0).await?;
    Ok(axum::Json(Deleted { id: of.memory_store_id.to_string(), kind: "memory_store_deleted" }))
}
