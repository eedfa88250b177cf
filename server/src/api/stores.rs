//! Stores under our own paths: what the Memory Stores API lacks.

use super::{
    answers::List,
    document::{Access, needs},
    sent::{Params, Query},
};
use crate::{
    App, acts,
    model::{
        Power, StoreId,
        page::Limit,
        stores::{Store, StoreFilter, store_id},
    },
    problem::Problem,
    store::{Reading, Reviewing, Scope},
};
use axum::extract::State as Of;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(needs(Access::Workspace(Power::Reading), routes!(list_stores)))
        .routes(needs(Access::Workspace(Power::Reviewing), routes!(restore_store)))
}

/// By our id, or by that of the Memory Stores API.
#[derive(Deserialize)]
pub struct OfStore {
    id: String,
}

impl OfStore {
    pub fn id(&self) -> Result<StoreId, Problem> {
        store_id(&self.id).ok_or(Problem::NotFound)
    }
}

/// A collection of memories.
#[derive(Serialize, ToSchema)]
#[schema(as = Store)]
struct StoreBody {
    /// Its id, as memories name it.
    id: StoreId,
    /// What it is called; the default store is `main`.
    #[schema(example = "main")]
    name: String,
    /// What is in it.
    description: String,
    /// Whatever its maker keeps beside it.
    metadata: BTreeMap<String, String>,
    /// The project whose keys alone may change it, if it was made by one of them.
    project: Option<String>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    /// When it was closed: nothing in it can be written since.
    #[serde(with = "time::serde::rfc3339::option")]
    archived_at: Option<OffsetDateTime>,
    /// When it was deleted: it can be restored.
    #[serde(with = "time::serde::rfc3339::option")]
    deleted_at: Option<OffsetDateTime>,
}

impl From<Store> for StoreBody {
    fn from(store: Store) -> Self {
        Self {
            id: store.id,
            name: store.name,
            description: store.description,
            metadata: store.metadata,
            project: store.project,
            created_at: store.created_at,
            updated_at: store.updated_at,
            archived_at: store.archived_at,
            deleted_at: store.deleted_at,
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListStores {
    /// Those too that were deleted.
    #[serde(default)]
    include_deleted: bool,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// The stores of a workspace, newest first.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/stores", tag = "Stores", params(ListStores), responses((status = 200, description = "A page of them.", body = List<StoreBody>)))]
async fn list_stores(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<ListStores>,
) -> Result<axum::Json<List<StoreBody>>, Problem> {
    let filter = StoreFilter { archived: true, deleted: asked.include_deleted, ..StoreFilter::default() };
    Ok(axum::Json(acts::stores::list(&app, &scope, filter, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?.into()))
}

/// A store that is back.
#[derive(Serialize, ToSchema)]
struct RestoredStore {
    /// The store.
    store: StoreBody,
    /// How many of its memories came back with it.
    #[schema(example = 12)]
    restored: usize,
}

/// Bring a deleted store back.
///
/// With the memories that its deletion put away, but for those that were erased or redacted meanwhile, and decisions that
/// contradict one which is active by now. Its description and metadata were not kept.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/stores/{id}/restore", tag = "Stores", responses(
    (status = 200, description = "The store, and how much came back.", body = RestoredStore),
    (status = 409, description = "It is not deleted (`not_deleted`), or there is no room for its memories (`quota_exceeded`).")))]
async fn restore_store(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfStore>,
) -> Result<axum::Json<RestoredStore>, Problem> {
    let (store, restored) = acts::stores::restore(&app, &scope, of.id()?).await?;
    Ok(axum::Json(RestoredStore { store: store.into(), restored }))
}
