//! The hook's side: one write per record, no waiting for the disk.

use super::{Record, Spool, is_gone, limit, private};
use crate::places;
use std::{
    fs::File,
    io::{self, ErrorKind, Write},
};

const SLACK: u64 = 64 * 1024 * 1024;

/// Appends; a killed process loses at most what it had not yet handed to the system.
pub fn append(spool: &Spool, records: &[Record]) -> io::Result<()> {
    let lines: Vec<u8> = records.iter().filter_map(Record::line).flatten().collect();
    if lines.is_empty() {
        return Ok(());
    }
    let mut file = open(spool)?;
    // The flush keeps the bound; this holds should it never get to run.
    if file.metadata().is_ok_and(|found| found.len() > limit(None) + SLACK) {
        return Err(ErrorKind::StorageFull.into());
    }
    file.write_all(&lines)
}

/// `current`, locked, and surely not deleted.
fn open(spool: &Spool) -> io::Result<File> {
    loop {
        let file = match private().append(true).open(spool.current()) {
            Err(missing) if missing.kind() == ErrorKind::NotFound => {
                places::make_dir(&spool.folder)?;
                private().append(true).open(spool.current())?
            }
            opened => opened?,
        };
        file.lock_shared()?;
        if !is_gone(&file) {
            return Ok(file);
        }
    }
}
