//! Pages that belong to no workspace: one's own account, and the instance for those who run it.

pub mod account;
pub mod instance;

use super::{flash, viewer::SignedIn, with_cookie};
use crate::{App, auth::InstanceAdmin, model::clock, problem::Problem};
use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, request::Parts},
    response::{Html, IntoResponse, Response},
};
use cairn_web::{Flash, hall::Hall};

/// A person outside of any workspace.
pub struct Guest {
    pub app: App,
    pub person: SignedIn,
    flash: Option<Flash>,
}

impl FromRequestParts<App> for Guest {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let person = SignedIn::from_request_parts(parts, app).await?;
        Ok(Self { app: app.clone(), person, flash: flash::read(app, &parts.headers) })
    }
}

impl Guest {
    pub fn hall(&self, remark: Option<Flash>) -> Hall {
        Hall {
            viewer: self.person.shown(),
            instance_admin: self.person.found.person.instance_admin,
            csrf: self.person.csrf(&self.app),
            theme: self.person.theme,
            flash: remark.or_else(|| self.flash.clone()),
            now: clock::now(),
        }
    }

    /// The finished page. A message that stood on it is not shown again.
    pub fn sees(&self, html: String) -> Response {
        match self.flash {
            Some(_) => with_cookie(Html(html), &flash::spent(&self.app)),
            None => Html(html).into_response(),
        }
    }

    /// As in a workspace: what can be put right is said where the form was.
    pub fn after(&self, done: Result<(&str, Flash), Problem>, back: &str) -> Result<Response, Problem> {
        match done {
            Ok((to, said)) => Ok(flash::then(&self.app, to, &said)),
            Err(problem @ (Problem::Conflict(_) | Problem::Invalid(_) | Problem::LostRace | Problem::TooMany { .. })) => {
                Ok(flash::then(&self.app, back, &Flash::bad(problem.told().detail)))
            }
            Err(problem) => Err(problem),
        }
    }
}

/// Somebody who runs the instance; anybody else is told that they do not.
pub struct Keeper {
    pub guest: Guest,
    pub admin: InstanceAdmin,
}

impl FromRequestParts<App> for Keeper {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let guest = Guest::from_request_parts(parts, app).await?;
        let admin = InstanceAdmin::from_request_parts(parts, app).await.map_err(IntoResponse::into_response)?;
        Ok(Self { guest, admin })
    }
}

/// A form without anything to fill in.
#[derive(serde::Deserialize)]
pub struct Nothing {}

/// So that a page that shows a secret once is not kept by a browser's history either.
fn once(mut response: Response) -> Response {
    let headers: &mut HeaderMap = response.headers_mut();
    headers.insert(axum::http::header::CACHE_CONTROL, axum::http::HeaderValue::from_static("no-store"));
    response
}
