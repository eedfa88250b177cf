//! How each tool is connected to this very workspace.

use super::super::viewer::Viewer;
use crate::{model::Power, store::Reading};
use axum::response::Response;
use cairn_web::team::Connect;

pub async fn index(viewer: Viewer<Reading>) -> Response {
    let view = Connect { origin: viewer.app.config().public_url(), governs: viewer.may(Power::Governing), chrome: viewer.chrome(None) };
    viewer.sees(view.html())
}
