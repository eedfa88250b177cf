//! Who and what belongs to a workspace: agents and keys, members, settings, and how to connect a tool.

pub mod agents;
pub mod connect;
pub mod members;
pub mod settings;

use crate::{model::Role, problem::Problem};

/// A form without anything to fill in.
#[derive(serde::Deserialize)]
pub struct Nothing {}

fn role(sent: Option<&str>) -> Result<Role, Problem> {
    sent.ok_or_else(|| Problem::invalid("role", "must be chosen"))?.parse()
}
