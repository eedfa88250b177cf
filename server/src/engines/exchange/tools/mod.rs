//! What other tools keep. Their formats are taken from what they publish, named in docs/exchange.md; a database is read as
//! rows, and rows that somebody else read from one come as lines.

mod agentmemory;
mod claude_mem;
mod mcp_memory_service;
mod mem0;

use super::{MOST, Read, draft::Record, sqlite::Database, unreadable};
use crate::{
    model::exchange::{Format, Found, Passed, Skipped},
    problem::Problem,
};
use serde_json::Value;

/// The tables that are of interest, of all tools.
const TABLES: [&str; 4] = ["observations", "session_summaries", "directives", "memories"];

/// Named records, in the order of the file.
type Records = Vec<(&'static str, Record)>;

pub fn of_database(bytes: &[u8], format: Option<Format>) -> Result<Read, Problem> {
    let mut database = Database::open(bytes)?;
    let known = match (database.has("observations"), database.has("memories")) {
        (true, _) => Format::ClaudeMem,
        (false, true) => Format::McpMemoryService,
        (false, false) => {
            return Err(unreadable("is an SQLite file of no tool that is known here: claude-mem and mcp-memory-service are"));
        }
    };
    let mut records = Records::new();
    for table in TABLES {
        records.extend(database.rows(table, MOST + 1 - records.len().min(MOST))?.into_iter().map(|row| (table, row)));
    }
    let format = format.unwrap_or(known);
    Ok(Read { format, found: of_records(format, records)? })
}

pub fn of_json(text: &str, format: Format) -> Result<Vec<Found>, Problem> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(whole)) if whole.get("type").and_then(Value::as_str) != Some("header") => match format {
            Format::AgentMemory => Ok(agentmemory::read(&whole)),
            Format::Mem0 => Ok(mem0::read(&whole)),
            _ => of_records(format, records(whole)),
        },
        Ok(Value::Array(all)) if format == Format::Mem0 => Ok(mem0::read_all(&all)),
        Ok(Value::Array(all)) if format == Format::McpMemoryService => of_records(format, objects("memories", all)),
        Ok(Value::Array(all)) if format == Format::ClaudeMem => of_records(format, objects("observations", all)),
        Ok(_) | Err(_) => of_lines(text, format),
    }
}

/// One object a line: of mem0 a memory each, of a database a row each.
fn of_lines(text: &str, format: Format) -> Result<Vec<Found>, Problem> {
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let value: Value = serde_json::from_str(line).map_err(|wrong| unreadable(format!("has no JSON in line {number}: {wrong}")))?;
        lines.push(value);
    }
    if format == Format::Mem0 {
        return Ok(mem0::read_all(&lines));
    }
    let row = |line: Value| {
        let Value::Object(mut line) = line else { return None };
        let table = line.get("table").and_then(Value::as_str).and_then(|named| TABLES.into_iter().find(|table| *table == named))?;
        match line.remove("row") {
            Some(Value::Object(row)) => Some((table, row)),
            _ => None,
        }
    };
    of_records(format, lines.into_iter().filter_map(row).collect())
}

/// The lists of an export that is one object.
fn records(mut whole: Record) -> Records {
    let lists =
        [("observations", "observations"), ("summaries", "session_summaries"), ("directives", "directives"), ("memories", "memories")];
    let list = |(member, table)| match whole.remove(member) {
        Some(Value::Array(all)) => objects(table, all),
        _ => Vec::new(),
    };
    lists.into_iter().flat_map(list).collect()
}

fn objects(table: &'static str, all: Vec<Value>) -> Records {
    all.into_iter().filter_map(|one| if let Value::Object(record) = one { Some((table, record)) } else { None }).collect()
}

fn of_records(format: Format, records: Records) -> Result<Vec<Found>, Problem> {
    let read: fn(&'static str, &Record) -> Found = match format {
        Format::ClaudeMem => claude_mem::read,
        Format::McpMemoryService => mcp_memory_service::read,
        _ => return Err(unreadable(format!("is no file of the format {}", format.word()))),
    };
    Ok(records.iter().map(|(table, record)| read(table, record)).collect())
}

fn skipped(place: String, why: Passed, detail: &'static str) -> Found {
    Found { place, item: Err(Skipped::new(why, detail)) }
}
