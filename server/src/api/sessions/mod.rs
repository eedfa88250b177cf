//! Sessions over REST: begin, log, checkpoint, end, replay.

mod bodies;

use super::{
    answers::List,
    document::{Access, needs},
    memories::MemoryBody,
    proposals::ProposalBody,
    sent::{Json, MaybeJson, Params, Query},
};
use crate::{
    App,
    acts::{self, sessions::Started},
    model::{
        Power, SessionId,
        page::Limit,
        sessions::{SessionFilter, SessionState},
        text,
    },
    problem::Problem,
    store::{Reading, Scope, Writing},
};
use axum::{extract::State as Of, http::StatusCode};
use bodies::{AppendBody, CheckpointBody, EventBody, NewCheckpointBody, NewSessionBody};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

pub use bodies::SessionBody;

pub fn routes() -> OpenApiRouter<App> {
    let (reading, writing) = (Access::Workspace(Power::Reading), Access::Workspace(Power::Writing));
    OpenApiRouter::new()
        .routes(needs(writing, routes!(start_session)))
        .routes(needs(reading, routes!(list_sessions)))
        .routes(needs(reading, routes!(get_session)))
        .routes(needs(writing, routes!(append_events)))
        .routes(needs(reading, routes!(list_events)))
        .routes(needs(writing, routes!(write_checkpoint)))
        .routes(needs(writing, routes!(end_session)))
}

#[derive(Deserialize)]
struct OfSession {
    id: SessionId,
}

/// Begin a session.
///
/// With an `external_id` that runs already, the running session is answered with 200, so that a tool may say so at every
/// start. A `task` that is not there is set up; one that is over answers 409 `wrong_state`.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/sessions", tag = "Sessions", request_body = NewSessionBody, responses(
    (status = 201, description = "Begun.", body = SessionBody),
    (status = 200, description = "It runs already; this is it.", body = SessionBody)))]
async fn start_session(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Json(sent): Json<NewSessionBody>,
) -> Result<(StatusCode, axum::Json<SessionBody>), Problem> {
    Ok(match acts::sessions::start(&app, &scope, sent.parse()?).await? {
        Started::New(session) => (StatusCode::CREATED, axum::Json(session.into())),
        Started::Running(session) => (StatusCode::OK, axum::Json(session.into())),
    })
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListSessions {
    /// Only in this state.
    state: Option<SessionState>,
    /// Only of this project.
    project: Option<String>,
    /// Only those that work on the task with this key.
    task: Option<String>,
    /// Only of this agent or person.
    actor: Option<Uuid>,
    /// Only of this tool.
    agent_tool: Option<String>,
    /// Only with this name of the tool's own.
    external_id: Option<String>,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List sessions, newest first.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/sessions", tag = "Sessions", params(ListSessions), responses((status = 200, description = "A page of them.", body = List<SessionBody>)))]
async fn list_sessions(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<ListSessions>,
) -> Result<axum::Json<List<SessionBody>>, Problem> {
    let filter = SessionFilter {
        state: asked.state,
        project: asked.project,
        task: asked.task,
        actor: asked.actor,
        agent_tool: asked.agent_tool,
        external_id: asked.external_id,
        task_id: None,
    };
    let page = acts::sessions::list(&app, &scope, &filter, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.into()))
}

/// Read a session.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/sessions/{id}", tag = "Sessions", responses((status = 200, description = "The session.", body = SessionBody)))]
async fn get_session(Of(app): Of<App>, scope: Scope<Reading>, Params(of): Params<OfSession>) -> Result<axum::Json<SessionBody>, Problem> {
    Ok(axum::Json(acts::sessions::find(&app, &scope, of.id).await?.into()))
}

/// What became of the events.
#[derive(Serialize, ToSchema)]
struct AppendedBody {
    /// How many were new.
    #[schema(example = 3)]
    appended: u64,
    /// How many were there already, by their `id`.
    #[schema(example = 0)]
    repeated: u64,
    /// When something was last erased in the workspace, if anything was: whoever keeps a brief of before lets it go.
    #[serde(with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    last_erasure_at: Option<OffsetDateTime>,
}

/// Add to a session's log.
///
/// At most 1,000 events. An event that carries an `id` is taken once, so that a retry adds nothing. Secrets are taken out
/// before anything is written; long results are cut to an excerpt, with their length and digest kept.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/sessions/{id}/events", tag = "Sessions", request_body = AppendBody, responses(
    (status = 200, description = "Appended.", body = AppendedBody),
    (status = 409, description = "The session is over (`session_ended`).")))]
async fn append_events(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Params(of): Params<OfSession>,
    Json(sent): Json<AppendBody>,
) -> Result<axum::Json<AppendedBody>, Problem> {
    let done = acts::sessions::append(&app, &scope, of.id, sent.parse()?).await?;
    Ok(axum::Json(AppendedBody { appended: done.appended, repeated: done.repeated, last_erasure_at: done.last_erasure_at }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Paging {
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// Replay a session's log, in order.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/sessions/{id}/events", tag = "Sessions", params(Paging), responses((status = 200, description = "A page of it.", body = List<EventBody>)))]
async fn list_events(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfSession>,
    Query(asked): Query<Paging>,
) -> Result<axum::Json<List<EventBody>>, Problem> {
    let page = acts::sessions::events(&app, &scope, of.id, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.into()))
}

/// Write a checkpoint, so that the next run can go on.
///
/// Either `text`, which is sorted into decisions, progress, discoveries and the next step, or these as such. Decisions and
/// discoveries become memories; progress and the next step become those of the session's task.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/sessions/{id}/checkpoints", tag = "Sessions", request_body = NewCheckpointBody, responses(
    (status = 201, description = "Written.", body = CheckpointBody),
    (status = 409, description = "A decision contradicts an active one (`decision_conflict`), or the session is over (`session_ended`); nothing was written.")))]
async fn write_checkpoint(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Params(of): Params<OfSession>,
    Json(sent): Json<NewCheckpointBody>,
) -> Result<(StatusCode, axum::Json<CheckpointBody>), Problem> {
    let written = acts::sessions::checkpoint(&app, &scope, of.id, sent.parse()?).await?;
    Ok((StatusCode::CREATED, axum::Json(written.into())))
}

/// How it ended.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
struct EndBody {
    /// What was done, in a few sentences.
    summary: Option<String>,
}

/// A session that is over, and what was learned from it.
#[derive(Serialize, ToSchema)]
struct EndedBody {
    /// The session.
    session: SessionBody,
    /// What happened, as a memory; null when nothing did.
    episode: Option<MemoryBody>,
    /// What it taught, waiting for review or accepted.
    proposals: Vec<ProposalBody>,
}

/// End a session: its log is distilled into an episode and proposals.
///
/// Ending it again answers the same.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/sessions/{id}/end", tag = "Sessions", request_body = EndBody, responses((status = 200, description = "It is over.", body = EndedBody)))]
async fn end_session(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Params(of): Params<OfSession>,
    MaybeJson(sent): MaybeJson<EndBody>,
) -> Result<axum::Json<EndedBody>, Problem> {
    let summary = sent.summary.map(|summary| text::prose("summary", summary.trim(), 20_000)).transpose()?.filter(|text| !text.is_empty());
    let ended = acts::sessions::end(&app, &scope, of.id, summary).await?;
    Ok(axum::Json(EndedBody {
        session: ended.session.into(),
        episode: ended.episode.map(|memory| MemoryBody::new(&scope, memory)),
        proposals: ended.proposals.into_iter().map(ProposalBody::from).collect(),
    }))
}
