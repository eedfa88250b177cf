//! Sealing the trail, and proving from it. Entries are committed by those who write; they are sealed behind them.

mod check;
mod copies;
mod export;
mod proofs;
mod sealer;

pub use check::{Check, Checks, Outcome, check, last_check};
pub use copies::{held_against, look_through};
pub use export::{Export, Exported};
pub use proofs::{Consistent, Included, checkpoint, consistency, inclusion};
pub use sealer::Sealer;

use crate::{
    App,
    acts::access::for_the_whole,
    audit::Audit,
    auth::InstanceAdmin,
    model::{Actor, WorkspaceId},
    problem::Problem,
    store::{Auditing, Read, Request, Scope, Tx},
};

/// Whose trail, and by whom it is looked at.
#[derive(Clone)]
pub enum Whose {
    Workspace(Scope<Auditing>),
    Instance { admin: Actor, request: Request },
}

impl Whose {
    pub fn instance(admin: &InstanceAdmin) -> Self {
        Self::Instance { admin: admin.actor(), request: Request { once: None, ..admin.request.clone() } }
    }

    pub fn workspace(&self) -> WorkspaceId {
        match self {
            Self::Workspace(scope) => scope.workspace(),
            Self::Instance { .. } => WorkspaceId::INSTANCE,
        }
    }

    async fn read(&self, app: &App) -> Result<Tx<Read>, Problem> {
        match self {
            Self::Workspace(scope) => {
                for_the_whole(scope)?;
                app.db().read(scope).await
            }
            Self::Instance { admin, .. } => app.db().instance_read(admin).await,
        }
    }

    /// An entry that stands alone.
    async fn note(&self, app: &App, audit: Audit) -> Result<(), Problem> {
        match self {
            Self::Workspace(scope) => app.db().record(scope).await?.commit_entry(audit).await,
            Self::Instance { admin, request } => app.db().instance(admin, request).await?.commit(audit).await,
        }
    }
}
