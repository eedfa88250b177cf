//! What is sent and answered about deletion requests and holds.

use crate::{
    acts::deletion::Signed,
    api::memories::ActorBody,
    model::{
        DeletionId, HoldId, MemoryId, SessionId,
        deletion::{self, Certificate, DeletionRequest, DeletionState, Hold, ItemKind, Preview, Rule, Selectors, Touched, Why},
    },
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

/// What to erase, and why. At least one of `memory_ids`, `session_ids`, `subject` and `query`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewDeletionBody {
    /// Memories to erase with all their versions, at most 1,000.
    #[serde(default)]
    memory_ids: Vec<MemoryId>,
    /// Sessions to erase with their logs, checkpoints and what was made from them alone, at most 1,000.
    #[serde(default)]
    session_ids: Vec<SessionId>,
    /// A person by name, e-mail address or id: everything they wrote, and everything that names them.
    #[schema(example = "customer-4711")]
    subject: Option<String>,
    /// Words: everything in which all of them stand.
    query: Option<String>,
    /// Erase independent copies of the memories too; else they are listed only.
    #[serde(default)]
    include_copies: bool,
    /// Why; it is shown to whoever approves, and is gone after the execution.
    #[schema(example = "The customer asked for erasure, ticket 4711.")]
    reason: String,
}

impl NewDeletionBody {
    pub(super) fn read(self) -> Result<(Selectors, String), Problem> {
        let selectors = Selectors::of(self.memory_ids, self.session_ids, self.subject)?.or_words(self.query, self.include_copies)?;
        Ok((selectors, deletion::reason(&self.reason)?))
    }
}

/// What must not be erased, and why. At least one of `memory_ids`, `session_ids` and `subject`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewHoldBody {
    /// Memories, at most 1,000.
    #[serde(default)]
    memory_ids: Vec<MemoryId>,
    /// Sessions with all that belongs to them, at most 1,000.
    #[serde(default)]
    session_ids: Vec<SessionId>,
    /// A person by name, e-mail address or id: what they wrote and what names them, now and later.
    subject: Option<String>,
    /// Why.
    #[schema(example = "Case 2026/118, until further notice.")]
    reason: String,
}

impl NewHoldBody {
    pub(super) fn read(self) -> Result<(Selectors, String), Problem> {
        let selectors = Selectors::of(self.memory_ids, self.session_ids, self.subject)?.to_hold()?;
        Ok((selectors, deletion::reason(&self.reason)?))
    }
}

/// A deletion request.
#[derive(Serialize, ToSchema)]
pub(super) struct DeletionBody {
    /// Its id.
    id: DeletionId,
    /// Where it stands.
    state: DeletionState,
    /// Why; null once it has been executed. So with `subject` and `query`.
    reason: Option<String>,
    /// The memories that it names.
    memory_ids: Vec<MemoryId>,
    /// The sessions that it names.
    session_ids: Vec<SessionId>,
    /// The person it is about.
    subject: Option<String>,
    /// The words it looked for.
    query: Option<String>,
    /// Whether independent copies go too.
    include_copies: bool,
    /// How many things are on its list, by sort. The list was made when it was asked for, and does not change.
    #[schema(example = json!({"memory": 3, "session": 1}))]
    touches: BTreeMap<String, u64>,
    /// How many independent copies are listed, and stay.
    copies_listed: u64,
    /// When it was asked for.
    #[serde(with = "time::serde::rfc3339")]
    requested_at: OffsetDateTime,
    /// By whom.
    requested_by: ActorBody,
    /// The person whose request it counts as: an agent's is that of whoever made the agent.
    requested_for: Uuid,
    /// When it was approved or rejected.
    #[serde(with = "time::serde::rfc3339::option")]
    decided_at: Option<OffsetDateTime>,
    /// By whom.
    decided_by: Option<ActorBody>,
    /// When it was executed.
    #[serde(with = "time::serde::rfc3339::option")]
    executed_at: Option<OffsetDateTime>,
    /// By whom.
    executed_by: Option<ActorBody>,
    /// One person asked and approved, after a day, because there was no other.
    lone_approver: bool,
    /// The retention rule that asked for it.
    rule: Option<Rule>,
    /// How many rows were erased, by table; null before the execution.
    #[schema(value_type = Option<Object>, example = json!({"memories": 1, "memory_versions": 3}))]
    counts: Option<serde_json::Value>,
    /// What fits the subject or query by now and was not on the list, so that it is still there; only after an execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_since: Option<u64>,
    /// The first 200 things on its list, as far as they are still there; only when one request is read. `…/items` has all.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Vec<TouchedBody>>,
    /// The first 200 independent copies, which stay unless they are asked for; only when one request is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    copies: Option<Vec<TouchedBody>>,
    /// Legal holds in the way; only when one request is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<Vec<HoldId>>,
}

impl DeletionBody {
    pub(super) fn with(request: DeletionRequest, preview: Preview) -> Self {
        let all = |touched: Vec<Touched>| Some(touched.into_iter().map(TouchedBody::from).collect());
        let holds = Some(preview.holds.iter().map(|hold| hold.id).collect());
        Self { preview: all(preview.items), copies: all(preview.copies), holds, ..request.into() }
    }

    pub(super) fn and_since(request: DeletionRequest, matched_since: u64) -> Self {
        Self { matched_since: Some(matched_since), ..request.into() }
    }
}

/// One thing that a request touches.
#[derive(Serialize, ToSchema)]
#[schema(as = WouldErase)]
pub(super) struct TouchedBody {
    /// What it is.
    kind: ItemKind,
    /// Its id; of an event or an item of a task, that of the session or task.
    id: Uuid,
    /// The same for a memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_id: Option<Uuid>,
    /// The place of an event in its log, or of an item in its task.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<i64>,
    /// Why it is on the list.
    why: Why,
    /// Its title or its first words; null when it is gone or not yours to see.
    title: Option<String>,
    /// Of a memory: its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Of a memory: how many versions would go.
    #[serde(skip_serializing_if = "Option::is_none")]
    versions: Option<i64>,
    /// Of a session: how many events would go.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<i64>,
}

impl From<Touched> for TouchedBody {
    fn from(touched: Touched) -> Self {
        let is = |kind: ItemKind| touched.kind == kind;
        Self {
            kind: touched.kind,
            id: touched.id,
            memory_id: is(ItemKind::Memory).then_some(touched.id),
            part: (is(ItemKind::Event) || is(ItemKind::TaskItem)).then_some(touched.part),
            why: touched.why,
            title: touched.title,
            path: touched.detail.filter(|_| touched.kind == ItemKind::Memory),
            versions: (touched.kind == ItemKind::Memory).then_some(touched.size),
            events: (touched.kind == ItemKind::Session).then_some(touched.size),
        }
    }
}

impl From<DeletionRequest> for DeletionBody {
    fn from(request: DeletionRequest) -> Self {
        Self {
            id: request.id,
            state: request.state,
            reason: request.reason,
            memory_ids: request.asked.memory_ids,
            session_ids: request.asked.session_ids,
            subject: request.asked.subject,
            query: request.asked.query,
            include_copies: request.asked.include_copies,
            touches: request.touches,
            copies_listed: request.copies,
            requested_at: request.asked_at,
            requested_by: (&request.asked_by).into(),
            requested_for: request.asked_for.0,
            decided_at: request.decided_at,
            decided_by: request.decided_by.as_ref().map(ActorBody::from),
            executed_at: request.executed_at,
            executed_by: request.executed_by.as_ref().map(ActorBody::from),
            lone_approver: request.alone,
            rule: request.rule,
            counts: request.counts,
            matched_since: None,
            preview: None,
            copies: None,
            holds: None,
        }
    }
}

/// A legal hold.
#[derive(Serialize, ToSchema)]
pub(super) struct HoldBody {
    /// Its id.
    id: HoldId,
    /// The memories that it keeps.
    memory_ids: Vec<MemoryId>,
    /// The sessions that it keeps, with all that belongs to them.
    session_ids: Vec<SessionId>,
    /// The person it is about.
    subject: Option<String>,
    /// Why.
    reason: String,
    /// Since when.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// By whom.
    created_by: ActorBody,
}

impl From<Hold> for HoldBody {
    fn from(hold: Hold) -> Self {
        Self {
            id: hold.id,
            memory_ids: hold.memory_ids,
            session_ids: hold.session_ids,
            subject: hold.subject,
            reason: hold.reason,
            created_at: hold.placed_at,
            created_by: (&hold.placed_by).into(),
        }
    }
}

/// A certificate of erasure.
#[derive(Serialize, ToSchema)]
pub(super) struct CertificateBody {
    /// What it says.
    certificate: Certificate,
    /// The same as one line of JSON, signed: a C2SP signed note.
    #[schema(example = "{\"certifies\":\"cairn erasure v1\",…}\n\n— cairn.example.org/trail b5jT…\n")]
    note: String,
}

impl From<Signed> for CertificateBody {
    fn from(signed: Signed) -> Self {
        Self { certificate: signed.certificate, note: signed.note }
    }
}
