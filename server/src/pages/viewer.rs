//! Who looks at a page: a person with a sign-in that holds, and in a workspace their scope with the frame around it.

use super::{flash, forms, theme};
use crate::{
    App, acts,
    auth::{Caller, PersonCaller, cookies},
    model::{Power, Role, Workspace, clock},
    problem::Problem,
    store::{Permission, Request, Scope, access::FoundLogin},
};
use axum::{
    extract::{FromRequestParts, MatchedPath},
    http::{Method, header, request::Parts},
    response::{Html, IntoResponse, Redirect, Response},
};
use cairn_web::{Chrome, Flash, Sees, Theme, Waiting};
use std::{collections::HashSet, sync::LazyLock};

/// A person who came with the cookie. Keys and tokens are for programs, and open no page.
pub struct SignedIn {
    pub found: FoundLogin,
    pub request: Request,
    pub theme: Theme,
}

impl FromRequestParts<App> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        parts.headers.remove(header::AUTHORIZATION);
        parts.headers.remove("x-api-key");
        forms::from_our_site(app, parts).map_err(IntoResponse::into_response)?;
        match PersonCaller::from_request_parts(parts, app).await {
            Ok(PersonCaller { found, request }) => Ok(Self { found, request, theme: theme::read(&parts.headers) }),
            Err(Problem::Unauthenticated(_)) => Err(to_the_entrance(parts)),
            Err(problem) => Err(problem.into_response()),
        }
    }
}

impl SignedIn {
    pub fn csrf(&self, app: &App) -> String {
        cookies::csrf(app.keyring(), self.found.login.0.as_bytes())
    }

    /// The workspaces that they may enter.
    pub async fn workspaces(&self, app: &App) -> Result<Vec<cairn_web::Workspace>, Problem> {
        let me = acts::access::me(app, &Caller::Person(self.found.clone())).await?;
        Ok(me.workspaces.iter().filter_map(|seen| Some(workspace(&seen.workspace, seen.role?))).collect())
    }

    pub fn shown(&self) -> cairn_web::Viewer {
        let person = &self.found.person;
        cairn_web::Viewer { name: person.name.clone(), email: person.email.clone() }
    }
}

/// Somebody who may do what the page is for, in its workspace.
pub struct Viewer<P> {
    pub scope: Scope<P>,
    pub app: App,
    person: SignedIn,
    workspaces: Vec<cairn_web::Workspace>,
    waiting: acts::activity::Waiting,
    here: String,
    flash: Option<Flash>,
}

impl<P: Permission> FromRequestParts<App> for Viewer<P> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let person = SignedIn::from_request_parts(parts, app).await?;
        let scope = Scope::<P>::from_request_parts(parts, app).await.map_err(IntoResponse::into_response)?;
        let workspaces = person.workspaces(app).await.map_err(IntoResponse::into_response)?;
        // Who cannot decide is not waited for, and a form shows no menu.
        let waiting = if scope.standing().role().may(Power::Reviewing) && parts.method.is_safe() {
            acts::activity::waiting(app, &scope).await.map_err(IntoResponse::into_response)?
        } else {
            acts::activity::Waiting::default()
        };
        let here = address(parts);
        Ok(Self { scope, app: app.clone(), person, workspaces, waiting, here, flash: flash::read(app, &parts.headers) })
    }
}

impl<P> Viewer<P> {
    /// The frame, with what the page itself has to say, or else what was said on the way here.
    pub fn chrome(&self, remark: Option<Flash>) -> Chrome {
        let standing = self.scope.standing();
        Chrome {
            workspace: workspace(standing.workspace(), standing.role()),
            workspaces: self.workspaces.clone(),
            viewer: self.person.shown(),
            sees: self.places(),
            waiting: Waiting {
                review: self.waiting.proposals + self.waiting.conflicts,
                deletion: self.waiting.to_approve + self.waiting.to_execute,
            },
            here: self.here.clone(),
            csrf: self.person.csrf(&self.app),
            theme: self.person.theme,
            flash: remark.or_else(|| self.flash.clone()),
            now: clock::now(),
        }
    }

    /// What waits for the viewer's decision.
    pub fn waiting(&self) -> acts::activity::Waiting {
        self.waiting
    }

    fn places(&self) -> Sees {
        Sees {
            writing: self.may(Power::Writing),
            reviewing: self.may(Power::Reviewing),
            auditing: self.may(Power::Auditing),
            governing: self.may(Power::Governing),
            instance: self.person.found.person.instance_admin,
        }
    }

    pub fn may(&self, power: Power) -> bool {
        self.scope.standing().role().may(power)
    }

    /// The finished page. A message that stood on it is not shown again.
    pub fn sees(&self, html: String) -> Response {
        match self.flash {
            Some(_) => super::with_cookie(Html(html), &flash::spent(&self.app)),
            None => Html(html).into_response(),
        }
    }

    /// A page of this workspace, such as `memories/…`.
    pub fn place(&self, place: impl std::fmt::Display) -> String {
        format!("/w/{}/{place}", self.scope.standing().workspace().slug)
    }

    /// Where somebody goes after a form, and reads how it went. What they can put right is said there; anything
    /// else is a page of its own.
    pub fn after(&self, done: Result<(String, Flash), Problem>, back: &str) -> Result<Response, Problem> {
        match done {
            Ok((to, flash)) => Ok(flash::then(&self.app, &to, &flash)),
            Err(problem @ (Problem::Conflict(_) | Problem::PreconditionFailed(_) | Problem::Invalid(_) | Problem::LostRace)) => {
                Ok(flash::then(&self.app, back, &Flash::bad(problem.told().detail)))
            }
            Err(problem) => Err(problem),
        }
    }
}

fn workspace(workspace: &Workspace, role: Role) -> cairn_web::Workspace {
    cairn_web::Workspace {
        slug: workspace.slug.clone(),
        name: workspace.name.clone(),
        purpose: workspace.purpose.clone(),
        role: role.word().to_owned(),
    }
}

/// The addresses of pages, as they stand in the table.
static PAGES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| super::table().iter().filter(|page| page.method == "GET").map(|page| page.path).collect());

/// Sign in, and come back. A form cannot be sent again, so that one comes back to its page.
fn to_the_entrance(parts: &Parts) -> Response {
    let back = match parts.method {
        Method::GET | Method::HEAD => address(parts),
        _ => page_of(parts),
    };
    Redirect::to(&sign_in(&back)).into_response()
}

/// The nearest page that a form may stand on, by what its address is in the table: `/review/decide` is no proposal.
fn page_of(parts: &Parts) -> String {
    let route = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let (mut route, mut path) = (route, parts.uri.path());
    while !PAGES.contains(route) {
        let (Some((above, _)), Some((page, _))) = (route.rsplit_once('/'), path.rsplit_once('/')) else { return String::new() };
        (route, path) = (above, page);
    }
    path.to_owned()
}

pub fn sign_in(next: &str) -> String {
    if next.is_empty() || next == "/" || !is_local(next) {
        return "/sign-in".to_owned();
    }
    let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    format!("/sign-in?next={next}")
}

/// A path on this server and nothing that a browser takes for another one.
pub fn is_local(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && path.len() <= 2000
        && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}

fn address(parts: &Parts) -> String {
    parts.uri.path_and_query().map_or_else(String::new, |address| address.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{is_local, sign_in};

    #[test]
    fn nobody_is_sent_elsewhere_after_signing_in() {
        for elsewhere in ["//evil.example", "/\\evil.example", "https://evil.example", "evil", "", "/\t/evil.example", "/ü", "/\r\nx"] {
            assert!(!is_local(elsewhere), "{elsewhere:?}");
            assert_eq!(sign_in(elsewhere), "/sign-in");
        }
        assert!(is_local("/w/coding/memories?q=a%20b"));
        assert_eq!(sign_in("/w/coding/memories?q=a"), "/sign-in?next=%2Fw%2Fcoding%2Fmemories%3Fq%3Da");
    }
}
