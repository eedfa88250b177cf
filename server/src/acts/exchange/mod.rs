//! Memories leave in files and come in files.

mod export;
mod import;

pub use export::{Agents, Kind as ExportKind, Outgoing, agents, export};
pub use import::{Outcome, Report, Took, Wish, import};

use crate::{
    App,
    model::{MemoryId, exchange::Imported},
    problem::Problem,
    store::{self, Permission, Scope},
};

/// Which versions of a memory came in a file, and what was said of them there.
pub async fn origins<P: Permission>(app: &App, scope: &Scope<P>, id: MemoryId) -> Result<Vec<Imported>, Problem> {
    let mut tx = app.db().read(scope).await?;
    store::memories::find(&mut tx, id).await?;
    store::exchange::imported(&mut tx, id).await
}
