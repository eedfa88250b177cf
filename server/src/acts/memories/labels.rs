//! What memories are called and filed under.

use crate::{
    App,
    model::MemoryId,
    problem::Problem,
    store::{self, Permission, Scope, memories::Labels},
};
use std::collections::HashMap;

/// The projects and tags in use, for a list to choose from.
pub async fn labels<P: Permission>(app: &App, scope: &Scope<P>) -> Result<Labels, Problem> {
    store::memories::labels(&mut app.db().read(scope).await?).await
}

/// What these are called now, as far as they are there and the viewer may see them.
pub async fn titles<P: Permission>(app: &App, scope: &Scope<P>, ids: &[MemoryId]) -> Result<HashMap<MemoryId, String>, Problem> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    store::memories::titles(&mut app.db().read(scope).await?, ids).await
}
