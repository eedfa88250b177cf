//! Background loops. Each may run on every replica at once, or takes turns by advisory lock; a failure is logged
//! and tried again at the next turn.

use crate::{App, store};
use std::time::Duration;
use tokio::{
    sync::watch,
    time::{MissedTickBehavior, interval},
};

/// Runs until the server stops.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let mut turn = interval(Duration::from_mins(1));
    turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = turn.tick() => house_keeping(&app).await,
            _ = stop.changed() => return,
        }
    }
}

async fn house_keeping(app: &App) {
    app.limits().sweep();
    if let Err(problem) = app.tokens().rotate_when_old(app.db()).await {
        tracing::warn!(?problem, "the signing keys could not be looked after");
    }
    if let Err(problem) = store::logins::forget_the_past(app.db()).await {
        tracing::warn!(?problem, "old sign-in failures and links could not be removed");
    }
}
