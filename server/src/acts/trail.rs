//! Reading the trail, and writing what changed nothing but must be known.

use crate::{
    App,
    audit::Audit,
    auth::scopes::Refused,
    model::{
        page::{Limit, Page},
        trail::{Entry, Filter},
    },
    problem::Problem,
    store::{self, Auditing, Request, Scope, trail::Look},
};

pub async fn list(app: &App, scope: &Scope<Auditing>, filter: &Filter, limit: Limit, cursor: Option<&str>) -> Result<Page<Entry>, Problem> {
    store::trail::list(&mut app.db().read(scope).await?, filter, limit, cursor).await
}

/// The same, bounded in what one look goes through: for people, who wait for it.
pub async fn look(app: &App, scope: &Scope<Auditing>, filter: &Filter, limit: Limit, cursor: Option<&str>) -> Result<Look, Problem> {
    store::trail::look(&mut app.db().read(scope).await?, filter, limit, cursor).await
}

/// The instance's own trail: sign-ins, people, workspaces.
pub async fn list_of_instance(
    app: &App,
    admin: &crate::auth::InstanceAdmin,
    filter: &Filter,
    limit: Limit,
    cursor: Option<&str>,
) -> Result<Page<Entry>, Problem> {
    store::trail::list(&mut app.db().instance_read(&admin.actor()).await?, filter, limit, cursor).await
}

/// Somebody was told 403.
pub async fn refused(app: &App, who: Refused, method: &str, route: &str) -> Result<(), Problem> {
    let audit = Audit::refused(method, route);
    match who {
        Refused::InWorkspace(scope) => app.db().record(&scope).await?.commit_entry(audit).await,
        Refused::InInstance(actor) => app.db().instance(&actor, &Request::of_the_house("refusal")).await?.commit(audit).await,
    }
}
