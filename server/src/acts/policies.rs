//! Policies: what a workspace wants of each kind of memory.

use super::access::for_the_whole;
use crate::{
    App,
    audit::Audit,
    model::{
        Kind, Settings,
        policies::{self, Policies},
    },
    problem::Problem,
    store::{self, Governing, Scope},
};

/// Set what differs from the workspace's settings, for all kinds at once: a kind that is left out follows the settings.
pub async fn set(app: &App, scope: &Scope<Governing>, policies: Policies) -> Result<Settings, Problem> {
    for_the_whole(scope)?;
    let policies = policies::check(policies)?;
    let mut tx = app.db().write(scope).await?;
    let mut workspace = store::workspaces::hold(&mut tx).await?;
    let old = std::mem::replace(&mut workspace.settings.policies, policies);
    let differs = |kind: &&Kind| old.get(*kind) != workspace.settings.policies.get(*kind);
    let kinds: Vec<Kind> = Kind::ALL.iter().filter(differs).copied().collect();
    if kinds.is_empty() {
        tx.leave_as_is([]).await?;
        return Ok(workspace.settings);
    }
    store::workspaces::update(&mut tx, &workspace).await?;
    tx.commit(Audit::policy_changed(workspace.id, &kinds)).await?;
    Ok(workspace.settings)
}
