//! Rows out of an SQLite file that nobody vouches for: in memory, read-only, within bounds of time, rows and bytes, and only
//! from real tables, by the names of their columns.

use super::{draft::Record, unreadable};
use crate::problem::Problem;
use rusqlite::{Connection, OpenFlags, config::DbConfig, limits::Limit, types::ValueRef};
use serde_json::Value;
use std::time::{Duration, Instant};

/// What a hostile file may cost.
const LONGEST: Duration = Duration::from_secs(5);
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// Between two looks at the clock.
const STEPS: i32 = 10_000;

pub struct Database {
    sqlite: Connection,
    tables: Vec<String>,
    read: usize,
}

impl Database {
    pub fn open(bytes: &[u8]) -> Result<Self, Problem> {
        let (sqlite, tables) = open(bytes).map_err(|wrong| cannot(&wrong))?;
        Ok(Self { sqlite, tables, read: 0 })
    }

    pub fn has(&self, table: &str) -> bool {
        self.tables.iter().any(|name| name == table)
    }

    /// The rows of a table, as far as `most` goes; none if there is no such table.
    pub fn rows(&mut self, table: &'static str, most: usize) -> Result<Vec<Record>, Problem> {
        if !self.has(table) {
            return Ok(Vec::new());
        }
        let mut rows = Vec::new();
        let done = read(&self.sqlite, table, most, &mut self.read, &mut rows);
        if self.read > MOST_BYTES {
            return Err(unreadable("is an SQLite file with more text in it than it has room for: it is damaged"));
        }
        done.map_err(|wrong| cannot(&wrong))?;
        Ok(rows)
    }
}

fn open(bytes: &[u8]) -> rusqlite::Result<(Connection, Vec<String>)> {
    let mut sqlite = Connection::open_in_memory_with_flags(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    let mut file = bytes.to_vec();
    // In WAL mode a file cannot be opened without the files beside it; as a copy it is what was written back last.
    if let Some(modes) = file.get_mut(18..20) {
        modes.fill(1);
    }
    sqlite.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    sqlite.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    sqlite.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    sqlite.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    sqlite.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(MOST_BYTES).unwrap_or(i32::MAX))?;
    sqlite.set_limit(Limit::SQLITE_LIMIT_COLUMN, 200)?;
    sqlite.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    sqlite.deserialize_read_exact("main", file.as_slice(), file.len(), true)?;
    let started = Instant::now();
    sqlite.progress_handler(STEPS, Some(move || started.elapsed() > LONGEST))?;
    sqlite.pragma_update(None, "cell_size_check", true)?;
    let tables = {
        let mut asked = sqlite
            .prepare("select cast(name as blob) from sqlite_master where type = 'table' and sql not like 'create virtual%' limit 1000")?;
        let named = asked.query_map([], |row| row.get::<_, Vec<u8>>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
        named.into_iter().filter_map(|name| String::from_utf8(name).ok()).collect()
    };
    Ok((sqlite, tables))
}

fn read(sqlite: &Connection, table: &'static str, most: usize, bytes: &mut usize, rows: &mut Vec<Record>) -> rusqlite::Result<()> {
    let names = columns(sqlite, table)?;
    if names.is_empty() {
        return Ok(());
    }
    let mut asked = sqlite.prepare(&format!("select \"{}\" from \"{table}\" limit {most}", names.join("\", \"")))?;
    let mut found = asked.query([])?;
    while let Some(row) = found.next()? {
        let mut record = Record::new();
        for (column, name) in names.iter().enumerate() {
            let value = match row.get_ref(column)? {
                ValueRef::Integer(number) => number.into(),
                ValueRef::Real(number) => number.into(),
                ValueRef::Text(text) => {
                    *bytes += text.len();
                    String::from_utf8_lossy(text).into()
                }
                // Vectors and the like.
                ValueRef::Null | ValueRef::Blob(_) => Value::Null,
            };
            record.insert(name.clone(), value);
        }
        *bytes += names.len() * 16;
        if *bytes > MOST_BYTES {
            return Ok(());
        }
        rows.push(record);
    }
    Ok(())
}

/// Those that go by a plain name; a damaged one may be called anything.
fn columns(sqlite: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut asked = sqlite.prepare("select cast(name as blob) from pragma_table_info(?)")?;
    let named = asked.query_map([table], |row| row.get::<_, Vec<u8>>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let plain = |name: &String| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    Ok(named.into_iter().filter_map(|name| String::from_utf8(name).ok()).filter(plain).collect())
}

fn cannot(wrong: &rusqlite::Error) -> Problem {
    let slow = wrong.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted);
    if slow {
        return unreadable("is an SQLite file that takes too long to read");
    }
    unreadable(format!("is an SQLite file that cannot be read: {wrong}"))
}
