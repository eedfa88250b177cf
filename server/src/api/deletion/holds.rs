//! Legal holds over REST: placed, listed and released by auditors and admins.

use super::{
    super::{
        answers::List,
        document::{Access, needs},
        sent::{Json, Params, Query},
    },
    bodies::{HoldBody, NewHoldBody},
};
use crate::{
    App, acts,
    model::{HoldId, Power, page::Limit},
    problem::Problem,
    store::{Auditing, Scope},
};
use axum::{extract::State as Of, http::StatusCode};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(super) fn routes() -> OpenApiRouter<App> {
    let auditing = Access::Workspace(Power::Auditing);
    OpenApiRouter::new()
        .routes(needs(auditing, routes!(place_hold)))
        .routes(needs(auditing, routes!(list_holds)))
        .routes(needs(auditing, routes!(get_hold)))
        .routes(needs(auditing, routes!(release_hold)))
}

/// Keep something from being erased.
///
/// While a hold stands nothing that it keeps is erased, whether or not that was approved before: such requests are `blocked`.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/holds", tag = "Deletion", request_body = NewHoldBody, responses((status = 201, description = "Placed.", body = HoldBody)))]
async fn place_hold(
    Of(app): Of<App>,
    scope: Scope<Auditing>,
    Json(sent): Json<NewHoldBody>,
) -> Result<(StatusCode, axum::Json<HoldBody>), Problem> {
    let (asked, reason) = sent.read()?;
    let hold = acts::deletion::hold(&app, &scope, asked, reason).await?;
    Ok((StatusCode::CREATED, axum::Json(hold.into())))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListHolds {
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List the holds that stand, newest first.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/holds", tag = "Deletion", params(ListHolds), responses((status = 200, description = "A page of them.", body = List<HoldBody>)))]
async fn list_holds(
    Of(app): Of<App>,
    scope: Scope<Auditing>,
    Query(asked): Query<ListHolds>,
) -> Result<axum::Json<List<HoldBody>>, Problem> {
    let page = acts::deletion::list_holds(&app, &scope, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.into()))
}

#[derive(Deserialize)]
struct OfHold {
    id: HoldId,
}

/// Read a hold.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/holds/{id}", tag = "Deletion", responses((status = 200, description = "The hold.", body = HoldBody)))]
async fn get_hold(Of(app): Of<App>, scope: Scope<Auditing>, Params(of): Params<OfHold>) -> Result<axum::Json<HoldBody>, Problem> {
    Ok(axum::Json(acts::deletion::find_hold(&app, &scope, of.id).await?.into()))
}

/// Release a hold.
///
/// What it stopped is again what it was, and may be executed. Its reason is gone; that it stood is in the trail.
#[utoipa::path(delete, path = "/v1/workspaces/{ws}/holds/{id}", tag = "Deletion", responses((status = 204, description = "Released.")))]
async fn release_hold(Of(app): Of<App>, scope: Scope<Auditing>, Params(of): Params<OfHold>) -> Result<StatusCode, Problem> {
    acts::deletion::release(&app, &scope, of.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
