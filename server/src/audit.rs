//! What was done, in the domain's words. Each act that writes builds exactly one entry per thing it wrote.

use crate::model::{
    AgentId, AuditId, CheckpointId, ConflictId, DeletionId, DreamId, HoldId, KeyId, LoginId, Memory, PersonId, ProposalId, ReceiptId,
    ReviewId, Role, RollbackId, SessionId, StoreId, TaskId, WorkspaceId,
    conflicts::Resolution,
    dreams::{Dream, DreamState, Tally},
    exchange::Format,
    memory::Operation,
    recall::Verdict,
    rollbacks::Counts,
    trail::Filter,
};
use serde_json::{Value, json};
use std::sync::Arc;
use uuid::Uuid;

/// One entry of the trail. Ids, numbers and words from a fixed list only: no text that anyone wrote.
#[must_use = "an act that is not committed with its entry did not happen"]
#[derive(Debug)]
pub struct Audit {
    pub(crate) id: AuditId,
    pub(crate) action: &'static str,
    pub(crate) target: Option<(&'static str, Uuid)>,
    pub(crate) version: Option<i32>,
    pub(crate) session: Option<Uuid>,
    pub(crate) digest: Option<[u8; 32]>,
    pub(crate) details: Option<Value>,
    /// The request it was done in, where one transaction serves several.
    pub(crate) request: Option<Arc<str>>,
}

/// The entries that one transaction commits with.
#[derive(Debug)]
pub struct Trail(pub(crate) Vec<Audit>);

impl From<Audit> for Trail {
    fn from(audit: Audit) -> Self {
        Self(vec![audit])
    }
}

impl FromIterator<Audit> for Trail {
    fn from_iter<I: IntoIterator<Item = Audit>>(audits: I) -> Self {
        Self(audits.into_iter().collect())
    }
}

impl Audit {
    fn new(action: &'static str, target: Option<(&'static str, Uuid)>) -> Self {
        Self { id: AuditId::new(), action, target, version: None, session: None, digest: None, details: None, request: None }
    }

    fn with(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    pub(crate) fn in_request(mut self, request: &Arc<str>) -> Self {
        self.request = Some(request.clone());
        self
    }

    /// The version that was just written; what happened stands in it.
    pub(crate) fn of_memory(memory: &Memory) -> Self {
        let action = match memory.operation {
            Operation::Created => "memory.remembered",
            Operation::Revised => "memory.revised",
            Operation::Archived => "memory.archived",
            Operation::Restored => "memory.restored",
            Operation::Reverted => "memory.reverted",
            Operation::Verified => "memory.verified",
            Operation::Superseded => "memory.superseded",
            Operation::Imported => "memory.imported",
        };
        Self {
            id: memory.audit_id,
            version: Some(memory.version),
            session: memory.run_id.map(|run| run.0),
            digest: Some(memory.digest),
            ..Self::new(action, Some(("memory", memory.id.0)))
        }
    }

    /// The same, written by a rollback: no session's doing.
    pub(crate) fn rolled_back(memory: &Memory, rollback: RollbackId) -> Self {
        Self { session: None, ..Self::of_memory(memory) }.with(json!({"rollback": rollback}))
    }

    pub(crate) fn rollback(id: AuditId, rollback: RollbackId, counts: Counts) -> Self {
        Self { id, ..Self::new("rollback.executed", Some(("rollback", rollback.0))) }.with(json!({
            "restored": counts.restored, "unwound": counts.unwound, "archived": counts.archived, "left": counts.left, "withdrawn": counts.withdrawn,
        }))
    }

    pub(crate) fn proposal_rolled_back(
        id: AuditId,
        action: &'static str,
        proposal: ProposalId,
        memory: crate::model::MemoryId,
        rollback: RollbackId,
    ) -> Self {
        Self::proposal(id, action, proposal, memory).with(json!({"memory": memory, "rollback": rollback}))
    }

    /// Memories left the workspace in a file.
    pub(crate) fn memories_exported(format: &'static str) -> Self {
        Self::new("memories.exported", None).with(json!({"format": format}))
    }

    /// A part of a file came in; each memory of it has an entry of its own.
    pub(crate) fn memories_imported(format: Format, taken: usize, updated: usize) -> Self {
        Self::new("memories.imported", None).with(json!({"format": format, "taken": taken, "updated": updated}))
    }

    /// Whether this says of a new memory what `of_memory` would, and no more.
    pub(crate) fn stands_for_new(&self, memory: &Memory) -> bool {
        self.action == "memory.remembered"
            && self.id == memory.audit_id
            && self.target == Some(("memory", memory.id.0))
            && (self.version, memory.version) == (Some(1), 1)
            && self.session == memory.session_id.map(|session| session.0)
            && self.session == memory.run_id.map(|run| run.0)
            && self.digest == Some(memory.digest)
            && self.details.is_none()
    }

    /// No version of its own: the text is as it was.
    pub(crate) fn judged(id: AuditId, receipt: ReceiptId, memory: crate::model::MemoryId, verdict: Verdict) -> Self {
        Self { id, ..Self::new("memory.judged", Some(("memory", memory.0))) }.with(json!({"receipt": receipt, "verdict": verdict}))
    }

    /// Where something was found that looked like a secret, and by which rule; never what it was.
    pub(crate) fn secrets(action: &'static str, target: Option<(&'static str, Uuid)>, found: &[crate::acts::safety::Found]) -> Self {
        const MOST: usize = 100;
        Self::new(action, target).with(json!({"count": found.len(), "found": &found[..found.len().min(MOST)]}))
    }

    pub(crate) fn proposal(id: AuditId, action: &'static str, proposal: ProposalId, memory: crate::model::MemoryId) -> Self {
        Self { id, ..Self::new(action, Some(("proposal", proposal.0))) }.with(json!({"memory": memory}))
    }

    /// Somebody took back what they had decided.
    pub(crate) fn decided_otherwise(id: AuditId, action: &'static str, target: (&'static str, Uuid), review: ReviewId) -> Self {
        Self { id, ..Self::new(action, Some(target)) }.with(json!({"review": review}))
    }

    pub(crate) fn proposal_assigned(id: AuditId, proposal: ProposalId, to: Option<PersonId>) -> Self {
        Self { id, ..Self::new("proposal.assigned", Some(("proposal", proposal.0))) }.with(json!({"to": to}))
    }

    pub(crate) fn conflict_found(id: AuditId, conflict: ConflictId, memories: [crate::model::MemoryId; 2]) -> Self {
        Self { id, ..Self::new("conflict.found", Some(("conflict", conflict.0))) }.with(json!({"memories": memories}))
    }

    pub(crate) fn conflict_resolved(
        id: AuditId,
        conflict: ConflictId,
        resolution: Resolution,
        kept: Option<crate::model::MemoryId>,
    ) -> Self {
        Self { id, ..Self::new("conflict.resolved", Some(("conflict", conflict.0))) }.with(json!({"resolution": resolution, "kept": kept}))
    }

    /// How many memories were held against the rest, and how many conflicts came to light.
    pub(crate) fn conflicts_swept(id: AuditId, workspace: WorkspaceId, looked_at: usize, found: usize) -> Self {
        Self { id, ..Self::workspace("conflicts.swept", workspace) }.with(json!({"looked_at": looked_at, "found": found}))
    }

    pub(crate) fn dream_started(id: AuditId, dream: &Dream) -> Self {
        Self { id, session: Some(dream.id.0), ..Self::new("dream.started", Some(("dream", dream.id.0))) }
            .with(json!({"mode": dream.mode, "dry_run": dream.dry_run}))
    }

    pub(crate) fn dream_ended(id: AuditId, dream: DreamId, state: DreamState, tally: &Tally) -> Self {
        Self { id, session: Some(dream.0), ..Self::new("dream.ended", Some(("dream", dream.0))) }
            .with(json!({"state": state, "looked_at": tally.looked_at, "actions": tally.actions}))
    }

    /// A part of a picture of code; what it is of stands in the picture.
    pub(crate) fn code_part(id: AuditId, snapshot: Uuid, part: u32, parts: u32) -> Self {
        Self { id, ..Self::new("code.part_received", Some(("code_snapshot", snapshot))) }.with(json!({"part": part, "parts": parts}))
    }

    pub(crate) fn code_synced(id: AuditId, snapshot: Uuid, changed: usize, removed: usize, judged: usize) -> Self {
        Self { id, ..Self::new("code.synced", Some(("code_snapshot", snapshot))) }
            .with(json!({"files": changed, "removed": removed, "anchors": judged}))
    }

    pub(crate) fn code_forgotten(snapshot: Uuid) -> Self {
        Self::new("code.branch_forgotten", Some(("code_snapshot", snapshot)))
    }

    pub(crate) fn code_parts_dropped(snapshot: Uuid) -> Self {
        Self::new("code.parts_dropped", Some(("code_snapshot", snapshot)))
    }

    pub(crate) fn store(action: &'static str, store: StoreId) -> Self {
        Self::new(action, Some(("store", store.0)))
    }

    /// A version that was emptied; who wrote it and when stays.
    pub(crate) fn redacted(id: AuditId, memory: crate::model::MemoryId, version: i32) -> Self {
        Self { id, version: Some(version), ..Self::new("memory.redacted", Some(("memory", memory.0))) }
    }

    pub(crate) fn session(id: AuditId, action: &'static str, session: SessionId) -> Self {
        Self { id, session: Some(session.0), ..Self::new(action, Some(("session", session.0))) }
    }

    pub(crate) fn checkpointed(id: AuditId, checkpoint: CheckpointId, session: SessionId) -> Self {
        Self { id, session: Some(session.0), ..Self::new("checkpoint.written", Some(("checkpoint", checkpoint.0))) }
    }

    pub(crate) fn task(id: AuditId, action: &'static str, task: TaskId) -> Self {
        Self { id, ..Self::new(action, Some(("task", task.0))) }
    }

    pub(crate) fn erased(request: DeletionId, memory: crate::model::MemoryId, versions: i64) -> Self {
        Self::new("memory.erased", Some(("memory", memory.0))).with(json!({"deletion_request": request, "versions": versions}))
    }

    pub(crate) fn deletion(id: AuditId, action: &'static str, request: DeletionId) -> Self {
        Self { id, ..Self::new(action, Some(("deletion_request", request.0))) }
    }

    /// A run that was erased with its log.
    pub(crate) fn session_erased(request: DeletionId, session: SessionId) -> Self {
        Self { session: Some(session.0), ..Self::new("session.erased", Some(("session", session.0))) }
            .with(json!({"deletion_request": request}))
    }

    pub(crate) fn hold(id: AuditId, action: &'static str, hold: HoldId) -> Self {
        Self { id, ..Self::new(action, Some(("hold", hold.0))) }
    }

    pub(crate) fn refused(method: &str, route: &str) -> Self {
        Self::new("access.refused", None).with(json!({"method": method, "route": route}))
    }

    /// The trail was taken out, up to a size; which filters, not what they said.
    pub(crate) fn exported(format: &'static str, size: u64, filter: &Filter) -> Self {
        let given = [
            ("from", filter.from.is_some()),
            ("to", filter.to.is_some()),
            ("actor", filter.actor.is_some()),
            ("action", filter.action.is_some()),
        ];
        let filters: Vec<_> = given.iter().filter(|(_, given)| *given).map(|(name, _)| name).collect();
        Self::new("trail.exported", None).with(json!({"format": format, "size": size, "filters": filters}))
    }

    pub(crate) fn signed_in(person: PersonId, login: LoginId) -> Self {
        Self::new("person.signed_in", Some(("person", person.0))).with(json!({"login": login}))
    }

    /// Through a provider of single sign-on.
    pub(crate) fn signed_in_from_outside(person: PersonId, login: LoginId) -> Self {
        Self::new("person.signed_in", Some(("person", person.0))).with(json!({"login": login, "by": "single_sign_on"}))
    }

    pub(crate) fn sign_in_failed(person: Option<PersonId>) -> Self {
        Self::new("person.sign_in_failed", person.map(|person| ("person", person.0)))
    }

    pub(crate) fn signed_out(person: PersonId, login: LoginId) -> Self {
        Self::new("person.signed_out", Some(("person", person.0))).with(json!({"login": login}))
    }

    pub(crate) fn refresh_token_reused(person: PersonId, login: LoginId) -> Self {
        Self::new("person.refresh_token_reused", Some(("person", person.0))).with(json!({"login": login}))
    }

    pub(crate) fn person(action: &'static str, person: PersonId) -> Self {
        Self::new(action, Some(("person", person.0)))
    }

    pub(crate) fn workspace(action: &'static str, workspace: WorkspaceId) -> Self {
        Self::new(action, Some(("workspace", workspace.0)))
    }

    pub(crate) fn workspace_changed(workspace: WorkspaceId, fields: &[&'static str]) -> Self {
        Self::workspace("workspace.changed", workspace).with(json!({"fields": fields}))
    }

    /// Of which kinds; what was set stands in the workspace.
    pub(crate) fn policy_changed(workspace: WorkspaceId, kinds: &[crate::model::Kind]) -> Self {
        Self::workspace("policy.changed", workspace).with(json!({"kinds": kinds}))
    }

    pub(crate) fn member(action: &'static str, person: PersonId, role: Role) -> Self {
        Self::new(action, Some(("person", person.0))).with(json!({"role": role}))
    }

    /// Because of a group that a provider says they are in, or no longer are.
    pub(crate) fn member_by_group(action: &'static str, person: PersonId, role: Role) -> Self {
        Self::new(action, Some(("person", person.0))).with(json!({"role": role, "by": "group"}))
    }

    pub(crate) fn agent(action: &'static str, agent: AgentId, role: Role) -> Self {
        Self::new(action, Some(("agent", agent.0))).with(json!({"role": role}))
    }

    pub(crate) fn agent_created(agent: AgentId, role: Role, owner: Option<PersonId>) -> Self {
        Self::new("agent.created", Some(("agent", agent.0))).with(json!({"role": role, "owner": owner}))
    }

    pub(crate) fn key(action: &'static str, agent: AgentId, key: KeyId) -> Self {
        Self::new(action, Some(("key", key.0))).with(json!({"agent": agent}))
    }

    pub(crate) fn token_issued(agent: AgentId, key: KeyId, role: Role) -> Self {
        Self::new("agent.token_issued", Some(("agent", agent.0))).with(json!({"key": key, "role": role}))
    }

    pub(crate) fn set_up_link_made() -> Self {
        Self::new("instance.set_up_link_made", None)
    }

    pub(crate) fn signing_key_made(key: Uuid, purpose: &'static str) -> Self {
        Self::new("instance.signing_key_made", Some(("signing_key", key))).with(json!({"purpose": purpose}))
    }
}
