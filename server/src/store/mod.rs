//! The only room with SQL. A tenant query needs a `Tx`, a `Tx` needs a `Scope`, and a `Scope` needs
//! somebody who was found: there is no function here that takes a pool and a workspace id.

pub mod access;
pub mod activity;
pub mod actors;
pub mod agents;
pub mod check;
pub mod cluster;
pub mod code;
pub mod conflicts;
pub mod connect;
pub mod consistency;
pub mod decisions;
pub mod deletion;
pub mod dreams;
pub mod events;
pub mod exchange;
pub mod failures;
pub mod guard;
pub mod identities;
mod lineage;
pub mod links;
pub mod logins;
pub mod members;
pub mod memories;
pub mod once;
pub mod people;
pub mod proposals;
pub mod recall;
pub mod receipts;
pub mod rollbacks;
pub mod scope;
pub mod seal;
pub mod sealed;
pub mod sessions;
pub mod signing_keys;
pub mod stores;
pub mod tasks;
pub mod trail;
pub mod turns;
mod tx;
pub mod vectors;
pub mod workspaces;

pub use connect::Db;
pub use once::{Answer, Once};
pub use scope::{Auditing, CanWrite, Governing, Permission, Reading, Request, Reviewing, Scope, ShelfMark, Standing, Writing};
pub use tx::{Instance, Read, Record, Tx, Write};
