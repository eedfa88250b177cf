//! The organisation's own door: there, and back again.

use super::{
    asked::Asked,
    entrance::let_in,
    flash,
    viewer::{is_local, sign_in},
    with_cookie,
};
use crate::{
    App,
    acts::{self, access::Opened},
    auth::{
        Visitor, cookies,
        oidc::{Provider, Refusal},
    },
    model::clock,
    problem::Problem,
    store::Request,
};
use axum::{
    extract::State,
    http::HeaderMap,
    response::{Redirect, Response},
};
use axum_extra::extract::cookie::{Cookie, CookieJar};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use cairn_web::Flash;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use time::{Duration, OffsetDateTime};

const NAME: &str = "cairn_single_sign_on";
const PURPOSE: &str = "single sign-on";
/// As long as somebody may take at the provider.
const MINUTES: i64 = 10;

/// What a browser carries there and back: bound to it by the cookie, and signed by us.
#[derive(Serialize, Deserialize)]
struct Ticket {
    state: String,
    nonce: String,
    verifier: String,
    next: String,
    #[serde(with = "time::serde::timestamp")]
    until: OffsetDateTime,
}

impl Ticket {
    fn cookie(&self, app: &App) -> Option<Cookie<'static>> {
        let said = serde_json::to_vec(self).ok()?;
        let signature = app.keyring().sign(PURPOSE, &said);
        let value = format!("{}.{}", BASE64_URL_SAFE_NO_PAD.encode(&said), BASE64_URL_SAFE_NO_PAD.encode(signature));
        let mut cookie = cookies::cookie(NAME, value, app.is_https());
        cookie.set_max_age(Duration::minutes(MINUTES));
        Some(cookie)
    }

    fn read(app: &App, headers: &HeaderMap) -> Option<Self> {
        let jar = CookieJar::from_headers(headers);
        let (said, signature) = jar.get(NAME)?.value().split_once('.')?;
        let (said, signature) = (BASE64_URL_SAFE_NO_PAD.decode(said).ok()?, BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?);
        if !app.keyring().verify(PURPOSE, &said, &signature) {
            return None;
        }
        serde_json::from_slice::<Self>(&said).ok().filter(|ticket| ticket.until > clock::now())
    }
}

/// Off to the provider.
pub async fn depart(State(app): State<App>, asked: Asked) -> Result<Response, Problem> {
    let provider = provider(&app)?;
    let next = asked.text("next").filter(|next| is_local(next)).unwrap_or_default();
    match provider.depart(&redirect(&app)).await {
        Ok(way) => {
            let until = clock::now() + Duration::minutes(MINUTES);
            let ticket = Ticket { state: way.state, nonce: way.nonce, verifier: way.verifier, next, until };
            let cookie = ticket.cookie(&app).ok_or_else(|| Problem::internal("a ticket could not be written"))?;
            Ok(with_cookie(Redirect::to(&way.url), &cookie))
        }
        Err(refusal) => Ok(told(&app, &refusal, &next)),
    }
}

/// Back from it, with a code or with why there is none.
pub async fn arrive(
    State(app): State<App>,
    asked: Asked,
    headers: HeaderMap,
    visitor: Visitor,
    request: Request,
) -> Result<Response, Problem> {
    let provider = provider(&app)?;
    let ticket = Ticket::read(&app, &headers);
    let fits = |ticket: &Ticket| bool::from(ticket.state.as_bytes().ct_eq(asked.said("state").as_bytes()));
    let Some(ticket) = ticket.filter(fits) else {
        let said = "This way back was not begun in this browser, or too long ago. Nothing was done: begin again.";
        return Ok(spent(&app, flash::then(&app, "/sign-in", &Flash::bad(said))));
    };
    if let Some(error) = asked.text("error") {
        let why = asked.text("error_description").unwrap_or(error);
        let why: String = why.chars().filter(|sign| !sign.is_control()).take(200).collect();
        return Ok(spent(&app, flash::then(&app, &sign_in(&ticket.next), &Flash::bad(format!("The provider did not let you in: {why}")))));
    }
    let code = asked.said("code").to_owned();
    let came = provider.arrive(&redirect(&app), code, ticket.nonce, ticket.verifier).await;
    let who = match came {
        Ok(who) => who,
        Err(refusal) => {
            if !matches!(refusal, Refusal::Away(_)) {
                acts::access::refused_from_outside(&app, &request).await?;
            }
            return Ok(spent(&app, told(&app, &refusal, &ticket.next)));
        }
    };
    let settings = provider.settings();
    let opened = Opened { granted: settings.granted(&who.groups), mapped: settings.mapped().map(str::to_owned).collect() };
    match acts::access::sign_in_from_outside(&app, settings.issuer(), &who, &opened, &visitor, &request).await {
        Ok(found) => {
            let next = if ticket.next.is_empty() { "/workspaces" } else { &ticket.next };
            Ok(spent(&app, let_in(&app, &found, next)))
        }
        Err(problem @ Problem::Forbidden(..)) => Ok(spent(&app, flash::then(&app, "/sign-in", &Flash::bad(problem.told().detail)))),
        Err(problem) => Err(problem),
    }
}

/// What people can do something about is said at the door; the rest is for the log.
fn told(app: &App, refusal: &Refusal, next: &str) -> Response {
    tracing::warn!(%refusal, "somebody could not sign in through the provider");
    let said = match refusal {
        Refusal::Away(_) => "The provider of single sign-on does not answer. Try again in a moment, or sign in with a password.",
        Refusal::Code(_) => "The provider did not take back what it gave you: it was used already, or is too old. Begin again.",
        Refusal::Token(_) => {
            "What the provider said about you does not hold, and you were not let in. If it happens again, tell whoever runs this server."
        }
    };
    flash::then(app, &sign_in(next), &Flash::bad(said))
}

fn provider(app: &App) -> Result<&Provider, Problem> {
    app.provider().ok_or(Problem::NotFound)
}

fn redirect(app: &App) -> String {
    format!("{}/sign-in/sso/back", app.config().public_url())
}

/// A ticket is for one journey.
fn spent(app: &App, response: Response) -> Response {
    let mut cookie = cookies::cookie(NAME, String::new(), app.is_https());
    cookie.set_max_age(Duration::ZERO);
    with_cookie(response, &cookie)
}
