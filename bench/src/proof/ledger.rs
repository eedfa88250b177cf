//! What is counted while a task is replayed, each count with what shows it: lines of the replay's trace and ids on the server.

use serde::Serialize;
use std::collections::BTreeMap;

/// One thing that happened in a replay.
#[derive(Serialize, Default, Clone)]
pub struct Line {
    pub n: usize,
    /// From 1; 0 for what happens around the runs.
    pub run: usize,
    pub what: &'static str,
    pub about: String,
    /// What it cost the agent's context.
    pub tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Its place in the session's log on the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
}

/// Something on the server that shows a figure.
#[derive(Serialize, Clone)]
#[serde(untagged)]
pub enum Evidence {
    /// A line of this replay's trace.
    Trace {
        line: usize,
    },
    Record {
        kind: &'static str,
        id: String,
        note: String,
    },
}

#[derive(Serialize, Default, Clone)]
pub struct Count {
    pub value: u64,
    pub evidence: Vec<Evidence>,
}

/// One replay: its trace, and counts by name.
#[derive(Default)]
pub struct Ledger {
    pub trace: Vec<Line>,
    pub counts: BTreeMap<&'static str, Count>,
}

/// Beyond this a list of evidence is its beginning; the trace has the rest.
const SHOWN: usize = 400;

impl Ledger {
    /// Adds a line to the trace and gives its number.
    pub fn line(&mut self, line: Line) -> usize {
        let n = self.trace.len() + 1;
        self.trace.push(Line { n, ..line });
        n
    }

    pub fn count(&mut self, name: &'static str, by: u64, evidence: Evidence) {
        let count = self.counts.entry(name).or_default();
        count.value += by;
        if count.evidence.len() < SHOWN {
            count.evidence.push(evidence);
        }
    }

    pub fn at(&mut self, name: &'static str, line: usize) {
        self.count(name, 1, Evidence::Trace { line });
    }

    /// So many, shown by nothing but that they were looked for.
    pub fn none(&mut self, name: &'static str) {
        self.counts.entry(name).or_default();
    }

    pub fn record(&mut self, name: &'static str, by: u64, kind: &'static str, id: &str, note: impl Into<String>) {
        self.count(name, by, Evidence::Record { kind, id: id.to_owned(), note: note.into() });
    }
}
