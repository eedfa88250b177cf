//! Who and what belongs to a workspace: agents and their keys, members, settings, and how to connect a tool.

mod agents;
mod connect;
mod members;
mod settings;

pub use agents::{Agent, AgentPage, Agents, Key, NewKey};
pub use connect::{Connect, Recipe};
pub use members::{Invited, Member, Members};
pub use settings::{Field, KindPolicy, Settings};

use crate::Choice;

/// Every role, with what it may do.
const ROLES: [(&str, &str); 5] = [
    ("reader", "recalls and reads"),
    ("writer", "also remembers, runs sessions, asks for deletion"),
    ("reviewer", "also decides proposals and conflicts, verifies, rolls back, approves deletion"),
    ("auditor", "reads memories and the trail, exports, manages holds, writes nothing else"),
    ("admin", "all of it, plus members, agents, keys and settings"),
];

/// To choose from, each with what it may do.
fn roles() -> Vec<Choice> {
    ROLES.map(|(role, may)| Choice::new(role, format!("{role}: {may}"))).into()
}

/// The same, in a word.
fn short_roles() -> Vec<Choice> {
    ROLES.map(|(role, _)| Choice::new(role, role)).into()
}
