//! What memories are called and filed under.

use crate::{
    App,
    model::{Memory, MemoryId},
    problem::Problem,
    store::{self, Permission, Scope, memories::Labels},
};
use std::collections::HashMap;

/// The projects and tags in use, for a list to choose from.
pub async fn labels<P: Permission>(app: &App, scope: &Scope<P>) -> Result<Labels, Problem> {
    store::memories::labels(&mut app.db().read(scope).await?).await
}

/// Some, as they are now, in the order asked; what is gone or not to be seen is missing.
pub async fn some<P: Permission>(app: &App, scope: &Scope<P>, ids: &[MemoryId]) -> Result<Vec<Memory>, Problem> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    store::memories::find_some(&mut app.db().read(scope).await?, ids).await
}

/// What these are called now, as far as they are there and the viewer may see them.
pub async fn titles<P: Permission>(app: &App, scope: &Scope<P>, ids: &[MemoryId]) -> Result<HashMap<MemoryId, String>, Problem> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    store::memories::titles(&mut app.db().read(scope).await?, ids).await
}
