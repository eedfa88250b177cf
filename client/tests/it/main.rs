//! `cairn` as a real process, against a small server of our own.

mod checkouts;
mod code;
mod commands;
mod exchange;
mod fake;
mod git_hooks;
mod home;
mod install;
mod mcp;
mod never_fails;
mod payloads;
mod secrets;
mod spool;
mod tls;
