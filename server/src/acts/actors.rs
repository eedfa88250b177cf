//! Who is or was in a workspace.

use crate::{
    App,
    model::Actor,
    problem::Problem,
    store::{self, Permission, Scope},
};

/// Everyone who may stand in the trail or under a memory, by name, for a list to choose from.
pub async fn everyone<P: Permission>(app: &App, scope: &Scope<P>) -> Result<Vec<Actor>, Problem> {
    store::actors::everyone(&mut app.db().read(scope).await?).await
}
