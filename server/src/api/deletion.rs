//! Deletion requests over REST.

use super::{
    answers::List,
    document::{Access, needs},
    memories::ActorBody,
    sent::{Json, Params, Query},
};
use crate::{
    App, acts,
    model::{
        DeletionId, MemoryId, Power,
        deletion::{DeletionRequest, DeletionState, Touched},
        page::Limit,
        text,
    },
    problem::Problem,
    store::{Reading, Reviewing, Scope, Writing},
};
use axum::{extract::State as Of, http::StatusCode};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

pub fn routes() -> OpenApiRouter<App> {
    let (reading, writing, reviewing) =
        (Access::Workspace(Power::Reading), Access::Workspace(Power::Writing), Access::Workspace(Power::Reviewing));
    OpenApiRouter::new()
        .routes(needs(writing, routes!(ask_deletion)))
        .routes(needs(reading, routes!(list_deletions)))
        .routes(needs(reading, routes!(get_deletion)))
        .routes(needs(reviewing, routes!(approve_deletion)))
        .routes(needs(reviewing, routes!(reject_deletion)))
        .routes(needs(reviewing, routes!(execute_deletion)))
}

/// What to erase, and why.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewDeletionBody {
    /// The memories to erase with all their versions, at most 1,000.
    memory_ids: Vec<MemoryId>,
    /// Why; it is shown to whoever approves, and is gone after the execution.
    #[schema(example = "The customer asked for erasure, ticket 4711.")]
    reason: String,
}

/// A deletion request.
#[derive(Serialize, ToSchema)]
struct DeletionBody {
    /// Its id.
    id: DeletionId,
    /// Where it stands.
    state: DeletionState,
    /// Why; null once it has been executed.
    reason: Option<String>,
    /// What it names.
    memory_ids: Vec<MemoryId>,
    /// When it was asked for.
    #[serde(with = "time::serde::rfc3339")]
    requested_at: OffsetDateTime,
    /// By whom.
    requested_by: ActorBody,
    /// The person whose request it counts as: an agent's is that of whoever made the agent.
    requested_for: Uuid,
    /// When it was approved or rejected.
    #[serde(with = "time::serde::rfc3339::option")]
    decided_at: Option<OffsetDateTime>,
    /// By whom.
    decided_by: Option<ActorBody>,
    /// When it was executed.
    #[serde(with = "time::serde::rfc3339::option")]
    executed_at: Option<OffsetDateTime>,
    /// By whom.
    executed_by: Option<ActorBody>,
    /// How many rows were erased, by table; null before the execution.
    #[schema(value_type = Option<Object>, example = json!({"memories": 1, "memory_versions": 3}))]
    counts: Option<serde_json::Value>,
    /// What it touches, as far as it is still there; only when one request is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Vec<TouchedBody>>,
}

/// One memory that a request touches.
#[derive(Serialize, ToSchema)]
struct TouchedBody {
    /// Its id.
    memory_id: MemoryId,
    /// Its path; null when it is gone or not yours to see.
    path: Option<String>,
    /// Its title; null when it is gone or not yours to see.
    title: Option<String>,
    /// How many versions would go.
    versions: i64,
}

impl From<DeletionRequest> for DeletionBody {
    fn from(request: DeletionRequest) -> Self {
        Self {
            id: request.id,
            state: request.state,
            reason: request.reason,
            memory_ids: request.memory_ids,
            requested_at: request.asked_at,
            requested_by: (&request.asked_by).into(),
            requested_for: request.asked_for.0,
            decided_at: request.decided_at,
            decided_by: request.decided_by.as_ref().map(ActorBody::from),
            executed_at: request.executed_at,
            executed_by: request.executed_by.as_ref().map(ActorBody::from),
            counts: request.counts,
            preview: None,
        }
    }
}

impl From<Touched> for TouchedBody {
    fn from(touched: Touched) -> Self {
        Self { memory_id: touched.memory_id, path: touched.path, title: touched.title, versions: touched.versions }
    }
}

/// Ask that memories be erased.
///
/// Nothing happens to them before another person approves and executes it.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/deletion-requests", tag = "Deletion", request_body = NewDeletionBody, responses((status = 201, description = "Asked; it waits for another person.", body = DeletionBody)))]
async fn ask_deletion(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Json(sent): Json<NewDeletionBody>,
) -> Result<(StatusCode, axum::Json<DeletionBody>), Problem> {
    let ids: BTreeSet<MemoryId> = sent.memory_ids.into_iter().collect();
    if ids.is_empty() || ids.len() > 1000 {
        return Err(Problem::invalid("memory_ids", "must be 1 to 1,000"));
    }
    let reason = text::prose("reason", sent.reason.trim(), 2000)?;
    if reason.is_empty() {
        return Err(Problem::invalid("reason", "must not be empty"));
    }
    let request = acts::deletion::ask(&app, &scope, ids.into_iter().collect(), reason).await?;
    Ok((StatusCode::CREATED, axum::Json(request.into())))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListDeletions {
    /// Only in this state.
    state: Option<DeletionState>,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List deletion requests, newest first.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/deletion-requests", tag = "Deletion", params(ListDeletions), responses((status = 200, description = "A page of them.", body = List<DeletionBody>)))]
async fn list_deletions(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<ListDeletions>,
) -> Result<axum::Json<List<DeletionBody>>, Problem> {
    let page = acts::deletion::list(&app, &scope, asked.state, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.into()))
}

#[derive(Deserialize)]
struct OfDeletion {
    id: DeletionId,
}

/// Read a deletion request, with a preview of what it touches.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/deletion-requests/{id}", tag = "Deletion", responses((status = 200, description = "The request.", body = DeletionBody)))]
async fn get_deletion(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfDeletion>,
) -> Result<axum::Json<DeletionBody>, Problem> {
    let (request, touched) = acts::deletion::find(&app, &scope, of.id).await?;
    let preview = touched.into_iter().map(TouchedBody::from).collect();
    Ok(axum::Json(DeletionBody { preview: Some(preview), ..request.into() }))
}

/// Agree that it be erased.
///
/// Only a person, and not the one who asked: 403 `person_required`, `four_eyes`.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/deletion-requests/{id}/approve", tag = "Deletion", responses(
    (status = 200, description = "Approved.", body = DeletionBody),
    (status = 409, description = "It is not pending (`wrong_state`).")))]
async fn approve_deletion(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfDeletion>,
) -> Result<axum::Json<DeletionBody>, Problem> {
    Ok(axum::Json(acts::deletion::approve(&app, &scope, of.id).await?.into()))
}

/// Refuse to erase.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/deletion-requests/{id}/reject", tag = "Deletion", responses(
    (status = 200, description = "Rejected.", body = DeletionBody),
    (status = 409, description = "It is not pending (`wrong_state`).")))]
async fn reject_deletion(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfDeletion>,
) -> Result<axum::Json<DeletionBody>, Problem> {
    Ok(axum::Json(acts::deletion::reject(&app, &scope, of.id).await?.into()))
}

/// Erase what was approved, for good.
///
/// Memories, versions, tags, anchors and kept answers are gone when this returns; keyed hashes stay, so that the
/// same text is refused from now on.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/deletion-requests/{id}/execute", tag = "Deletion", responses(
    (status = 200, description = "Erased.", body = DeletionBody),
    (status = 409, description = "It is not approved (`wrong_state`).")))]
async fn execute_deletion(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfDeletion>,
) -> Result<axum::Json<DeletionBody>, Problem> {
    Ok(axum::Json(acts::deletion::execute(&app, &scope, of.id).await?.into()))
}
