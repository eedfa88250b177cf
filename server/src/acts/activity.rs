//! A workspace at a glance: what happened lately, who is at work, what waits.

use crate::{
    App,
    acts::everywhere::{Failed, everywhere},
    model::{Memory, MemoryId, clock},
    problem::Problem,
    store::{
        self, Permission, Reading, Scope,
        activity::{AtWork, Day},
    },
};
use time::Duration;

/// The charts' span.
pub const DAYS: i64 = 30;
/// What is told often is what was told in these.
const RECALLED: Duration = Duration::days(7);
/// Who used a key within this time is at work.
const NOW: Duration = Duration::minutes(15);
/// Of what is told often, as many are looked at.
const LOOKED_AT: i64 = 30;

pub struct Glance {
    pub days: Vec<Day>,
    /// Most often first.
    pub recalled: Vec<(Memory, i64)>,
    pub decisions: Vec<Memory>,
    pub at_work: Vec<AtWork>,
}

/// What waits for somebody's decision: proposals, conflicts, deletion requests.
#[derive(Clone, Copy, Default, Debug)]
pub struct Waiting {
    pub proposals: u32,
    pub conflicts: u32,
    /// Deletion requests on which nobody has said yes or no.
    pub to_approve: u32,
    /// Those that were approved.
    pub to_execute: u32,
}

/// All that the first page shows, but for what is known by kind, which the index counts.
pub async fn glance<P: Permission>(app: &App, scope: &Scope<P>) -> Result<Glance, Problem> {
    let now = clock::now();
    let mut tx = app.db().read(scope).await?;
    let days = store::activity::days(&mut tx, now - Duration::days(DAYS - 1) - (now - now.replace_time(time::Time::MIDNIGHT))).await?;
    let often = store::activity::most_recalled(&mut tx, now - RECALLED, LOOKED_AT).await?;
    let ids: Vec<MemoryId> = often.iter().map(|(id, _)| *id).collect();
    let memories = store::memories::find_some(&mut tx, &ids).await?;
    let times = |id| often.iter().find(|(told, _)| *told == id).map_or(0, |(_, times)| *times);
    let recalled = memories.into_iter().map(|memory| (times(memory.id), memory)).map(|(times, memory)| (memory, times)).collect();
    let decisions = super::decisions::newest(&mut tx, 5).await?;
    let at_work = store::activity::at_work(&mut tx, now - NOW, 8).await?;
    Ok(Glance { days, recalled, decisions, at_work })
}

pub async fn waiting<P: Permission>(app: &App, scope: &Scope<P>) -> Result<Waiting, Problem> {
    let store::activity::Waiting { proposals, conflicts, to_approve, to_execute } =
        store::activity::waiting(&mut app.db().read(scope).await?).await?;
    let count = |n: i64| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(Waiting { proposals: count(proposals), conflicts: count(conflicts), to_approve: count(to_approve), to_execute: count(to_execute) })
}

/// Counts the hours and days that are over, in every workspace.
pub async fn count_up(app: &App) -> Result<(), Problem> {
    let mut failed = Failed::default();
    for scope in everywhere(app, "activity").await? {
        failed.note(&scope, count_up_in(app, &scope).await);
    }
    failed.told()
}

async fn count_up_in(app: &App, scope: &Scope<Reading>) -> Result<(), Problem> {
    let mut tx = app.db().record(scope).await?;
    store::activity::count_up(&mut tx, clock::now()).await?;
    store::tellings::count_up(&mut tx, clock::now()).await?;
    tx.commit().await
}
