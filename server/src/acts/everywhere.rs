//! What the house does in every workspace, unasked: what goes wrong in one does not keep it from the others.

use crate::{
    App,
    problem::Problem,
    store::{Permission, Request, Scope},
};
use std::sync::Arc;

/// The house itself, in each workspace.
pub(super) async fn everywhere<P: Permission>(app: &App, work: &str) -> Result<Vec<Scope<P>>, Problem> {
    let standings = app.db().house_standings().await?;
    standings.into_iter().map(|standing| Scope::of(Arc::new(standing), Request::of_the_house(work))).collect()
}

/// The last thing that went wrong, if anything did.
#[derive(Default)]
pub(super) struct Failed(Option<Problem>);

impl Failed {
    pub fn note<P>(&mut self, scope: &Scope<P>, done: Result<(), Problem>) {
        if let Err(problem) = done {
            tracing::warn!(?problem, workspace = %scope.workspace(), work = %scope.request().id, "a workspace could not be looked after");
            self.0 = Some(problem);
        }
    }

    pub fn told(self) -> Result<(), Problem> {
        self.0.map_or(Ok(()), Err)
    }
}
