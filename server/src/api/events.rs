//! Server-sent events: what changed in a workspace, as it changes.

use super::{
    document::{Access, needs},
    sent::Query,
};
use crate::{
    App,
    acts::events::{Listener, Seat},
    model::Power,
    problem::Problem,
    store::{Reading, Scope, events::Change},
};
use axum::{
    extract::{FromRequestParts, State as Of},
    http::{HeaderName, HeaderValue, request::Parts},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures_util::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use std::{collections::VecDeque, convert::Infallible, time::Duration};
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until},
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// From one look to the next.
const PAUSE: Duration = Duration::from_secs(1);
/// From one page of many changes to the next: others get a word in.
const BREATH: Duration = Duration::from_millis(20);
/// How soon a listener whose key was revoked or whose sign-in has ended hears no more.
const ASK_AGAIN: Duration = Duration::from_secs(5);
/// Then it ends, and who still wants to listen comes again.
const LONGEST: u64 = 3600;

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(needs(Access::Workspace(Power::Reading), routes!(listen_to_workspace)))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct EventsQuery {
    /// End the stream after so many seconds, 1 to 3600; an hour unless said.
    #[param(minimum = 1, maximum = 3600, example = 60)]
    seconds: Option<u64>,
}

/// One event of the stream.
#[derive(ToSchema)]
#[schema(as = ChangedEvent)]
#[expect(dead_code, reason = "it says in the document what axum writes")]
struct EventBody {
    /// Always `changed`.
    #[schema(example = "changed")]
    event: String,
    /// Something changed, as JSON: `kind` is of what sort – `memory`, `session`, `task`, `proposal`, `conflict`,
    /// `deletion_request`, `dream`, `rollback` or `receipt`; for auditors and admins also `hold`, `agent`, `key`, `person` and
    /// `workspace` – and `id` its id. What it says now is for the other operations to tell.
    #[schema(example = "{\"kind\":\"memory\",\"id\":\"01a1e804-daf3-7177-a333-05a07ce55daf\"}")]
    data: String,
}

#[derive(Serialize)]
struct ChangedBody {
    kind: String,
    id: uuid::Uuid,
}

/// Listen to a workspace.
///
/// Server-sent events named `changed`, each with the sort and the id of what changed, on whichever server; never a text. It
/// ends when the credential does.
#[utoipa::path(
    get, path = "/v1/workspaces/{ws}/events", tag = "Operations", params(EventsQuery),
    responses((status = 200, description = "What changes, as it changes.", content_type = "text/event-stream", body = EventBody))
)]
async fn listen_to_workspace(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<EventsQuery>,
    Caller(parts): Caller,
) -> Result<Response, Problem> {
    let seconds = asked.seconds.unwrap_or(LONGEST);
    if !(1..=LONGEST).contains(&seconds) {
        return Err(Problem::invalid("seconds", "must be between 1 and 3600"));
    }
    let seat = Seat::take(&scope)?;
    let mut listener = Listener::new();
    listener.hear(&app, &scope).await?;
    let now = Instant::now();
    let listening = Listening {
        stop: app.stopping(),
        app,
        scope,
        listener,
        parts,
        end: now + Duration::from_secs(seconds),
        asked_at: now,
        told: VecDeque::new(),
        _seat: seat,
    };
    let begin = stream::once(async { Ok::<_, Infallible>(Event::default().retry(Duration::from_secs(2)).comment("listening")) });
    let changes = stream::unfold(listening, |mut listening| async move {
        let change = listening.next().await?;
        Some((Ok(told(&change)), listening))
    });
    let mut response = Sse::new(begin.chain(changes)).keep_alive(KeepAlive::default()).into_response();
    // Proxies that collect an answer before they pass it on would keep it for ever.
    response.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

/// What the caller showed, to ask again whether it holds.
struct Caller(Parts);

impl FromRequestParts<App> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        Ok(Self(parts.clone()))
    }
}

struct Listening {
    app: App,
    scope: Scope<Reading>,
    listener: Listener,
    parts: Parts,
    stop: watch::Receiver<bool>,
    end: Instant,
    asked_at: Instant,
    told: VecDeque<Change>,
    _seat: Seat,
}

impl Listening {
    /// The next change; nothing when it is over.
    async fn next(&mut self) -> Option<Change> {
        loop {
            if let Some(change) = self.told.pop_front() {
                return Some(change);
            }
            let pause = if self.listener.is_behind() { BREATH } else { PAUSE };
            tokio::select! {
                () = sleep(pause) => {}
                () = sleep_until(self.end) => return None,
                _ = self.stop.changed() => return None,
            }
            if self.asked_at.elapsed() >= ASK_AGAIN {
                self.scope = Scope::from_request_parts(&mut self.parts.clone(), &self.app).await.ok()?;
                self.asked_at = Instant::now();
            }
            match self.listener.hear(&self.app, &self.scope).await {
                Ok(changes) => self.told.extend(changes),
                // Postgres may be away for a moment.
                Err(problem) => tracing::debug!(?problem, "a listener could not look"),
            }
        }
    }
}

fn told(change: &Change) -> Event {
    let body = ChangedBody { kind: change.kind.clone(), id: change.id };
    let event = Event::default().event("changed");
    event.json_data(body).unwrap_or_else(|_| Event::default().comment("unreadable"))
}
