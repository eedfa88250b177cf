//! A problem as people meet it: what happened, and ways out.

use super::{dress, theme, viewer::is_local};
use crate::{App, auth::cookies, problem::Told};
use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header, response::Parts},
    response::{IntoResponse, Redirect, Response},
};
use cairn_web::{Problem, WayOut};

/// The page for a problem, with its status and headers kept. Who is not signed in is sent there.
pub fn told(app: &App, mut parts: Parts, told: &Told, headers: &HeaderMap) -> Response {
    if parts.status == StatusCode::UNAUTHORIZED {
        let mut response = Redirect::to("/sign-in").into_response();
        dress(&mut response);
        return response;
    }
    let page = Problem {
        theme: theme::read(headers),
        status: told.status,
        title: title(told).to_owned(),
        detail: told.detail.clone(),
        request_id: told.request_id.clone(),
        ways_out: ways_out(app, headers),
    };
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    let mut response = Response::from_parts(parts, Body::from(page.html()));
    dress(&mut response);
    response
}

fn title(told: &Told) -> &str {
    match told.code.as_str() {
        "form_expired" => "This form has expired",
        "foreign_form" => "Sent from another site",
        "four_eyes" => "Four eyes",
        _ => &told.title,
    }
}

fn ways_out(app: &App, headers: &HeaderMap) -> Vec<WayOut> {
    let mut ways = Vec::new();
    if let Some(page) = came_from(app, headers) {
        ways.push(WayOut::new(page, "Go back"));
    }
    if cookies::read(app.keyring(), headers).is_some() {
        ways.push(WayOut::new("/workspaces", "Your workspaces"));
    } else {
        ways.push(WayOut::new("/sign-in", "Sign in"));
    }
    ways
}

/// The page of ours on which the link or form was, if the browser says so.
fn came_from(app: &App, headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let (_, rest) = text(header::REFERER)?.split_once("://")?;
    let (host, path) = rest.split_at(rest.find('/')?);
    let public = app.config().public_url();
    let ours = text(header::HOST) == Some(host) || public.split_once("://").is_some_and(|(_, named)| named == host);
    (ours && is_local(path)).then(|| path.to_owned())
}
