//! Signing in and out.

use super::{
    asked::Asked,
    flash,
    forms::{Browser, Posted, PostedAtDoor},
    theme,
    viewer::{SignedIn, is_local},
    with_cookie,
};
use crate::{
    App, acts,
    auth::{PersonCaller, Visitor, cookies},
    problem::Problem,
    store::{Request, access::FoundLogin, logins},
};
use axum::{
    extract::{FromRequestParts, State},
    http::{HeaderMap, StatusCode, header, request::Parts},
    response::{Html, IntoResponse, Redirect, Response},
};
use cairn_web::{Flash, SignIn, Theme, Tone};
use serde::Deserialize;
use time::Duration;

/// The start page: wherever one belongs.
pub async fn root(State(app): State<App>, headers: HeaderMap) -> Redirect {
    Redirect::to(if cookies::read(app.keyring(), &headers).is_some() { "/workspaces" } else { "/sign-in" })
}

/// The form to sign in; who is signed in already goes on.
pub async fn new(State(app): State<App>, asked: Asked, mut parts: Parts) -> Result<Response, Problem> {
    let next = asked.text("next").filter(|next| is_local(next)).unwrap_or_default();
    parts.headers.remove(header::AUTHORIZATION);
    parts.headers.remove("x-api-key");
    match PersonCaller::from_request_parts(&mut parts, &app).await {
        Ok(_) => return Ok(Redirect::to(onward(&next)).into_response()),
        Err(Problem::Unauthenticated(_)) => {}
        Err(problem) => return Err(problem),
    }
    let said = flash::read(&app, &parts.headers);
    let heard = said.is_some();
    let bad = said.as_ref().is_some_and(|said| said.tone == Tone::Bad);
    let text = said.map(|said| said.text);
    let (error, notice) = if bad { (text, None) } else { (None, text) };
    let page = SignIn { next, error, notice, provider: provider(&app), ..SignIn::default() };
    let response = at_the_door(&app, &parts.headers, None, |theme, csrf| SignIn { theme, csrf, ..page }.html());
    Ok(if heard { with_cookie(response, &flash::spent(&app)) } else { response })
}

/// Where one can sign in besides, as people know it.
fn provider(app: &App) -> Option<String> {
    app.provider().map(|provider| provider.settings().url().host_str().unwrap_or_default().to_owned())
}

#[derive(Deserialize)]
pub struct Typed {
    email: Option<String>,
    password: Option<String>,
    next: Option<String>,
}

/// Sign in. What went wrong is said on the form, with what was typed still in it.
pub async fn create(
    State(app): State<App>,
    visitor: Visitor,
    request: Request,
    headers: HeaderMap,
    PostedAtDoor(typed): PostedAtDoor<Typed>,
) -> Result<Response, Problem> {
    let next = typed.next.filter(|next| is_local(next)).unwrap_or_default();
    let (email, password) = (typed.email.unwrap_or_default(), typed.password.unwrap_or_default());
    match acts::access::sign_in(&app, &email, &password, &visitor, &request).await {
        Ok(found) => Ok(let_in(&app, &found, onward(&next))),
        Err(problem) => {
            let hint = Hint::of(problem)?;
            let page = SignIn { email, next, error: Some(hint.said.clone()), provider: provider(&app), ..SignIn::default() };
            Ok(at_the_door(&app, &headers, Some(&hint), |theme, csrf| SignIn { theme, csrf, ..page }.html()))
        }
    }
}

/// Sign out.
pub async fn delete(State(app): State<App>, viewer: SignedIn, _: Posted<Nothing>) -> Result<Response, Problem> {
    acts::access::sign_out(&app, &viewer.found, &viewer.request).await?;
    let mut cookie = cookies::cookie(cookies::NAME, String::new(), app.is_https());
    cookie.set_max_age(Duration::ZERO);
    Ok(with_cookie(flash::then(&app, "/sign-in", &Flash::good("You are signed out.")), &cookie))
}

#[derive(Deserialize)]
pub struct Nothing {}

/// What is said beside a form at the door, because typing something else, or later, helps.
pub struct Hint {
    pub said: String,
    status: StatusCode,
    retry_after: Option<u64>,
}

impl Hint {
    /// Anything that no typing puts right is a page of its own.
    pub fn of(problem: Problem) -> Result<Self, Problem> {
        let retry_after = match problem {
            Problem::Unauthenticated(_) | Problem::Invalid(_) | Problem::Conflict(_) => None,
            Problem::TooMany { retry_after, .. } => Some(retry_after),
            other => return Err(other),
        };
        Ok(Self { said: problem.told().detail, status: problem.status(), retry_after })
    }
}

/// A page for somebody who is not signed in, its form bound to their browser.
pub fn at_the_door(app: &App, headers: &HeaderMap, hint: Option<&Hint>, page: impl FnOnce(Theme, String) -> String) -> Response {
    let browser = Browser::meet(headers);
    let html = page(theme::read(headers), browser.csrf(app));
    let mut response = with_cookie(Html(html), &browser.cookie(app));
    if let Some(hint) = hint {
        *response.status_mut() = hint.status;
        response.headers_mut().extend(hint.retry_after.map(|wait| (header::RETRY_AFTER, wait.into())));
    }
    response
}

/// Hands out the cookie of a new sign-in.
pub fn let_in(app: &App, found: &FoundLogin, to: &str) -> Response {
    let mut cookie = cookies::cookie(cookies::NAME, cookies::value(app.keyring(), found.login), app.is_https());
    cookie.set_max_age(Duration::days(logins::DAYS));
    with_cookie(Redirect::to(to), &cookie)
}

fn onward(next: &str) -> &str {
    if next.is_empty() { "/workspaces" } else { next }
}
