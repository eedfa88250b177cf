//! Code: pictures of it come in, memories hang on it, and it says which of them still hold.

mod anchor;
mod related;
mod sync;

pub(super) use anchor::{hang, rejudge, renew};
pub use related::{Companion, Related, related};
pub use sync::{Happened, Synced, branches, sync};
