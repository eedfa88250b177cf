//! Light or dark, kept in a cookie of its own.

use super::{
    forms::Posted,
    viewer::{SignedIn, is_local},
};
use crate::{App, auth::cookies};
use axum::{
    extract::State,
    http::HeaderMap,
    response::{Redirect, Response},
};
use axum_extra::extract::cookie::CookieJar;
use cairn_web::Theme;
use serde::Deserialize;
use time::Duration;

const NAME: &str = "cairn_theme";

pub fn read(headers: &HeaderMap) -> Theme {
    CookieJar::from_headers(headers).get(NAME).map(|cookie| Theme::named(cookie.value())).unwrap_or_default()
}

#[derive(Deserialize)]
pub struct Chosen {
    theme: Option<String>,
    next: Option<String>,
}

pub async fn update(State(app): State<App>, _: SignedIn, Posted(chosen): Posted<Chosen>) -> Response {
    let theme = Theme::named(chosen.theme.as_deref().unwrap_or_default());
    let mut cookie = cookies::cookie(NAME, theme.name().to_owned(), app.is_https());
    cookie.set_max_age(Duration::days(365));
    let next = chosen.next.filter(|next| is_local(next));
    super::with_cookie(Redirect::to(next.as_deref().unwrap_or("/")), &cookie)
}
