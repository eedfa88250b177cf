//! The journal of erasures: a file beside the database, one JSON line for each executed request, only ever added to. Ids
//! and keyed hashes, no text. After an older backup was restored it says what has to go again.

use crate::model::{DeletionId, deletion::Journalled};
use std::{
    collections::HashSet,
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Mutex,
};

const NAME: &str = "erasures.jsonl";

#[derive(Debug)]
pub struct Journal {
    file: PathBuf,
    /// What is in it; none before it was read.
    known: Mutex<Option<HashSet<DeletionId>>>,
}

impl Journal {
    pub fn beside(data_dir: &Path) -> Self {
        Self { file: file_beside(data_dir), known: Mutex::new(None) }
    }

    /// Of these, those that it does not have. A file that somebody moved away is begun anew.
    pub fn lacks(&self, requests: &[DeletionId]) -> std::io::Result<Vec<DeletionId>> {
        let mut known = self.known.lock().map_err(|_| std::io::Error::other("the journal is in disorder"))?;
        if known.is_none() || !self.file.exists() {
            let there = if self.file.exists() { read(&self.file)? } else { Told::default() };
            *known = Some(there.entries.iter().map(|entry| entry.request).collect());
        }
        let known = known.as_ref();
        Ok(requests.iter().copied().filter(|id| known.is_none_or(|known| !known.contains(id))).collect())
    }

    /// On disk when this returns, once, whoever else is adding it.
    pub fn add(&self, entry: &Journalled) -> std::io::Result<()> {
        let mut known = self.known.lock().map_err(|_| std::io::Error::other("the journal is in disorder"))?;
        if known.as_ref().is_some_and(|known| known.contains(&entry.request)) {
            return Ok(());
        }
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let mut file = OpenOptions::new().create(true).append(true).read(true).mode(0o600).open(&self.file)?;
        // A line that a crash has cut short must not take the next one with it.
        if ends_within_a_line(&self.file)? {
            line.insert(0, b'\n');
        }
        file.write_all(&line)?;
        file.sync_all()?;
        known.get_or_insert_default().insert(entry.request);
        Ok(())
    }
}

fn ends_within_a_line(file: &Path) -> std::io::Result<bool> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = File::open(file)?;
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// What a journal says.
#[derive(Default)]
pub struct Told {
    pub entries: Vec<Journalled>,
    /// Lines that say nothing. One that a crash has cut short was written anew after it.
    pub unread: usize,
}

/// Where the journal of a data dir lies.
pub fn file_beside(data_dir: &Path) -> PathBuf {
    data_dir.join(NAME)
}

/// What the journal in a data dir says; nothing where there is none.
pub fn read_beside(data_dir: &Path) -> std::io::Result<Told> {
    match read(&file_beside(data_dir)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Told::default()),
        read => read,
    }
}

/// What a journal says, line by line.
pub fn read(file: &Path) -> std::io::Result<Told> {
    let mut told = Told::default();
    for line in BufReader::new(File::open(file)?).split(b'\n') {
        let line = line?;
        match serde_json::from_slice(&line) {
            Ok(entry) => told.entries.push(entry),
            Err(_) if line.trim_ascii().is_empty() => {}
            Err(_) => told.unread += 1,
        }
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        ActorKind, PersonId, WorkspaceId, clock,
        deletion::{Item, ItemKind, Step, Why},
    };

    fn entry() -> Journalled {
        let step = || Step { at: clock::now(), kind: ActorKind::Person, id: clock::new_id() };
        Journalled {
            workspace: WorkspaceId::new(),
            request: DeletionId::new(),
            asked: step(),
            asked_for: PersonId::new(),
            decided: Some(step()),
            executed: step(),
            alone: false,
            rule: None,
            counts: None,
            items: vec![Item { kind: ItemKind::Memory, id: clock::new_id(), part: 0, owner: None, why: Why::Named, taken: true }],
            macs: vec![("00".repeat(32), clock::new_id())],
            reason_mac: None,
            subject_mac: None,
            query_mac: None,
            certificate: None,
        }
    }

    #[test]
    fn a_journal_survives_a_crash_in_the_middle_of_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (entry(), entry());
        let ids = [first.request, second.request];
        let journal = Journal::beside(folder.path());
        assert_eq!(journal.lacks(&ids).unwrap(), ids);
        journal.add(&first).unwrap();
        assert_eq!(journal.lacks(&ids).unwrap(), [second.request]);
        let file = folder.path().join(NAME);
        let whole = serde_json::to_string(&second).unwrap();
        OpenOptions::new().append(true).open(&file).unwrap().write_all(&whole.as_bytes()[..whole.len() / 2]).unwrap();
        let journal = Journal::beside(folder.path());
        assert_eq!(journal.lacks(&ids).unwrap(), [second.request], "half a line is none");
        journal.add(&second).unwrap();
        let told = read(&file).unwrap();
        assert_eq!(told.entries.iter().map(|entry| entry.request).collect::<Vec<_>>(), ids);
        assert_eq!(told.unread, 1);
        // Somebody moved it away: it is written anew.
        std::fs::remove_file(&file).unwrap();
        assert_eq!(journal.lacks(&ids).unwrap(), ids);
    }
}
