//! Background loops. Each may run on every replica at once, or takes turns by advisory lock; a failure is logged
//! and tried again at the next turn.

mod activity;
mod dreams;
mod embeddings;
mod erasures;
mod sealing;

use crate::{
    App, acts,
    engines::{recall::semantic::Model, tokens},
    jobs::Job,
    store,
};
use std::time::Duration;
use tokio::{
    sync::watch,
    time::{MissedTickBehavior, interval},
};

/// What was erased is gone from an index that nobody asks within this time too.
const LOOK_AROUND: Duration = Duration::from_secs(2);

/// What was written in a flood is held against the rest within about this time after it.
const SWEEP: Duration = Duration::from_secs(5);

/// Runs until the server stops.
pub async fn run(app: App, mut stop: watch::Receiver<bool>) {
    let mut look = interval(LOOK_AROUND);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (warming, embedding) = (tokio::spawn(warm_up(app.clone())), tokio::spawn(embeddings::run(app.clone())));
    let dreaming = tokio::spawn(dreams::run(app.clone()));
    let erasing = tokio::spawn(erasures::run(app.clone()));
    let sweeping = tokio::spawn(contradictions(app.clone()));
    let sealing = tokio::spawn(sealing::run(app.clone()));
    let counting = tokio::spawn(activity::run(app.clone()));
    let keeping = tokio::spawn(keep_house(app.clone()));
    loop {
        // Nothing else in here: what was erased has to be gone in time, however long the rest takes.
        tokio::select! {
            _ = look.tick() => acts::recall::look_around(&app).await,
            _ = stop.changed() => break,
        }
    }
    warming.abort();
    sweeping.abort();
    embedding.abort();
    erasing.abort();
    sealing.abort();
    counting.abort();
    dreaming.abort();
    keeping.abort();
}

async fn keep_house(app: App) {
    let (mut turn, mut hourly) = (interval(Duration::from_mins(1)), interval(Duration::from_hours(1)));
    turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
    hourly.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = turn.tick() => {
                house_keeping(&app).await;
                quiet_sessions(&app).await;
            }
            _ = hourly.tick() => old_pictures(&app).await,
        }
    }
}

/// So that the first question is answered as quickly as the second.
async fn warm_up(app: App) {
    let _ = tokio::task::spawn_blocking(|| {
        tokens::warm();
        Model::builtin();
    })
    .await;
    acts::recall::warm_up(&app).await;
}

/// One server at a time looks after runs that have fallen silent.
async fn quiet_sessions(app: &App) {
    let looked = async {
        if let Some(turn) = app.db().take_turn("quiet sessions").await? {
            acts::sessions::close_quiet_ones(app).await?;
            drop(turn);
        }
        Ok::<_, crate::problem::Problem>(())
    };
    if let Err(problem) = app.jobs().watch(Job::QuietSessions, Box::pin(looked)).await {
        tracing::warn!(?problem, "quiet sessions could not be looked after");
    }
}

/// One server at a time forgets pictures of code that nobody needs any more.
async fn old_pictures(app: &App) {
    let forgotten = async {
        if let Some(turn) = app.db().take_turn("old pictures").await? {
            acts::code::forget_the_old(app).await?;
            drop(turn);
        }
        Ok::<_, crate::problem::Problem>(())
    };
    if let Err(problem) = app.jobs().watch(Job::OldPictures, Box::pin(forgotten)).await {
        tracing::warn!(?problem, "old pictures of code could not be forgotten");
    }
}

/// Each server looks after what it has written itself. Beside the others, for it may take a while.
async fn contradictions(app: App) {
    let mut turn = interval(SWEEP);
    turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        turn.tick().await;
        if let Err(problem) = app.jobs().watch(Job::Contradictions, Box::pin(acts::conflicts::catch_up(&app))).await {
            tracing::warn!(?problem, "contradictions could not be looked for");
        }
    }
}

async fn house_keeping(app: &App) {
    app.limits().sweep();
    if let Err(problem) = app.tokens().rotate_when_old(app.db()).await {
        tracing::warn!(?problem, "the signing keys could not be looked after");
    }
    if let Err(problem) = app.notary().look_again(app.db()).await {
        tracing::warn!(?problem, "the notary's keys could not be looked at");
    }
    if let Err(problem) = store::logins::forget_the_past(app.db()).await {
        tracing::warn!(?problem, "old sign-in failures and links could not be removed");
    }
}
