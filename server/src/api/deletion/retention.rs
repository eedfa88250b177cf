//! Retention over REST: what the rules would erase now.

use super::super::document::{Access, needs};
use crate::{
    App, acts,
    model::{Power, deletion::Rule},
    problem::Problem,
    store::{Auditing, Scope},
};
use axum::extract::State as Of;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(needs(Access::Workspace(Power::Auditing), routes!(get_retention)))
}

/// What retention would erase at its next run.
#[derive(Serialize, ToSchema)]
struct RetentionBody {
    /// One for each kind of memory that has a rule.
    rules: Vec<DueBody>,
}

/// A rule, and what it comes to.
#[derive(Serialize, ToSchema)]
struct DueBody {
    /// The rule.
    rule: Rule,
    /// Memories that would be erased now, the oldest first, at most 1,000.
    due: Vec<Uuid>,
    /// Memories that would be, if no legal hold kept them.
    held: Vec<Uuid>,
}

/// See what retention would erase now: a dry run.
///
/// The rules are set by admins: `retention_days` in the settings, or for a kind in the policies. Once an hour what has been
/// archived for longer is erased, with a certificate for each run of a rule.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/retention", tag = "Deletion", responses((status = 200, description = "What is due.", body = RetentionBody)))]
async fn get_retention(Of(app): Of<App>, scope: Scope<Auditing>) -> Result<axum::Json<RetentionBody>, Problem> {
    let due = acts::deletion::retention(&app, &scope).await?;
    let rules = due.into_iter().map(|one| DueBody { rule: one.rule, due: one.due, held: one.held }).collect();
    Ok(axum::Json(RetentionBody { rules }))
}
