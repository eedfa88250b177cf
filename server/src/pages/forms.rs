//! Forms that were sent. What is in one can be had only after it has proved that it came from our own page, for
//! this very sign-in or, before there is one, for this very browser.

use crate::{App, auth::cookies, problem::Problem};
use axum::{
    body::to_bytes,
    extract::{FromRequest, Request},
    http::{HeaderMap, header, request::Parts},
};
use axum_extra::extract::cookie::{Cookie, CookieJar};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use rand::RngExt;
use serde::de::DeserializeOwned;

/// A memory of 100 KiB, each of its bytes written as three.
const LIMIT: usize = 400 * 1024;
const DOOR_COOKIE: &str = "cairn_form";

/// A form from a page of somebody who is signed in.
pub struct Posted<T>(pub T);

impl<T: DeserializeOwned> FromRequest<App> for Posted<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let login = cookies::read(app.keyring(), request.headers());
        let login = login.ok_or(Problem::Unauthenticated("Sign in first.".into()))?;
        read(request, app, login.0.as_bytes()).await.map(Self)
    }
}

/// A form from the way in, where nobody is signed in yet.
pub struct PostedAtDoor<T>(pub T);

impl<T: DeserializeOwned> FromRequest<App> for PostedAtDoor<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let browser = Browser::read(request.headers()).ok_or_else(expired)?;
        read(request, app, &browser.bound()).await.map(Self)
    }
}

/// A browser that is not signed in, told from others by a random cookie.
pub struct Browser(String);

impl Browser {
    /// As it was seen before, or given a cookie now.
    pub fn meet(headers: &HeaderMap) -> Self {
        Self::read(headers).unwrap_or_else(|| {
            let secret: [u8; 32] = rand::rng().random();
            Self(BASE64_URL_SAFE_NO_PAD.encode(secret))
        })
    }

    fn read(headers: &HeaderMap) -> Option<Self> {
        let jar = CookieJar::from_headers(headers);
        let value = jar.get(DOOR_COOKIE)?.value();
        BASE64_URL_SAFE_NO_PAD.decode(value).is_ok_and(|secret| secret.len() == 32).then(|| Self(value.to_owned()))
    }

    pub fn csrf(&self, app: &App) -> String {
        cookies::csrf(app.keyring(), &self.bound())
    }

    pub fn cookie(self, app: &App) -> Cookie<'static> {
        cookies::cookie(DOOR_COOKIE, self.0, app.is_https())
    }

    /// Longer than a sign-in's id, so that neither passes for the other.
    fn bound(&self) -> Vec<u8> {
        format!("form {}", self.0).into_bytes()
    }
}

/// Refuses what a page of another site made a browser send.
pub fn from_our_site(app: &App, parts: &Parts) -> Result<(), Problem> {
    let cross_site = parts.headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site");
    if !parts.method.is_safe() && (cross_site || cookies::sent_by_another_site(&app.config().public_url(), parts)) {
        return Err(Problem::Forbidden(
            "foreign_form",
            "This was sent by a page of another site, and nothing was done. If you meant it, do it from here.".into(),
        ));
    }
    Ok(())
}

async fn read<T: DeserializeOwned>(request: Request, app: &App, bound_to: &[u8]) -> Result<T, Problem> {
    let (parts, body) = request.into_parts();
    from_our_site(app, &parts)?;
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.starts_with("application/x-www-form-urlencoded") {
        return Err(Problem::UnsupportedMedia("Only a form can be sent here.".into()));
    }
    let body = to_bytes(body, LIMIT).await.map_err(|_| Problem::TooLarge("This form is larger than 400 KiB.".into()))?;
    let fields = fields(&body)?;
    let csrf = fields.iter().find(|(name, _)| name == "csrf").map_or("", |(_, value)| value);
    if !cookies::csrf_fits(app.keyring(), bound_to, csrf) {
        return Err(expired());
    }
    let written = form_urlencoded::Serializer::new(String::new()).extend_pairs(&fields).finish();
    serde_urlencoded::from_str(&written).map_err(|error| Problem::invalid("form", error.to_string()))
}

/// What was filled in: an empty field is an absent one, and lines end as they do here.
fn fields(body: &[u8]) -> Result<Vec<(String, String)>, Problem> {
    let mut fields = Vec::new();
    for (name, value) in form_urlencoded::parse(body).filter(|(_, value)| !value.is_empty()) {
        if name.contains('\0') || value.contains('\0') {
            return Err(Problem::invalid(name.replace('\0', "\u{fffd}"), "must not contain NUL characters"));
        }
        fields.push((name.into_owned(), value.replace("\r\n", "\n")));
    }
    Ok(fields)
}

fn expired() -> Problem {
    Problem::Forbidden(
        "form_expired",
        "It was made for another sign-in, or too long ago. Nothing was done. Go back, reload the page and send it again.".into(),
    )
}

#[cfg(test)]
mod tests {
    use super::fields;

    #[test]
    fn an_empty_field_is_an_absent_one() {
        let read = fields(b"reason=two%0D%0Alines&note=&csrf=x").expect("no NUL");
        let pairs: Vec<_> = read.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("reason", "two\nlines"), ("csrf", "x")]);
        assert!(fields(b"reason=%00").is_err());
    }
}
