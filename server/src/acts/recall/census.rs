//! What a workspace knows, by kind and freshness or by the code it hangs on: the index counts, brought up to date first.

use super::shelf::Shelf;
use crate::{
    App,
    engines::recall::{
        Census, Index, Viewer,
        hanging::{Below, OnCode, Tally, Within},
    },
    model::{MemoryId, Project, clock},
    problem::Problem,
    store::{Permission, Scope},
};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// Whoever looks does not wait longer for an index to be built; it is built all the same.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Nothing while the index is being built.
pub async fn census<P: Permission>(app: &App, scope: &Scope<P>) -> Result<Option<Census>, Problem> {
    counted(app, scope, Index::census).await
}

/// A repository on a branch, as somebody looks at it.
#[derive(Clone, Copy, Debug)]
pub(in crate::acts) struct Code<'a> {
    pub repo: &'a str,
    pub project: Option<&'a str>,
    /// The main one unless said.
    pub branch: Option<&'a str>,
}

impl Code<'_> {
    fn seen<'a>(&'a self, viewer: Viewer<'a>, now: i64) -> OnCode<'a> {
        OnCode { viewer, repo: self.repo, project: self.project, branch: self.branch, now }
    }
}

/// What hangs on the code below a folder.
pub(in crate::acts) async fn hung_below<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    code: Code<'_>,
    folder: &str,
) -> Result<Option<Below>, Problem> {
    counted(app, scope, |index, viewer, now| index.hung_below(&code.seen(viewer, now), folder)).await
}

/// What hangs in a file, that on the symbol first, and how much hangs on some others.
pub(in crate::acts) async fn hung_in<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    code: Code<'_>,
    (file, symbol): (&str, Option<&str>),
    others: &[String],
) -> Result<Option<(Within, Vec<Tally>)>, Problem> {
    let look = |index: &Index, viewer: Viewer<'_>, now: i64| {
        let on = code.seen(viewer, now);
        (index.hung_in(&on, file, symbol), others.iter().map(|other| index.hung_in(&on, other, None).all).collect())
    };
    counted(app, scope, look).await
}

/// How many are in doubt, and which of them are unattended the longest.
pub(in crate::acts) async fn doubted<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    repo: Option<&str>,
    most: usize,
) -> Result<Option<(usize, Vec<MemoryId>)>, Problem> {
    counted(app, scope, |index, viewer, now| index.doubted(viewer, repo, now, most)).await
}

async fn counted<P: Permission, T>(
    app: &App,
    scope: &Scope<P>,
    count: impl for<'a> FnOnce(&Index, Viewer<'a>, i64) -> T,
) -> Result<Option<T>, Problem> {
    let Some(shelf) = up_to_date(app, scope).await? else { return Ok(None) };
    let viewer = Viewer { person: scope.person(), project: scope.project().map(Project::as_str) };
    let index = shelf.read();
    Ok(Some(count(&index, viewer, clock::now().unix_timestamp())))
}

async fn up_to_date<P: Permission>(app: &App, scope: &Scope<P>) -> Result<Option<Arc<Shelf>>, Problem> {
    let Ok(shelf) = timeout(PATIENCE, app.library().shelf(app.db(), scope.shelf_mark(), scope.settings())).await else {
        return Ok(None);
    };
    let shelf = shelf?;
    shelf.is_asked();
    let changes = app.db().changes(scope.shelf_mark(), shelf.horizon()).await?;
    shelf.take_in(app.db(), &changes).await?;
    Ok(Some(shelf))
}
