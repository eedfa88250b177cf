//! What waits on this machine until the server has it: a folder per destination with append-only segments.
//!
//! Hooks append to `current`; the flush renames it to a numbered segment, delivers segments in order and deletes them.
//! A writer holds a shared lock while it appends, and looks whether its file is still there after it got the lock; whoever
//! rewrites or deletes a file holds the exclusive one. So nothing is appended to a file that is gone, and a writer that
//! was killed leaves at most a torn line, which the next record ends.

mod append;
mod bound;
mod position;
mod record;
mod rejected;
mod segments;
mod sessions;

pub use append::append;
pub use bound::hold;
pub use position::{LastFailure, Position};
pub use record::{Event, Origin, Record, What};
pub use rejected::{reject, rejected, take_back};
pub use segments::{Segment, Waiting};
pub use sessions::{Running, RunningSessions};

use crate::places;
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// The folder of one destination.
#[derive(Debug, Clone)]
pub struct Spool {
    pub folder: PathBuf,
}

impl Spool {
    pub fn of(destination: &str) -> Self {
        Self { folder: places::state().join("spool").join(destination) }
    }

    pub fn current(&self) -> PathBuf {
        self.folder.join("current")
    }

    /// Held by the flush that runs; hooks look whether it is held.
    pub fn lock_file(&self) -> io::Result<File> {
        private().write(true).open(self.folder.join("flush.lock"))
    }
}

fn private() -> OpenOptions {
    let mut options = File::options();
    options.create(true).mode(0o600);
    options
}

/// How much may wait, in bytes.
pub fn limit(stored_mb: Option<u64>) -> u64 {
    const DEFAULT_MB: u64 = 64;
    let set = std::env::var("CAIRN_SPOOL_MB").ok().and_then(|value| value.parse::<u64>().ok());
    set.or(stored_mb).unwrap_or(DEFAULT_MB).clamp(1, 1 << 20) * 1024 * 1024
}

fn is_gone(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().map_or(true, |found| found.nlink() == 0)
}

fn number_of(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.strip_suffix(".segment")?.parse().ok()
}
