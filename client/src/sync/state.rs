//! What was told of a working tree: by it, the next difference is known. A commit needs none, git has it.

use super::{DIRTY, Place, blobs};
use crate::{clean::short_hash, places, scan::many::Scan};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, path::PathBuf};

#[derive(Serialize, Deserialize)]
pub struct State {
    commit: String,
    files: BTreeMap<String, String>,
}

impl State {
    pub fn of(commit: &str, scan: &Scan) -> Self {
        Self { commit: commit.to_owned(), files: scan.files.iter().map(|file| (file.path.clone(), file.blob.clone())).collect() }
    }
}

/// The files of what was told, with their git ids; nothing if somebody else told it.
pub fn at(place: &Place, commit: &str) -> Option<BTreeMap<String, String>> {
    if commit.contains(DIRTY) {
        let state: State = serde_json::from_str(&fs::read_to_string(path(place)).ok()?).ok()?;
        return (state.commit == commit).then_some(state.files);
    }
    place.git.has_commit(commit).then(|| place.git.commit(commit).ok().map(blobs)).flatten()
}

pub fn keep(place: &Place, state: &State) {
    if let Ok(text) = serde_json::to_string(state) {
        let _ = places::write(&path(place), text.as_bytes());
    }
}

fn path(place: &Place) -> PathBuf {
    let name = short_hash(&format!("{} {} {}", place.git.root().display(), place.repo, place.branch));
    places::cache().join("told").join(format!("{name}.json"))
}
