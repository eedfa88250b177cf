//! What the server will never take: set aside with the reason, so that it blocks nothing and nobody wonders.

use super::{Record, Spool, append, private};
use crate::{clock, places};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

/// The newer half stays when it grows past this.
const LARGEST: u64 = 8 * 1024 * 1024;

#[derive(Debug, Serialize, Deserialize)]
pub struct Rejected {
    pub at: String,
    pub reason: String,
    pub record: Record,
}

pub fn reject(spool: &Spool, records: &[Record], reason: &str) -> io::Result<()> {
    let mut lines = Vec::new();
    for record in records {
        let rejected = Rejected { at: clock::stamp(), reason: reason.to_owned(), record: record.clone() };
        serde_json::to_writer(&mut lines, &rejected)?;
        lines.push(b'\n');
    }
    shorten(spool)?;
    private().append(true).open(path(spool))?.write_all(&lines)
}

/// All that is set aside, oldest first.
pub fn rejected(spool: &Spool) -> Vec<Rejected> {
    read(&path(spool))
}

fn read(path: &Path) -> Vec<Rejected> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Puts everything that is set aside back into the spool; how many records that is.
pub fn take_back(spool: &Spool) -> io::Result<usize> {
    let taken = spool.folder.join("rejected.taken");
    // What a killed process had taken comes first. Ids make a repetition harmless.
    let mut count = put_back(spool, &taken)?;
    match fs::rename(path(spool), &taken) {
        Err(nothing) if nothing.kind() == io::ErrorKind::NotFound => {}
        renamed => {
            renamed?;
            count += put_back(spool, &taken)?;
        }
    }
    Ok(count)
}

fn put_back(spool: &Spool, taken: &Path) -> io::Result<usize> {
    if !taken.exists() {
        return Ok(0);
    }
    let records: Vec<Record> = read(taken).into_iter().map(|rejected| rejected.record).collect();
    append(spool, &records)?;
    fs::remove_file(taken)?;
    Ok(records.len())
}

fn shorten(spool: &Spool) -> io::Result<()> {
    if fs::metadata(path(spool)).is_ok_and(|found| found.len() > LARGEST) {
        let text = fs::read_to_string(path(spool))?;
        let middle = text.ceil_char_boundary(text.len() / 2);
        let newer = text[middle..].split_once('\n').map_or("", |(_, rest)| rest);
        places::replace(&path(spool), newer.as_bytes())?;
    }
    Ok(())
}

fn path(spool: &Spool) -> PathBuf {
    spool.folder.join("rejected")
}
