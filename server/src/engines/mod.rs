//! Thinking without I/O: each engine names only `model` and has tests of its own.

pub mod anchoring;
pub mod brief;
pub mod checkpoint;
pub mod conflict;
pub mod cores;
pub mod distil;
pub mod dream;
pub mod erasure;
pub mod exchange;
pub mod freshness;
pub mod memory_tool;
mod phrases;
pub mod recall;
pub mod rollback;
pub mod seal;
pub mod tokens;
