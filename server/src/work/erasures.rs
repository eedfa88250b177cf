//! Retention, by one server at a time, and each server's own journal of what was erased.

use crate::{App, acts, jobs::Job, problem::Problem};
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

const JOURNAL: Duration = Duration::from_mins(1);
const RETENTION: Duration = Duration::from_hours(1);

/// Runs until it is dropped, which it may be at any moment: what was begun is done whole or not at all.
pub async fn run(app: App) {
    let (mut journal, mut retention) = (interval(JOURNAL), interval(RETENTION));
    journal.set_missed_tick_behavior(MissedTickBehavior::Delay);
    retention.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = journal.tick() => if let Err(problem) = app.jobs().watch(Job::Journal, acts::deletion::keep_journal(&app)).await {
                tracing::warn!(?problem, "the journal of erasures could not be brought up to date");
            },
            _ = retention.tick() => if let Err(problem) = app.jobs().watch(Job::Retention, Box::pin(retain(&app))).await {
                tracing::warn!(?problem, "retention could not be looked after");
            },
        }
    }
}

async fn retain(app: &App) -> Result<(), Problem> {
    if let Some(turn) = app.db().take_turn("retention").await? {
        acts::deletion::retain(app).await?;
        drop(turn);
    }
    Ok(())
}
