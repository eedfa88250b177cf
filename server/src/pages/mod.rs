//! The door for people: signed-in pages, the forms on them, and the way in. Pages are filled here from what acts
//! answer, and rendered in `cairn_web`. Whoever adds a page adds it to the one table below.

mod actors;
mod asked;
mod code;
mod decisions;
mod deletion;
mod docs;
mod dreams;
mod entrance;
mod flash;
mod forms;
mod hall;
mod holds;
mod links;
mod memories;
mod overview;
mod problem;
mod receipts;
mod retention;
mod review;
mod rollbacks;
mod search;
mod sessions;
mod single_sign_on;
mod tasks;
mod team;
mod theme;
mod trail;
mod viewer;
mod workspaces;
mod written;

pub use problem::told;

use crate::{App, api::document::Access, model::Power, problem::Problem};
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
const GOVERNING: Access = Access::Workspace(Power::Governing);
const INSTANCE: Access = Access::InstanceAdmin;

#[expect(clippy::too_many_lines, reason = "one line a page")]
fn pages() -> Pages {
    Pages::default()
        .get("/", ANYONE, entrance::root)
        .get("/sign-in", ANYONE, entrance::new)
        .post("/sign-in", ANYONE, entrance::create)
        .get("/sign-in/sso", ANYONE, single_sign_on::depart)
        .get("/sign-in/sso/back", ANYONE, single_sign_on::arrive)
        .post("/sign-out", PERSON, entrance::delete)
        .get("/set-up", ANYONE, links::set_up)
        .post("/set-up", ANYONE, links::make_admin)
        .get("/invitations/{token}", ANYONE, links::edit)
        .post("/invitations/{token}", ANYONE, links::update)
        .get("/workspaces", PERSON, workspaces::index)
        .post("/theme", PERSON, theme::update)
        .get("/w/{ws}", READING, overview::enter)
        .get("/w/{ws}/overview", READING, overview::show)
        .get("/w/{ws}/search", READING, search::show)
        .get("/w/{ws}/memories", READING, memories::index)
        .post("/w/{ws}/memories", WRITING, memories::create)
        .get("/w/{ws}/memories/new", WRITING, memories::new)
        .get("/w/{ws}/memories/{id}", READING, memories::show)
        .get("/w/{ws}/memories/{id}/edit", WRITING, memories::edit)
        .post("/w/{ws}/memories/{id}/edit", WRITING, memories::update)
        .get("/w/{ws}/memories/{id}/supersede", WRITING, memories::superseding)
        .post("/w/{ws}/memories/{id}/supersede", WRITING, memories::supersede)
        .post("/w/{ws}/memories/{id}/verify", REVIEWING, memories::verify)
        .post("/w/{ws}/memories/{id}/archive", WRITING, memories::archive)
        .post("/w/{ws}/memories/{id}/restore", WRITING, memories::restore)
        .post("/w/{ws}/memories/{id}/revert", WRITING, memories::revert)
        .post("/w/{ws}/memories/{id}/ask-deletion", WRITING, memories::ask_deletion)
        .get("/w/{ws}/decisions", READING, decisions::index)
        .get("/w/{ws}/code", READING, code::show)
        .get("/w/{ws}/code/review", READING, code::review)
        .get("/w/{ws}/sessions", READING, sessions::index)
        .get("/w/{ws}/sessions/{id}", READING, sessions::show)
        .get("/w/{ws}/tasks", READING, tasks::index)
        .get("/w/{ws}/tasks/{key}", READING, tasks::show)
        .post("/w/{ws}/tasks/{key}/pause", WRITING, tasks::pause)
        .post("/w/{ws}/tasks/{key}/complete", WRITING, tasks::complete)
        .post("/w/{ws}/tasks/{key}/abandon", WRITING, tasks::abandon)
        .get("/w/{ws}/receipts", READING, receipts::index)
        .get("/w/{ws}/receipts/{id}", READING, receipts::show)
        .get("/w/{ws}/review", READING, review::index)
        .post("/w/{ws}/review/decide", REVIEWING, review::decide_many)
        .post("/w/{ws}/review/undo", REVIEWING, review::undo)
        .get("/w/{ws}/review/{id}", READING, review::show)
        .post("/w/{ws}/review/{id}/decide", REVIEWING, review::decide)
        .post("/w/{ws}/review/{id}/edit", REVIEWING, review::edit)
        .post("/w/{ws}/review/{id}/assign", REVIEWING, review::assign)
        .get("/w/{ws}/conflicts", READING, review::conflicts)
        .post("/w/{ws}/conflicts/sweep", REVIEWING, review::sweep)
        .get("/w/{ws}/conflicts/{id}", READING, review::conflict)
        .post("/w/{ws}/conflicts/{id}/resolve", REVIEWING, review::resolve)
        .get("/w/{ws}/dreams", READING, dreams::index)
        .post("/w/{ws}/dreams", REVIEWING, dreams::start)
        .get("/w/{ws}/dreams/{id}", READING, dreams::show)
        .get("/w/{ws}/rollbacks", READING, rollbacks::index)
        .post("/w/{ws}/rollbacks", REVIEWING, rollbacks::create)
        .get("/w/{ws}/rollbacks/new", REVIEWING, rollbacks::new)
        .get("/w/{ws}/rollbacks/{id}", READING, rollbacks::show)
        .get("/w/{ws}/trail", AUDITING, trail::index)
        .post("/w/{ws}/trail/verify", AUDITING, trail::verify)
        .get("/w/{ws}/deletion-requests", READING, deletion::index)
        .post("/w/{ws}/deletion-requests", WRITING, deletion::create)
        .get("/w/{ws}/deletion-requests/new", WRITING, deletion::new)
        .get("/w/{ws}/deletion-requests/{id}", READING, deletion::show)
        .get("/w/{ws}/deletion-requests/{id}/items", READING, deletion::items)
        .get("/w/{ws}/deletion-requests/{id}/certificate", READING, deletion::certificate)
        .post("/w/{ws}/deletion-requests/{id}/approve", REVIEWING, deletion::approve)
        .post("/w/{ws}/deletion-requests/{id}/reject", REVIEWING, deletion::reject)
        .post("/w/{ws}/deletion-requests/{id}/execute", REVIEWING, deletion::execute)
        .get("/w/{ws}/holds", AUDITING, holds::index)
        .post("/w/{ws}/holds", AUDITING, holds::create)
        .post("/w/{ws}/holds/{id}/release", AUDITING, holds::release)
        .get("/w/{ws}/retention", AUDITING, retention::show)
        .post("/w/{ws}/retention", GOVERNING, retention::update)
        .get("/w/{ws}/agents", GOVERNING, team::agents::index)
        .post("/w/{ws}/agents", GOVERNING, team::agents::create)
        .get("/w/{ws}/agents/{id}", GOVERNING, team::agents::show)
        .post("/w/{ws}/agents/{id}/delete", GOVERNING, team::agents::delete)
        .get("/w/{ws}/agents/{id}/keys", GOVERNING, team::agents::keys)
        .post("/w/{ws}/agents/{id}/keys", GOVERNING, team::agents::create_key)
        .post("/w/{ws}/agents/{id}/keys/{key}/revoke", GOVERNING, team::agents::revoke_key)
        .get("/w/{ws}/members", GOVERNING, team::members::index)
        .post("/w/{ws}/members", GOVERNING, team::members::create)
        .post("/w/{ws}/members/{id}/role", GOVERNING, team::members::change_role)
        .post("/w/{ws}/members/{id}/remove", GOVERNING, team::members::remove)
        .get("/w/{ws}/settings", GOVERNING, team::settings::show)
        .post("/w/{ws}/settings", GOVERNING, team::settings::update)
        .post("/w/{ws}/settings/policies", GOVERNING, team::settings::update_policies)
        .post("/w/{ws}/settings/end", GOVERNING, team::settings::end)
        .get("/w/{ws}/connect", READING, team::connect::index)
        .get("/account", PERSON, hall::account::show)
        .post("/account/password", PERSON, hall::account::change_password)
        .post("/account/sign-ins/{id}/end", PERSON, hall::account::end_login)
        .post("/account/sign-out-everywhere", PERSON, hall::account::sign_out_everywhere)
        .get("/instance", INSTANCE, hall::instance::show)
        .get("/instance/workspaces", INSTANCE, hall::instance::workspaces)
        .post("/instance/workspaces", INSTANCE, hall::instance::create_workspace)
        .get("/instance/people", INSTANCE, hall::instance::people)
        .post("/instance/people", INSTANCE, hall::instance::create_person)
        .post("/instance/people/{id}/link", INSTANCE, hall::instance::make_link)
        .post("/instance/people/{id}/delete", INSTANCE, hall::instance::delete_person)
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

/// Ids that somebody typed or pasted, one a line or with commas between.
fn ids<T: std::str::FromStr>(field: &str, sent: Option<&str>) -> Result<Vec<T>, Problem> {
    let words = sent.unwrap_or_default().split(|sign: char| sign.is_whitespace() || sign == ',').filter(|word| !word.is_empty());
    words.map(|word| word.parse().map_err(|_| Problem::invalid(field, format!("`{word}` is not an id")))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Access, table};

    #[test]
    fn a_page_of_a_workspace_asks_for_a_power_in_it() {
        for page in table() {
            let in_workspace = page.path == "/w/{ws}" || page.path.starts_with("/w/{ws}/");
            assert_eq!(in_workspace, matches!(page.access, Access::Workspace(_)), "{page:?}");
        }
    }
}
