//! Stores, and the memories in them by their paths.

mod contents;
mod files;
mod rows;
mod versions;

pub use contents::{Lying, all_of, in_the_way, list as list_contents, put_away_since, reaches_beyond};
pub use files::{at, below, entries};
pub use rows::{closed, find, find_to_change, insert, list, owners, stand_for, update};
pub use versions::{find as find_version, list as list_versions, redact};
