//! Thinking without I/O: each engine is a folder that names only `model` and has tests of its own.

pub mod brief;
pub mod checkpoint;
pub mod conflict;
pub mod distil;
pub mod freshness;
pub mod recall;
pub mod tokens;
