//! What happened by the hour is counted by one server at a time.

use crate::{App, acts};
use std::time::Duration;
use tokio::time::sleep;

const PAUSE: Duration = Duration::from_mins(1);

/// Runs until it is dropped, which it may be at any moment.
pub async fn run(app: App) {
    loop {
        let counted = async {
            if let Some(turn) = app.db().take_turn("activity").await? {
                acts::activity::count_up(&app).await?;
                drop(turn);
            }
            Ok::<_, crate::problem::Problem>(())
        };
        if let Err(problem) = counted.await {
            tracing::debug!(?problem, "what happened could not be counted");
        }
        sleep(PAUSE).await;
    }
}
