//! One-time links: becoming the first admin, and choosing a password.

use super::{
    asked::Asked,
    entrance::{Hint, at_the_door, let_in},
    forms::PostedAtDoor,
};
use crate::{
    App,
    acts::{self, access::Redemption},
    auth::Visitor,
    model::{
        Email,
        access::{Password, Person},
        text,
    },
    problem::Problem,
    store::{Request, access::FoundLogin, links::Purpose},
};
use axum::{
    extract::{Path, State},
    http::HeaderMap,
    response::Response,
};
use cairn_web::{ChoosePassword, LinkPurpose, SetUp};
use serde::Deserialize;

/// The form for the first admin, for whoever has the link from the log.
pub async fn set_up(State(app): State<App>, asked: Asked, headers: HeaderMap) -> Result<Response, Problem> {
    let token = asked.said("token").to_owned();
    let Purpose::SetUp = open(&app, &token).await? else { return Err(spent()) };
    let page = SetUp { token, password_min: Password::SHORTEST, ..SetUp::default() };
    Ok(at_the_door(&app, &headers, None, |theme, csrf| SetUp { theme, csrf, ..page }.html()))
}

#[derive(Deserialize)]
pub struct FirstAdmin {
    token: Option<String>,
    name: Option<String>,
    email: Option<String>,
    password: Option<String>,
}

/// Make the first admin, and sign them in.
pub async fn make_admin(
    State(app): State<App>,
    visitor: Visitor,
    request: Request,
    headers: HeaderMap,
    PostedAtDoor(form): PostedAtDoor<FirstAdmin>,
) -> Result<Response, Problem> {
    let token = form.token.clone().unwrap_or_default();
    let Purpose::SetUp = open(&app, &token).await? else { return Err(spent()) };
    let made = async {
        let said = Redemption {
            email: Some(Email::parse(form.email.as_deref().unwrap_or_default())?),
            name: Some(text::line("name", form.name.as_deref().unwrap_or_default(), 200)?),
            password: Password::parse(form.password.as_deref().unwrap_or_default())?,
        };
        redeem(&app, &token, said, &visitor, &request).await
    };
    match made.await {
        Ok(found) => Ok(let_in(&app, &found, "/workspaces")),
        Err(problem) => {
            let hint = Hint::of(problem)?;
            let page = SetUp {
                error: Some(hint.said.clone()),
                email: form.email.unwrap_or_default(),
                name: form.name.unwrap_or_default(),
                password_min: Password::SHORTEST,
                token,
                ..SetUp::default()
            };
            Ok(at_the_door(&app, &headers, Some(&hint), |theme, csrf| SetUp { theme, csrf, ..page }.html()))
        }
    }
}

/// The form to choose a password.
pub async fn edit(State(app): State<App>, Path(token): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let Purpose::Password(person) = open(&app, &token).await? else { return Err(spent()) };
    Ok(choose(&app, &headers, token, person, None))
}

#[derive(Deserialize)]
pub struct Chosen {
    password: Option<String>,
}

/// Keep the password, and sign them in.
pub async fn update(
    State(app): State<App>,
    Path(token): Path<String>,
    visitor: Visitor,
    request: Request,
    headers: HeaderMap,
    PostedAtDoor(form): PostedAtDoor<Chosen>,
) -> Result<Response, Problem> {
    let Purpose::Password(person) = open(&app, &token).await? else { return Err(spent()) };
    let kept = async {
        let said = Redemption { password: Password::parse(form.password.as_deref().unwrap_or_default())?, name: None, email: None };
        redeem(&app, &token, said, &visitor, &request).await
    };
    match kept.await {
        Ok(found) => Ok(let_in(&app, &found, "/workspaces")),
        Err(problem) => Ok(choose(&app, &headers, token, person, Some(&Hint::of(problem)?))),
    }
}

fn choose(app: &App, headers: &HeaderMap, token: String, person: Person, hint: Option<&Hint>) -> Response {
    let page = ChoosePassword {
        token,
        // Whether they had one before is nobody's business who has the link.
        purpose: LinkPurpose::Invitation { workspace: None },
        name: person.name,
        email: person.email,
        password_min: Password::SHORTEST,
        error: hint.map(|hint| hint.said.clone()),
        ..ChoosePassword::default()
    };
    at_the_door(app, headers, hint, |theme, csrf| ChoosePassword { theme, csrf, ..page }.html())
}

async fn open(app: &App, token: &str) -> Result<Purpose, Problem> {
    acts::access::open_link(app, token).await.map_err(or_spent)
}

async fn redeem(app: &App, token: &str, said: Redemption, visitor: &Visitor, request: &Request) -> Result<FoundLogin, Problem> {
    acts::access::redeem_link(app, token, said, visitor, request).await.map_err(or_spent)
}

fn or_spent(problem: Problem) -> Problem {
    match problem {
        Problem::NotFound => spent(),
        other => other,
    }
}

/// The same for a link that was used, has run out or never was.
fn spent() -> Problem {
    Problem::Gone("This link was used already, has run out, or is not whole. Sign in if you have a password, or ask for a new link.".into())
}
