//! What the tests stand on: houses that open on a database of their own, and actors who speak only HTTP to them.
//!
//! `House::open()` gives a server over real TCP; `house.agent("coding", Role::Writer)` somebody who lives in it.
//! Whoever wants to look behind the scenes asks `house.owner()` (the database's owner) or `house.as_app(…)` (the
//! role that queries run under).

mod actors;
mod backstage;
mod browser;
mod document;
mod endpoint;
mod forwarder;
mod house;
mod mcp;
mod postgres;
mod program;
mod reply;
mod writers;

pub use actors::{Actor, Agent, Ask, Person, at, items, receipt_at, texts};
pub use browser::Browser;
pub use cairn_server::model::Role;
pub use document::{Document, Operation};
pub use endpoint::{Chatter, Embedder, Mood, SYNONYMS};
pub use forwarder::Forwarder;
pub use house::{House, PASSWORD, ROLES};
pub use mcp::{NEWEST, Used};
pub use postgres::Postgres;
pub use program::{DataDir, Ended, Program};
pub use reply::Reply;
pub use writers::{Acknowledged, Writers, everything_adds_up};

use uuid::Uuid;

/// A version 7 id that names nothing.
pub fn nobody() -> Uuid {
    cairn_server::model::clock::new_id()
}

/// Looks again until it is so.
pub async fn until(what: &str, mut so: impl AsyncFnMut() -> bool) {
    for _ in 0..600 {
        if so().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    panic!("{what}: not so after a long while");
}
