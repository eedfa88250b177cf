//! Workspaces and their settings.

use super::{
    super::{
        answers::List,
        document::{Access, needs},
        sent::{Json, Query, Sent, sent},
    },
    Paged,
};
use crate::{
    App,
    acts::access,
    auth::{Caller, InstanceAdmin},
    model::{
        Power, Role, Settings, Slug, WorkspaceId,
        access::{Mode, SecretPolicy},
        policies::{Policies, PolicyOfKind},
        text,
        workspaces::{NewWorkspace, Seen, SettingsChange, WorkspaceChange},
    },
    problem::Problem,
    store::{Governing, Reading, Scope},
};
use axum::{extract::State as Of, http::StatusCode};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    let (reading, governing) = (Access::Workspace(Power::Reading), Access::Workspace(Power::Governing));
    OpenApiRouter::new()
        .routes(needs(Access::InstanceAdmin, routes!(create_workspace)))
        .routes(needs(Access::Actor, routes!(list_workspaces)))
        .routes(needs(reading, routes!(get_workspace)))
        .routes(needs(governing, routes!(change_workspace)))
        .routes(needs(governing, routes!(delete_workspace)))
}

/// A workspace.
#[derive(Serialize, ToSchema)]
#[schema(as = Workspace)]
struct WorkspaceBody {
    /// Its id.
    id: WorkspaceId,
    /// Its name in addresses.
    #[schema(example = "platform")]
    slug: String,
    /// Its name.
    #[schema(example = "Platform team")]
    name: String,
    /// What it is for.
    #[schema(example = "What the platform team and its agents know")]
    purpose: String,
    /// How it wants to be run.
    settings: Settings,
    /// What the caller may do there; null for an instance admin who is no member.
    role: Option<Role>,
    /// The project that the caller's key or token is walled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "api-gateway")]
    project: Option<String>,
    /// Since when it is there.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

impl From<Seen> for WorkspaceBody {
    fn from(seen: Seen) -> Self {
        let Seen { workspace, role, project } = seen;
        Self {
            id: workspace.id,
            slug: workspace.slug,
            name: workspace.name,
            purpose: workspace.purpose,
            settings: workspace.settings,
            role,
            project,
            created_at: workspace.created_at,
        }
    }
}

/// A workspace to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewWorkspaceBody {
    /// Its name in addresses: 1 to 63 of a-z, 0-9 and -.
    #[schema(example = "platform")]
    slug: String,
    /// Its name.
    #[schema(example = "Platform team")]
    name: String,
    /// What it is for; empty unless said.
    #[schema(example = "What the platform team and its agents know")]
    #[serde(default)]
    purpose: String,
    /// How it wants to be run; what is left out is as usual.
    #[serde(default)]
    settings: SettingsBody,
}

/// Changes to a workspace; what is left out stays.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
struct WorkspaceChangeBody {
    /// Another name.
    #[schema(example = "Platform team")]
    name: Option<String>,
    /// Another purpose.
    #[schema(example = "What the platform team and its agents know")]
    purpose: Option<String>,
    /// Other settings; those left out stay.
    #[serde(default)]
    settings: SettingsBody,
}

/// Settings to change; what is left out stays, and null clears where there may be nothing.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
struct SettingsBody {
    /// Captured memories below this confidence (0 to 1) wait for review.
    #[schema(example = 0.7, minimum = 0, maximum = 1)]
    review_threshold: Option<f32>,
    /// What becomes of memories captured from sessions.
    capture_policy: Option<Mode>,
    /// What becomes of text that looks like a secret.
    secret_policy: Option<SecretPolicy>,
    /// A memory neither changed nor verified for this many days becomes `suspect`; null: never.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<u32>, example = 90)]
    default_stale_after_days: Sent<u32>,
    /// Archived memories are erased after this many days; null: kept.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<u32>, example = 365)]
    retention_days: Sent<u32>,
    /// How curation runs treat what they find.
    dream_mode: Option<Mode>,
    /// How many active and proposed memories there may be; null: any number.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<u32>, example = 100_000)]
    quota_memories: Sent<u32>,
    /// As they were read, or left out; changed with `PUT …/policies`.
    #[schema(value_type = Option<std::collections::BTreeMap<String, PolicyOfKind>>)]
    policies: Option<Policies>,
}

impl SettingsBody {
    /// Who sends back what they read changes nothing; who means to change them has to be told where.
    fn beside(self, policies: &Policies) -> Result<SettingsChange, Problem> {
        match &self.policies {
            Some(sent) if sent != policies => {
                Err(Problem::invalid("settings.policies", "must be as they are: PUT …/policies changes them"))
            }
            _ => Ok(self.into()),
        }
    }
}

impl From<SettingsBody> for SettingsChange {
    fn from(body: SettingsBody) -> Self {
        Self {
            review_threshold: body.review_threshold,
            capture_policy: body.capture_policy,
            secret_policy: body.secret_policy,
            default_stale_after_days: body.default_stale_after_days,
            retention_days: body.retention_days,
            dream_mode: body.dream_mode,
            quota_memories: body.quota_memories,
        }
    }
}

fn name(sent: &str) -> Result<String, Problem> {
    text::line("name", sent, 200)
}

fn purpose(sent: &str) -> Result<String, Problem> {
    text::prose("purpose", sent, 2000)
}

/// Make a workspace.
///
/// Whoever makes it becomes its admin.
#[utoipa::path(post, path = "/v1/workspaces", tag = "Access", request_body = NewWorkspaceBody, responses(
    (status = 201, description = "Made.", body = WorkspaceBody),
    (status = 409, description = "The slug is taken (`slug_taken`).")))]
async fn create_workspace(
    Of(app): Of<App>,
    by: InstanceAdmin,
    Json(sent): Json<NewWorkspaceBody>,
) -> Result<(StatusCode, axum::Json<WorkspaceBody>), Problem> {
    let new = NewWorkspace {
        slug: Slug::parse(&sent.slug)?,
        name: name(&sent.name)?,
        purpose: purpose(&sent.purpose)?,
        settings: sent.settings.beside(&Policies::new())?.apply(Settings::default())?,
    };
    let made = access::create_workspace(&app, &by, &new).await?;
    Ok((StatusCode::CREATED, axum::Json(made.into())))
}

/// List the workspaces that the caller is in, by slug.
///
/// An instance admin sees all of them, with `role` null where they are no member and see no memories.
#[utoipa::path(get, path = "/v1/workspaces", tag = "Access", params(Paged), responses((status = 200, description = "A page of them.", body = List<WorkspaceBody>)))]
async fn list_workspaces(Of(app): Of<App>, by: Caller, Query(asked): Query<Paged>) -> Result<axum::Json<List<WorkspaceBody>>, Problem> {
    let (limit, cursor) = asked.parse()?;
    Ok(axum::Json(access::list_workspaces(&app, &by, limit, cursor).await?.into()))
}

/// Read a workspace.
#[utoipa::path(get, path = "/v1/workspaces/{ws}", tag = "Access", responses((status = 200, description = "The workspace.", body = WorkspaceBody)))]
async fn get_workspace(scope: Scope<Reading>) -> axum::Json<WorkspaceBody> {
    axum::Json(Seen::of(scope.standing()).into())
}

/// Change a workspace's name, purpose or settings.
#[utoipa::path(patch, path = "/v1/workspaces/{ws}", tag = "Access", request_body = WorkspaceChangeBody, responses((status = 200, description = "As it is now.", body = WorkspaceBody)))]
async fn change_workspace(
    Of(app): Of<App>,
    scope: Scope<Governing>,
    Json(sent): Json<WorkspaceChangeBody>,
) -> Result<axum::Json<WorkspaceBody>, Problem> {
    let change = WorkspaceChange {
        name: sent.name.as_deref().map(name).transpose()?,
        purpose: sent.purpose.as_deref().map(purpose).transpose()?,
        settings: sent.settings.beside(&scope.settings().policies)?,
    };
    let workspace = access::change_workspace(&app, &scope, &change).await?;
    Ok(axum::Json(Seen { workspace, ..Seen::of(scope.standing()) }.into()))
}

/// End a workspace.
///
/// Only a person may. Nobody enters it again: members, agents and keys stop at once, and its slug becomes free.
#[utoipa::path(delete, path = "/v1/workspaces/{ws}", tag = "Access", responses((status = 204, description = "Ended.")))]
async fn delete_workspace(Of(app): Of<App>, scope: Scope<Governing>) -> Result<StatusCode, Problem> {
    access::delete_workspace(&app, &scope).await?;
    Ok(StatusCode::NO_CONTENT)
}
