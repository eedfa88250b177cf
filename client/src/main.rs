//! `cairn`, the program on the developer's machine. It speaks HTTP only and shares no types with the server.
//!
//! - `hook/`: what an agent's tool tells us becomes records; never fails, never waits
//! - `spool/`: the records on disk until the server has them; `flush/`: brings them there
//! - `install/`: hooks, MCP entry and protocol block in a tool's settings, and back out
//! - `mcp/`: the bridge from a tool that starts a command to the server's `/mcp`
//! - `exchange/`: files and folders on their way in
//! - `scan/`: what code looks like, as fingerprints; `sync/`: tells the server, once or whenever the tree rests
//! - `commands/`: everything that a person types
//! - `server.rs`, `failure.rs`: requests, and what went wrong in words and exit codes
//! - `profiles.rs`, `repository.rs`, `places.rs`: who we are, where we stand, where files lie

mod arguments;
mod briefs;
mod clean;
mod clock;
mod commands;
mod exchange;
mod failure;
mod flush;
mod hook;
mod install;
mod mcp;
mod places;
mod profiles;
mod progress;
mod repository;
mod scan;
mod server;
mod show;
mod spool;
mod sync;
mod tasks_here;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    // Before anything else is set up: a hook runs hundreds of times in a session, and its start is its cost.
    if arguments.next().is_some_and(|first| first == "hook") {
        let tool = arguments.next();
        if tool.as_deref().and_then(|name| name.to_str()).is_none_or(|name| !name.starts_with('-')) {
            hook::run(tool.as_deref());
            return ExitCode::SUCCESS;
        }
    }
    commands::run()
}
