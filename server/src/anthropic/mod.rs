//! The door for what was written for Anthropic's interfaces: the memory tool, and the Memory Stores API. The same acts and the
//! same memories as through every other door, in the words that those clients know.

mod ids;
mod keyed;
mod memories;
mod problem;
mod query;
mod stores;
mod tool;
mod versions;

pub use problem::{REQUEST_ID, describe_errors, speaks_at, told};

use crate::{
    App,
    api::document::{Access, needs},
    model::Power,
};
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Beta headers are taken and not asked for: nobody here reads them.
pub fn routes() -> OpenApiRouter<App> {
    let (reading, writing, reviewing) = (Access::Agent(Power::Reading), Access::Agent(Power::Writing), Access::Agent(Power::Reviewing));
    OpenApiRouter::with_openapi(Errors::openapi())
        .routes(needs(Access::Workspace(Power::Reading), routes!(tool::use_memory_tool)))
        .routes(needs(writing, routes!(stores::create_memory_store)))
        .routes(needs(reading, routes!(stores::list_memory_stores)))
        .routes(needs(reading, routes!(stores::get_memory_store)))
        .routes(needs(writing, routes!(stores::update_memory_store)))
        .routes(needs(writing, routes!(stores::patch_memory_store)))
        .routes(needs(writing, routes!(stores::archive_memory_store)))
        .routes(needs(writing, routes!(stores::delete_memory_store)))
        .routes(needs(writing, routes!(memories::create_stored_memory)))
        .routes(needs(reading, routes!(memories::list_stored_memories)))
        .routes(needs(reading, routes!(memories::get_stored_memory)))
        .routes(needs(writing, routes!(memories::update_stored_memory)))
        .routes(needs(writing, routes!(memories::patch_stored_memory)))
        .routes(needs(writing, routes!(memories::delete_stored_memory)))
        .routes(needs(reading, routes!(versions::list_stored_versions)))
        .routes(needs(reading, routes!(versions::get_stored_version)))
        .routes(needs(reviewing, routes!(versions::redact_stored_version)))
}

/// Named by the errors of every operation, and by none as its answer.
#[derive(OpenApi)]
#[openapi(components(schemas(problem::ErrorBody, problem::Said)))]
struct Errors;
