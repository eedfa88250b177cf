//! Policies: what a workspace wants of each kind of memory.

use super::access::for_the_whole;
use crate::{
    App,
    audit::{Audit, Trail},
    model::{
        Kind, Settings, Workspace,
        policies::{self, Policies, Retention},
        workspaces,
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
    let kinds = differing(&old, &workspace.settings.policies);
    if kinds.is_empty() {
        tx.leave_as_is([]).await?;
        return Ok(workspace.settings);
    }
    store::workspaces::update(&mut tx, &workspace).await?;
    tx.commit(Audit::policy_changed(workspace.id, &kinds)).await?;
    Ok(workspace.settings)
}

/// Set the rules of retention, for all kinds and for each, at once or not at all: a general rule without its exceptions
/// would erase what they keep.
pub async fn retain(app: &App, scope: &Scope<Governing>, rules: &Retention) -> Result<Settings, Problem> {
    for_the_whole(scope)?;
    let mut tx = app.db().write(scope).await?;
    let old = store::workspaces::hold(&mut tx).await?;
    let new = Workspace { settings: rules.apply(old.settings.clone())?, ..old.clone() };
    let fields = workspaces::differing(&old, &new);
    let kinds = differing(&old.settings.policies, &new.settings.policies);
    let general = (!fields.is_empty()).then(|| Audit::workspace_changed(new.id, &fields));
    let exceptions = (!kinds.is_empty()).then(|| Audit::policy_changed(new.id, &kinds));
    let trail: Vec<Audit> = general.into_iter().chain(exceptions).collect();
    if trail.is_empty() {
        tx.leave_as_is([]).await?;
        return Ok(old.settings);
    }
    store::workspaces::update(&mut tx, &new).await?;
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok(new.settings)
}

fn differing(old: &Policies, new: &Policies) -> Vec<Kind> {
    Kind::ALL.iter().filter(|kind| old.get(*kind) != new.get(*kind)).copied().collect()
}
