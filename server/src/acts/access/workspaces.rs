//! Workspaces: made by the instance's admins, changed and ended by their own.

use super::for_the_whole;
use crate::{
    App,
    acts::safety,
    audit::{Audit, Trail},
    auth::{Caller, InstanceAdmin},
    model::{
        Role, Workspace,
        page::{Limit, Page},
        workspaces::{NewWorkspace, Seen, WorkspaceChange, differing},
    },
    problem::Problem,
    store::{self, Governing, Scope},
};

/// Make a workspace; whoever makes it becomes its admin.
pub async fn create_workspace(app: &App, by: &InstanceAdmin, new: &NewWorkspace) -> Result<Seen, Problem> {
    safety::refuse_in("name", &new.name)?;
    safety::refuse_in("purpose", &new.purpose)?;
    let mut tx = app.db().instance(&by.actor(), &by.request).await?;
    let workspace = store::workspaces::insert(&mut tx, new).await?;
    let mut tx = tx.go_on_in(workspace.id, Role::Admin, Audit::workspace("workspace.created", workspace.id)).await?;
    store::workspaces::insert_main_store(&mut tx).await?;
    store::members::add(&mut tx, by.person.id, Role::Admin).await?;
    let trail = [Audit::workspace("workspace.created", workspace.id), Audit::member("member.added", by.person.id, Role::Admin)];
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok(Seen { workspace, role: Some(Role::Admin), project: None })
}

/// The workspaces one is in; whoever runs the instance sees that the others are there, too.
pub async fn list_workspaces(app: &App, by: &Caller, limit: Limit, cursor: Option<&str>) -> Result<Page<Seen>, Problem> {
    match by {
        Caller::Person(found) => {
            let mut tx = app.db().instance_read(&by.actor()).await?;
            store::workspaces::list(&mut tx, found.person.id, found.person.instance_admin, limit, cursor).await
        }
        Caller::Agent { standing, .. } => Ok(Page { data: vec![Seen::of(standing)], next_cursor: None }),
    }
}

/// Change a workspace's name, purpose or settings.
pub async fn change_workspace(app: &App, scope: &Scope<Governing>, change: &WorkspaceChange) -> Result<Workspace, Problem> {
    for_the_whole(scope)?;
    change.name.as_deref().map_or(Ok(()), |name| safety::refuse_in("name", name))?;
    change.purpose.as_deref().map_or(Ok(()), |purpose| safety::refuse_in("purpose", purpose))?;
    let mut tx = app.db().write(scope).await?;
    let old = store::workspaces::hold(&mut tx).await?;
    let new = change.apply(&old)?;
    let fields = differing(&old, &new);
    if fields.is_empty() {
        tx.leave_as_is([]).await?;
        return Ok(old);
    }
    store::workspaces::update(&mut tx, &new).await?;
    tx.commit(Audit::workspace_changed(new.id, &fields)).await?;
    Ok(new)
}

/// End a workspace: nobody enters it again.
pub async fn delete_workspace(app: &App, scope: &Scope<Governing>) -> Result<(), Problem> {
    scope.as_person("end a workspace")?;
    let id = scope.workspace();
    let mut tx = app.db().instance(scope.actor(), scope.request()).await?;
    store::workspaces::end(&mut tx, id).await?;
    let ended = || Audit::workspace("workspace.deleted", id);
    tx.go_on_in(id, scope.standing().role(), ended()).await?.commit(ended()).await
}
