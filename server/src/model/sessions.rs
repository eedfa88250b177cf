//! Sessions, the events of their logs, checkpoints, and the tasks that span them.

use super::{Actor, CheckpointId, MemoryId, Project, SessionId, TaskId, memory::words};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::str::FromStr;
use time::OffsetDateTime;
use uuid::Uuid;

words!(
    /// Where a session stands.
    SessionState, "state" {
        Running = "running",
        Ended = "ended",
        /// It never said that it ended.
        Abandoned = "abandoned",
    }
);

words!(
    /// What happened.
    EventType, "type" {
        Prompt = "prompt",
        ToolUse = "tool_use",
        ToolResult = "tool_result",
        FileRead = "file_read",
        FileEdit = "file_edit",
        Search = "search",
        Command = "command",
        Message = "message",
        Compaction = "compaction",
        Note = "note",
    }
);

words!(
    /// Where a task stands.
    TaskState, "state" {
        /// Nobody has begun.
        Open = "open",
        /// A session works on it.
        Active = "active",
        Paused = "paused",
        Completed = "completed",
        Abandoned = "abandoned",
    }
);

words!(
    /// How far an item of a task has come.
    Progress, "status" {
        Pending = "pending",
        InProgress = "in_progress",
        Completed = "completed",
    }
);

/// One entry of a session's log.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Its place in the log, from 1.
    pub seq: i64,
    /// The sender's own name for it, so that sending it again adds nothing.
    pub id: String,
    pub kind: EventType,
    pub at: OffsetDateTime,
    pub text: Option<String>,
    pub tool: Option<String>,
    pub input: Option<Value>,
    pub output: Option<String>,
    pub path: Option<String>,
    pub command: Option<String>,
    pub exit_code: Option<i32>,
    /// Of what was too long to keep: how long it was, and its digest.
    pub cut: Option<Cut>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cut {
    pub length: u64,
    pub sha256: String,
}

#[derive(Clone, Debug)]
pub struct NewSession {
    pub agent_tool: String,
    pub external_id: Option<String>,
    pub project: Option<Project>,
    pub task: Option<String>,
    pub whose_task: Whose,
    pub branch: Option<String>,
    pub commit: Option<String>,
    pub cwd: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Session {
    pub id: SessionId,
    pub agent_tool: String,
    pub external_id: Option<String>,
    pub project: Option<String>,
    pub task: Option<String>,
    pub branch: Option<String>,
    pub commit: Option<String>,
    pub cwd: Option<String>,
    pub state: SessionState,
    pub started_at: OffsetDateTime,
    pub last_event_at: Option<OffsetDateTime>,
    pub ended_at: Option<OffsetDateTime>,
    pub summary: Option<String>,
    pub event_count: i64,
    pub episode_id: Option<MemoryId>,
    pub created_by: Actor,
}

/// What a session wrote so that the next one can go on, after it was sorted.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Checkpoint {
    pub decisions: Vec<Line>,
    pub progress: Vec<Item>,
    pub discoveries: Vec<Line>,
    pub next_step: Option<Line>,
}

/// A sentence of a checkpoint, and where it came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    pub title: Option<String>,
    pub text: String,
    /// The line of the free text, from 1; none when it was sent as such.
    pub line: Option<u32>,
}

/// Something to be done, and how far it has come.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Item {
    pub item: String,
    pub status: Progress,
    pub note: Option<String>,
    pub line: Option<u32>,
    /// It was completed and has to be done again.
    #[serde(default)]
    pub reopen: bool,
}

impl Item {
    /// The same thing to do, however it is spaced, capitalised and ended.
    pub fn key(&self) -> String {
        let words: Vec<String> =
            self.item.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
        super::text::hex(&super::text::sha256(&words.join(" ")))
    }
}

/// An item of a task, with where it was last heard of.
#[derive(Clone, Debug)]
pub struct TaskItem {
    pub item: String,
    pub status: Progress,
    pub note: Option<String>,
    pub session_id: SessionId,
    pub line: Option<u32>,
    pub updated_at: OffsetDateTime,
}

/// A checkpoint as it is kept: what became memories is named, not repeated.
#[derive(Clone, Debug)]
pub struct Kept {
    pub id: CheckpointId,
    pub session_id: SessionId,
    /// The task's, or the run's where there was none.
    pub project: Option<String>,
    pub at: OffsetDateTime,
    pub decisions: Vec<MemoryId>,
    pub discoveries: Vec<MemoryId>,
    pub progress: Vec<Item>,
    pub next_step: Option<String>,
}

/// A task by its key, and the project whose it is meant to be, where two have one of that key.
#[derive(Clone, Copy, Debug)]
pub struct Which<'a> {
    pub key: &'a str,
    pub project: Option<&'a str>,
}

impl Which<'_> {
    /// Who names a project means its task, or one of no project, and not another project's of the same key.
    pub fn means(self, task: &Task) -> bool {
        self.project.is_none() || task.project.is_none() || task.project.as_deref() == self.project
    }
}

impl<'a> From<&'a str> for Which<'a> {
    fn from(key: &'a str) -> Self {
        Self { key, project: None }
    }
}

/// Whose task a run may take up where its own project has none of that key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whose {
    Anybodys,
    /// One of no project.
    Nobodys,
}

/// A key that can stand in an address.
pub fn task_key(sent: &str) -> Result<String, Problem> {
    let key = super::text::line("task", sent, 100)?;
    if key.is_empty() || !key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':')) {
        return Err(Problem::invalid("task", "must be 1 to 100 letters, digits, `-`, `_`, `.` or `:`"));
    }
    Ok(key)
}

/// Which sessions a list shows.
#[derive(Clone, Debug, Default)]
pub struct SessionFilter {
    pub state: Option<SessionState>,
    pub project: Option<String>,
    pub task: Option<String>,
    /// One task, where `task` is a key that two projects may have.
    pub task_id: Option<TaskId>,
    pub actor: Option<Uuid>,
    pub agent_tool: Option<String>,
    pub external_id: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Task {
    pub id: TaskId,
    pub key: String,
    pub title: String,
    pub project: Option<String>,
    pub state: TaskState,
    pub next_step: Option<String>,
    pub created_at: OffsetDateTime,
    pub created_by: Actor,
    pub updated_at: OffsetDateTime,
    pub episode_id: Option<MemoryId>,
}
