//! Dreams over REST.

use super::{
    answers::List,
    document::{Access, needs},
    memories::ActorBody,
    sent::{MaybeJson, Params, Query},
};
use crate::{
    App, acts,
    model::{
        ConflictId, DreamId, MemoryId, Power, Project, ProposalId,
        access::Mode,
        dreams::{Asked, Deed, Done, Dream, DreamState, Outcome, Stage, Tally, Why},
        page::Limit,
    },
    problem::Problem,
    store::{Reading, Reviewing, Scope},
};
use axum::{extract::State as Of, http::StatusCode};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    let (reading, reviewing) = (Access::Workspace(Power::Reading), Access::Workspace(Power::Reviewing));
    OpenApiRouter::new()
        .routes(needs(reviewing, routes!(start_dream)))
        .routes(needs(reading, routes!(list_dreams)))
        .routes(needs(reading, routes!(get_dream)))
        .routes(needs(reading, routes!(list_dream_actions)))
}

/// What to dream of, and how.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct NewDreamBody {
    /// `review` puts everything up for review, `auto` does what is above the threshold and puts the rest up; what is set for a
    /// kind makes it more careful. Left out, it is as the workspace's settings say.
    mode: Option<Mode>,
    /// Only memories of this project.
    project: Option<String>,
    /// Change nothing, and report what would be done.
    dry_run: bool,
}

/// A curation run.
#[derive(Serialize, ToSchema)]
struct DreamBody {
    /// Its id; `POST …/rollbacks` with it as `dream_id` undoes what it did.
    id: DreamId,
    /// Where it stands.
    state: DreamState,
    /// How far it has come.
    stage: Stage,
    /// How it treats what it finds.
    mode: Mode,
    /// What it is limited to; null: the whole workspace.
    project: Option<String>,
    /// Whether it only looks.
    dry_run: bool,
    /// When it began.
    #[serde(with = "time::serde::rfc3339")]
    started_at: OffsetDateTime,
    /// By whom; by the server itself where it was due.
    started_by: ActorBody,
    /// When it was over.
    #[serde(with = "time::serde::rfc3339::option")]
    ended_at: Option<OffsetDateTime>,
    /// What it looked at and did, in figures.
    report: Tally,
    /// What it did, the first of it; only when one dream is read. The rest is at `…/actions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<List<ActionBody>>,
}

impl From<Dream> for DreamBody {
    fn from(dream: Dream) -> Self {
        Self {
            id: dream.id,
            state: dream.state,
            stage: dream.stage,
            mode: dream.mode,
            project: dream.project,
            dry_run: dream.dry_run,
            started_at: dream.started_at,
            started_by: (&dream.started_by).into(),
            ended_at: dream.ended_at,
            report: dream.tally,
            actions: None,
        }
    }
}

/// One thing that a dream did or found.
#[derive(Serialize, ToSchema)]
struct ActionBody {
    /// What.
    deed: Deed,
    /// Why.
    why: Why,
    /// How sure it is, 0 to 1.
    score: f32,
    /// What became of it.
    outcome: Outcome,
    /// What it is about; of a merge the one that stays, of a contradiction the older.
    memory: NamedBody,
    /// The others: put aside, told in short, contradicting.
    others: Vec<NamedBody>,
    /// The memory that it made.
    made: Option<NamedBody>,
    /// Where it waits for review.
    proposal_id: Option<ProposalId>,
    /// Where the contradiction is to be resolved.
    conflict_id: Option<ConflictId>,
}

/// A memory by its name.
#[derive(Serialize, ToSchema)]
struct NamedBody {
    /// Its id.
    id: MemoryId,
    /// Its title now; null when it is gone or not yours to see.
    title: Option<String>,
}

fn action_body(done: Done, titles: &HashMap<MemoryId, String>) -> ActionBody {
    let named = |id: MemoryId| NamedBody { id, title: titles.get(&id).cloned() };
    ActionBody {
        deed: done.deed,
        why: done.why,
        score: done.score,
        outcome: done.outcome,
        memory: named(done.memory),
        others: done.others.into_iter().map(named).collect(),
        made: done.made.map(named),
        proposal_id: done.proposal,
        conflict_id: done.conflict,
    }
}

/// Begin a dream.
///
/// It goes on in the background: read it again until its `state` is no longer `running`. One dream of a workspace at a time.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/dreams", tag = "Dreams", request_body = NewDreamBody, responses(
    (status = 201, description = "It has begun.", body = DreamBody),
    (status = 409, description = "One is under way (`dream_running`).")))]
async fn start_dream(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    MaybeJson(sent): MaybeJson<NewDreamBody>,
) -> Result<(StatusCode, axum::Json<DreamBody>), Problem> {
    if sent.mode == Some(Mode::Off) {
        return Err(Problem::invalid("mode", "must be review or auto"));
    }
    let project = sent.project.as_deref().map(Project::parse).transpose()?;
    let asked = Asked { mode: sent.mode, project, dry_run: sent.dry_run };
    let dream = acts::dreams::start(&app, &scope, asked).await?;
    Ok((StatusCode::CREATED, axum::Json(dream.into())))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListDreams {
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List dreams, newest first.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/dreams", tag = "Dreams", params(ListDreams), responses((status = 200, description = "A page of them.", body = List<DreamBody>)))]
async fn list_dreams(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<ListDreams>,
) -> Result<axum::Json<List<DreamBody>>, Problem> {
    let page = acts::dreams::list(&app, &scope, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.into()))
}

#[derive(Deserialize)]
struct OfDream {
    id: DreamId,
}

/// Read a dream: how far it is, what it did and why.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/dreams/{id}", tag = "Dreams", responses((status = 200, description = "The dream.", body = DreamBody)))]
async fn get_dream(Of(app): Of<App>, scope: Scope<Reading>, Params(of): Params<OfDream>) -> Result<axum::Json<DreamBody>, Problem> {
    let dream = acts::dreams::find(&app, &scope, of.id).await?;
    let (page, titles) = acts::dreams::actions(&app, &scope, of.id, None, Limit::DEFAULT, None).await?;
    let actions = List { data: page.data.into_iter().map(|done| action_body(done, &titles)).collect(), next_cursor: page.next_cursor };
    Ok(axum::Json(DreamBody { actions: Some(actions), ..dream.into() }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListDreamActions {
    /// Only this deed.
    deed: Option<Deed>,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List what a dream did, in order.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/dreams/{id}/actions", tag = "Dreams", params(ListDreamActions), responses((status = 200, description = "A page of them.", body = List<ActionBody>)))]
async fn list_dream_actions(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfDream>,
    Query(asked): Query<ListDreamActions>,
) -> Result<axum::Json<List<ActionBody>>, Problem> {
    let limit = Limit::parse(asked.limit)?;
    let (page, titles) = acts::dreams::actions(&app, &scope, of.id, asked.deed, limit, asked.cursor.as_deref()).await?;
    let data = page.data.into_iter().map(|done| action_body(done, &titles)).collect();
    Ok(axum::Json(List { data, next_cursor: page.next_cursor }))
}
