//! Memories over REST.

mod bodies;
mod history;

pub use bodies::{ActorBody, FreshnessBody, MemoryBody, OnConflict, RevisionBody, SourceBody};

use super::{
    answers::{List, Versioned},
    document::{Access, needs},
    sent::{IfMatch, Json, MaybeJson, Params, Query},
};
use crate::{
    App,
    acts::{
        self,
        memories::{Doubted, Remembered},
    },
    engines::freshness::Freshness,
    model::{
        Kind, MemoryId, Power, ReceiptId, SessionId, State,
        clock::kept,
        memory::{Filter, ReviewOrder},
        page::Limit,
        stores::only_store,
        text,
    },
    problem::Problem,
    store::{Reading, Reviewing, Scope, Writing},
};
use axum::{
    extract::State as Of,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use bodies::NewMemoryBody;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

pub fn routes() -> OpenApiRouter<App> {
    let (reading, writing, reviewing) =
        (Access::Workspace(Power::Reading), Access::Workspace(Power::Writing), Access::Workspace(Power::Reviewing));
    OpenApiRouter::new()
        .routes(needs(writing, routes!(create_memory)))
        .routes(needs(reading, routes!(list_memories)))
        .routes(needs(reading, routes!(list_memories_to_review)))
        .routes(needs(writing, routes!(create_memories)))
        .routes(needs(reading, routes!(get_memory)))
        .routes(needs(writing, routes!(revise_memory)))
        .routes(needs(writing, routes!(archive_memory)))
        .routes(needs(writing, routes!(restore_memory)))
        .routes(needs(writing, routes!(revert_memory)))
        .routes(needs(reviewing, routes!(verify_memory)))
        .routes(needs(writing, routes!(supersede_memory)))
        .merge(history::routes())
}

#[derive(Deserialize)]
pub struct OfMemory {
    id: MemoryId,
}

/// Remember something.
///
/// Without a `path`, a text that is known already (same content, kind and project, active) answers 200 with the
/// memory that is there. With a `path` that is taken it answers 409 `path_conflict`. What it may contradict stands in
/// `conflicts`; a decision that contradicts an active one answers 409 `decision_conflict`.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/memories", tag = "Memories", request_body = NewMemoryBody, responses(
    (status = 201, description = "Remembered. `ETag` has the version.", body = MemoryBody),
    (status = 200, description = "Known already; this is what is there.", body = MemoryBody)))]
async fn create_memory(Of(app): Of<App>, scope: Scope<Writing>, Json(sent): Json<NewMemoryBody>) -> Result<Response, Problem> {
    Ok(match acts::memories::remember(&app, &scope, sent.parse()?).await? {
        Remembered::New(memory, noticed) => Versioned(StatusCode::CREATED, memory.version, MemoryBody::new(&scope, memory).beside(noticed)),
        Remembered::Already(memory) => Versioned(StatusCode::OK, memory.version, MemoryBody::new(&scope, memory)),
    }
    .into_response())
}

/// Several memories at once.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BatchBody {
    /// At most 1,000.
    items: Vec<NewMemoryBody>,
}

/// What became of the items, in the order sent.
#[derive(Serialize, ToSchema)]
struct BatchAnswer {
    /// One per item.
    data: Vec<BatchItem>,
}

/// What became of one item.
#[derive(Serialize, ToSchema)]
struct BatchItem {
    /// 201 remembered, 200 known already.
    #[schema(example = 201)]
    status: u16,
    /// The memory.
    memory: MemoryBody,
}

/// Remember several things: all or none.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/memories/batch", tag = "Memories", request_body = BatchBody, responses(
    (status = 200, description = "All remembered or known.", body = BatchAnswer)))]
async fn create_memories(Of(app): Of<App>, scope: Scope<Writing>, Json(sent): Json<BatchBody>) -> Result<axum::Json<BatchAnswer>, Problem> {
    if sent.items.is_empty() || sent.items.len() > 1000 {
        return Err(Problem::invalid("items", "must be 1 to 1,000"));
    }
    let news = sent
        .items
        .into_iter()
        .enumerate()
        .map(|(index, item)| item.parse().map_err(|problem| problem.at_item(index)))
        .collect::<Result<_, _>>()?;
    let all = acts::memories::remember_all(&app, &scope, news).await?;
    let data = all
        .into_iter()
        .map(|one| match one {
            Remembered::New(memory, noticed) => BatchItem { status: 201, memory: MemoryBody::new(&scope, memory).beside(noticed) },
            Remembered::Already(memory) => BatchItem { status: 200, memory: MemoryBody::new(&scope, memory) },
        })
        .collect();
    Ok(axum::Json(BatchAnswer { data }))
}

/// Which memories to list. Without `state` and `freshness`: those that are active or proposed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListMemories {
    /// Only this kind.
    kind: Option<Kind>,
    /// Only with this tag.
    tag: Option<String>,
    /// Only of this project.
    project: Option<String>,
    /// Only in this state.
    state: Option<State>,
    /// Only `fresh`, `suspect` or `stale` ones.
    freshness: Option<Freshness>,
    /// Only below this path.
    path_prefix: Option<String>,
    /// Only in this store.
    store: Option<String>,
    /// Only first written by this person or agent.
    author: Option<Uuid>,
    /// Only written in this session.
    session_id: Option<Uuid>,
    /// Only anchored to this file.
    anchor_path: Option<String>,
    /// Only changed after this time.
    #[serde(default, with = "time::serde::rfc3339::option")]
    updated_after: Option<OffsetDateTime>,
    /// Only with these words in title, text or path.
    q: Option<String>,
    /// As they were then: everything else is judged as of then.
    #[serde(default, with = "time::serde::rfc3339::option")]
    as_of: Option<OffsetDateTime>,
    /// As they were when this receipt was written.
    receipt_id: Option<Uuid>,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List memories, newest change first: now, or as they were.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/memories", tag = "Memories", params(ListMemories), responses((status = 200, description = "A page of them.", body = List<MemoryBody>)))]
async fn list_memories(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<ListMemories>,
) -> Result<axum::Json<List<MemoryBody>>, Problem> {
    let moment = moment(&app, &scope, asked.as_of, asked.receipt_id).await?;
    let filter = Filter {
        kind: asked.kind,
        tag: asked.tag,
        project: asked.project,
        state: asked.state,
        freshness: asked.freshness,
        path_prefix: asked.path_prefix,
        store: only_store(asked.store.as_deref())?,
        author: asked.author,
        session_id: asked.session_id.map(SessionId),
        anchor_path: asked.anchor_path,
        updated_after: kept("updated_after", asked.updated_after)?,
        q: asked.q,
        as_of: moment,
    };
    let page = acts::memories::list(&app, &scope, &filter, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.map(|memory| MemoryBody::as_of(&scope, memory, moment)).into()))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListToReview {
    /// What comes first; `told` unless said.
    #[param(inline)]
    order: Option<ReviewOrder>,
    /// Only of this project.
    project: Option<String>,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// A memory that is not fresh.
#[derive(Serialize, ToSchema)]
#[schema(as = MemoryToReview)]
struct ToReviewBody {
    /// Since when it is in doubt.
    #[serde(with = "time::serde::rfc3339")]
    doubted_since: OffsetDateTime,
    /// How often it was told at all.
    #[schema(example = 12)]
    told: i64,
    /// How often of that while it was in doubt.
    #[schema(example = 3)]
    told_while_doubted: i64,
    /// The memory, with its reasons.
    memory: MemoryBody,
}

/// List what needs review: active memories that are suspect or stale.
///
/// `told` puts first what was told most often while it was in doubt, `use` what was told most often at all, `age` what nobody
/// has changed or verified for the longest time.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/memories/needs-review", tag = "Memories", params(ListToReview), responses((status = 200, description = "A page of them.", body = List<ToReviewBody>)))]
async fn list_memories_to_review(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<ListToReview>,
) -> Result<axum::Json<List<ToReviewBody>>, Problem> {
    let (order, limit) = (asked.order.unwrap_or(ReviewOrder::Told), Limit::parse(asked.limit)?);
    let page = acts::memories::needing_review(&app, &scope, asked.project.as_deref(), None, order, limit, asked.cursor.as_deref()).await?;
    let body = |one: Doubted| ToReviewBody {
        doubted_since: one.since,
        told: one.told,
        told_while_doubted: one.told_since,
        memory: MemoryBody::new(&scope, one.memory),
    };
    Ok(axum::Json(page.map(body).into()))
}

/// The moment that is asked about, if it is not now.
async fn moment(
    app: &App,
    scope: &Scope<Reading>,
    as_of: Option<OffsetDateTime>,
    receipt: Option<Uuid>,
) -> Result<Option<OffsetDateTime>, Problem> {
    match (kept("as_of", as_of)?, receipt) {
        (Some(_), Some(_)) => Err(Problem::invalid("receipt_id", "says a time, as as_of does: send one of them")),
        (None, Some(receipt)) => acts::memories::moment_of(app, scope, ReceiptId(receipt)).await.map(Some),
        (moment, None) => Ok(moment),
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct AsOf {
    /// As it was then.
    #[serde(default, with = "time::serde::rfc3339::option")]
    as_of: Option<OffsetDateTime>,
    /// As it was when this receipt was written.
    receipt_id: Option<Uuid>,
}

/// Read a memory, now or as it was.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/memories/{id}", tag = "Memories", params(AsOf), responses((status = 200, description = "The memory. `ETag` has the version.", body = MemoryBody)))]
async fn get_memory(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfMemory>,
    Query(asked): Query<AsOf>,
) -> Result<Response, Problem> {
    let moment = moment(&app, &scope, asked.as_of, asked.receipt_id).await?;
    let (memory, conflicts) = match moment {
        None => (acts::memories::find(&app, &scope, of.id).await?, acts::conflicts::open_of(&app, &scope, of.id).await?),
        Some(moment) => (acts::memories::find_as_of(&app, &scope, of.id, moment).await?, Vec::new()),
    };
    Ok(Versioned(StatusCode::OK, memory.version, MemoryBody::as_of(&scope, memory, moment).beside(conflicts)).into_response())
}

/// Change some fields of a memory; a new version.
///
/// Decisions refuse another content, title or kind: 409 `decision_immutable`. Supersede them instead.
#[utoipa::path(patch, path = "/v1/workspaces/{ws}/memories/{id}", tag = "Memories", request_body = RevisionBody, responses(
    (status = 200, description = "The new version.", body = MemoryBody),
    (status = 412, description = "`If-Match` names another version than the current one.")))]
async fn revise_memory(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Params(of): Params<OfMemory>,
    IfMatch(seen): IfMatch,
    Json(sent): Json<RevisionBody>,
) -> Result<Response, Problem> {
    let (memory, conflicts) = acts::memories::revise(&app, &scope, of.id, seen, sent.parse()?).await?;
    Ok(Versioned(StatusCode::OK, memory.version, MemoryBody::new(&scope, memory).beside(conflicts)).into_response())
}

/// Put a memory away.
///
/// It is no longer recalled and can be restored. To erase it for good, ask for deletion.
#[utoipa::path(delete, path = "/v1/workspaces/{ws}/memories/{id}", tag = "Memories", responses(
    (status = 200, description = "Archived.", body = MemoryBody),
    (status = 412, description = "`If-Match` names another version than the current one.")))]
async fn archive_memory(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Params(of): Params<OfMemory>,
    IfMatch(seen): IfMatch,
) -> Result<Response, Problem> {
    let memory = acts::memories::archive(&app, &scope, of.id, seen).await?;
    Ok(Versioned(StatusCode::OK, memory.version, MemoryBody::new(&scope, memory)).into_response())
}

/// Bring an archived memory back.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/memories/{id}/restore", tag = "Memories", responses(
    (status = 200, description = "Active again.", body = MemoryBody),
    (status = 409, description = "It is not archived (`not_archived`), or its path is taken by now (`path_conflict`)."),
    (status = 412, description = "`If-Match` names another version than the current one.")))]
async fn restore_memory(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Params(of): Params<OfMemory>,
    IfMatch(seen): IfMatch,
) -> Result<Response, Problem> {
    let memory = acts::memories::restore(&app, &scope, of.id, seen).await?;
    Ok(Versioned(StatusCode::OK, memory.version, MemoryBody::new(&scope, memory)).into_response())
}

/// Which version to go back to.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RevertBody {
    /// Its number.
    #[schema(example = 1)]
    version: i32,
}

/// A new version with the state of an old one.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/memories/{id}/revert", tag = "Memories", request_body = RevertBody, responses(
    (status = 200, description = "The new version.", body = MemoryBody),
    (status = 412, description = "`If-Match` names another version than the current one.")))]
async fn revert_memory(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Params(of): Params<OfMemory>,
    IfMatch(seen): IfMatch,
    Json(sent): Json<RevertBody>,
) -> Result<Response, Problem> {
    let memory = acts::memories::revert(&app, &scope, of.id, seen, sent.version).await?;
    Ok(Versioned(StatusCode::OK, memory.version, MemoryBody::new(&scope, memory)).into_response())
}

/// A word on why it is still true.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
struct VerifyBody {
    /// How you know.
    #[schema(example = "checked against the running gateway")]
    note: Option<String>,
}

/// Say that a memory is still true: it is fresh again.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/memories/{id}/verify", tag = "Memories", request_body = VerifyBody, responses(
    (status = 200, description = "The verified version.", body = MemoryBody),
    (status = 412, description = "`If-Match` names another version than the current one.")))]
async fn verify_memory(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfMemory>,
    IfMatch(seen): IfMatch,
    MaybeJson(sent): MaybeJson<VerifyBody>,
) -> Result<Response, Problem> {
    let note = sent.note.as_deref().map(|note| text::prose("note", note, 2000)).transpose()?;
    let memory = acts::memories::verify(&app, &scope, of.id, seen, note).await?;
    Ok(Versioned(StatusCode::OK, memory.version, MemoryBody::new(&scope, memory)).into_response())
}

/// Put a new memory in the place of an old one.
///
/// What is not said, the old one says: kind, project, tags, subject and visibility. The old one becomes `superseded`.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/memories/{id}/supersede", tag = "Memories", request_body = NewMemoryBody, responses((status = 201, description = "The new memory.", body = MemoryBody)))]
async fn supersede_memory(
    Of(app): Of<App>,
    scope: Scope<Writing>,
    Params(of): Params<OfMemory>,
    Json(sent): Json<NewMemoryBody>,
) -> Result<Response, Problem> {
    let old = acts::memories::to_supersede(&app, &scope, of.id).await?;
    let memory = acts::memories::supersede(&app, &scope, of.id, sent.parse_after(&old)?).await?;
    Ok(Versioned(StatusCode::CREATED, memory.version, MemoryBody::new(&scope, memory)).into_response())
}
