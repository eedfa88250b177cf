//! What a workspace knows, by kind and freshness: the index counts, brought up to date first.

use crate::{
    App,
    engines::recall::{Census, Viewer},
    model::{Project, clock},
    problem::Problem,
    store::{Permission, Scope},
};
use std::time::Duration;
use tokio::time::timeout;

/// Whoever looks does not wait longer for an index to be built; it is built all the same.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Nothing while the index is being built.
pub async fn census<P: Permission>(app: &App, scope: &Scope<P>) -> Result<Option<Census>, Problem> {
    let Ok(shelf) = timeout(PATIENCE, app.library().shelf(app.db(), scope.shelf_mark(), scope.settings())).await else {
        return Ok(None);
    };
    let shelf = shelf?;
    shelf.is_asked();
    let changes = app.db().changes(scope.shelf_mark(), shelf.horizon()).await?;
    shelf.take_in(app.db(), &changes).await?;
    let viewer = Viewer { person: scope.person(), project: scope.project().map(Project::as_str) };
    Ok(Some(shelf.read().census(viewer, clock::now().unix_timestamp())))
}
