//! The review queue over REST.

use super::{
    answers::List,
    document::{Access, needs},
    memories::{ActorBody, MemoryBody},
    sent::{Params, Query},
};
use crate::{
    App,
    acts::{self, proposals::Shown},
    model::{
        MemoryId, Power, ProposalId, SessionId,
        page::Limit,
        proposals::{Origin, Proposal, ProposalFilter, ProposalState, Sighting},
    },
    problem::Problem,
    store::{Reading, Reviewing, Scope},
};
use axum::extract::State as Of;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    let (reading, reviewing) = (Access::Workspace(Power::Reading), Access::Workspace(Power::Reviewing));
    OpenApiRouter::new()
        .routes(needs(reading, routes!(list_proposals)))
        .routes(needs(reading, routes!(get_proposal)))
        .routes(needs(reviewing, routes!(approve_proposal)))
        .routes(needs(reviewing, routes!(reject_proposal)))
}

/// A memory that waits for review, or waited.
#[derive(Serialize, ToSchema)]
#[schema(as = Proposal)]
pub struct ProposalBody {
    /// Its id.
    id: ProposalId,
    /// Why it waits.
    origin: Origin,
    /// The same in a sentence.
    reason: String,
    /// Where it stands.
    state: ProposalState,
    /// The memory.
    memory_id: MemoryId,
    /// The project it belongs to.
    project: Option<String>,
    /// How sure all that speaks for it makes it, 0 to 1.
    confidence: f32,
    /// The runs that show it, with the events of their logs.
    evidence: Vec<Sighting>,
    /// When it was first proposed.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// When it was decided.
    #[serde(with = "time::serde::rfc3339::option")]
    decided_at: Option<OffsetDateTime>,
    /// By whom.
    decided_by: Option<ActorBody>,
    /// What it says; only in the queue and where one is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryBody>,
}

impl From<Proposal> for ProposalBody {
    fn from(proposal: Proposal) -> Self {
        Self {
            id: proposal.id,
            origin: proposal.origin,
            reason: proposal.reason,
            state: proposal.state,
            memory_id: proposal.memory_id,
            project: proposal.project,
            confidence: proposal.confidence,
            evidence: proposal.sightings,
            created_at: proposal.created_at,
            decided_at: proposal.decided_at,
            decided_by: proposal.decided_by.as_ref().map(ActorBody::from),
            memory: None,
        }
    }
}

fn shown<P>(scope: &Scope<P>, shown: Shown) -> ProposalBody {
    ProposalBody { memory: shown.memory.map(|memory| MemoryBody::new(scope, memory)), ..shown.proposal.into() }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListProposals {
    /// Only in this state; those that wait unless said.
    state: Option<ProposalState>,
    /// Only those that this session shows.
    session_id: Option<SessionId>,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List what waits for review, newest first.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/proposals", tag = "Proposals", params(ListProposals), responses((status = 200, description = "A page of them.", body = List<ProposalBody>)))]
async fn list_proposals(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<ListProposals>,
) -> Result<axum::Json<List<ProposalBody>>, Problem> {
    let (state, limit) = (asked.state.unwrap_or(ProposalState::Open), Limit::parse(asked.limit)?);
    let filter = ProposalFilter { state: Some(state), session: asked.session_id, ..ProposalFilter::default() };
    let page = acts::proposals::list(&app, &scope, &filter, limit, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.map(|one| shown(&scope, one)).into()))
}

#[derive(Deserialize)]
struct OfProposal {
    id: ProposalId,
}

/// Read a proposal.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/proposals/{id}", tag = "Proposals", responses((status = 200, description = "The proposal.", body = ProposalBody)))]
async fn get_proposal(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfProposal>,
) -> Result<axum::Json<ProposalBody>, Problem> {
    Ok(axum::Json(shown(&scope, acts::proposals::find(&app, &scope, of.id).await?)))
}

/// Accept a proposal: its memory is known from now on.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/proposals/{id}/approve", tag = "Proposals", responses(
    (status = 200, description = "Accepted.", body = ProposalBody),
    (status = 409, description = "It was decided already (`wrong_state`).")))]
async fn approve_proposal(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfProposal>,
) -> Result<axum::Json<ProposalBody>, Problem> {
    Ok(axum::Json(shown(&scope, acts::proposals::approve(&app, &scope, of.id).await?)))
}

/// Reject a proposal: its memory is archived, and the same finding does not come back.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/proposals/{id}/reject", tag = "Proposals", responses(
    (status = 200, description = "Rejected.", body = ProposalBody),
    (status = 409, description = "It was decided already (`wrong_state`).")))]
async fn reject_proposal(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfProposal>,
) -> Result<axum::Json<ProposalBody>, Problem> {
    Ok(axum::Json(shown(&scope, acts::proposals::reject(&app, &scope, of.id).await?)))
}
