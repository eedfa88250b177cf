//! Rollbacks over REST.

use super::{
    answers::List,
    document::{Access, needs},
    memories::ActorBody,
    sent::{Json, Params, Query},
};
use crate::{
    App,
    acts::{self, rollbacks::Undone},
    model::{
        MemoryId, Power, RollbackId, SessionId,
        clock::kept,
        page::Limit,
        rollbacks::{Counts, Outcome, Reason, Rollback, Selector, ShownItem},
    },
    problem::Problem,
    store::{Reading, Reviewing, Scope},
};
use axum::{extract::State as Of, http::StatusCode};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

pub fn routes() -> OpenApiRouter<App> {
    let (reading, reviewing) = (Access::Workspace(Power::Reading), Access::Workspace(Power::Reviewing));
    OpenApiRouter::new()
        .routes(needs(reviewing, routes!(create_rollback)))
        .routes(needs(reading, routes!(list_rollbacks)))
        .routes(needs(reading, routes!(get_rollback)))
        .routes(needs(reading, routes!(list_rollback_memories)))
}

/// Which writes to undo: those that everything said here fits. At least one thing has to be said.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RollbackBody {
    /// Those of this session.
    session_id: Option<Uuid>,
    /// Those of this dream.
    dream_id: Option<Uuid>,
    /// Those of this rollback: it is taken back.
    rollback_id: Option<Uuid>,
    /// Those of this agent or person.
    agent_id: Option<Uuid>,
    /// Those from this time on.
    #[serde(default, with = "time::serde::rfc3339::option")]
    from: Option<OffsetDateTime>,
    /// Those before this time.
    #[serde(default, with = "time::serde::rfc3339::option")]
    to: Option<OffsetDateTime>,
    /// Those of these memories, at most 10,000.
    memory_ids: Option<Vec<Uuid>>,
    /// Only say what would be done.
    dry_run: Option<bool>,
}

impl RollbackBody {
    fn parse(self) -> Result<Selector, Problem> {
        const MOST: usize = 10_000;
        let runs = [self.session_id, self.dream_id, self.rollback_id].iter().flatten().count();
        if runs > 1 {
            return Err(Problem::invalid("session_id", "cannot be combined with another run: say session_id, dream_id or rollback_id"));
        }
        if self.memory_ids.as_ref().is_some_and(|ids| ids.is_empty() || ids.len() > MOST) {
            return Err(Problem::invalid("memory_ids", "must be 1 to 10,000"));
        }
        let selector = Selector {
            session_id: self.session_id.map(SessionId),
            dream_id: self.dream_id,
            rollback_id: self.rollback_id.map(RollbackId),
            review_id: None,
            agent_id: self.agent_id,
            from: kept("from", self.from)?,
            to: kept("to", self.to)?,
            memory_ids: self.memory_ids.map(|ids| ids.into_iter().map(MemoryId).collect()),
        };
        if selector == Selector::default() {
            let message = "is missing, and so is everything else: say at least one of session_id, dream_id, rollback_id, agent_id, from, to, memory_ids";
            return Err(Problem::invalid("session_id", message));
        }
        if selector.from.zip(selector.to).is_some_and(|(from, to)| from >= to) {
            return Err(Problem::invalid("to", "must be after from"));
        }
        Ok(selector)
    }
}

/// How many memories became of what.
#[derive(Serialize, ToSchema)]
struct CountsBody {
    /// A new version has the state from before.
    #[schema(example = 3)]
    restored: i32,
    /// The same, and it is active again because what had taken its place is put away.
    #[schema(example = 1)]
    unwound: i32,
    /// Made by what is undone, and put away.
    #[schema(example = 2)]
    archived: i32,
    /// As they were; `reason` says why.
    #[schema(example = 0)]
    left: i32,
    /// Open proposals that were withdrawn with their memories.
    #[schema(example = 0)]
    withdrawn: i32,
}

impl From<Counts> for CountsBody {
    fn from(counts: Counts) -> Self {
        let Counts { restored, unwound, archived, left, withdrawn } = counts;
        Self { restored, unwound, archived, left, withdrawn }
    }
}

/// What became of a memory.
#[derive(Serialize, ToSchema)]
#[schema(as = RolledBack)]
struct ItemBody {
    /// Which.
    memory_id: MemoryId,
    /// What it is about today, if you may see it.
    #[schema(example = "Use RS256 for service tokens")]
    title: Option<String>,
    /// Where it lies today, if you may see it.
    #[schema(example = "/decisions/use-rs256.md")]
    path: Option<String>,
    /// What became of it.
    outcome: Outcome,
    /// The version that was or would be written; of one that was changed since, the first that was not selected.
    #[schema(example = 4)]
    version: Option<i32>,
    /// The version whose state it has again; 0 when it was not there.
    #[schema(example = 2)]
    back_to: Option<i32>,
    /// Why it was left.
    reason: Option<Reason>,
    /// The memory that stands in the way.
    other_id: Option<MemoryId>,
    /// When it was changed since.
    #[serde(with = "time::serde::rfc3339::option")]
    changed_at: Option<OffsetDateTime>,
    /// By whom.
    changed_by: Option<ActorBody>,
}

impl From<ShownItem> for ItemBody {
    fn from(shown: ShownItem) -> Self {
        let ShownItem { item, title, path, changed } = shown;
        Self {
            memory_id: item.memory_id,
            title,
            path,
            outcome: item.outcome,
            version: item.version,
            back_to: item.back_to,
            reason: item.reason,
            other_id: item.other,
            changed_at: changed.as_ref().map(|(at, _)| *at),
            changed_by: changed.as_ref().map(|(_, by)| by.into()),
        }
    }
}

/// A rollback: what it undid, and what became of it.
#[derive(Serialize, ToSchema)]
#[schema(as = Rollback)]
struct RollbackShort {
    /// Its id; null of a dry run. Say it as `rollback_id` to take the rollback back.
    id: Option<RollbackId>,
    /// Whether nothing was done.
    dry_run: bool,
    /// Which writes.
    selector: Selector,
    /// What became of the memories that they had touched.
    counts: CountsBody,
    /// When.
    #[serde(with = "time::serde::rfc3339::option")]
    at: Option<OffsetDateTime>,
    /// By whom.
    by: Option<ActorBody>,
}

impl From<Rollback> for RollbackShort {
    fn from(rollback: Rollback) -> Self {
        Self {
            id: Some(rollback.id),
            dry_run: false,
            selector: rollback.selector,
            counts: rollback.counts.into(),
            at: Some(rollback.at),
            by: Some((&rollback.by).into()),
        }
    }
}

/// A rollback with its memories: of each outcome the first 1,000.
#[derive(Serialize, ToSchema)]
struct RollbackAnswer {
    /// What it was.
    #[serde(flatten)]
    rollback: RollbackShort,
    /// A new version has the state from before.
    restored: Vec<ItemBody>,
    /// The same, and what had taken its place is put away.
    unwound: Vec<ItemBody>,
    /// Made by what is undone, and put away.
    archived: Vec<ItemBody>,
    /// As they were, with the reason.
    left: Vec<ItemBody>,
}

impl From<Undone> for RollbackAnswer {
    fn from(undone: Undone) -> Self {
        let dry = || RollbackShort {
            id: None,
            dry_run: true,
            selector: undone.selector.clone(),
            counts: undone.counts.into(),
            at: None,
            by: None,
        };
        let mut answer = Self {
            rollback: undone.rollback.map_or_else(dry, RollbackShort::from),
            restored: Vec::new(),
            unwound: Vec::new(),
            archived: Vec::new(),
            left: Vec::new(),
        };
        for shown in undone.items {
            let list = match shown.item.outcome {
                Outcome::Restored => &mut answer.restored,
                Outcome::Unwound => &mut answer.unwound,
                Outcome::Archived => &mut answer.archived,
                Outcome::Left => &mut answer.left,
            };
            list.push(shown.into());
        }
        answer
    }
}

/// Undo writes: those of a session, an agent, a time, some memories, or of all of these together.
///
/// Each memory gets a new version with the state from before; one that was made by these writes is put away. What somebody
/// changed since is left and listed. With `dry_run` nothing is done, and the answer says what would be.
#[utoipa::path(post, path = "/v1/workspaces/{ws}/rollbacks", tag = "Rollbacks", request_body = RollbackBody, responses(
    (status = 201, description = "Done.", body = RollbackAnswer),
    (status = 200, description = "A dry run: nothing was done.", body = RollbackAnswer)))]
async fn create_rollback(
    Of(app): Of<App>,
    scope: Scope<Reviewing>,
    Json(sent): Json<RollbackBody>,
) -> Result<(StatusCode, axum::Json<RollbackAnswer>), Problem> {
    let dry = sent.dry_run.unwrap_or(false);
    let selector = sent.parse()?;
    Ok(if dry {
        (StatusCode::OK, axum::Json(acts::rollbacks::preview(&app, &scope, selector).await?.into()))
    } else {
        (StatusCode::CREATED, axum::Json(acts::rollbacks::roll_back(&app, &scope, selector).await?.into()))
    })
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListRollbacks {
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List rollbacks, newest first.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/rollbacks", tag = "Rollbacks", params(ListRollbacks), responses((status = 200, description = "A page of them.", body = List<RollbackShort>)))]
async fn list_rollbacks(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Query(asked): Query<ListRollbacks>,
) -> Result<axum::Json<List<RollbackShort>>, Problem> {
    Ok(axum::Json(acts::rollbacks::list(&app, &scope, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?.into()))
}

#[derive(Deserialize)]
struct OfRollback {
    id: RollbackId,
}

/// Read a rollback, with what became of the memories.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/rollbacks/{id}", tag = "Rollbacks", responses((status = 200, description = "The rollback.", body = RollbackAnswer)))]
async fn get_rollback(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfRollback>,
) -> Result<axum::Json<RollbackAnswer>, Problem> {
    Ok(axum::Json(acts::rollbacks::find(&app, &scope, of.id).await?.into()))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListItems {
    /// Only those of which this became.
    outcome: Option<Outcome>,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

/// List the memories of a rollback, and what became of each.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/rollbacks/{id}/memories", tag = "Rollbacks", params(ListItems), responses((status = 200, description = "A page of them.", body = List<ItemBody>)))]
async fn list_rollback_memories(
    Of(app): Of<App>,
    scope: Scope<Reading>,
    Params(of): Params<OfRollback>,
    Query(asked): Query<ListItems>,
) -> Result<axum::Json<List<ItemBody>>, Problem> {
    let page = acts::rollbacks::items(&app, &scope, of.id, asked.outcome, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.into()))
}
