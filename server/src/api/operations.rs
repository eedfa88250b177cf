//! Is it alive, is it ready, what is it doing, and how is it called.

use super::document::{Access, needs};
use crate::{App, notary::KnownKey, problem::Problem};
use axum::{
    Router,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use time::OffsetDateTime;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(needs(Access::Anyone, routes!(healthz)))
        .routes(needs(Access::Anyone, routes!(readyz)))
        .routes(needs(Access::Anyone, routes!(metrics)))
        .routes(needs(Access::Anyone, routes!(jwks)))
        .routes(needs(Access::Anyone, routes!(list_trail_keys)))
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

/// A key that signs or signed checkpoints and certificates.
#[derive(Serialize, ToSchema)]
struct TrailKeyBody {
    /// The verification key, as C2SP signed notes write it.
    #[schema(example = "cairn.example.org/trail+0a1b2c3d+AXd1…")]
    vkey: String,
    /// Since when it signs.
    #[serde(with = "time::serde::rfc3339")]
    made_at: OffsetDateTime,
    /// Since when it no longer does; what it signed before stays valid.
    #[serde(with = "time::serde::rfc3339::option")]
    retired_at: Option<OffsetDateTime>,
}

impl From<KnownKey> for TrailKeyBody {
    fn from(key: KnownKey) -> Self {
        Self { vkey: key.vkey, made_at: key.made_at, retired_at: key.retired_at }
    }
}

/// Every public key that ever signed the trail, newest first.
#[derive(Serialize, ToSchema)]
struct TrailKeysBody {
    /// Newest first.
    keys: Vec<TrailKeyBody>,
}

/// The public keys that the trail's checkpoints and certificates of deletion are signed with.
#[utoipa::path(get, path = "/.well-known/cairn-trail-keys.json", tag = "Trail", responses((status = 200, description = "Newest first, retired ones included.", body = TrailKeysBody)))]
async fn list_trail_keys(State(app): State<App>) -> Result<axum::Json<TrailKeysBody>, Problem> {
    Ok(axum::Json(TrailKeysBody { keys: app.notary().keys()?.into_iter().map(Into::into).collect() }))
}
