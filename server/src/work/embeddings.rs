//! Vectors of an outside model, made by one server at a time.

use crate::{App, acts::recall::Making, jobs::Job, store::turns::Turn};
use std::time::Duration;
use tokio::time::sleep;

/// From one look to the next; a workspace more makes it longer, so that many of them do not keep the database busy.
const PAUSE: Duration = Duration::from_secs(1);
const FOR_EACH_WORKSPACE: Duration = Duration::from_millis(10);
/// Whether another server has given up its turn.
const ASK_FOR_A_TURN: Duration = Duration::from_secs(3);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Runs until it is dropped, which it may be at any moment; not at all without an endpoint.
pub async fn run(app: App) {
    if Making::of(&app).is_none() {
        return;
    }
    loop {
        match app.db().take_turn("embeddings").await {
            Ok(Some(turn)) => make(&app, turn).await,
            Ok(None) => {}
            Err(problem) => tracing::debug!(?problem, "no turn at making vectors could be asked for"),
        }
        sleep(ASK_FOR_A_TURN).await;
    }
}

async fn make(app: &App, mut turn: Turn) {
    let Some(mut making) = Making::of(app) else { return };
    let mut failures = 0_u32;
    while turn.lasts().await {
        match app.jobs().watch(Job::Embeddings, making.round()).await {
            Ok(workspaces) => {
                if failures > 0 {
                    tracing::info!("vectors are being made again");
                }
                failures = 0;
                sleep(PAUSE + FOR_EACH_WORKSPACE * u32::try_from(workspaces).unwrap_or(u32::MAX)).await;
            }
            Err(interrupted) => {
                if failures == 0 {
                    tracing::warn!(%interrupted, "no vectors can be made; it is tried again and again");
                }
                sleep(LONGEST_PAUSE.min(PAUSE * 2_u32.saturating_pow(failures))).await;
                failures += 1;
            }
        }
    }
}
