//! Who calls: found from the request's credential, before any question of what they may do.

use super::{cookies, keys::ShownKey, scopes::Refusable, tokens::Who, visitor::Visitor};
use crate::turnstile::Turnstile;
use crate::{
    App,
    model::{Actor, AgentId, KeyId, Project, access::Person, clock},
    problem::Problem,
    store::{
        Reading, Request, Scope, Standing,
        access::{FoundKey, FoundLogin},
    },
};
use axum::{
    extract::FromRequestParts,
    http::{header, request::Parts},
};
use std::sync::Arc;

/// Somebody with a credential that holds.
#[derive(Clone, Debug)]
pub enum Caller {
    Person(FoundLogin),
    Agent { agent: AgentId, key: KeyId, standing: Box<Standing> },
}

/// What the caller showed.
pub(super) enum Credential {
    Key(ShownKey),
    Token(String),
    Cookie(crate::model::LoginId),
}

impl Credential {
    pub(super) fn read(app: &App, parts: &Parts) -> Result<Self, Problem> {
        let headers = &parts.headers;
        let missing = "Send `Authorization: Bearer <token or key>` or `X-Api-Key: <key>`.";
        let text = |name: &str| headers.get(name).map(|value| value.to_str().map_err(|_| Problem::Unauthenticated(missing.into())));
        let shown = if let Some(sent) = text(header::AUTHORIZATION.as_str()) {
            let sent = sent?;
            let (scheme, rest) = sent.split_once(' ').unwrap_or((sent, ""));
            if !scheme.eq_ignore_ascii_case("bearer") {
                return Err(Problem::Unauthenticated(missing.into()));
            }
            Some(rest.trim())
        } else {
            text("x-api-key").transpose()?
        };
        match shown {
            Some(shown) if shown.starts_with("cairn_") => ShownKey::parse(shown).map(Self::Key).ok_or_else(bad_key),
            Some(shown) => Ok(Self::Token(shown.to_owned())),
            None if cookies::sent_by_another_site(&app.config().public_url(), parts) => Err(Problem::Unauthenticated(
                "This request was made by a page of another site, where a sign-in here does not count.".into(),
            )),
            None => cookies::read(app.keyring(), headers).map(Self::Cookie).ok_or(Problem::Unauthenticated(missing.into())),
        }
    }
}

pub(super) fn bad_key() -> Problem {
    Problem::Unauthenticated(
        "This key does not hold: it is not one of ours, was revoked, or has run out. Ask an admin of the workspace for a new one.".into(),
    )
}

pub(super) fn signed_out() -> Problem {
    Problem::Unauthenticated("This sign-in has ended. Sign in again.".into())
}

impl Caller {
    pub fn actor(&self) -> Actor {
        match self {
            Self::Person(found) => Actor::person(found.person.id, found.person.name.clone()),
            Self::Agent { standing, .. } => standing.actor().clone(),
        }
    }
}

/// Whether a look-up may be shared with others who show the same key at the same moment. Whoever does something else
/// meanwhile would keep them waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LookUp {
    Shared,
    Alone,
}

/// An agent by its key, narrowed by what a token says. What does not hold is counted against where it came from: by its id
/// alone, which is no secret, nobody shall use up what a key may ask.
pub(super) async fn agent(
    app: &App,
    parts: &Parts,
    credential: &Credential,
    look_up: LookUp,
) -> Result<Option<(AgentId, KeyId, Standing)>, Problem> {
    match holder(app, credential, look_up).await {
        Err(Problem::Unauthenticated(why)) => {
            app.limits().take_failure(Visitor::of(parts).network())?;
            Err(Problem::Unauthenticated(why))
        }
        found => found,
    }
}

async fn holder(app: &App, credential: &Credential, look_up: LookUp) -> Result<Option<(AgentId, KeyId, Standing)>, Problem> {
    let (key, narrowed) = match credential {
        Credential::Key(key) => (key.id, None),
        Credential::Token(token) => match app.tokens().verify(app.db(), token).await?.who {
            Who::Agent { key, role, project } => (key, Some((role, project))),
            Who::Person { .. } => return Ok(None),
        },
        Credential::Cookie(_) => return Ok(None),
    };
    // Known not to be a guess: then too much is refused before the gate is asked.
    let known = match credential {
        Credential::Key(shown) => app.lately().by(shown).is_some(),
        _ => true,
    };
    if known {
        app.limits().take(key.0)?;
    }
    let found = match look_up {
        LookUp::Shared => find(app, key).await?,
        LookUp::Alone => app.db().find_key(key).await?,
    };
    let Some(found) = found else {
        app.lately().forget(key);
        return Err(bad_key());
    };
    if let Credential::Key(shown) = credential
        && !shown.fits(&found.secret_hash)
    {
        return Err(bad_key());
    }
    if !known {
        app.limits().take(key.0)?;
    }
    let now = clock::now();
    if found.expires_at.is_some_and(|at| at <= now) {
        return Err(bad_key());
    }
    app.lately().note(&found);
    if found.last_used_at.is_none_or(|at| at < now - time::Duration::MINUTE) {
        app.db().note_use(key).await?;
    }
    let standing = match narrowed {
        None => found.standing,
        Some((role, project)) => {
            let project = project.as_deref().map(Project::parse).transpose()?;
            found.standing.narrowed(role, project).ok_or_else(bad_key)?
        }
    };
    Ok(Some((found.agent, key, standing)))
}

/// Requests with the same key, at the same moment, ask the gate once.
pub type KeyLine = Arc<Turnstile<KeyId, (), Result<Option<FoundKey>, Problem>>>;

async fn find(app: &App, key: KeyId) -> Result<Option<FoundKey>, Problem> {
    let db = app.db().clone();
    let ask = move |who: Vec<()>| {
        let db = db.clone();
        async move { vec![db.find_key(key).await; who.len()] }
    };
    app.key_line().pass_or_look(key, (), ask).await.unwrap_or_else(|| Err(Problem::internal("a key could not be looked up")))
}

/// The sign-in that a person's token or cookie speaks of; whether it still holds is for the gate to say.
pub(super) async fn login(app: &App, credential: &Credential) -> Result<Option<crate::model::LoginId>, Problem> {
    let login = match credential {
        Credential::Key(_) => return Ok(None),
        Credential::Cookie(login) => *login,
        Credential::Token(token) => match app.tokens().verify(app.db(), token).await?.who {
            Who::Person { login } => login,
            Who::Agent { .. } => return Ok(None),
        },
    };
    app.limits().take(login.0)?;
    Ok(Some(login))
}

/// So that people can tell their sign-ins apart; a minute is exact enough.
pub(super) async fn note_use(app: &App, found: &FoundLogin) -> Result<(), Problem> {
    if found.last_used_at < clock::now() - time::Duration::MINUTE {
        app.db().note_login_use(found.login).await?;
    }
    Ok(())
}

pub(super) fn request(parts: &Parts) -> Request {
    parts.extensions.get::<Request>().cloned().unwrap_or_else(|| Request::of_the_house("unnamed"))
}

impl FromRequestParts<App> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let credential = Credential::read(app, parts)?;
        if let Some(login) = login(app, &credential).await? {
            let found = app.db().find_login(login).await?.ok_or_else(signed_out)?;
            note_use(app, &found).await?;
            return Ok(Self::Person(found));
        }
        let (agent, key, standing) = agent(app, parts, &credential, LookUp::Shared).await?.ok_or_else(bad_key)?;
        Ok(Self::Agent { agent, key, standing: Box::new(standing) })
    }
}

/// A person, signed in; agents have no account to speak of.
pub struct PersonCaller {
    pub found: FoundLogin,
    pub request: Request,
}

impl FromRequestParts<App> for PersonCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        match Caller::from_request_parts(parts, app).await? {
            Caller::Person(found) => {
                note_in_instance(parts, &found.person);
                Ok(Self { found, request: request(parts) })
            }
            Caller::Agent { standing, .. } => {
                note_in_workspace(parts, *standing)?;
                Err(Problem::Forbidden("person_required", "Only a person may do this; an agent has no account of its own.".into()))
            }
        }
    }
}

/// A person who runs the instance.
pub struct InstanceAdmin {
    pub person: Person,
    pub request: Request,
}

impl InstanceAdmin {
    pub fn actor(&self) -> Actor {
        Actor::person(self.person.id, self.person.name.clone())
    }
}

impl FromRequestParts<App> for InstanceAdmin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let PersonCaller { found, request } = PersonCaller::from_request_parts(parts, app).await?;
        if found.person.instance_admin {
            Ok(Self { person: found.person, request })
        } else {
            Err(Problem::forbidden("Only an instance admin may do this."))
        }
    }
}

/// An agent that showed its key itself, not a token made from it.
pub struct KeyCaller {
    pub agent: AgentId,
    pub key: KeyId,
    pub scope: Scope<Reading>,
}

impl FromRequestParts<App> for KeyCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let by_key = matches!(Credential::read(app, parts)?, Credential::Key(_));
        match Caller::from_request_parts(parts, app).await? {
            Caller::Agent { agent, key, standing } => {
                let scope = note_in_workspace(parts, *standing)?;
                if by_key { Ok(Self { agent, key, scope }) } else { Err(key_required()) }
            }
            Caller::Person(found) => {
                note_in_instance(parts, &found.person);
                Err(key_required())
            }
        }
    }
}

/// An agent, by its key or by a token made from it. The key decides the workspace: nothing in the request can name another.
pub struct AgentCaller(pub Scope<Reading>);

impl FromRequestParts<App> for AgentCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        match Caller::from_request_parts(parts, app).await? {
            Caller::Agent { standing, .. } => Ok(Self(note_in_workspace(parts, *standing)?)),
            Caller::Person(found) => {
                note_in_instance(parts, &found.person);
                let detail = "This door is for agents: send an agent's key, or a token made from one, instead of a person's sign-in. An admin of the workspace makes agents and keys.";
                Err(Problem::Forbidden("agent_key_required", detail.into()))
            }
        }
    }
}

fn key_required() -> Problem {
    Problem::Forbidden("agent_key_required", "Only an agent's own key may do this, not a person's sign-in and not a token.".into())
}

/// Leaves word of who called, in case they are refused.
fn note_in_workspace(parts: &Parts, standing: Standing) -> Result<Scope<Reading>, Problem> {
    let scope = Scope::of(Arc::new(standing), request(parts))?;
    if let Some(slot) = parts.extensions.get::<Refusable>() {
        slot.note(scope.clone());
    }
    Ok(scope)
}

fn note_in_instance(parts: &Parts, person: &Person) {
    if let Some(slot) = parts.extensions.get::<Refusable>() {
        slot.note_instance(Actor::person(person.id, person.name.clone()), request(parts));
    }
}

/// For handlers that only need the request's own id and idempotency key.
impl FromRequestParts<App> for Request {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Self::Rejection> {
        Ok(request(parts))
    }
}
