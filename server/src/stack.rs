//! The tower stack around every route: request ids, logs, metrics, limits, idempotency, and problems told as JSON
//! or as a page.

mod heard_out;

use crate::{
    App, acts, anthropic, api,
    auth::scopes::Refusable,
    mcp,
    model::clock,
    pages,
    problem::{Problem, Told},
    store::{Answer, Once, Request},
};
use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{DefaultBodyLimit, MatchedPath, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header, uri::PathAndQuery},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tower::ServiceBuilder;
use tower_http::{catch_panic::CatchPanicLayer, limit::RequestBodyLimitLayer, timeout::TimeoutLayer};
use tracing::Instrument;

pub const BODY_LIMIT: usize = 10 * 1024 * 1024;
static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What one server takes on.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How long a request may take.
    pub timeout: Duration,
    /// How many may be under way.
    pub at_once: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(30), at_once: 1024 }
    }
}

pub fn router(app: App) -> Router {
    let api = api::router().layer(middleware::from_fn_with_state(app.clone(), once));
    let routes = Router::new().merge(api).merge(mcp::router(&app)).merge(pages::router());
    surrounded(app, routes, Bounds::default())
}

/// Routes within the stack.
pub fn surrounded(app: App, routes: Router<App>, bounds: Bounds) -> Router {
    routes
        .fallback(async || Problem::NotFound)
        .method_not_allowed_fallback(async || Problem::MethodNotAllowed)
        .layer(
            ServiceBuilder::new()
                .layer(middleware::from_fn_with_state(app.clone(), around))
                .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| Problem::internal("a handler panicked").into_response()))
                .layer(middleware::from_fn_with_state(Arc::new(tokio::sync::Semaphore::new(bounds.at_once)), at_once))
                .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, bounds.timeout))
                .layer(middleware::from_fn(heard_out::heard_out))
                .layer(RequestBodyLimitLayer::new(BODY_LIMIT))
                .layer(DefaultBodyLimit::disable()),
        )
        .with_state(app)
}

/// More at once than this, and the newest are told to come back rather than everybody being slow.
async fn at_once(State(room): State<Arc<tokio::sync::Semaphore>>, request: axum::extract::Request, next: Next) -> Response {
    match room.try_acquire() {
        Ok(_place) => next.run(request).await,
        Err(_) => Problem::Unavailable("The server is busy; try again in a moment.".into()).into_response(),
    }
}

/// The outermost layer: names the request, watches it, and tells problems in the caller's language.
async fn around(State(app): State<App>, mut request: axum::extract::Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(request.headers());
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let route = request.extensions().get::<MatchedPath>().map_or_else(|| "unmatched".to_owned(), |matched| matched.as_str().to_owned());
    let refusable = Refusable::default();
    request.extensions_mut().insert(Request { id: id.clone(), once: None, run: None });
    request.extensions_mut().insert(refusable.clone());
    let headers = request.headers().clone();

    let span = tracing::info_span!("request", id = %id, %method, route);
    async move {
        let mut response = next.run(request).await;
        let status = response.status();
        if status == StatusCode::FORBIDDEN
            && let Some(who) = refusable.who()
            && let Err(problem) = acts::trail::refused(&app, who, method.as_str(), &route).await
        {
            tracing::error!(?problem, "a refusal could not be written to the trail");
        }
        if status.is_client_error() || status.is_server_error() {
            response = told(&app, response, &path, &headers, &id);
        }
        if let Ok(id) = HeaderValue::try_from(&*id) {
            if anthropic::speaks_at(&path) {
                response.headers_mut().insert(anthropic::REQUEST_ID, id.clone());
            }
            response.headers_mut().insert(REQUEST_ID.clone(), id);
        }
        response.headers_mut().entry(header::X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));
        let took = started.elapsed();
        let labels = [("method", method.to_string()), ("route", route.clone()), ("status", status.as_u16().to_string())];
        metrics::counter!("cairn_requests_total", &labels).increment(1);
        metrics::histogram!("cairn_request_seconds", &labels[..2]).record(took);
        match status {
            _ if status.is_server_error() => tracing::warn!(status = status.as_u16(), took_ms = took.as_secs_f64() * 1000.0, "answered"),
            _ => tracing::debug!(status = status.as_u16(), took_ms = took.as_secs_f64() * 1000.0, "answered"),
        }
        response
    }
    .instrument(span)
    .await
}

/// The caller's id, if it can stand in a log, or a new one.
fn request_id(headers: &HeaderMap) -> Arc<str> {
    let sent = headers.get(&REQUEST_ID).and_then(|value| value.to_str().ok());
    let fits = |id: &&str| (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    sent.filter(fits).map_or_else(|| clock::new_id().to_string().into(), Into::into)
}

fn told(app: &App, response: Response, path: &str, headers: &HeaderMap, id: &str) -> Response {
    let (mut parts, body) = response.into_parts();
    let mut told = match parts.extensions.remove::<Told>() {
        Some(told) => told,
        // An answer of its own making, such as a page or an answer that was kept.
        None if parts.headers.contains_key(header::CONTENT_TYPE) && !of_the_framework(&parts.headers) => {
            return Response::from_parts(parts, body);
        }
        None => {
            let problem = of_status(parts.status);
            let told = problem.told();
            // With its headers, such as when to come back.
            parts.headers.extend(problem.into_response().into_parts().0.headers);
            told
        }
    };
    id.clone_into(&mut told.request_id);
    parts.headers.remove(header::CONTENT_LENGTH);
    if anthropic::speaks_at(path) {
        return anthropic::told(parts, &told);
    }
    if is_page(path) {
        parts.headers.remove(header::WWW_AUTHENTICATE);
        return pages::told(app, parts, &told, headers);
    }
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    Response::from_parts(parts, Body::from(serde_json::to_vec(&told).unwrap_or_default()))
}

fn of_the_framework(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain"))
}

fn of_status(status: StatusCode) -> Problem {
    match status {
        StatusCode::NOT_FOUND => Problem::NotFound,
        StatusCode::METHOD_NOT_ALLOWED => Problem::MethodNotAllowed,
        StatusCode::PAYLOAD_TOO_LARGE => Problem::TooLarge("A body may have 10 MiB.".into()),
        StatusCode::SERVICE_UNAVAILABLE => Problem::Timeout,
        _ if status.is_server_error() => Problem::internal(format!("an answer of {status} without a reason")),
        _ => Problem::Malformed("The request cannot be read.".into()),
    }
}

/// Everything that is not for programs is for people.
fn is_page(path: &str) -> bool {
    let for_programs = ["/v1", "/mcp", "/.well-known", "/healthz", "/readyz", "/metrics", "/openapi.json"];
    !for_programs.iter().any(|start| path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// `Idempotency-Key`: the claim goes with the request, and the answer is committed with its effect.
async fn once(State(app): State<App>, mut request: axum::extract::Request, next: Next) -> Response {
    let writes = matches!(*request.method(), Method::POST | Method::PUT | Method::PATCH | Method::DELETE);
    let Some(key) = request.headers().get("idempotency-key").filter(|_| writes).cloned() else {
        return next.run(request).await;
    };
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_LIMIT).await else {
        return Problem::TooLarge("A body may have 10 MiB.".into()).into_response();
    };
    let once = match Once::new(key.to_str().unwrap_or_default(), fingerprint(&app, &parts.method, &parts.uri, &body)) {
        Ok(once) => Arc::new(once),
        Err(problem) => return problem.into_response(),
    };
    request = axum::extract::Request::from_parts(parts, Body::from(body));
    if let Some(named) = request.extensions_mut().get_mut::<Request>() {
        named.once = Some(once.clone());
    }
    let response = next.run(request).await;
    if !response.status().is_success() {
        return response;
    }
    keep(&once, response).await.unwrap_or_else(IntoResponse::into_response)
}

async fn keep(once: &Once, response: Response) -> Result<Response, Problem> {
    let secret = response.extensions().get::<api::SecretShown>().is_some();
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.map_err(Problem::internal)?;
    let headers = [header::CONTENT_TYPE, header::ETAG, header::LOCATION]
        .into_iter()
        .filter_map(|name| Some((name.to_string(), parts.headers.get(&name)?.to_str().ok()?.to_owned())))
        .collect();
    once.settle(&Answer { status: parts.status.as_u16(), headers, body: body.to_vec() }, secret).await?;
    Ok(Response::from_parts(parts, Body::from(body)))
}

/// Keyed: it stays when what was sent is erased, and must not let anyone guess it back.
fn fingerprint(app: &App, method: &Method, uri: &Uri, body: &Bytes) -> [u8; 32] {
    let asked = uri.path_and_query().map_or(uri.path(), PathAndQuery::as_str);
    app.keyring().sign("once", &[method.as_str().as_bytes(), asked.as_bytes(), body].join(&0))
}
