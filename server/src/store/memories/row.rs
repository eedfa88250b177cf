//! A memory as the database has it, and back.

use super::bytea;
use crate::{
    model::{
        Actor, ActorKind, Anchor, AuditId, Kind, Memory, MemoryId, PersonId, RunId, SessionId, Source, State, StoreId, Visibility,
        WorkspaceId,
        code::{Contested, Standing},
        memory::{Operation, Report},
        text::MemoryPath,
    },
    problem::Problem,
};
use serde::Serialize;
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(sqlx::FromRow)]
pub(in crate::store) struct Row {
    pub(super) id: MemoryId,
    pub(super) version: i32,
    operation: Operation,
    store_id: StoreId,
    path: Option<String>,
    title: Option<String>,
    content: Option<String>,
    kind: Kind,
    tags: Vec<String>,
    project: Option<String>,
    anchors: Json<Vec<Anchor>>,
    source: Option<Json<Source>>,
    confidence: f32,
    state: State,
    visibility: Visibility,
    owner_id: Option<PersonId>,
    subject: Option<String>,
    valid_from: OffsetDateTime,
    stale_after: Option<OffsetDateTime>,
    expires_at: Option<OffsetDateTime>,
    supersedes: Option<MemoryId>,
    superseded_by: Option<MemoryId>,
    verified_at: Option<OffsetDateTime>,
    verified_by_type: Option<ActorKind>,
    verified_by: Option<Uuid>,
    verified_by_name: Option<String>,
    content_sha256: Option<Vec<u8>>,
    reason: Option<String>,
    created_at: OffsetDateTime,
    created_by_type: ActorKind,
    created_by: Uuid,
    created_by_name: Option<String>,
    updated_at: OffsetDateTime,
    updated_by_type: ActorKind,
    updated_by: Uuid,
    updated_by_name: Option<String>,
    session_id: Option<SessionId>,
    run_id: Option<RunId>,
    audit_id: AuditId,
    digest: Vec<u8>,
    tokens: Option<i32>,
    reported_at: Option<OffsetDateTime>,
    reported_as: Option<Report>,
    code: Option<Json<Vec<Standing>>>,
    contested: Option<Json<Vec<Contested>>>,
}

impl TryFrom<Row> for Memory {
    type Error = Problem;

    fn try_from(row: Row) -> Result<Self, Problem> {
        let array = |bytes: &[u8]| <[u8; 32]>::try_from(bytes).unwrap_or_default();
        Ok(Self {
            id: row.id,
            version: row.version,
            operation: row.operation,
            store_id: row.store_id,
            path: MemoryPath::parse(row.path.as_deref().unwrap_or("/redacted"))?,
            title: row.title.unwrap_or_default(),
            content: row.content.unwrap_or_default(),
            kind: row.kind,
            tags: row.tags,
            project: row.project,
            anchors: row.anchors.0,
            source: row.source.map(|source| source.0),
            confidence: row.confidence,
            state: row.state,
            visibility: row.visibility,
            owner: row.owner_id,
            subject: row.subject,
            valid_from: row.valid_from,
            stale_after: row.stale_after,
            expires_at: row.expires_at,
            supersedes: row.supersedes,
            superseded_by: row.superseded_by,
            verified_at: row.verified_at,
            verified_by: row.verified_by_type.zip(row.verified_by).map(|(kind, id)| Actor::known(kind, id, row.verified_by_name)),
            reason: row.reason,
            content_sha256: array(row.content_sha256.as_deref().unwrap_or_default()),
            created_at: row.created_at,
            created_by: Actor::known(row.created_by_type, row.created_by, row.created_by_name),
            updated_at: row.updated_at,
            updated_by: Actor::known(row.updated_by_type, row.updated_by, row.updated_by_name),
            session_id: row.session_id,
            run_id: row.run_id,
            audit_id: row.audit_id,
            digest: array(&row.digest),
            tokens: row.tokens.and_then(|tokens| u32::try_from(tokens).ok()),
            reported: row.reported_at.zip(row.reported_as),
            code: row.code.map(|code| code.0).unwrap_or_default(),
            contested: row.contested.map(|all| all.0).unwrap_or_default(),
        })
    }
}

/// The version as JSON whose keys are its columns: one parameter, however many memories.
#[derive(Serialize)]
pub(super) struct Columns<'a> {
    workspace_id: WorkspaceId,
    memory_id: MemoryId,
    version: i32,
    operation: Operation,
    store_id: StoreId,
    path: &'a MemoryPath,
    title: &'a str,
    content: &'a str,
    kind: Kind,
    pub(super) tags: &'a [String],
    project: Option<&'a str>,
    pub(super) anchors: &'a [Anchor],
    source: Option<&'a Source>,
    confidence: f32,
    state: State,
    visibility: Visibility,
    owner_id: Option<PersonId>,
    subject: Option<&'a str>,
    #[serde(with = "time::serde::rfc3339")]
    valid_from: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339::option")]
    stale_after: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    expires_at: Option<OffsetDateTime>,
    supersedes: Option<MemoryId>,
    superseded_by: Option<MemoryId>,
    #[serde(with = "time::serde::rfc3339::option")]
    verified_at: Option<OffsetDateTime>,
    verified_by_type: Option<ActorKind>,
    verified_by: Option<Uuid>,
    content_sha256: String,
    reason: Option<&'a str>,
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
    actor_type: ActorKind,
    actor_id: Uuid,
    session_id: Option<SessionId>,
    run_id: Option<RunId>,
    restores: Option<i32>,
    audit_id: AuditId,
    salt: String,
    digest: String,
    tokens: Option<u32>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(workspace: WorkspaceId, memory: &'a Memory, salt: &[u8]) -> Self {
        Self {
            workspace_id: workspace,
            memory_id: memory.id,
            version: memory.version,
            operation: memory.operation,
            store_id: memory.store_id,
            path: &memory.path,
            title: &memory.title,
            content: &memory.content,
            kind: memory.kind,
            tags: &memory.tags,
            project: memory.project.as_deref(),
            anchors: &memory.anchors,
            source: memory.source.as_ref(),
            confidence: memory.confidence,
            state: memory.state,
            visibility: memory.visibility,
            owner_id: memory.owner,
            subject: memory.subject.as_deref(),
            valid_from: memory.valid_from,
            stale_after: memory.stale_after,
            expires_at: memory.expires_at,
            supersedes: memory.supersedes,
            superseded_by: memory.superseded_by,
            verified_at: memory.verified_at,
            verified_by_type: memory.verified_by.as_ref().map(|by| by.kind),
            verified_by: memory.verified_by.as_ref().map(|by| by.id),
            content_sha256: bytea(&memory.content_sha256),
            reason: memory.reason.as_deref(),
            at: memory.updated_at,
            actor_type: memory.updated_by.kind,
            actor_id: memory.updated_by.id,
            session_id: memory.session_id,
            run_id: memory.run_id,
            restores: None,
            audit_id: memory.audit_id,
            salt: bytea(salt),
            digest: bytea(&memory.digest),
            tokens: memory.tokens,
        }
    }

    /// Of a version that a rollback writes: the one whose state it has.
    pub(super) fn restoring(self, restores: Option<i32>) -> Self {
        Self { restores, ..self }
    }
}
