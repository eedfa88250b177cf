//! Reading the trail, and writing what changed nothing but must be known.

use crate::{
    App,
    acts::access::for_the_whole,
    audit::Audit,
    auth::scopes::Refused,
    model::{
        page::{Limit, Page},
        trail::{Entry, Filter},
    },
    problem::Problem,
    store::{self, Auditing, Scope, trail::Look},
};

pub async fn list(app: &App, scope: &Scope<Auditing>, filter: &Filter, limit: Limit, cursor: Option<&str>) -> Result<Page<Entry>, Problem> {
    for_the_whole(scope)?;
    store::trail::list(&mut app.db().read(scope).await?, filter, limit, cursor).await
}

/// The same, with where the look stopped: for people, who are told.
pub async fn look(app: &App, scope: &Scope<Auditing>, filter: &Filter, limit: Limit, cursor: Option<&str>) -> Result<Look, Problem> {
    for_the_whole(scope)?;
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
        Refused::InInstance(actor, request) => app.db().instance(&actor, &request).await?.commit(audit).await,
    }
}
