//! The trail is sealed by one server at a time.

use crate::{App, acts::seal::Sealer, jobs::Job, store::turns::Turn};
use std::time::Duration;
use tokio::time::sleep;

/// From one look to the next.
const PAUSE: Duration = Duration::from_secs(1);
/// Whether another server has given up its turn.
const ASK_FOR_A_TURN: Duration = Duration::from_secs(2);

/// Runs until it is dropped, which it may be at any moment.
pub async fn run(app: App) {
    if app.config().unsealed {
        return;
    }
    loop {
        match app.db().take_turn("sealing").await {
            Ok(Some(turn)) => seal(&app, turn).await,
            Ok(None) => {}
            Err(problem) => tracing::debug!(?problem, "no turn at sealing could be asked for"),
        }
        sleep(ASK_FOR_A_TURN).await;
    }
}

async fn seal(app: &App, mut turn: Turn) {
    let (mut sealer, mut failing) = (Sealer::default(), false);
    while turn.lasts().await {
        match app.jobs().watch(Job::Sealing, sealer.round(app)).await {
            Ok(_) => failing = false,
            Err(problem) => {
                if !failing {
                    tracing::warn!(?problem, "the trail cannot be sealed; it is tried again and again");
                }
                (sealer, failing) = (Sealer::default(), true);
            }
        }
        sleep(PAUSE).await;
    }
}
