//! Promises, one file each. Actors speak only HTTP; what they cannot see is looked up behind the scenes.

mod access;
mod bad_input;
mod concurrency;
mod deletion;
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
mod project_wall;
mod sign_ins;
mod start;
mod sweep;
mod trail;
mod walls;
