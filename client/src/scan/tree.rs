//! A folder that need not be a repository: its files but for those that `.gitignore` names; and a file's bytes, read only
//! if it is one, and is inside.

use super::{LARGEST, Passed};
use ignore::WalkBuilder;
use nix::fcntl::OFlag;
use sha1::{Digest, Sha1};
use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// Beyond it a file is not even read for its digest.
const LARGEST_READ: u64 = 256 * 1024 * 1024;

pub struct Walked {
    /// From the root, with slashes.
    pub paths: Vec<String>,
    pub passed: Vec<(String, Passed)>,
}

pub fn walk(root: &Path) -> Walked {
    let mut found = Walked { paths: Vec::new(), passed: Vec::new() };
    let entries = WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    for entry in entries.flatten() {
        let Some(kind) = entry.file_type().filter(|kind| !kind.is_dir()) else { continue };
        let Ok(path) = entry.path().strip_prefix(root) else { continue };
        match path.to_str() {
            Some(path) if kind.is_file() => found.paths.push(path.to_owned()),
            Some(path) if kind.is_symlink() => found.passed.push((path.to_owned(), Passed::Link)),
            _ => found.passed.push((path.to_string_lossy().into_owned(), Passed::Unreadable)),
        }
    }
    found.paths.sort_unstable();
    found
}

/// A file's id as git would give it, and its bytes unless they are too many.
pub struct Opened {
    pub blob: String,
    pub bytes: Option<Vec<u8>>,
}

pub fn open(root: &Path, path: &str) -> Result<Opened, Passed> {
    let mut file = plain_file(root, path)?;
    let size = file.metadata().map_err(|_| Passed::Unreadable)?.len();
    if size > LARGEST_READ {
        return Err(Passed::TooLarge);
    }
    let mut hasher = Sha1::new();
    hasher.update(format!("blob {size}\0"));
    if size > LARGEST {
        let mut piece = vec![0; 256 * 1024];
        loop {
            let some = file.read(&mut piece).map_err(|_| Passed::Unreadable)?;
            if some == 0 {
                return Ok(Opened { blob: crate::clean::hex(&hasher.finalize()), bytes: None });
            }
            hasher.update(&piece[..some]);
        }
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|_| Passed::Unreadable)?;
    hasher = Sha1::new();
    hasher.update(format!("blob {}\0", bytes.len()));
    hasher.update(&bytes);
    Ok(Opened { blob: crate::clean::hex(&hasher.finalize()), bytes: Some(bytes) })
}

/// No link on the way, also none that came after the list was made, and no pipe that would make us wait.
fn plain_file(root: &Path, path: &str) -> Result<File, Passed> {
    let mut so_far = root.to_owned();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        if matches!(part, "" | "." | "..") {
            return Err(Passed::Unreadable);
        }
        so_far.push(part);
        if parts.peek().is_some() && so_far.symlink_metadata().is_ok_and(|found| found.file_type().is_symlink()) {
            return Err(Passed::Link);
        }
    }
    let flags = (OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(&so_far).map_err(|wrong| why(&wrong))?;
    if file.metadata().is_ok_and(|found| found.is_file()) { Ok(file) } else { Err(Passed::Unreadable) }
}

fn why(wrong: &io::Error) -> Passed {
    if wrong.raw_os_error() == Some(nix::errno::Errno::ELOOP as i32) { Passed::Link } else { Passed::Unreadable }
}
