//! The review queue over REST.

use super::{
    answers::List,
    document::{Access, needs},
    memories::{ActorBody, MemoryBody, RevisionBody},
    sent::{Json, MaybeJson, Params, Query},
};
use crate::{
    App,
    acts::{
        self,
        proposals::{Decision, Examined, Shown},
    },
    model::{
        Kind, MemoryId, PersonId, Power, ProposalId, SessionId, clock,
        page::Limit,
        proposals::{Change, Origin, Proposal, ProposalFilter, ProposalState, Sighting},
        text,
    },
    problem::Problem,
    store::{Reading, Reviewing, Scope},
};
use axum::extract::State as Of;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    let (reading, reviewing) = (Access::Workspace(Power::Reading), Access::Workspace(Power::Reviewing));
    OpenApiRouter::new()
        .routes(needs(reading, routes!(list_proposals)))
        .routes(needs(reading, routes!(get_proposal)))
        .routes(needs(reviewing, routes!(approve_proposal)))
        .routes(needs(reviewing, routes!(edit_proposal)))
        .routes(needs(reviewing, routes!(reject_proposal)))
        .routes(needs(reviewing, routes!(assign_proposal)))
        .routes(needs(reviewing, routes!(decide_proposals)))
}

/// Something that waits for review, or waited: a memory, or a change to some.
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
    /// The memory that waits or, where none does, the first of those that it is about.
    memory_id: MemoryId,
    /// What approving does beyond making the memory known.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<Change>,
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
    /// The person who is to look at it.
    assigned_to: Option<ActorBody>,
    /// What whoever decided said.
    note: Option<String>,
    /// What it says; only in the queue and where one is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryBody>,
    /// What is known already and speaks of the same, nearest first; only where one is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    similar: Option<Vec<SimilarBody>>,
    /// What approving would change besides; only where one is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    touches: Option<Vec<TouchedBody>>,
}

/// A memory that speaks of the same.
#[derive(Serialize, ToSchema)]
#[schema(as = Similar)]
struct SimilarBody {
    /// Its id.
    memory_id: MemoryId,
    /// What it is about.
    title: String,
    /// How near it is, 0 to 1.
    score: f32,
}

/// A memory that a proposal would change.
#[derive(Serialize, ToSchema)]
#[schema(as = WouldChange)]
struct TouchedBody {
    /// Its id.
    memory_id: MemoryId,
    /// What it is about.
    title: String,
}

impl From<Proposal> for ProposalBody {
    fn from(proposal: Proposal) -> Self {
        Self {
            id: proposal.id,
            origin: proposal.origin,
            reason: proposal.reason,
            state: proposal.state,
            memory_id: proposal.memory_id,
            change: proposal.change,
            project: proposal.project,
            confidence: proposal.confidence,
            evidence: proposal.sightings,
            created_at: proposal.created_at,
            decided_at: proposal.decided_at,
            decided_by: proposal.decided_by.as_ref().map(ActorBody::from),
            assigned_to: proposal.assigned_to.as_ref().map(ActorBody::from),
            note: proposal.note,
            memory: None,
            similar: None,
            touches: None,
        }
    }
}

fn shown<P>(scope: &Scope<P>, shown: Shown) -> ProposalBody {
    ProposalBody { memory: shown.memory.map(|memory| MemoryBody::new(scope, memory)), ..shown.proposal.into() }
}

fn examined<P>(scope: &Scope<P>, one: Examined) -> ProposalBody {
    let similar = one.similar.into_iter().map(|one| SimilarBody { memory_id: one.id, title: one.title, score: one.score }).collect();
    let touches = one.touches.into_iter().map(|(memory_id, title)| TouchedBody { memory_id, title }).collect();
    ProposalBody { similar: Some(similar), touches: Some(touches), ..shown(scope, one.shown) }
}

/// Which end of the queue comes first.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Order {
    Newest,
    Oldest,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListProposals {
    /// Only in this state; those that wait unless said.
    state: Option<ProposalState>,
    /// Only those that this session shows or wrote.
    session_id: Option<SessionId>,
    /// Only those that wait for this reason.
    origin: Option<Origin>,
    /// Only of this kind.
    kind: Option<Kind>,
    /// Only of this project.
    project: Option<String>,
    /// Only those that this person is to look at.
    assigned_to: Option<PersonId>,
    /// Only those that were first proposed longer ago than this.
    older_than_days: Option<u32>,
    /// `newest` or `oldest` first; the newest unless said.
    #[param(inline)]
    sort: Option<Order>,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

impl ListProposals {
    fn filter(&self) -> Result<ProposalFilter, Problem> {
        let before = |days: u32| {
            let then = clock::now().checked_sub(time::Duration::days(days.into()));
            then.filter(|_| days <= 36_500).ok_or_else(|| Problem::invalid("older_than_days", "must be at most 36,500"))
        };
        Ok(ProposalFilter {
            state: Some(self.state.unwrap_or(ProposalState::Open)),
            session: self.session_id,
            origin: self.origin,
            kind: self.kind,
            project: self.project.clone(),
            assigned_to: self.assigned_to,
            before: self.older_than_days.map(before).transpose()?,
            oldest_first: self.sort == Some(Order::Oldest),
        })
    }
}

/// List what waits for review.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/proposals", tag = "Proposals", params(ListProposals), responses((status = 200, description = "A page of them.", body = List<ProposalBody>)))]
async fn list_proposals(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<ListProposals>,
) -> Result<axum::Json<List<ProposalBody>>, Problem> {
    let page = acts::proposals::list(&app, &scope, &asked.filter()?, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.map(|one| shown(&scope, one)).into()))
}

#[derive(Deserialize)]
struct OfProposal {
    id: ProposalId,
}

/// Read a proposal, with what is similar and what it would change.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/proposals/{id}", tag = "Proposals", responses((status = 200, description = "The proposal.", body = ProposalBody)))]
async fn get_proposal(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfProposal>,
) -> Result<axum::Json<ProposalBody>, Problem> {
    Ok(axum::Json(examined(&scope, acts::proposals::examine(&app, &scope, of.id).await?)))
}

/// What to say with a decision.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
#[schema(as = ProposalVerdict)]
struct VerdictBody {
    /// Why.
    note: Option<String>,
}

fn note(sent: Option<&str>) -> Result<Option<String>, Problem> {
    sent.map(|note| text::prose("note", note, 2000)).transpose()
}

/// Accept a proposal: its memory is known from now on, or its change is done.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/proposals/{id}/approve", tag = "Proposals", request_body = VerdictBody, responses(
    (status = 200, description = "Accepted.", body = ProposalBody),
    (status = 409, description = "It was decided already (`wrong_state`), or contradicts a decision (`decision_conflict`).")))]
async fn approve_proposal(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfProposal>,
    MaybeJson(sent): MaybeJson<VerdictBody>,
) -> Result<axum::Json<ProposalBody>, Problem> {
    let note = note(sent.note.as_deref())?;
    Ok(axum::Json(shown(&scope, acts::proposals::approve(&app, &scope, of.id, note).await?)))
}

/// Accept a proposal in other words.
///
/// Takes the fields of a change to a memory. A decision is never changed, so the one that waits makes room for a new one
/// with the edited text.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/proposals/{id}/edit", tag = "Proposals", request_body = RevisionBody, responses(
    (status = 200, description = "Accepted as edited.", body = ProposalBody),
    (status = 409, description = "It was decided already, or no memory waits for it (`wrong_state`).")))]
async fn edit_proposal(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfProposal>,
    Json(sent): Json<RevisionBody>,
) -> Result<axum::Json<ProposalBody>, Problem> {
    Ok(axum::Json(shown(&scope, acts::proposals::edit(&app, &scope, of.id, sent.parse()?).await?)))
}

/// Reject a proposal: its memory is archived, or its change is left undone, and the same does not come back.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/proposals/{id}/reject", tag = "Proposals", request_body = VerdictBody, responses(
    (status = 200, description = "Rejected.", body = ProposalBody),
    (status = 409, description = "It was decided already (`wrong_state`).")))]
async fn reject_proposal(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfProposal>,
    MaybeJson(sent): MaybeJson<VerdictBody>,
) -> Result<axum::Json<ProposalBody>, Problem> {
    let note = note(sent.note.as_deref())?;
    Ok(axum::Json(shown(&scope, acts::proposals::reject(&app, &scope, of.id, note).await?)))
}

/// Who is to look at a proposal.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AssignBody {
    /// A person who may decide on it; null: nobody in particular.
    #[serde(deserialize_with = "Option::deserialize")]
    to: Option<PersonId>,
}

/// Say who is to look at a proposal.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/proposals/{id}/assign", tag = "Proposals", request_body = AssignBody, responses(
    (status = 200, description = "Assigned.", body = ProposalBody),
    (status = 409, description = "It was decided already (`wrong_state`).")))]
async fn assign_proposal(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Params(of): Params<OfProposal>,
    Json(sent): Json<AssignBody>,
) -> Result<axum::Json<ProposalBody>, Problem> {
    Ok(axum::Json(shown(&scope, acts::proposals::assign(&app, &scope, of.id, sent.to).await?)))
}

/// Many decisions at once: two lists, or one with a word each.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DecideBody {
    /// Those to approve.
    #[serde(default)]
    approve: Vec<ProposalId>,
    /// Those to reject.
    #[serde(default)]
    reject: Vec<ProposalId>,
    /// Or each with what shall become of it.
    #[serde(default)]
    decisions: Vec<DecisionBody>,
    /// Why, for all of them.
    note: Option<String>,
}

/// One of many decisions.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ProposalDecision)]
struct DecisionBody {
    /// The proposal.
    id: ProposalId,
    /// What shall become of it.
    decision: DecisionWord,
}

/// What shall become of a proposal.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum DecisionWord {
    Approve,
    Reject,
}

impl DecideBody {
    fn parse(&self) -> Result<Vec<Decision>, Problem> {
        let worded = self.decisions.iter().map(|one| Decision { id: one.id, approve: one.decision == DecisionWord::Approve });
        let approved = self.approve.iter().map(|id| Decision { id: *id, approve: true });
        let rejected = self.reject.iter().map(|id| Decision { id: *id, approve: false });
        let all: Vec<Decision> = worded.chain(approved).chain(rejected).collect();
        if all.is_empty() || all.len() > 1000 {
            return Err(Problem::invalid("decisions", "must be 1 to 1,000, with those of approve and reject"));
        }
        let mut seen = HashSet::new();
        match all.iter().position(|one| !seen.insert(one.id)) {
            Some(index) => Err(Problem::invalid(format!("decisions[{index}].id"), "is there twice")),
            None => Ok(all),
        }
    }
}

/// What became of them, in the order sent: `decisions`, then `approve`, then `reject`.
#[derive(Serialize, ToSchema)]
struct DecidedBody {
    /// One per decision.
    data: Vec<ProposalBody>,
}

/// Decide many proposals, all or none.
///
/// One that was decided the same way already stays as it is; any other that cannot be decided stops all, and the problem
/// says which by its `index`.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/proposals/decide", tag = "Proposals", request_body = DecideBody, responses(
    (status = 200, description = "All decided.", body = DecidedBody),
    (status = 409, description = "One of them was decided otherwise (`wrong_state`), or contradicts a decision (`decision_conflict`).")))]
async fn decide_proposals(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Json(sent): Json<DecideBody>,
) -> Result<axum::Json<DecidedBody>, Problem> {
    let note = note(sent.note.as_deref())?;
    let all = acts::proposals::decide_all(&app, &scope, &sent.parse()?, note).await?;
    Ok(axum::Json(DecidedBody { data: all.into_iter().map(|one| shown(&scope, one)).collect() }))
}
