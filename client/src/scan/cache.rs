//! What a content was found to hold, by its git id and language, below the user's cache folder: a file that did not change
//! is not parsed again, in whatever checkout or branch it lies. Losing it costs time only.

use super::{Fingerprint, Kind, Language, Passed, Scanned, Symbol};
use crate::{clock, places};
use rusqlite::{Connection, OptionalExtension, params};
use std::{path::PathBuf, time::Duration};

/// Of fingerprints: to be raised with whatever changes one of them; a test in `scan/golden.rs` knows those of this one.
pub const VERSION: u32 = 4;
/// When it grows beyond this, the older half goes.
const LARGEST: i64 = 1024 * 1024 * 1024;

pub struct Cache {
    database: Option<Connection>,
}

impl Cache {
    /// A cache that cannot be opened is none.
    pub fn open() -> Self {
        Self { database: open(&places::cache().join("scan.db")).ok() }
    }

    pub fn none() -> Self {
        Self { database: None }
    }

    pub fn get(&self, blob: &str, language: Language) -> Option<Scanned> {
        let mut statement = self.database.as_ref()?.prepare_cached("select data from scanned where blob = ?1 and language = ?2").ok()?;
        let data: Option<Vec<u8>> = statement.query_row(params![blob, language as u8], |row| row.get(0)).optional().ok()?;
        decode(&data?)
    }

    pub fn put(&mut self, found: &[(String, Language, Scanned)]) {
        let _ = self.try_put(found);
    }

    fn try_put(&mut self, found: &[(String, Language, Scanned)]) -> rusqlite::Result<()> {
        let Some(database) = &mut self.database else { return Ok(()) };
        let day = clock::now().unix_timestamp() / 86_400;
        let writing = database.transaction()?;
        {
            let mut insert =
                writing.prepare_cached("insert or replace into scanned (blob, language, day, data) values (?1, ?2, ?3, ?4)")?;
            for (blob, language, scanned) in found {
                insert.execute(params![blob, *language as u8, day, encode(scanned)])?;
            }
        }
        writing.commit()?;
        let size: i64 =
            database.query_row("select page_count * page_size from pragma_page_count, pragma_page_size", [], |row| row.get(0))?;
        if size > LARGEST {
            database.execute_batch(
                "delete from scanned where rowid in (select rowid from scanned order by day, rowid limit (select count(*) / 2 from scanned)); vacuum",
            )?;
        }
        Ok(())
    }
}

fn open(path: &PathBuf) -> rusqlite::Result<Connection> {
    if let Some(folder) = path.parent() {
        let _ = places::make_dir(folder);
    }
    let database = Connection::open(path)?;
    database.busy_timeout(Duration::from_secs(2))?;
    database.execute_batch("pragma journal_mode = wal; pragma synchronous = off; pragma mmap_size = 268435456;")?;
    let version: u32 = database.query_row("pragma user_version", [], |row| row.get(0))?;
    if version != VERSION {
        database.execute_batch(&format!(
            "drop table if exists scanned;
             create table scanned (blob text not null, language int not null, day int not null, data blob not null, unique (blob, language));
             pragma user_version = {VERSION};"
        ))?;
    }
    Ok(database)
}

fn encode(scanned: &Scanned) -> Vec<u8> {
    let mut out = Writer(Vec::with_capacity(64 + scanned.symbols.len() * 128));
    out.text(&scanned.digest);
    out.number(scanned.lines);
    out.0.push(scanned.passed.map_or(0, |passed| passed.number() + 1));
    out.number(u32::try_from(scanned.symbols.len()).unwrap_or(0));
    for symbol in &scanned.symbols {
        out.text(&symbol.name);
        out.0.push(symbol.kind.number());
        out.0.extend_from_slice(&symbol.signature.0);
        out.0.extend_from_slice(&symbol.body.0);
        out.number(symbol.start_line);
        out.number(symbol.end_line);
        out.number(u32::try_from(symbol.shingles.len()).unwrap_or(0));
        symbol.shingles.iter().for_each(|shingle| out.number(*shingle));
    }
    out.0
}

fn decode(data: &[u8]) -> Option<Scanned> {
    let mut data = Reader(data);
    let (digest, lines) = (data.text()?, data.number()?);
    let passed = match data.byte()? {
        0 => None,
        number => Some(Passed::from_number(number - 1)?),
    };
    let count = data.number()?;
    let symbols = (0..count).map(|_| symbol(&mut data)).collect::<Option<Vec<_>>>()?;
    Some(Scanned { digest, symbols, lines, passed })
}

fn symbol(data: &mut Reader<'_>) -> Option<Symbol> {
    let (name, kind) = (data.text()?, Kind::from_number(data.byte()?)?);
    let (signature, body) = (data.fingerprint()?, data.fingerprint()?);
    let (start_line, end_line, count) = (data.number()?, data.number()?, data.number()?);
    let shingles = (0..count).map(|_| data.number()).collect::<Option<Vec<_>>>()?;
    Some(Symbol { name, kind, signature, body, shingles, start_line, end_line })
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(u32::try_from(text.len()).unwrap_or(0));
        self.0.extend_from_slice(text.as_bytes());
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn number(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    fn fingerprint(&mut self) -> Option<Fingerprint> {
        self.take(16)?.try_into().ok().map(Fingerprint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::scan;

    #[test]
    fn what_is_kept_comes_back_as_it_was() {
        let scanned = scan("a.py", b"class A:\n    def b(self):\n        return 1 + 2 * 3\n");
        assert!(!scanned.symbols.is_empty());
        assert_eq!(decode(&encode(&scanned)), Some(scanned.clone()));
        let whole = encode(&scanned);
        for cut in 0..whole.len() {
            assert_eq!(decode(&whole[..cut]), None, "cut at {cut}");
        }
    }
}
