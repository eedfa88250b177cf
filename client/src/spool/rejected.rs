//! What the server will never take: set aside with the reason, so that it blocks nothing and nobody wonders.

use super::{Record, Spool, private};
use crate::{clock, places};
use serde::{Deserialize, Serialize};
use std::{fs, io, io::Write, path::PathBuf};

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
    let text = fs::read_to_string(path(spool)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
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
