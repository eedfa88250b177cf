//! A snapshot as the server takes it, in as many calls as its size needs. This is all that leaves the machine.

use super::Place;
use crate::scan::{Language, Scanned, Symbol, many::Known};
use serde::Serialize;
use serde_json::{Value, json};
use std::ops::Range;

/// The server takes 10 MiB.
const MOST_BYTES: usize = 8 * 1024 * 1024;
const MOST_FILES: usize = 20_000;
/// The server takes 20,000 symbols of a file; of one that has more, a machine made it.
const MOST_SYMBOLS: usize = 20_000;

pub struct Picture<'a> {
    pub place: &'a Place,
    pub commit: &'a str,
    /// What it is a difference to; without it, it is complete.
    pub base: Option<&'a str>,
    pub files: &'a [Known],
    pub removed: &'a [String],
}

impl Picture<'_> {
    /// Which files go with which call.
    pub fn parts(&self) -> Vec<Range<usize>> {
        let (mut parts, mut start, mut bytes) = (Vec::new(), 0, 0);
        for (at, file) in self.files.iter().enumerate() {
            let more = size(file);
            if at > start && (bytes + more > MOST_BYTES || at - start >= MOST_FILES) {
                parts.push(start..at);
                (start, bytes) = (at, 0);
            }
            bytes += more;
        }
        parts.push(start..self.files.len());
        parts
    }

    pub fn body(&self, parts: &[Range<usize>], part: usize) -> String {
        let files: Vec<FileJson<'_>> = self.files[parts[part].clone()].iter().map(file).collect();
        let removed: &[String] = if part == 0 { self.removed } else { &[] };
        let mut body = json!({
            "repo": self.place.repo,
            "branch": self.place.branch,
            "commit": self.commit,
            "removed": removed,
            "complete": self.base.is_none(),
        });
        if let Some(branch) = &self.place.default_branch {
            body["default_branch"] = json!(branch);
        }
        if let Some(base) = self.base {
            body["base"] = json!(base);
        }
        if parts.len() > 1 {
            body["part"] = json!(part + 1);
            body["parts"] = json!(parts.len());
        }
        // Put together by hand: millions of numbers are quicker written than made into values first.
        let mut text = body.to_string();
        text.pop();
        text.push_str(",\"files\":");
        text.push_str(&serde_json::to_string(&files).unwrap_or_else(|_| "[]".to_owned()));
        text.push('}');
        text
    }
}

#[derive(Serialize)]
struct FileJson<'a> {
    path: &'a str,
    sha256: &'a str,
    /// Of a file that nobody could look into: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbols: Option<Vec<SymbolJson<'a>>>,
}

#[derive(Serialize)]
struct SymbolJson<'a> {
    name: &'a str,
    kind: &'static str,
    signature_hash: String,
    body_hash: String,
    start_line: u32,
    end_line: u32,
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    shingles: &'a [u32],
}

fn file(known: &Known) -> FileJson<'_> {
    FileJson { path: &known.path, sha256: &known.scanned.digest, symbols: symbols(&known.path, &known.scanned) }
}

fn symbols<'a>(path: &str, scanned: &'a Scanned) -> Option<Vec<SymbolJson<'a>>> {
    let looked_into = Language::of(path).is_some() && scanned.passed.is_none() && scanned.symbols.len() <= MOST_SYMBOLS;
    looked_into.then(|| scanned.symbols.iter().map(symbol).collect())
}

fn symbol(symbol: &Symbol) -> SymbolJson<'_> {
    SymbolJson {
        name: &symbol.name,
        kind: symbol.kind.name(),
        signature_hash: symbol.signature.hex(),
        body_hash: symbol.body.hex(),
        start_line: symbol.start_line,
        end_line: symbol.end_line,
        shingles: &symbol.shingles,
    }
}

/// A file as it would be told, for `cairn scan --json`.
pub fn file_json(known: &Known) -> Value {
    serde_json::to_value(file(known)).unwrap_or_default()
}

/// At most so many bytes as JSON.
fn size(known: &Known) -> usize {
    let symbols = known.scanned.symbols.iter().map(|symbol| 220 + 2 * symbol.name.len() + 11 * symbol.shingles.len());
    150 + 2 * known.path.len() + symbols.sum::<usize>()
}
