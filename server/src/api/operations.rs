//! Is it alive, is it ready, what is it doing, and how is it called.

use super::document::{Access, needs};
use crate::{App, problem::Problem};
use axum::{
    Router,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(needs(Access::Anyone, routes!(healthz)))
        .routes(needs(Access::Anyone, routes!(readyz)))
        .routes(needs(Access::Anyone, routes!(metrics)))
        .routes(needs(Access::Anyone, routes!(jwks)))
}

/// The document itself is not in the document.
pub fn document_route(document: Arc<str>) -> Router<App> {
    Router::new().route("/openapi.json", get(async move || ([(header::CONTENT_TYPE, "application/json")], document.to_string())))
}

/// One recorder per process, made on first use.
static RECORDER: LazyLock<Option<PrometheusHandle>> = LazyLock::new(|| {
    let buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
    PrometheusBuilder::new().set_buckets(&buckets).ok()?.install_recorder().ok()
});

pub fn start_recording() {
    LazyLock::force(&RECORDER);
}

/// The process runs.
#[utoipa::path(get, path = "/healthz", tag = "Operations", responses((status = 200, description = "Alive.", body = Object, example = json!({"status": "ok"}))))]
async fn healthz() -> axum::Json<Value> {
    axum::Json(json!({"status": "ok"}))
}

/// Postgres is reachable and migrated.
#[utoipa::path(get, path = "/readyz", tag = "Operations", responses((status = 200, description = "Ready.", body = Object, example = json!({"status": "ready"}))))]
async fn readyz(State(app): State<App>) -> Result<axum::Json<Value>, Problem> {
    app.db().ready().await?;
    Ok(axum::Json(json!({"status": "ready"})))
}

/// Figures for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "Operations", responses((status = 200, description = "Requests by route and status, latencies, pool, Postgres errors.", body = String, content_type = "text/plain")))]
async fn metrics(State(app): State<App>) -> Response {
    app.db().gauge();
    let text = RECORDER.as_ref().map(PrometheusHandle::render).unwrap_or_default();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

/// The public keys that tokens are signed with.
#[utoipa::path(get, path = "/.well-known/jwks.json", tag = "Access", responses((status = 200, description = "RFC 7517.", body = Object)))]
async fn jwks(State(app): State<App>) -> axum::Json<Value> {
    axum::Json(app.tokens().jwks())
}
