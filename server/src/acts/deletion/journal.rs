//! The journal beside the database: kept up to date with what was executed, and done again after an older backup.

use super::execute::entries;
use crate::{
    App,
    acts::everywhere::{Failed, everywhere},
    audit::{Audit, Trail},
    model::{AuditId, deletion::Journalled},
    problem::Problem,
    store::{self, Permission, Scope, Writing},
};
use std::collections::HashMap;

/// Brings the journal up to date with one workspace. A failure is logged and tried again within a minute: what was erased is.
pub(super) async fn keep<P: Permission>(app: &App, scope: &Scope<P>) {
    if let Err(problem) = catch_up_in(app, scope).await {
        tracing::error!(?problem, "the journal of erasures could not be written; look whether the data dir is full or read-only");
    }
}

/// The same for all of them: what was executed elsewhere, or just before a crash, is here too. What goes wrong in one does
/// not keep it from the others.
pub async fn keep_journal(app: &App) -> Result<(), Problem> {
    let mut failed = Failed::default();
    for scope in everywhere::<Writing>(app, "journal").await? {
        failed.note(&scope, catch_up_in(app, &scope).await);
    }
    failed.told()
}

async fn catch_up_in<P: Permission>(app: &App, scope: &Scope<P>) -> Result<(), Problem> {
    let mut tx = app.db().read(scope).await?;
    let executed = store::deletion::journal::executed(&mut tx).await?;
    for id in app.journal().lacks(&executed).map_err(Problem::internal)? {
        let entry = store::deletion::journal::journalled(&mut tx, id).await?;
        app.journal().add(&entry).map_err(Problem::internal)?;
    }
    Ok(())
}

/// Do again what a journal says and this database does not know of. How many were.
pub async fn erase_again(app: &App, journal: &[Journalled]) -> Result<usize, Problem> {
    let scopes: HashMap<_, Scope<Writing>> =
        everywhere(app, "restore").await?.into_iter().map(|scope| (scope.workspace(), scope)).collect();
    let mut done = 0;
    for entry in journal {
        // A workspace that was made after the backup has come back with nothing.
        let Some(scope) = scopes.get(&entry.workspace) else { continue };
        let mut tx = app.db().write(scope).await?;
        store::deletion::take_time(&mut tx).await?;
        if store::deletion::journal::knows(&mut tx, entry.request).await? {
            continue;
        }
        let audit = AuditId::new();
        store::deletion::journal::bring_back(&mut tx, entry, audit).await?;
        let closed = store::deletion::journal::close_listed(&mut tx, entry).await?;
        let closed = closed.into_iter().map(|(id, audit)| Audit::deletion(audit, "deletion.rejected", id));
        let erased = store::deletion::erase(&mut tx, entry.request, app.keyring()).await?;
        let last = Audit::deletion(audit, "deletion.executed_again", entry.request);
        tx.commit(closed.chain(entries(entry.request, &erased, last)).collect::<Trail>()).await?;
        done += 1;
    }
    Ok(done)
}
