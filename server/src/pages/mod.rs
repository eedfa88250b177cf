//! Pages.
use crate::{App, problem::Told};
use axum::{Router, http::{HeaderMap, response::Parts}, response::Response, body::Body};
pub fn router() -> Router<App> { Router::new() }
pub fn told(_app: &App, parts: Parts, told: &Told, _headers: &HeaderMap) -> Response {
    Response::from_parts(parts, Body::from(told.title.clone()))
}
