//! Dreams, once a day where they are wanted, by one server at a time.

use crate::{App, acts, jobs::Job};
use std::time::Duration;
use tokio::time::sleep;

/// From one look to the next.
const PAUSE: Duration = Duration::from_mins(10);

/// Runs until it is dropped; a run that is dropped has done whole batches only, and is told as failed by the next.
pub async fn run(app: App) {
    loop {
        // Not at once: whoever starts a server wants to use it.
        sleep(PAUSE).await;
        match app.db().take_turn("dreams").await {
            Ok(Some(turn)) => {
                if let Err(problem) = app.jobs().watch(Job::Dreams, Box::pin(acts::dreams::dream_where_due(&app))).await {
                    tracing::warn!(?problem, "dreams could not be looked after");
                }
                drop(turn);
            }
            Ok(None) => {}
            Err(problem) => tracing::debug!(?problem, "no turn at dreams could be asked for"),
        }
    }
}
