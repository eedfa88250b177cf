//! Deletion.
