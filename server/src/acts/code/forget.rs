//! Branches that are gone, and pictures that never became whole, are not kept.

use super::sync::judge_on_main;
use crate::{
    App,
    acts::everywhere::{Failed, everywhere},
    audit::{Audit, Trail},
    model::{
        Project, clock,
        code::{Branch, Repo},
    },
    problem::Problem,
    store::{self, CanWrite, Scope, Tx, Write, Writing, code::Seen},
};
use time::Duration;

/// A branch beside the default one that nobody has synced for so long is merged, or given up.
const OUTLIVED: Duration = Duration::days(30);
/// Of a picture that came in parts, the rest no longer comes.
const BROKEN_OFF: Duration = Duration::days(1);

/// Forget a branch, and what it made of memories.
pub async fn forget_branch<P: CanWrite>(app: &App, scope: &Scope<P>, repo: &Repo, branch: &Branch) -> Result<(), Problem> {
    let project = scope.project().map_or("", Project::as_str);
    let mut tx = app.db().write(scope).await?;
    let head = store::code::hold(&mut tx, project, repo.as_str(), branch.as_str()).await?.ok_or(Problem::NotFound)?;
    forget(&mut tx, &head).await?;
    tx.commit(Audit::code_forgotten(head.id)).await
}

/// What nobody has synced for long, in every workspace.
pub async fn forget_the_old(app: &App) -> Result<(), Problem> {
    let mut failed = Failed::default();
    for scope in everywhere(app, "old pictures").await? {
        failed.note(&scope, forget_the_old_in(app, &scope).await);
    }
    failed.told()
}

async fn forget_the_old_in(app: &App, scope: &Scope<Writing>) -> Result<(), Problem> {
    let now = clock::now();
    let mut tx = app.db().write(scope).await?;
    let dropped = store::code::drop_parts(&mut tx, now - BROKEN_OFF).await?;
    let old = store::code::outlived(&mut tx, now - OUTLIVED, now - BROKEN_OFF).await?;
    if dropped.is_empty() {
        drop(tx);
    } else {
        tx.commit(dropped.into_iter().map(Audit::code_parts_dropped).collect::<Trail>()).await?;
    }
    for old in old {
        forget_unless_synced(app, scope, &old).await?;
    }
    Ok(())
}

/// Somebody may be syncing it right now. Each by itself: whoever holds several would be in others' way.
async fn forget_unless_synced(app: &App, scope: &Scope<Writing>, old: &Seen) -> Result<(), Problem> {
    let mut tx = app.db().write(scope).await?;
    match store::code::hold(&mut tx, &old.project, &old.repo, &old.branch).await? {
        Some(head) if (head.at, head.main) == (old.at, old.main) && !store::code::is_coming(&mut tx, head.id).await? => {
            forget(&mut tx, &head).await?;
            tx.commit(Audit::code_forgotten(head.id)).await
        }
        _ => Ok(()),
    }
}

async fn forget(tx: &mut Tx<Write>, head: &Seen) -> Result<(), Problem> {
    store::code::unsay(tx, &head.project, &head.repo, &head.branch).await?;
    store::code::remove(tx, head.id).await?;
    judge_on_main(tx, head, None).await.map(drop)
}
