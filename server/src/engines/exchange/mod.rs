//! Memories in files: exports of ours, rules and notes of people, databases and exports of other tools. Reading is lenient
//! with what is strange and says what was left out; nothing here believes what a file says of who did what.

pub mod agents;
mod archive;
mod draft;
mod front_matter;
mod kinds;
pub mod markdown;
pub mod ndjson;
mod rules;
mod session;
mod shapes;
mod sqlite;
mod tools;

#[cfg(test)]
mod tests;

pub use archive::Packer;

use crate::{
    model::exchange::{Format, Found},
    problem::Problem,
};

/// More in one file are sent in parts.
pub const MOST: usize = 50_000;

/// What was found in a file, in its order.
#[derive(Debug)]
pub struct Read {
    pub format: Format,
    pub found: Vec<Found>,
}

/// Reads a file of any of the formats; which, its content says, unless somebody does. `name` is what it is called.
pub fn read(bytes: &[u8], name: Option<&str>, format: Option<Format>) -> Result<Read, Problem> {
    let read = match shapes::shape(bytes) {
        shapes::Shape::Sqlite => tools::of_database(bytes, format)?,
        shapes::Shape::Tar => archive::read(bytes, format)?,
        shapes::Shape::Packed => return Err(unreadable("is compressed: unpack it, and send what is inside")),
        shapes::Shape::Binary => {
            return Err(unreadable("is neither text in UTF-8 nor a tar nor an SQLite file: there is nothing here that can be read"));
        }
        shapes::Shape::Text(text) if text.trim().is_empty() => return Err(unreadable("is empty")),
        shapes::Shape::Text(text) => of_text(text, name, format)?,
    };
    if read.found.len() > MOST {
        return Err(unreadable(format!("has {} memories, more than {MOST}: send it in parts", read.found.len())));
    }
    Ok(read)
}

fn of_text(text: &str, name: Option<&str>, format: Option<Format>) -> Result<Read, Problem> {
    let format = match format {
        Some(format) => format,
        None => shapes::format_of(text, name).ok_or_else(|| {
            unreadable("is JSON of a shape that is not known here; name the format with `format`, or see docs/exchange.md for what is read")
        })?,
    };
    let found = match format {
        Format::Ndjson => ndjson::read(text)?,
        Format::Markdown => vec![markdown::read(name, text)],
        Format::Rules => rules::read(name, text),
        Format::Session => session::read(name, text),
        Format::ClaudeMem | Format::McpMemoryService | Format::AgentMemory | Format::Mem0 => tools::of_json(text, format)?,
    };
    Ok(Read { format, found })
}

fn unreadable(message: impl Into<String>) -> Problem {
    Problem::invalid("body", message)
}
