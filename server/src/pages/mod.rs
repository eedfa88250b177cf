//! The door for people: signed-in pages, the forms on them, and the way in. Pages are filled here from what acts
//! answer, and rendered in `cairn_web`. Whoever adds a page adds it to the one table below.

mod actors;
mod asked;
mod deletion;
mod docs;
mod entrance;
mod flash;
mod forms;
mod links;
mod memories;
mod problem;
mod theme;
mod trail;
mod viewer;
mod workspaces;

pub use problem::told;

use crate::{App, api::document::Access, model::Power};
use axum::{
    Router,
    handler::Handler,
    http::{HeaderName, HeaderValue, header},
    middleware,
    response::{IntoResponse, Response},
    routing::{self, MethodRouter},
};
use axum_extra::extract::cookie::Cookie;
use tower_http::compression::CompressionLayer;

const ANYONE: Access = Access::Anyone;
const PERSON: Access = Access::Person;
const READING: Access = Access::Workspace(Power::Reading);
const WRITING: Access = Access::Workspace(Power::Writing);
const REVIEWING: Access = Access::Workspace(Power::Reviewing);
const AUDITING: Access = Access::Workspace(Power::Auditing);

fn pages() -> Pages {
    Pages::default()
        .get("/", ANYONE, entrance::root)
        .get("/sign-in", ANYONE, entrance::new)
        .post("/sign-in", ANYONE, entrance::create)
        .post("/sign-out", PERSON, entrance::delete)
        .get("/set-up", ANYONE, links::set_up)
        .post("/set-up", ANYONE, links::make_admin)
        .get("/invitations/{token}", ANYONE, links::edit)
        .post("/invitations/{token}", ANYONE, links::update)
        .get("/workspaces", PERSON, workspaces::index)
        .post("/theme", PERSON, theme::update)
        .get("/w/{ws}/memories", READING, memories::index)
        .get("/w/{ws}/memories/{id}", READING, memories::show)
        .post("/w/{ws}/memories/{id}/verify", REVIEWING, memories::verify)
        .post("/w/{ws}/memories/{id}/archive", WRITING, memories::archive)
        .post("/w/{ws}/memories/{id}/restore", WRITING, memories::restore)
        .post("/w/{ws}/memories/{id}/revert", WRITING, memories::revert)
        .post("/w/{ws}/memories/{id}/ask-deletion", WRITING, memories::ask_deletion)
        .get("/w/{ws}/trail", AUDITING, trail::index)
        .get("/w/{ws}/deletion-requests", READING, deletion::index)
        .get("/w/{ws}/deletion-requests/{id}", READING, deletion::show)
        .get("/w/{ws}/deletion-requests/{id}/certificate", READING, deletion::certificate)
        .post("/w/{ws}/deletion-requests/{id}/approve", REVIEWING, deletion::approve)
        .post("/w/{ws}/deletion-requests/{id}/reject", REVIEWING, deletion::reject)
        .post("/w/{ws}/deletion-requests/{id}/execute", REVIEWING, deletion::execute)
        .get("/docs", ANYONE, docs::show)
        .get("/docs/problems", ANYONE, docs::problems)
        .get("/assets/{file}", ANYONE, docs::asset)
}

/// A page or a form's target, and who may use it; a test sweeps them all.
#[derive(Clone, Copy, Debug)]
pub struct PageRoute {
    pub method: &'static str,
    pub path: &'static str,
    pub access: Access,
}

/// Every page there is.
pub fn table() -> Vec<PageRoute> {
    pages().table
}

pub fn router() -> Router<App> {
    pages().router.layer(middleware::map_response(dressed)).layer(CompressionLayer::new())
}

/// The table and the router at once, so that neither knows a page that the other does not.
#[derive(Default)]
struct Pages {
    table: Vec<PageRoute>,
    router: Router<App>,
}

impl Pages {
    fn get<T: 'static>(self, path: &'static str, access: Access, page: impl Handler<T, App>) -> Self {
        self.add("GET", path, access, routing::get(page))
    }

    fn post<T: 'static>(self, path: &'static str, access: Access, act: impl Handler<T, App>) -> Self {
        self.add("POST", path, access, routing::post(act))
    }

    fn add(mut self, method: &'static str, path: &'static str, access: Access, handler: MethodRouter<App>) -> Self {
        self.table.push(PageRoute { method, path, access });
        self.router = self.router.route(path, handler);
        self
    }
}

/// What every answer to a browser wears, unless it brought its own.
async fn dressed(mut response: Response) -> Response {
    dress(&mut response);
    response
}

fn dress(response: &mut Response) {
    let usual = [
        (header::CONTENT_SECURITY_POLICY, cairn_web::CONTENT_SECURITY_POLICY),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in usual {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
}

/// A page with a header of its own.
fn with_header(page: impl IntoResponse, name: HeaderName, value: &'static str) -> Response {
    let mut response = page.into_response();
    response.headers_mut().insert(name, HeaderValue::from_static(value));
    response
}

fn with_cookie(page: impl IntoResponse, cookie: &Cookie<'static>) -> Response {
    let mut response = page.into_response();
    if let Ok(value) = HeaderValue::try_from(cookie.to_string()) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::{Access, table};

    #[test]
    fn a_page_of_a_workspace_asks_for_a_power_in_it() {
        for page in table() {
            let in_workspace = page.path.starts_with("/w/{ws}/");
            assert_eq!(in_workspace, matches!(page.access, Access::Workspace(_)), "{page:?}");
        }
    }
}
