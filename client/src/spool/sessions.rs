//! The sessions that run on the server as far as this machine knows: a small file each, so that a replay after a crash
//! goes to the same one, and `cairn checkpoint` finds the one of its repository.

use super::{Origin, Spool};
use crate::{clean::short_hash, clock, places};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt,
    path::PathBuf,
};
use time::Duration;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Running {
    /// The server's id.
    pub id: String,
    /// When something was last sent to it.
    pub seen_at: String,
    pub origin: Origin,
}

pub struct RunningSessions {
    folder: PathBuf,
}

impl RunningSessions {
    pub fn of(spool: &Spool) -> Self {
        Self { folder: spool.folder.join("sessions") }
    }

    pub fn get(&self, origin: &Origin) -> Option<Running> {
        serde_json::from_str(&fs::read_to_string(self.path(origin)).ok()?).ok()
    }

    pub fn started(&self, origin: &Origin, id: &str) -> io::Result<Running> {
        let running = Running { id: id.to_owned(), seen_at: clock::stamp(), origin: origin.clone() };
        let _ = DirBuilder::new().mode(0o700).create(&self.folder);
        places::replace(&self.path(origin), serde_json::to_string(&running)?.as_bytes())?;
        Ok(running)
    }

    pub fn seen(&self, origin: &Origin) {
        if let Some(running) = self.get(origin) {
            let _ = self.started(&running.origin, &running.id);
        }
    }

    pub fn ended(&self, origin: &Origin) {
        let _ = fs::remove_file(self.path(origin));
    }

    /// Newest first, without those that nothing was heard of for a day: not every tool says when it ends.
    pub fn all(&self) -> Vec<Running> {
        let since = clock::written(clock::now() - Duration::days(1));
        let mut all: Vec<Running> = self.files().filter_map(|(_, running)| running).filter(|running| running.seen_at > since).collect();
        all.sort_by(|one, other| other.seen_at.cmp(&one.seen_at));
        all
    }

    /// Forgets what nothing was heard of for a month.
    pub fn tidy(&self) {
        let since = clock::written(clock::now() - Duration::days(30));
        for (path, _) in self.files().filter(|(_, running)| running.as_ref().is_none_or(|running| running.seen_at < since)) {
            let _ = fs::remove_file(path);
        }
    }

    fn files(&self) -> impl Iterator<Item = (PathBuf, Option<Running>)> {
        fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|file| {
            let running = fs::read_to_string(file.path()).ok().and_then(|text| serde_json::from_str(&text).ok());
            (file.path(), running)
        })
    }

    fn path(&self, origin: &Origin) -> PathBuf {
        self.folder.join(short_hash(&format!("{} {}", origin.tool, origin.session)))
    }
}
