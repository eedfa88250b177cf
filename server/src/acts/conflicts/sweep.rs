//! Sweeping: every memory that changed since the last sweep is held against its nearest, a page at a time.

use super::notice::{self, Against, Look};
use crate::{
    App,
    acts::access::for_the_whole,
    audit::{Audit, Trail},
    model::{AuditId, Memory, conflicts::ConflictOrigin},
    problem::Problem,
    store::{self, CanWrite, Request, Scope, Writing, conflicts as rows},
};
use std::{sync::Arc, time::Instant};
use time::Duration;

/// Memories looked at in one transaction.
const PAGE: usize = 100;
/// Looked at in one go when nobody asked for it.
const A_WHILE: usize = 1000;
/// Nobody waits longer for an answer: it says whether there is more.
const LONGEST: std::time::Duration = std::time::Duration::from_secs(10);
/// Who began to write before others may have ended after them: that much is looked at again.
const OVERLAP: Duration = Duration::minutes(1);

/// What a sweep did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Swept {
    pub looked_at: usize,
    pub found: usize,
    /// Whether there is more to look at.
    pub more: bool,
}

/// Hold what changed since the last sweep against the rest, up to so many memories and for a while; from the beginning if `anew`.
pub async fn sweep<P: CanWrite>(app: &App, scope: &Scope<P>, most: usize, anew: bool) -> Result<Swept, Problem> {
    let begun = Instant::now();
    sweep_while(app, scope, most, anew, || begun.elapsed() < LONGEST).await
}

async fn sweep_while<P: CanWrite>(
    app: &App,
    scope: &Scope<P>,
    most: usize,
    anew: bool,
    goes_on: impl Fn() -> bool,
) -> Result<Swept, Problem> {
    for_the_whole(scope)?;
    // Many transactions, of which an idempotency key could keep one only; sweeping twice does no harm.
    let request = Request { once: None, ..scope.request().clone() };
    let scope = &Scope::<P>::of(Arc::new(scope.standing().clone()), request)?;
    let mut done = Swept { more: true, ..Swept::default() };
    let mut anew = anew;
    while done.more && done.looked_at < most && goes_on() {
        let page = sweep_page(app, scope, PAGE.min(most - done.looked_at), anew, done.looked_at > 0).await?;
        anew = false;
        done = Swept { looked_at: done.looked_at + page.looked_at, found: done.found + page.found, more: page.more };
    }
    Ok(done)
}

async fn sweep_page<P: CanWrite>(app: &App, scope: &Scope<P>, most: usize, anew: bool, goes_on: bool) -> Result<Swept, Problem> {
    let mut tx = app.db().write(scope).await?;
    let last = rows::last_sweep(&mut tx).await?.filter(|_| !anew);
    let overlap = if goes_on { Duration::ZERO } else { OVERLAP };
    let from = last.map(|last| rows::Swept { to: last.to - overlap, ..last });
    let ids = rows::changed_since(&mut tx, from, i64::try_from(most).unwrap_or(i64::MAX)).await?;
    let memories = store::memories::find_some(&mut tx, &ids).await?;
    let end = memories.last().map(|memory| rows::Swept { to: memory.updated_at, id: memory.id });
    let more = ids.len() == most;
    let against = notice::find_against(app, scope, memories.iter().map(Look::at).collect()).await?;
    let pairs: Vec<(&Memory, &[Against])> = memories.iter().zip(&against).map(|(memory, against)| (memory, &against[..])).collect();
    let (noticed, mut trail) = notice::put_down(&mut tx, ConflictOrigin::Sweep, &pairs).await?;
    let swept = Swept { looked_at: memories.len(), found: noticed.iter().map(Vec::len).sum::<usize>().min(trail.len()), more };
    // What is looked at again because it is so recent is no news.
    let Some(end) = end.filter(|end| !trail.is_empty() || last.is_none_or(|last| (end.to, end.id) > (last.to, last.id))) else {
        tx.leave_as_is([]).await?;
        return Ok(swept);
    };
    let audit = AuditId::new();
    rows::swept(&mut tx, end, audit).await?;
    trail.push(Audit::conflicts_swept(audit, scope.workspace(), swept.looked_at, swept.found));
    tx.commit(trail.into_iter().collect::<Trail>()).await?;
    Ok(swept)
}

/// Looks after the workspaces in which something was written that nobody held against the rest, once the flood is over.
pub async fn catch_up(app: &App) -> Result<(), Problem> {
    if app.backlog().is_flooded() {
        return Ok(());
    }
    let left = app.backlog().take();
    if left.is_empty() {
        return Ok(());
    }
    for standing in app.db().house_standings().await? {
        let workspace = standing.workspace().id;
        if !left.contains(&workspace) {
            continue;
        }
        let scope: Scope<Writing> = Scope::of(Arc::new(standing), Request::of_the_house("conflicts"))?;
        match sweep_while(app, &scope, A_WHILE, false, || !app.backlog().is_flooded()).await {
            Ok(swept) if swept.more => app.backlog().leave(workspace),
            Ok(_) => {}
            // Somebody wrote to the same memories at this moment: the next look finds them as they are then.
            Err(Problem::LostRace) => app.backlog().leave(workspace),
            Err(problem) => {
                app.backlog().leave(workspace);
                tracing::warn!(?problem, %workspace, "contradictions could not be looked for");
            }
        }
    }
    Ok(())
}
