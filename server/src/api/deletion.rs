//! Stub.
use crate::App;
use utoipa_axum::router::OpenApiRouter;
pub fn routes() -> OpenApiRouter<App> { OpenApiRouter::new() }
