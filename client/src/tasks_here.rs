//! The task that a repository is being worked on for: set by `cairn task start` and `resume`, told at a session's start.

use crate::{clean::short_hash, places, repository::Repository};
use std::{fs, path::PathBuf};

pub fn current(repository: &Repository) -> Option<String> {
    let key = fs::read_to_string(path(repository)?).ok()?;
    Some(key.trim().to_owned()).filter(|key| !key.is_empty())
}

pub fn set(repository: &Repository, key: &str) {
    if let Some(path) = path(repository) {
        let _ = places::write(&path, key.as_bytes());
    }
}

/// Not any more, if it is this one.
pub fn clear(repository: &Repository, key: &str) {
    if current(repository).as_deref() == Some(key)
        && let Some(path) = path(repository)
    {
        let _ = fs::remove_file(path);
    }
}

fn path(repository: &Repository) -> Option<PathBuf> {
    let root = repository.root.clone().or_else(|| std::env::current_dir().ok())?;
    Some(places::state().join("tasks").join(short_hash(&root.to_string_lossy())))
}
