//! Tokens: a person's pair, which rotates, and the short-lived one that an agent makes from its key.

use super::without_key;
use crate::{
    App,
    audit::Audit,
    auth::{
        KeyCaller, refresh,
        tokens::{AGENT_MOST_SECONDS, PERSON_SECONDS},
    },
    model::{Actor, LoginId, Project, Role},
    problem::Problem,
    store::{self, Request, access::FoundLogin, logins::Renewed},
};

/// What a person's program holds after signing in.
pub struct SignedIn {
    pub access_token: String,
    pub refresh_token: String,
    pub expires_in: i64,
}

/// The first pair of a sign-in.
pub fn hand_out(app: &App, found: &FoundLogin) -> Result<SignedIn, Problem> {
    pair(app, found.login, found.person.id, 0)
}

fn pair(app: &App, login: LoginId, person: crate::model::PersonId, generation: i32) -> Result<SignedIn, Problem> {
    Ok(SignedIn {
        access_token: app.tokens().for_person(person, login)?,
        refresh_token: refresh::write(app.keyring(), login, generation),
        expires_in: PERSON_SECONDS,
    })
}

/// A new pair for a refresh token that was not used yet. One that was ends the sign-in: somebody has a copy.
pub async fn refresh(app: &App, token: &str, request: &Request) -> Result<SignedIn, Problem> {
    let (login, renewed) = use_up(app, token, request).await?;
    pair(app, login, renewed.person.id, renewed.generation)
}

/// Whose an unused refresh token is, and of which sign-in. It is used by this.
pub(super) async fn use_up(app: &App, token: &str, request: &Request) -> Result<(LoginId, Renewed), Problem> {
    let spent =
        || Problem::Unauthenticated("This refresh token does not hold: it was used, has run out, or is not ours. Sign in again.".into());
    let (login, generation) = refresh::read(app.keyring(), token).ok_or_else(spent)?;
    if let Some(renewed) = app.db().renew_login(login, generation).await? {
        return Ok((login, renewed));
    }
    let mut tx = app.db().instance(&Actor::system(), &without_key(request)).await?;
    if let Some(person) = store::logins::end_reused(&mut tx, login, generation).await? {
        tx.commit(Audit::refresh_token_reused(person, login)).await?;
    }
    Err(spent())
}

/// What a short-lived token shall be limited to; without a word, to what its key is.
pub struct Narrower {
    pub ttl_seconds: Option<i64>,
    pub role: Option<Role>,
    pub project: Option<Project>,
}

pub struct ShortLived {
    pub access_token: String,
    pub expires_in: i64,
    pub role: Role,
    pub project: Option<String>,
}

/// A token with at most the rights of the agent's key.
pub async fn issue_token(app: &App, by: &KeyCaller, asked: Narrower) -> Result<ShortLived, Problem> {
    let seconds = asked.ttl_seconds.unwrap_or(15 * 60);
    if !(1..=AGENT_MOST_SECONDS).contains(&seconds) {
        return Err(Problem::invalid("ttl_seconds", format!("must be between 1 and {AGENT_MOST_SECONDS}")));
    }
    let standing = by.scope.standing();
    let role = asked.role.unwrap_or(standing.role());
    let wider = || {
        Problem::Forbidden(
            "wider_than_key",
            "A token may do at most what its key may: the same or a narrower role, and no other project.".into(),
        )
    };
    let narrowed = standing.clone().narrowed(role, asked.project).ok_or_else(wider)?;
    let project = narrowed.project().map(|project| project.as_str().to_owned());
    let access_token = app.tokens().for_agent(by.agent, seconds, by.key, role, project.clone())?;
    app.db().record_once(&by.scope).await?.commit_entry(Audit::token_issued(by.agent, by.key, role)).await?;
    Ok(ShortLived { access_token, expires_in: seconds, role, project })
}
