//! What makes the trail provable: signed notes, and (beside them) the tree that entries are sealed into. No I/O; the
//! hashing is that of RFC 6962, the notes and checkpoints are those of C2SP, so that others can check them without us.

pub mod note;

#[cfg(test)]
mod tests;
