//! What is served to anyone: the API document in a viewer of ours, what problems mean, and the files that pages load.

use super::{theme, with_header};
use crate::problem::Problem;
use axum::{
    extract::Path,
    http::{HeaderMap, header},
    response::{Html, Response},
};
use cairn_web::{Docs, Guide, assets};

pub async fn show(headers: HeaderMap) -> Response {
    let page = Docs::new(theme::read(&headers));
    with_header(Html(page.html()), header::CONTENT_SECURITY_POLICY, Docs::CONTENT_SECURITY_POLICY)
}

/// Where the `type` of every problem points to.
pub async fn problems(headers: HeaderMap) -> Html<String> {
    Html(Guide::problems(theme::read(&headers)).html())
}

pub async fn asset(Path(file): Path<String>) -> Result<Response, Problem> {
    let asset = assets::find(&file).ok_or(Problem::NotFound)?;
    let response = with_header(asset.bytes, header::CACHE_CONTROL, assets::CACHE_CONTROL);
    Ok(with_header(response, header::CONTENT_TYPE, asset.content_type))
}
