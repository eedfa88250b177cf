//! Erased means erased.
