//! Code: pictures of it come in, memories hang on it, and it says which of them still hold.

mod anchor;
mod browse;
mod forget;
mod related;
mod sync;

pub use crate::{engines::recall::hanging::Tally, store::code::Seen};
pub(super) use anchor::{hang, hang_all, hung_as_before, recall_first_sight, rejudge, rejudge_moved, renew};
pub use browse::{Doubtful, Entry, Known, Opened, Place, WEIGHED, doubtful, folder, pictures, place};
pub use forget::{forget_branch, forget_the_old};
pub use related::{Companion, Related, related};
pub use sync::{Happened, Synced, branches, sync};
