//! The flush's side: segments in order, their records, and their end.

use super::{Position, Record, Spool, number_of};
use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::MetadataExt,
    path::PathBuf,
};

/// `current` becomes a segment when there is none, or when it has grown to this.
const ROTATE: u64 = 1024 * 1024;

#[derive(Debug, Clone)]
pub struct Segment {
    pub number: u64,
    pub path: PathBuf,
    pub bytes: u64,
}

/// What waits.
#[derive(Debug, Default, PartialEq)]
pub struct Waiting {
    pub records: u64,
    pub bytes: u64,
}

impl Spool {
    /// Oldest first.
    pub fn segments(&self) -> Vec<Segment> {
        let mut found: Vec<Segment> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let path = entry.path();
                Some(Segment { number: number_of(&path)?, bytes: entry.metadata().ok()?.len(), path })
            })
            .collect();
        found.sort_by_key(|segment| segment.number);
        found
    }

    /// Gives `current` a number, if it is time.
    pub fn rotate(&self, position: &Position, limit: u64) -> io::Result<()> {
        let size = fs::metadata(self.current()).map_or(0, |found| found.len());
        let segments = self.segments();
        if size == 0 || (size < ROTATE.min(limit / 4) && !segments.is_empty()) {
            return Ok(());
        }
        let number = segments.last().map_or(position.segment, |last| last.number.max(position.segment)) + 1;
        fs::rename(self.current(), self.folder.join(format!("{number:012}.segment")))
    }

    /// How much is not yet delivered.
    pub fn waiting(&self) -> Waiting {
        let position = Position::load(self);
        let mut waiting = Waiting::default();
        // `current` is opened first: a flush that gives it a number meanwhile must not hide it, nor have it counted twice.
        let current = File::open(self.current());
        let its_number = current.as_ref().ok().and_then(inode);
        let segments = self.segments().into_iter().map(|segment| (segment.number, File::open(segment.path)));
        for (number, file) in segments.filter(|(_, file)| file.as_ref().ok().and_then(inode) != its_number).chain([(u64::MAX, current)]) {
            let from = if number == position.segment { position.offset } else { 0 };
            let Ok((records, end)) = file.and_then(|file| records_from(file, from, usize::MAX, u64::MAX)) else { continue };
            waiting.records += records.len() as u64;
            waiting.bytes += end.saturating_sub(from);
        }
        waiting
    }
}

impl Segment {
    /// The records from an offset on, and where the last one ends.
    pub fn records(&self, from: u64, most: usize, bytes: u64) -> io::Result<(Vec<Record>, u64)> {
        records_from(File::open(&self.path)?, from, most, bytes)
    }

    /// Deletes it if everything up to `offset` is all there is, and says whether it did. No writer is left then: what
    /// follows the last newline is torn for good.
    pub fn remove_if_done(&self, offset: u64) -> io::Result<bool> {
        let file = File::open(&self.path)?;
        file.lock()?;
        let (left, _) = self.records(offset, 1, u64::MAX)?;
        if !left.is_empty() {
            return Ok(false);
        }
        fs::remove_file(&self.path)?;
        Ok(true)
    }
}

fn inode(file: &File) -> Option<u64> {
    file.metadata().ok().map(|found| found.ino())
}

fn records_from(mut file: File, from: u64, most: usize, bytes: u64) -> io::Result<(Vec<Record>, u64)> {
    file.seek(SeekFrom::Start(from))?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let (mut records, mut end) = (Vec::new(), 0);
    // What has no newline yet may still be being written.
    for line in text.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        if records.len() >= most || (!records.is_empty() && (end + line.len()) as u64 > bytes) {
            break;
        }
        end += line.len();
        records.extend(Record::read(&line[..line.len() - 1]));
    }
    Ok((records, from + end as u64))
}

#[cfg(test)]
mod tests {
    use super::super::{Origin, Position, Record, Spool, What, append};
    use std::thread;

    #[test]
    fn what_a_flush_gives_a_number_meanwhile_still_waits() {
        for _ in 0..300 {
            let folder = tempfile::tempdir().expect("a folder");
            let spool = Spool { folder: folder.path().to_owned() };
            append(&spool, &[Record::new(Origin::default(), What::Start)]).expect("appended");
            let flush = {
                let spool = spool.clone();
                thread::spawn(move || spool.rotate(&Position::default(), u64::MAX))
            };
            while !flush.is_finished() {
                assert_eq!(spool.waiting().records, 1);
            }
            flush.join().expect("ended").expect("renamed");
            assert_eq!(spool.waiting().records, 1);
        }
    }
}
