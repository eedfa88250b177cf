//! A deletion request: asked by one, approved by another, executed for real; and the holds that stop one.

use super::{Actor, ActorKind, DeletionId, HoldId, Kind, MemoryId, PersonId, SessionId, WorkspaceId, memory::words, text};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
};
use time::OffsetDateTime;
use uuid::Uuid;

words!(
    /// Where a request stands.
    DeletionState, "state" {
        /// Waits for another person's approval.
        Pending = "pending",
        /// Approved, not yet executed.
        Approved = "approved",
        /// Done: what it named is gone.
        Executed = "executed",
        Rejected = "rejected",
        /// Stopped by a legal hold.
        Blocked = "blocked",
    }
);

impl DeletionState {
    pub fn named(word: &str) -> Option<Self> {
        word.parse().ok()
    }
}

words!(
    /// What sort of thing is erased.
    ItemKind, "kind" {
        /// A memory with all its versions.
        Memory = "memory",
        /// A run with its log and checkpoints.
        Session = "session",
        /// A run's summary, branch, folder and names; its log stays.
        SessionWords = "session_words",
        /// One event of a log: its place stays.
        Event = "event",
        /// A checkpoint's progress and next step.
        Checkpoint = "checkpoint",
        /// A task's key, title and next step.
        Task = "task",
        /// One item of a task.
        TaskItem = "task_item",
        /// A receipt's question and filters.
        Receipt = "receipt",
        /// The words of a deletion request that was rejected.
        DeletionRequest = "deletion_request",
        /// What was said when a proposal was decided.
        Proposal = "proposal",
        /// What was said when a conflict was resolved.
        Conflict = "conflict",
    }
);

words!(
    /// Why something is on a request's list.
    Why as "WhyErased", "why" {
        /// It was named by its id.
        Named = "named",
        /// The person wrote it.
        Wrote = "wrote",
        /// The name or the words stand in it.
        Words = "words",
        /// It was made from something on the list, and from nothing else.
        Derived = "derived",
        /// It says the same, and stands on its own.
        Copy = "copy",
    }
);

/// One thing on a request's list. The list is made when the request is asked, and frozen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Item {
    pub kind: ItemKind,
    pub id: Uuid,
    /// The place of an event in its log, or of an item in its task.
    pub part: i64,
    /// Whose a private memory is: the erasure has to see it, whoever executes.
    pub owner: Option<Uuid>,
    pub why: Why,
    /// A copy that nobody chose is listed, and stays.
    pub taken: bool,
}

impl Item {
    /// Each is on a list once.
    pub fn place(&self) -> (ItemKind, Uuid, i64) {
        (self.kind, self.id, self.part)
    }
}

/// What to erase, as it was asked for.
#[derive(Clone, Debug, Default)]
pub struct Selectors {
    pub memory_ids: Vec<MemoryId>,
    pub session_ids: Vec<SessionId>,
    /// A person: what they wrote, and what names them.
    pub subject: Option<String>,
    /// Words that all stand in a text.
    pub query: Option<String>,
    /// Take the independent copies too.
    pub include_copies: bool,
}

/// Named in one request.
const MOST_NAMED: usize = 1000;

impl Selectors {
    /// What is named, each once; a person by two letters or digits at least.
    pub fn of(memories: Vec<MemoryId>, sessions: Vec<SessionId>, subject: Option<String>) -> Result<Self, Problem> {
        let (memories, sessions): (BTreeSet<_>, BTreeSet<_>) = (memories.into_iter().collect(), sessions.into_iter().collect());
        for (field, count) in [("memory_ids", memories.len()), ("session_ids", sessions.len())] {
            if count > MOST_NAMED {
                return Err(Problem::invalid(field, "must be at most 1,000"));
            }
        }
        let subject = subject.map(|subject| text::line("subject", &subject, 300)).transpose()?;
        if subject.as_ref().is_some_and(|subject| subject.chars().filter(|sign| sign.is_alphanumeric()).count() < 2) {
            return Err(Problem::invalid("subject", "must have at least two letters or digits"));
        }
        let (memory_ids, session_ids) = (memories.into_iter().collect(), sessions.into_iter().collect());
        Ok(Self { memory_ids, session_ids, subject, ..Self::default() })
    }

    /// The same for an erasure, which may be asked for by words too.
    pub fn or_words(self, query: Option<String>, include_copies: bool) -> Result<Self, Problem> {
        let query = query.map(|query| text::line("query", &query, 500)).transpose()?;
        if self.is_empty() && query.is_none() {
            return Err(Problem::invalid("memory_ids", "name something: memory_ids, session_ids, a subject or a query"));
        }
        Ok(Self { query, include_copies, ..self })
    }

    /// The same for a hold.
    pub fn to_hold(self) -> Result<Self, Problem> {
        if self.is_empty() {
            return Err(Problem::invalid("memory_ids", "name something: memory_ids, session_ids or a subject"));
        }
        Ok(self)
    }

    /// Whether it names or describes nothing.
    pub fn is_empty(&self) -> bool {
        self.memory_ids.is_empty() && self.session_ids.is_empty() && self.subject.is_none() && self.query.is_none()
    }
}

/// Why something is erased or held.
pub fn reason(sent: &str) -> Result<String, Problem> {
    let reason = text::prose("reason", sent.trim(), 2000)?;
    if reason.is_empty() {
        return Err(Problem::invalid("reason", "must not be empty"));
    }
    Ok(reason)
}

/// A retention rule: memories of a kind go when they have been archived for so many days.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Rule {
    /// The kind of memory.
    pub kind: Kind,
    /// Days since it was archived.
    #[schema(example = 365)]
    pub days: u32,
}

#[derive(Clone, Debug)]
pub struct DeletionRequest {
    pub id: DeletionId,
    pub state: DeletionState,
    /// What a blocked one is again when the hold is lifted.
    pub resumes_as: Option<DeletionState>,
    /// Why; after the execution only its keyed hash is left, and this is empty. So with subject and query.
    pub reason: Option<String>,
    pub asked: Selectors,
    /// How many things are on its list, by sort.
    pub touches: BTreeMap<String, u64>,
    /// How many copies are listed and stay.
    pub copies: u64,
    pub asked_at: OffsetDateTime,
    pub asked_by: Actor,
    /// The person whose request it counts as.
    pub asked_for: PersonId,
    pub decided_at: Option<OffsetDateTime>,
    pub decided_by: Option<Actor>,
    pub executed_at: Option<OffsetDateTime>,
    pub executed_by: Option<Actor>,
    /// One person asked and approved, because there was no other.
    pub alone: bool,
    /// The retention rule that asked for it.
    pub rule: Option<Rule>,
    /// What was erased, by table.
    pub counts: Option<serde_json::Value>,
}

/// One thing that a request touches, as long as it is there and the viewer may see it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Touched {
    pub kind: ItemKind,
    pub id: Uuid,
    pub part: i64,
    pub why: Why,
    pub taken: bool,
    pub title: Option<String>,
    /// The path of a memory, the state of a run, the sort of an event.
    pub detail: Option<String>,
    /// Versions of a memory, events of a run.
    pub size: i64,
}

/// A request's list, in short.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    pub items: Vec<Touched>,
    /// Beyond what is shown.
    pub more: u64,
    pub copies: Vec<Touched>,
    /// What is in the way.
    pub holds: Vec<Hold>,
}

/// What must not be erased, and why.
#[derive(Clone, Debug)]
pub struct Hold {
    pub id: HoldId,
    pub memory_ids: Vec<MemoryId>,
    pub session_ids: Vec<SessionId>,
    pub subject: Option<String>,
    /// Whom the subject meant when it was placed, and every name that they went by.
    pub people: Vec<PersonId>,
    pub names: Vec<String>,
    pub reason: String,
    pub placed_at: OffsetDateTime,
    pub placed_by: Actor,
}

/// What a certificate says: ids, times, numbers and keyed hashes; no name, and no text that anyone wrote.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Certificate {
    /// Always `cairn erasure v1`.
    #[schema(example = "cairn erasure v1")]
    pub certifies: String,
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The deletion request.
    pub request_id: DeletionId,
    /// When it was asked for, approved and executed, and by whom.
    pub asked: Step,
    /// Null for retention, which an admin's rule decides.
    pub approved: Option<Step>,
    pub executed: Step,
    /// One person asked and approved, after a day, because nobody else could.
    pub lone_approver: bool,
    /// The retention rule that asked.
    pub rule: Option<Rule>,
    /// How many rows were erased, by table.
    #[schema(value_type = Object)]
    pub counts: serde_json::Value,
    /// What fitted the person or the words at the execution and was not on the approved list.
    pub matched_since: u64,
    /// What was erased, by sort: ids, with `:` and the place of an event in its log or of an item in its task.
    pub erased: BTreeMap<String, Vec<String>>,
    /// Keyed hash (HMAC-SHA-256, hex) of the reason: who has the words and the master key can tell that it was them.
    pub reason_mac: Option<String>,
    /// The same of the person it was about.
    pub subject_mac: Option<String>,
    /// The same of the words that were looked for.
    pub query_mac: Option<String>,
}

/// One step of a request.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Step {
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// `person`, `agent` or `system`.
    #[serde(rename = "type")]
    pub kind: ActorKind,
    /// By whom.
    pub id: Uuid,
}

/// An erasure as it is kept beside the database, so that it can be done again after an older backup was restored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Journalled {
    pub workspace: WorkspaceId,
    pub request: DeletionId,
    pub asked: Step,
    pub asked_for: PersonId,
    pub decided: Option<Step>,
    pub executed: Step,
    pub alone: bool,
    pub rule: Option<Rule>,
    pub counts: Option<serde_json::Value>,
    pub items: Vec<Item>,
    /// Keyed hashes of the texts, in hexadecimal digits, each with what it was part of.
    pub macs: Vec<(String, Uuid)>,
    pub reason_mac: Option<String>,
    pub subject_mac: Option<String>,
    pub query_mac: Option<String>,
    pub certificate: Option<String>,
}
