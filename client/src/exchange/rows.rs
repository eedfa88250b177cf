//! Another tool's SQLite file, read where it lies, with what its running tool has not written back yet: its rows, as lines.

use super::{Part, lines::Cutter};
use crate::failure::Failure;
use rusqlite::{Connection, OpenFlags, types::ValueRef};
use serde_json::{Map, Value, json};
use std::path::Path;

const TABLES: [&str; 4] = ["observations", "session_summaries", "directives", "memories"];

pub fn read(path: &Path) -> Result<Vec<Part>, Failure> {
    let wrong = |wrong: &rusqlite::Error| Failure::Failed(format!("{} cannot be read: {wrong}", path.display()));
    let sqlite = open(path).map_err(|error| wrong(&error))?;
    let tables = tables(&sqlite).map_err(|error| wrong(&error))?;
    let of = match tables[..] {
        [] => {
            return Err(Failure::Failed(format!("{} is of no tool that is known: claude-mem and mcp-memory-service are", path.display())));
        }
        ["memories"] => "mcp-memory-service",
        _ => "claude-mem",
    };
    let mut cutter = Cutter::new(&json!({"type": "header", "format": "rows", "of": of}).to_string());
    for table in tables {
        each(&sqlite, table, |row| cutter.take(&json!({"type": "row", "table": table, "row": row}).to_string()))
            .map_err(|error| wrong(&error))?;
    }
    Ok(cutter.finish())
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let plain = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    if plain.query_row("select count(*) from sqlite_master", [], |_| Ok(())).is_ok() {
        return Ok(plain);
    }
    // In a folder where nothing can be written, what lies beside it cannot be read either.
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)
}

fn tables(sqlite: &Connection) -> rusqlite::Result<Vec<&'static str>> {
    let mut asked = sqlite.prepare("select name from sqlite_master where type = 'table'")?;
    let there = asked.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    Ok(TABLES.into_iter().filter(|table| there.iter().any(|name| name == table)).collect())
}

fn each(sqlite: &Connection, table: &str, mut take: impl FnMut(Value)) -> rusqlite::Result<()> {
    let mut columns = sqlite.prepare("select name from pragma_table_info(?)")?;
    let names = columns.query_map([table], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let list: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
    let mut asked = sqlite.prepare(&format!("select {} from \"{table}\"", list.join(", ")))?;
    let mut rows = asked.query([])?;
    while let Some(row) = rows.next()? {
        let mut record = Map::new();
        for (column, name) in names.iter().enumerate() {
            let value = match row.get_ref(column)? {
                ValueRef::Integer(number) => number.into(),
                ValueRef::Real(number) => number.into(),
                ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
                ValueRef::Null | ValueRef::Blob(_) => continue,
            };
            record.insert(name.clone(), value);
        }
        take(Value::Object(record));
    }
    Ok(())
}
