//! The door for models: the same acts as tools, resources and prompts of the Model Context Protocol, at `/mcp`. It keeps no
//! session; the key decides the workspace, and no argument can name another.

mod asker;
mod bodies;
mod desk;
mod prompts;
mod resources;
mod schema;
mod texts;
mod tools;

use crate::{
    App,
    auth::{AgentCaller, scopes::in_session_named},
    problem::Problem,
    stack::BODY_LIMIT,
};
use axum::{
    Json, Router,
    body::{Body, Bytes, to_bytes},
    extract::{FromRequestParts, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
    routing::any,
};
use desk::Desk;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager};
use serde_json::{Value, json};
use std::sync::Arc;

type Service = StreamableHttpService<Desk, NeverSessionManager>;

pub fn router(app: &App) -> Router<App> {
    let desk = Desk::new(app.clone());
    // Origins are checked here, before anybody is asked for a key. A host needs no check of its own: what a page behind a
    // rebound name sends has that name for its origin, and no key.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(BODY_LIMIT)
        .disable_allowed_hosts();
    let service = Arc::new(Service::new(move || Ok(desk.clone()), Arc::new(NeverSessionManager::default()), config));
    Router::new().route("/mcp", any(move |app, request| serve(service, app, request)))
}

async fn serve(service: Arc<Service>, State(app): State<App>, request: Request) -> Result<Response, Problem> {
    if is_foreign(&app, request.headers()) {
        return Err(Problem::Forbidden(
            "foreign_origin",
            "This request was made by a web page of another site; those are not let in.".into(),
        ));
    }
    if request.method() != Method::POST {
        return Ok(([(header::ALLOW, "POST")], Problem::MethodNotAllowed).into_response());
    }
    let (mut parts, body) = request.into_parts();
    let AgentCaller(scope) = AgentCaller::from_request_parts(&mut parts, &app).await?;
    let scope = in_session_named(&app, scope, &parts).await?;
    if !is_json(&parts.headers) {
        return Err(Problem::UnsupportedMedia("Send JSON-RPC, with `Content-Type: application/json`.".into()));
    }
    let sent = to_bytes(body, BODY_LIMIT).await.map_err(|_| Problem::TooLarge("A body may have 10 MiB.".into()))?;
    // Every answer is JSON, whatever the caller would take besides.
    parts.headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    parts.extensions.insert(scope);
    parts.extensions.insert(tracing::Span::current());
    let answer = service.handle(Request::from_parts(parts, Body::from(sent.clone()))).await;
    // What the library cannot read it calls an unsupported media type, and that was settled above.
    if answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return Ok(unreadable(&sent));
    }
    let mut answer = answer.map(Body::new);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(answer)
}

/// Browsers say which page made them ask. Only our own may.
fn is_foreign(app: &App, headers: &HeaderMap) -> bool {
    let public = app.config().public_url();
    let ours = public.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    headers.get(header::ORIGIN).is_some_and(|origin| origin.as_bytes() != ours.as_bytes())
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// Neither a request nor a notification: said as the protocol says it.
fn unreadable(sent: &Bytes) -> Response {
    let (code, message, id) = match serde_json::from_slice::<Value>(sent) {
        Err(error) => (-32700, format!("The body is not JSON: {error}"), Value::Null),
        Ok(Value::Array(_)) => {
            (-32600, "Batches are not part of the protocol any more: send one message at a time.".to_owned(), Value::Null)
        }
        Ok(value) => {
            let id = value.get("id").filter(|id| id.is_string() || id.is_i64()).cloned().unwrap_or_default();
            let message = "This is no JSON-RPC request of the Model Context Protocol: it needs `jsonrpc`, `id`, `method` and the `params` of that method.";
            (-32600, message.to_owned(), id)
        }
    };
    (StatusCode::BAD_REQUEST, Json(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))).into_response()
}
