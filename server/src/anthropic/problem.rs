//! Problems as that API tells them, whatever went wrong and wherever.

use crate::problem::Told;
use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, StatusCode, header, response::Parts},
    response::Response,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::{
    ToSchema,
    openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder, path::Operation},
};

pub const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Whether what is asked here is answered in that API's words.
pub fn speaks_at(path: &str) -> bool {
    path.strip_prefix("/v1/memory_stores").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What went wrong, as that API tells it.
#[derive(Serialize, ToSchema)]
#[schema(as = MemoryStoreError)]
pub struct ErrorBody {
    /// Always `error`.
    #[serde(rename = "type")]
    #[schema(example = "error")]
    kind: &'static str,
    /// What it is.
    error: Said,
    /// The id to look for in the server's log.
    request_id: String,
}

/// One error.
#[derive(Serialize, ToSchema)]
#[schema(as = MemoryStoreErrorSaid)]
pub struct Said {
    /// What sort of error, in that API's words.
    #[serde(rename = "type")]
    #[schema(example = "not_found_error")]
    kind: &'static str,
    /// What happened and what to do next; for people.
    message: String,
    /// The same in our own words, as `docs/problems.md` explains them.
    #[schema(example = "not_found")]
    code: String,
    /// Further members, by code: whose path it is, which item.
    #[serde(flatten)]
    #[schema(ignore)]
    more: Map<String, Value>,
}

pub fn told(mut parts: Parts, told: &Told) -> Response {
    parts.status = match parts.status {
        // What can be read and is wrong has no status of its own there.
        StatusCode::UNPROCESSABLE_ENTITY | StatusCode::UNSUPPORTED_MEDIA_TYPE => StatusCode::BAD_REQUEST,
        StatusCode::PRECONDITION_FAILED => StatusCode::CONFLICT,
        status => status,
    };
    let said = Said { kind: kind(&told.code, parts.status), message: told.detail.clone(), code: told.code.clone(), more: more(told) };
    let body = ErrorBody { kind: "error", error: said, request_id: told.request_id.clone() };
    // Those clients try a conflict again by themselves, and would only hear the same.
    let again = told.code == "lost_race" || parts.status == StatusCode::TOO_MANY_REQUESTS || parts.status.is_server_error();
    parts.headers.insert(SHOULD_RETRY, HeaderValue::from_static(if again { "true" } else { "false" }));
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Body::from(serde_json::to_vec(&body).unwrap_or_default()))
}

fn kind(code: &str, status: StatusCode) -> &'static str {
    match (code, status) {
        ("path_conflict", _) => "memory_path_conflict_error",
        ("memory_precondition_failed", _) => "memory_precondition_failed_error",
        (_, StatusCode::UNAUTHORIZED) => "authentication_error",
        (_, StatusCode::FORBIDDEN) => "permission_error",
        (_, StatusCode::NOT_FOUND) => "not_found_error",
        (_, StatusCode::TOO_MANY_REQUESTS) => "rate_limit_error",
        (_, status) if status.is_server_error() => "api_error",
        _ => "invalid_request_error",
    }
}

fn more(told: &Told) -> Map<String, Value> {
    let mut more = told.more.clone();
    if let Some(id) = more.get("conflicting_memory_id").and_then(Value::as_str) {
        let id = json!(format!("mem_{id}"));
        more.insert("conflicting_memory_id".to_owned(), id);
    }
    if !told.errors.is_empty() {
        more.insert("errors".to_owned(), json!(told.errors));
    }
    more
}

/// The errors of an operation, for the API document.
pub fn describe_errors(operation: &mut Operation) {
    for (status, text) in [
        ("400", "Cannot be read, or is wrong: `invalid_request_error`."),
        ("401", "No key, or none that holds: `authentication_error`."),
        ("403", "Not your right, or a person's sign-in: `permission_error`."),
        ("404", "Not there, or not in your workspace: `not_found_error`."),
        (
            "409",
            "Conflicts with what is there: `memory_path_conflict_error`, `memory_precondition_failed_error`, or a rule of ours that `code` names.",
        ),
        ("413", "Larger than 10 MiB: `invalid_request_error`."),
        ("429", "Too many requests; `Retry-After` says when to come back: `rate_limit_error`."),
        ("503", "Postgres is away; `Retry-After` says when to come back: `api_error`."),
    ] {
        operation.responses.responses.entry(status.to_owned()).or_insert_with(|| {
            let schema = ContentBuilder::new().schema(Some(RefOr::Ref(Ref::from_schema_name("MemoryStoreError")))).build();
            RefOr::T(ResponseBuilder::new().description(text).content("application/json", schema).build())
        });
    }
}
