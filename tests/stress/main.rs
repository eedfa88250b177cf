//! A bad day, on this machine and bounded: what a server lives on is killed, stopped, slowed down and used up under load. Each has
//! a short form, which runs with all other tests, and a long one, by `make stress`.

mod clock;
mod failover;
mod lists;
mod postgres;
mod server;
mod soak;

use cairn_tests::{House, Program};
use std::sync::Arc;
use tokio::sync::{Mutex, MutexGuard};

/// A number that `make stress` sets, or that of the short form.
fn number(name: &str, short: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(short)
}

/// What this machine cannot do to a server is left out and said, except by `make stress`: nobody then reads a proof that was not made.
fn leave_out(what: &str, why: &str) {
    assert!(std::env::var_os("CAIRN_STRESS").is_none(), "{what}: {why}");
    println!("{what}: left out, for {why}");
}

/// One bad day at a time: each takes the machine to its limits.
async fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::const_new(());
    TURN.lock().await
}

/// A server of its own on the database of a house, which itself serves no more.
async fn serve(house: &House, settings: &[(&str, &str)]) -> Program {
    let (app, owner) = (house.postgres().login_url(house.database()), house.postgres().owner_url(house.database()));
    let there = [("CAIRN_DATABASE_URL", app.as_str()), ("CAIRN_MIGRATION_DATABASE_URL", &owner)];
    Program::serve(Program::free_port(), house.folder(), &[&there, settings].concat()).await
}

/// What the consistency check says, where it should find nothing.
async fn everything_holds(house: &House) {
    let told = house.runs(&["check"]).await.fine();
    assert!(told.contains("checks hold."), "{told}");
}

type Shared<T> = Arc<std::sync::Mutex<T>>;
