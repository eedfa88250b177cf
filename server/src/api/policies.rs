//! Policies over REST.

use super::{
    document::{Access, needs},
    sent::Json,
};
use crate::{
    App, acts,
    model::{
        Kind, Power, Settings,
        policies::{Policies, Policy, PolicyOfKind},
    },
    problem::Problem,
    store::{Governing, Reading, Scope},
};
use axum::extract::State as Of;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(needs(Access::Workspace(Power::Reading), routes!(get_policies)))
        .routes(needs(Access::Workspace(Power::Governing), routes!(set_policies)))
}

/// Policies to set, by kind.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SetPoliciesBody {
    /// By kind; a kind that is left out follows the workspace's settings, and so does a field of one.
    #[schema(example = json!({"decision": {"review_threshold": "always"}, "discovery": {"review_threshold": 0.6, "review_age_days": 30, "retention_days": 90}}))]
    policies: BTreeMap<String, PolicyOfKind>,
}

impl SetPoliciesBody {
    fn parse(self) -> Result<Policies, Problem> {
        let kind = |word: &str| word.parse::<Kind>().map_err(|problem| problem.at_field(&format!("policies.{word}")));
        self.policies.into_iter().map(|(word, policy)| Ok((kind(&word)?, policy))).collect()
    }
}

/// What is set, and what holds.
#[derive(Serialize, ToSchema)]
#[schema(as = Policies)]
struct PoliciesBody {
    /// What is set, by kind; the rest follows the workspace's settings.
    #[schema(value_type = BTreeMap<String, PolicyOfKind>)]
    policies: Policies,
    /// What holds, for every kind.
    #[schema(value_type = BTreeMap<String, Policy>)]
    effective: BTreeMap<Kind, Policy>,
}

impl From<&Settings> for PoliciesBody {
    fn from(settings: &Settings) -> Self {
        let effective = Kind::ALL.iter().map(|kind| (*kind, settings.policy(*kind))).collect();
        Self { policies: settings.policies.clone(), effective }
    }
}

/// Read the policies: what is set, and what holds for every kind.
#[utoipa::path(get, path = "/v1/workspaces/{ws}/policies", tag = "Policies", responses((status = 200, description = "The policies.", body = PoliciesBody)))]
async fn get_policies(scope: Scope<Reading>) -> axum::Json<PoliciesBody> {
    axum::Json(scope.settings().into())
}

/// Set the policies of all kinds at once.
///
/// What is left out follows the workspace's settings; `null` days are never.
#[utoipa::path(put, path = "/v1/workspaces/{ws}/policies", tag = "Policies", request_body = SetPoliciesBody, responses((status = 200, description = "As they are now.", body = PoliciesBody)))]
async fn set_policies(
    Of(app): Of<App>,
    scope: Scope<Governing>,
    Json(sent): Json<SetPoliciesBody>,
) -> Result<axum::Json<PoliciesBody>, Problem> {
    Ok(axum::Json((&acts::policies::set(&app, &scope, sent.parse()?).await?).into()))
}
