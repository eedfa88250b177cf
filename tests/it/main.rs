//! Promises, one file each. Actors speak only HTTP; what they cannot see is looked up behind the scenes.

mod access;
mod bad_input;
mod commands;
mod concurrency;
mod copies;
mod deletion;
mod foreign_postgres;
mod fuzz;
mod history;
mod idempotency;
mod isolation;
mod kill;
mod lists;
mod memories;
mod operations;
mod pages;
mod private;
mod problems;
mod project_wall;
mod settings;
mod sign_ins;
mod start;
mod sweep;
mod trail;
mod walls;
