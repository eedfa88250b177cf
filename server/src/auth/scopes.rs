//! `Scope<P>` as an axum extractor: authorisation stands in the handler's signature. 401 who are you, 404 you
//! may not even know, 403 you may know it but not do it.

use super::caller::{Credential, LookUp, agent, login, note_use, request, signed_out};
use crate::{
    App,
    model::{Actor, Run, SessionId},
    problem::Problem,
    store::{self, Permission, Reading, Request, Scope, StoodLately},
};
use axum::{
    RequestPartsExt,
    extract::{FromRequestParts, RawPathParams},
    http::request::Parts,
};
use std::{
    future::poll_fn,
    pin::pin,
    sync::{Arc, Mutex},
    task::Poll,
};

impl<P: Permission> FromRequestParts<App> for Scope<P> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let credential = Credential::read(app, parts)?;
        let look_up = parts.extensions.get().copied().unwrap_or(LookUp::Shared);
        let asked = workspace_asked_for(parts).await?;
        let standing = if let Some(login) = login(app, &credential).await? {
            let (found, standing) = app.db().find_member(login, &asked).await?.ok_or_else(signed_out)?;
            note_use(app, &found).await?;
            standing
        } else {
            let (.., standing) = agent(app, parts, &credential, look_up).await?.ok_or_else(super::caller::bad_key)?;
            let workspace = standing.workspace();
            let named = workspace.slug == asked || uuid::Uuid::parse_str(&asked).is_ok_and(|id| id == workspace.id.0);
            named.then_some(standing)
        };
        let standing = Arc::new(standing.ok_or(Problem::NotFound)?);
        let request = request(parts);
        if let Some(slot) = parts.extensions.get::<Refusable>() {
            slot.note(Scope::of(standing.clone(), request.clone())?);
        }
        in_session_named(app, Self::of(standing, request)?, parts).await
    }
}

/// Who calls; and whatever was got ready meanwhile for whom their key stood for a moment ago, with whether it still does.
/// Nothing is got ready for a key that is new here, or that came too often.
pub async fn meanwhile<P: Permission, R, F: Future<Output = R>>(
    app: &App,
    parts: &mut Parts,
    get_ready: impl FnOnce(StoodLately) -> F,
) -> Result<(Scope<P>, Option<(R, bool)>), Problem> {
    let stood = match Credential::read(app, parts)? {
        Credential::Key(shown) => app.lately().by(&shown),
        Credential::Token(_) | Credential::Cookie(_) => None,
    };
    let Some(stood) = stood else { return Ok((Scope::from_request_parts(parts, app).await?, None)) };
    parts.extensions.insert(LookUp::Alone);
    let mut finding = pin!(Scope::from_request_parts(parts, app));
    // The question to the gate is on its way before anything else is done.
    if let Poll::Ready(found) = poll_fn(|cx| Poll::Ready(finding.as_mut().poll(cx))).await {
        return Ok((found?, None));
    }
    let ready = get_ready(stood.clone()).await;
    let scope: Scope<P> = finding.await?;
    let still = stood.is(scope.standing());
    Ok((scope, Some((ready, still))))
}

/// `X-Cairn-Session`: the session that this request is a part of. It has to be the caller's own, or others could be made
/// to look as if they had written something, and have it rolled back with their session.
pub async fn in_session_named<P: Permission>(app: &App, scope: Scope<P>, parts: &Parts) -> Result<Scope<P>, Problem> {
    const HEADER: &str = "X-Cairn-Session";
    let Some(sent) = parts.headers.get(HEADER) else { return Ok(scope) };
    let id: Option<SessionId> = sent.to_str().ok().and_then(|id| id.trim().parse().ok());
    let id = id.ok_or_else(|| Problem::invalid(HEADER, "must be the id of a session"))?;
    store::sessions::must_be_of(&mut app.db().read(&scope).await?, scope.actor(), HEADER, id).await?;
    Ok(scope.in_run(Run::Session(id)))
}

async fn workspace_asked_for(parts: &mut Parts) -> Result<String, Problem> {
    let params: RawPathParams = parts.extract().await.map_err(|_| Problem::NotFound)?;
    // Postgres takes no NUL, and nothing has one in its name.
    let named = params.iter().find(|(name, value)| *name == "ws" && !value.contains('\0'));
    named.map(|(_, value)| value.to_owned()).ok_or(Problem::NotFound)
}

/// Where the extractor leaves who called, so that a refusal can be written to the trail on the way out.
#[derive(Clone, Default, Debug)]
pub struct Refusable(Arc<Mutex<Option<Refused>>>);

#[derive(Clone, Debug)]
pub enum Refused {
    InWorkspace(Scope<Reading>),
    /// Without the idempotency key: a refusal is no answer to keep.
    InInstance(Actor, Request),
}

impl Refusable {
    pub(super) fn note(&self, scope: Scope<Reading>) {
        self.set(Refused::InWorkspace(scope));
    }

    pub(super) fn note_instance(&self, actor: Actor, request: Request) {
        self.set(Refused::InInstance(actor, Request { once: None, ..request }));
    }

    fn set(&self, who: Refused) {
        if let Ok(mut slot) = self.0.lock() {
            *slot = Some(who);
        }
    }

    pub fn who(&self) -> Option<Refused> {
        self.0.lock().ok().and_then(|slot| slot.clone())
    }
}
