//! The reminder around a compaction. Tools that cannot take it at that moment get it with the next answer they read:
//! until then a mark lies in the state folder.

use crate::{clean::short_hash, places, spool::Origin};
use std::{fs, path::PathBuf};

/// For the summariser, where a tool lets us speak to it.
pub const BEFORE: &str = "Keep in the summary, word for word: decisions and things that must not be done, what is completed, \
what is in progress and where exactly, what was found out, and the next step. They were also written to Cairn as a checkpoint.";

/// For the agent that goes on with the summary only.
pub const AFTER: &str = "The context was compacted just now. Decisions, progress and the next step are in Cairn: trust them over \
the summary. `cairn context` prints them again, `cairn recall QUESTION` finds the rest. Do not redo what is completed. \
Write what is new with `cairn checkpoint` before the next compaction.";

pub fn leave(origin: &Origin) {
    let _ = places::write(&mark(origin), b"");
}

/// Whether one was due; it is not any more.
pub fn take(origin: &Origin) -> bool {
    fs::remove_file(mark(origin)).is_ok()
}

fn mark(origin: &Origin) -> PathBuf {
    places::state().join("reminders").join(short_hash(&format!("{} {}", origin.tool, origin.session)))
}
