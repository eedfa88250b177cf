//! Deletion requests and legal holds over REST.

mod bodies;
mod holds;
mod retention;

use super::{
    answers::List,
    document::{Access, needs},
    sent::{Json, Params, Query},
};
use crate::{
    App, acts,
    model::{DeletionId, Power, deletion::DeletionState, page::Limit},
    problem::Problem,
    store::{Reading, Reviewing, Scope, Writing},
};
use axum::{extract::State as Of, http::StatusCode};
use bodies::{CertificateBody, DeletionBody, NewDeletionBody, TouchedBody};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    let (reading, writing, reviewing) =
        (Access::Workspace(Power::Reading), Access::Workspace(Power::Writing), Access::Workspace(Power::Reviewing));
    OpenApiRouter::new()
        .routes(needs(writing, routes!(ask_deletion)))
        .routes(needs(reading, routes!(list_deletions)))
        .routes(needs(reading, routes!(get_deletion)))
        .routes(needs(reading, routes!(list_deletion_items)))
        .routes(needs(reviewing, routes!(approve_deletion)))
        .routes(needs(reviewing, routes!(reject_deletion)))
        .routes(needs(reviewing, routes!(execute_deletion)))
        .routes(needs(reading, routes!(get_certificate)))
        .merge(holds::routes())
        .merge(retention::routes())
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
    let (asked, reason) = sent.read()?;
    let request = acts::deletion::ask(&app, &scope, asked, reason).await?;
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
    let (request, preview) = acts::deletion::find(&app, &scope, of.id).await?;
    Ok(axum::Json(DeletionBody::with(request, preview)))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListDeletionItems {
    /// `true`, as usual: what goes. `false`: independent copies that stay.
    taken: Option<bool>,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List everything that a deletion request touches.
///
/// Memories first, then sessions, then the rest by sort; with title and place as far as it is still there and you may see it.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/deletion-requests/{id}/items", tag = "Deletion", params(ListDeletionItems), responses((status = 200, description = "A page of its list.", body = List<TouchedBody>)))]
async fn list_deletion_items(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfDeletion>,
    Query(asked): Query<ListDeletionItems>,
) -> Result<axum::Json<List<TouchedBody>>, Problem> {
    let (taken, limit) = (asked.taken.unwrap_or(true), Limit::parse(asked.limit)?);
    let page = acts::deletion::items(&app, &scope, of.id, taken, limit, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.into()))
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
/// Memories, versions, logs, questions and kept answers are gone when this returns; keyed hashes stay, so that the
/// same text is refused from now on.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/deletion-requests/{id}/execute", tag = "Deletion", responses(
    (status = 200, description = "Erased.", body = DeletionBody),
    (status = 409, description = "It is not approved (`wrong_state`), or a legal hold keeps some of it (`held`).")))]
async fn execute_deletion(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfDeletion>,
) -> Result<axum::Json<DeletionBody>, Problem> {
    let done = acts::deletion::execute(&app, &scope, of.id).await?;
    Ok(axum::Json(DeletionBody::and_since(done.request, done.matched_since)))
}

/// The certificate of an executed request.
///
/// Signed when it was executed, as a C2SP signed note: it verifies with the keys of `/.well-known/cairn-trail-keys.json` alone.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/deletion-requests/{id}/certificate", tag = "Deletion", responses(
    (status = 200, description = "The certificate.", body = CertificateBody),
    (status = 409, description = "It is not executed (`wrong_state`).")))]
async fn get_certificate(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfDeletion>,
) -> Result<axum::Json<CertificateBody>, Problem> {
    Ok(axum::Json(acts::deletion::certificate(&app, &scope, of.id).await?.into()))
}
