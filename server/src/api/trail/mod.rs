//! The audit trail over REST: read, taken out, and proven.

mod csv;
mod export;
mod sealed;

use super::{
    answers::List,
    document::{Access, needs},
    memories::ActorBody,
    sent::Query,
};
use crate::{
    App, acts,
    auth::InstanceAdmin,
    model::{
        AuditId, Power, Role,
        clock::kept,
        page::Limit,
        text,
        trail::{Entry, Filter},
    },
    problem::Problem,
    store::{Auditing, Scope},
};
use axum::extract::State as Of;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(needs(Access::Workspace(Power::Auditing), routes!(list_audit)))
        .routes(needs(Access::InstanceAdmin, routes!(list_instance_audit)))
        .merge(sealed::routes())
        .merge(export::routes())
}

/// What an entry is about.
#[derive(Serialize, ToSchema)]
struct TargetBody {
    /// What sort of thing.
    #[serde(rename = "type")]
    #[schema(example = "memory")]
    kind: String,
    /// Its id.
    id: Uuid,
}

/// One entry of the trail: who did what to what, when. It holds no text that anyone wrote.
#[derive(Serialize, ToSchema)]
struct EntryBody {
    /// Its id.
    id: AuditId,
    /// Its place in the sealed tree; null until it is sealed.
    index: Option<u64>,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
    /// Who; the name is as it is today.
    actor: ActorBody,
    /// The role they acted in; null for the instance.
    role: Option<Role>,
    /// What they did.
    #[schema(example = "memory.remembered")]
    action: String,
    /// To what.
    target: Option<TargetBody>,
    /// The version that came of it.
    version: Option<i32>,
    /// The request it was done in.
    request_id: String,
    /// The session it was done in.
    session_id: Option<Uuid>,
    /// A salted SHA-256 of what changed, in hexadecimal; the salt lies with the version and goes with it.
    digest: Option<String>,
    /// Further ids, numbers and fixed words.
    #[schema(value_type = Option<Object>)]
    details: Option<serde_json::Value>,
}

impl From<Entry> for EntryBody {
    fn from(entry: Entry) -> Self {
        Self {
            id: entry.id,
            index: entry.index,
            at: entry.at,
            actor: (&entry.actor).into(),
            role: entry.role,
            action: entry.action,
            target: entry.target.map(|(kind, id)| TargetBody { kind, id }),
            version: entry.version,
            request_id: entry.request_id,
            session_id: entry.session_id,
            digest: entry.digest.as_deref().map(text::hex),
            details: entry.details,
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ListAudit {
    /// Only by this person or agent.
    actor: Option<Uuid>,
    /// Only this action, such as `memory.remembered`.
    action: Option<String>,
    /// Only about the thing with this id.
    target: Option<Uuid>,
    /// Only from this time on.
    #[serde(default, with = "time::serde::rfc3339::option")]
    from: Option<OffsetDateTime>,
    /// Only before this time.
    #[serde(default, with = "time::serde::rfc3339::option")]
    to: Option<OffsetDateTime>,
    /// How many, 1 to 200.
    limit: Option<i64>,
    /// Where the last page ended.
    cursor: Option<String>,
}

impl ListAudit {
    fn filter(&self) -> Result<Filter, Problem> {
        let (from, to) = (kept("from", self.from)?, kept("to", self.to)?);
        Ok(Filter { actor: self.actor, action: self.action.clone(), target: self.target, from, to })
    }
}

/// List the trail of a workspace, newest first.
///
/// One page looks through 20,000 entries at most: with a filter that few of them fit it may be short or empty, and
/// `next_cursor` goes on from there.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/audit", tag = "Trail", params(ListAudit), responses((status = 200, description = "A page of it.", body = List<EntryBody>)))]
async fn list_audit(
    Of(app): Of<App>,
    scope: Scope<Auditing>,
    Query(asked): Query<ListAudit>,
) -> Result<axum::Json<List<EntryBody>>, Problem> {
    let page = acts::trail::list(&app, &scope, &asked.filter()?, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.into()))
}

/// List the instance's own trail, newest first: sign-ins, people, workspaces.
///
/// One page looks through 20,000 entries at most: with a filter that few of them fit it may be short or empty, and
/// `next_cursor` goes on from there.
#[utoipa::path(get, path = "/v1/audit", tag = "Trail", params(ListAudit), responses((status = 200, description = "A page of it.", body = List<EntryBody>)))]
async fn list_instance_audit(
    Of(app): Of<App>,
    admin: InstanceAdmin,
    Query(asked): Query<ListAudit>,
) -> Result<axum::Json<List<EntryBody>>, Problem> {
    let page = acts::trail::list_of_instance(&app, &admin, &asked.filter()?, Limit::parse(asked.limit)?, asked.cursor.as_deref()).await?;
    Ok(axum::Json(page.into()))
}
