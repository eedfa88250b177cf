//! How the instance is doing, for those who run it. No memory is seen here.

use crate::{
    App,
    auth::InstanceAdmin,
    jobs::{Job, Went},
    model::WorkspaceId,
};
use std::time::{Duration, Instant};

pub struct Health {
    /// How long Postgres took to answer; none when it did not.
    pub database: Option<Duration>,
    /// Its version, and how many migrations it has seen.
    pub about: Option<(String, i64)>,
    /// Connections in use, open, and at most.
    pub connections: (u32, u32, u32),
    pub uptime: Duration,
}

/// An index in memory.
pub struct Loaded {
    pub workspace: WorkspaceId,
    pub memories: usize,
    pub bytes: usize,
}

/// Whether Postgres answers, and what it is.
pub async fn health(app: &App, _: &InstanceAdmin) -> Health {
    let begun = Instant::now();
    let database = app.db().ready().await.ok().map(|()| begun.elapsed());
    Health { database, about: app.db().about().await.ok(), connections: app.db().connections(), uptime: app.jobs().uptime() }
}

/// What goes on by itself, and how it went the last time.
pub fn jobs(app: &App, _: &InstanceAdmin) -> Vec<(Job, Option<Went>)> {
    Job::ALL.into_iter().map(|job| (job, app.jobs().last(job))).collect()
}

/// The recall indexes that this server holds, the largest first, and how much they take and may take.
pub fn indexes(app: &App, _: &InstanceAdmin) -> (Vec<Loaded>, usize, usize) {
    let mut loaded = app.library().loaded();
    loaded.sort_unstable_by_key(|one| std::cmp::Reverse(one.1));
    let all = loaded.into_iter().map(|(workspace, bytes, memories)| Loaded { workspace, memories, bytes }).collect();
    (all, app.library().bytes(), app.config().recall_cache_mb as usize * 1024 * 1024)
}
