//! Conflicts over REST.

use super::{
    answers::List,
    document::{Access, needs},
    memories::{ActorBody, MemoryBody},
    sent::{Json, MaybeJson, Params, Query},
};
use crate::{
    App,
    acts::{self, conflicts::Shown},
    model::{
        ConflictId, MemoryId, Power,
        conflicts::{ConflictFilter, ConflictOrigin, ConflictState, Resolution},
        page::Limit,
        text,
    },
    problem::Problem,
    store::{Reading, Reviewing, Scope},
};
use axum::extract::State as Of;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Memories that one call looks at.
const IN_ONE_CALL: usize = 500;

pub fn routes() -> OpenApiRouter<App> {
    let (reading, reviewing) = (Access::Workspace(Power::Reading), Access::Workspace(Power::Reviewing));
    OpenApiRouter::new()
        .routes(needs(reading, routes!(list_conflicts)))
        .routes(needs(reading, routes!(get_conflict)))
        .routes(needs(reviewing, routes!(resolve_conflict)))
        .routes(needs(reviewing, routes!(sweep_conflicts)))
}

/// Two memories that may not both hold.
#[derive(Serialize, ToSchema)]
#[schema(as = Conflict)]
struct ConflictBody {
    /// Its id.
    id: ConflictId,
    /// `open` while both are active and nobody has decided.
    state: ConflictState,
    /// How likely the two contradict each other, 0 to 1.
    #[schema(example = 0.8)]
    score: f32,
    /// Whether that is clear.
    certain: bool,
    /// Why, in a sentence, from the texts as they are now.
    reason: String,
    /// How it came to light.
    origin: ConflictOrigin,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    found_at: OffsetDateTime,
    /// The two, as they are now, the older first.
    memories: Vec<MemoryBody>,
    /// How it was resolved; null while it is open, and where one of the two is no longer active.
    resolution: Option<Resolution>,
    /// The memory that holds, if one was chosen.
    kept: Option<MemoryId>,
    /// What whoever resolved it said.
    note: Option<String>,
    /// When it was resolved.
    #[serde(with = "time::serde::rfc3339::option")]
    resolved_at: Option<OffsetDateTime>,
    /// By whom.
    resolved_by: Option<ActorBody>,
}

fn shown<P>(scope: &Scope<P>, shown: Shown) -> ConflictBody {
    let Shown { conflict, memories, reason } = shown;
    ConflictBody {
        id: conflict.id,
        state: conflict.state,
        score: conflict.score,
        certain: conflict.certain,
        reason,
        origin: conflict.origin,
        found_at: conflict.found_at,
        memories: memories.into_iter().map(|memory| MemoryBody::new(scope, memory)).collect(),
        resolution: conflict.resolution,
        kept: conflict.kept,
        note: conflict.note,
        resolved_at: conflict.resolved_at,
        resolved_by: conflict.resolved_by.as_ref().map(ActorBody::from),
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListConflicts {
    /// Only in this state; those that are open unless said.
    state: Option<ConflictState>,
    /// Only with a memory of this project.
    project: Option<String>,
    /// Only with this memory.
    memory_id: Option<MemoryId>,
    /// Only those that are certain or have a score of 0.75 or more; `false`: only the others, which are worth a look.
    likely: Option<bool>,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List conflicts, newest first.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/conflicts", tag = "Conflicts", params(ListConflicts), responses((status = 200, description = "A page of them.", body = List<ConflictBody>)))]
async fn list_conflicts(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<ListConflicts>,
) -> Result<axum::Json<List<ConflictBody>>, Problem> {
    let state = Some(asked.state.unwrap_or(ConflictState::Open));
    let filter = ConflictFilter { state, project: asked.project, memory: asked.memory_id, likely: asked.likely };
    let page = acts::conflicts::list(&app, &scope, &filter, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.map(|one| shown(&scope, one)).into()))
}

#[derive(Deserialize)]
struct OfConflict {
    id: ConflictId,
}

/// Read a conflict.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/conflicts/{id}", tag = "Conflicts", responses((status = 200, description = "The conflict.", body = ConflictBody)))]
async fn get_conflict(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfConflict>,
) -> Result<axum::Json<ConflictBody>, Problem> {
    Ok(axum::Json(shown(&scope, acts::conflicts::find(&app, &scope, of.id).await?)))
}

/// Which of two memories holds.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ResolveBody {
    /// The id of the one that holds, and the other is superseded by it; `both`, and they are not reported again as they
    /// are; or `neither`, and both are archived.
    #[schema(example = "both")]
    keep: String,
    /// Why.
    note: Option<String>,
}

/// Resolve a conflict: say which memory holds.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/conflicts/{id}/resolve", tag = "Conflicts", request_body = ResolveBody, responses(
    (status = 200, description = "Resolved.", body = ConflictBody),
    (status = 409, description = "It was resolved already (`wrong_state`).")))]
async fn resolve_conflict(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfConflict>,
    Json(sent): Json<ResolveBody>,
) -> Result<axum::Json<ConflictBody>, Problem> {
    let note = sent.note.as_deref().map(|note| text::prose("note", note, 2000)).transpose()?;
    Ok(axum::Json(shown(&scope, acts::conflicts::resolve(&app, &scope, of.id, sent.keep.parse()?, note).await?)))
}

/// How to sweep.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
struct SweepBody {
    /// From the beginning, and not from where the last sweep ended.
    #[serde(default)]
    anew: bool,
}

/// What a sweep did.
#[derive(Serialize, ToSchema)]
struct SweptBody {
    /// Memories that were held against their nearest.
    looked_at: usize,
    /// Conflicts that came to light.
    found: usize,
    /// Whether there is more to look at: call again.
    more: bool,
}

/// Look for contradictions among what changed since the last sweep.
///
/// One call looks at up to 500 memories, and for ten seconds at most; `more` says whether to call again. A pair that was decided is not found again
/// until one of the texts changes.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/conflicts/sweep", tag = "Conflicts", request_body = SweepBody, responses((status = 200, description = "What came to light.", body = SweptBody)))]
async fn sweep_conflicts(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    MaybeJson(sent): MaybeJson<SweepBody>,
) -> Result<axum::Json<SweptBody>, Problem> {
    let swept = acts::conflicts::sweep(&app, &scope, IN_ONE_CALL, sent.anew).await?;
    Ok(axum::Json(SweptBody { looked_at: swept.looked_at, found: swept.found, more: swept.more }))
}
