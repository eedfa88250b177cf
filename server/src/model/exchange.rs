//! Memories on their way out of a workspace and into another: formats, and what a file says of a memory.

use super::{Kind, MemoryId, NewMemory, State, memory::Operation, memory::words};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, str::FromStr};
use time::OffsetDateTime;

words!(
    /// What a file is that memories come from.
    Format as "ImportFormat", "format" {
        /// A lossless export of ours, one version a line.
        Ndjson = "ndjson",
        /// Markdown files with front matter: one, or a tar of many.
        Markdown = "markdown",
        /// Rules for agents: `CLAUDE.md`, `AGENTS.md`, `.cursor/rules/*.mdc`.
        Rules = "rules",
        /// Notes of a session: what was decided, done and found.
        Session = "session",
        /// A database of claude-mem, or its JSON export.
        ClaudeMem = "claude-mem",
        /// A database of mcp-memory-service, or its JSON export.
        McpMemoryService = "mcp-memory-service",
        /// A JSON export of agentmemory.
        AgentMemory = "agentmemory",
        /// A JSON export of mem0 or OpenMemory.
        Mem0 = "mem0",
    }
);

words!(
    /// Why something in a file was not taken.
    Passed, "reason" {
        /// The same text is known already.
        Duplicate = "duplicate",
        /// It was imported before, or was exported from here, and says nothing new.
        Known = "known",
        /// It was changed here since, so that the file no longer knows better.
        ChangedHere = "changed_here",
        /// A decision is superseded, never changed.
        DecisionImmutable = "decision_immutable",
        /// Its text was erased here and may not come back.
        Erased = "erased",
        /// It has what looks like a secret, which this workspace refuses.
        Secret = "secret",
        /// It is longer than a memory may be.
        TooLong = "too_long",
        /// It cannot be read, or a part of it is wrong.
        Unreadable = "unreadable",
        /// A link, a device, or a name that leads out of the archive.
        RefusedName = "refused_name",
        /// There is nothing in it to know.
        NothingSaid = "nothing_said",
        /// It was generated from memories.
        Generated = "generated",
        /// It was deleted, or replaced by a newer one, where it comes from.
        DeletedThere = "deleted_there",
        /// It contradicts a decision that stands here.
        Contradicts = "contradicts",
        /// Its new text speaks to the model.
        Suspicious = "suspicious",
        /// The workspace is full.
        Quota = "quota",
        /// The caller may not write it.
        NotAllowed = "not_allowed",
        /// There was no time for it: send the file again.
        Left = "left",
    }
);

/// That something was not taken, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
    pub why: Passed,
    /// For people.
    pub detail: Cow<'static, str>,
}

impl Skipped {
    pub fn new(why: Passed, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { why, detail: detail.into() }
    }
}

/// What a file has at a place: a memory, or something that is none, and why.
#[derive(Clone, Debug)]
pub struct Found {
    /// A line, a row, a file's name.
    pub place: String,
    pub item: Result<Item, Skipped>,
}

/// A memory as a file tells it: every state it went through, oldest first, the last being how it stands.
#[derive(Clone, Debug)]
pub struct Item {
    pub format: Format,
    /// What makes two imports of it the same, within its format.
    pub key: String,
    /// Its id, if it comes from a server like this one.
    pub id: Option<MemoryId>,
    /// The version that an edited file was made from.
    pub seen: Option<i32>,
    /// At least one.
    pub states: Vec<Told>,
}

impl Item {
    pub fn last(&self) -> Option<&Told> {
        self.states.last()
    }

    pub fn kind(&self) -> Option<Kind> {
        self.last().map(|told| told.new.kind)
    }
}

/// A state of a memory, and where it comes from.
#[derive(Clone, Debug)]
pub struct Told {
    pub new: NewMemory,
    pub state: State,
    pub superseded_by: Option<MemoryId>,
    pub reason: Option<String>,
    pub origin: Origin,
}

/// What a file says of a version: when it was made there, by whom and how. Told as heard, never as done here.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// Its number there.
    pub version: Option<i32>,
    pub operation: Option<Operation>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub at: Option<OffsetDateTime>,
    pub by: Option<String>,
}

/// Which memories leave.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub project: Option<String>,
    pub kind: Option<Kind>,
    pub state: Option<State>,
}

/// A version that was imported: from what, and what was said of it there.
#[derive(Clone, Debug)]
pub struct Imported {
    pub version: i32,
    pub format: Format,
    pub origin: Origin,
}
