//! What handlers answer: lists, created things with their `ETag`, and secrets that are shown once.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

/// A page of a list.
#[derive(Serialize, ToSchema)]
pub struct List<T> {
    /// The items of this page.
    pub data: Vec<T>,
    /// Where the next page begins, to be sent as `cursor`; null on the last one.
    #[schema(example = json!(null))]
    pub next_cursor: Option<String>,
}

impl<T, U: Into<T>> From<crate::model::page::Page<U>> for List<T> {
    fn from(page: crate::model::page::Page<U>) -> Self {
        Self { data: page.data.into_iter().map(Into::into).collect(), next_cursor: page.next_cursor }
    }
}

/// A body with the version that `If-Match` takes.
pub struct Versioned<T>(pub StatusCode, pub i32, pub T);

impl<T: Serialize> IntoResponse for Versioned<T> {
    fn into_response(self) -> Response {
        let mut response = (self.0, Json(self.2)).into_response();
        if let Ok(tag) = HeaderValue::try_from(format!("\"{}\"", self.1)) {
            response.headers_mut().insert(header::ETAG, tag);
        }
        response
    }
}

/// Marks an answer that shows a secret: it is never kept, not even for a repeat of the same request.
#[derive(Clone, Copy)]
pub struct SecretShown;

pub struct Secret<T>(pub StatusCode, pub T);

impl<T: Serialize> IntoResponse for Secret<T> {
    fn into_response(self) -> Response {
        let mut response = (self.0, Json(self.1)).into_response();
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response.extensions_mut().insert(SecretShown);
        response
    }
}
