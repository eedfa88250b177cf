//! What makes the trail provable: signed notes, the tree that entries are sealed into, and the check of an export.
//! No I/O; the hashing is that of RFC 6962, the notes and checkpoints are those of C2SP, so that others can check
//! them without us. `docs/audit.md` says how, for those who write another verifier.

pub mod checkpoint;
pub mod export;
pub mod leaf;
pub mod note;
pub mod tree;
pub mod verify;

pub use checkpoint::Checkpoint;
pub use tlog_tiles::{Hash, check_record, check_tree, record_hash};
pub use tree::{Edge, Node};

#[cfg(test)]
mod tests;
