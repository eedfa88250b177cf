//! The door for agents and programs: bodies and handlers side by side. The route table is the OpenAPI document.

mod access;
mod answers;
mod code;
mod conflicts;
mod context;
mod deletion;
pub mod document;
mod dreams;
mod events;
mod exchange;
mod memories;
mod operations;
mod policies;
mod proposals;
mod recall;
mod rollbacks;
pub mod sent;
mod sessions;
mod stores;
mod tasks;
mod trail;

use crate::App;
use axum::Router;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;

pub use answers::SecretShown;
pub use operations::start_recording;

fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(document::frame())
        .merge(access::routes())
        .merge(memories::routes())
        .merge(recall::routes())
        .merge(context::routes())
        .merge(sessions::routes())
        .merge(tasks::routes())
        .merge(proposals::routes())
        .merge(policies::routes())
        .merge(conflicts::routes())
        .merge(rollbacks::routes())
        .merge(code::routes())
        .merge(deletion::routes())
        .merge(exchange::routes())
        .merge(dreams::routes())
        .merge(trail::routes())
        .merge(stores::routes())
        .merge(crate::anthropic::routes())
        .merge(events::routes())
        .merge(operations::routes())
}

/// The API document, complete: every route, field, error and who may call it.
pub fn openapi() -> utoipa::openapi::OpenApi {
    document::complete(routes().split_for_parts().1)
}

pub fn router() -> Router<App> {
    let (router, document) = routes().split_for_parts();
    let document: Arc<str> = document::complete(document).to_json().unwrap_or_default().into();
    router.merge(operations::document_route(document))
}
