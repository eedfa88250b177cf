//! Nouns: ids, words and texts that have been checked once and need no checking again. No I/O here.

pub mod access;
pub mod actor;
pub mod agents;
pub mod clock;
pub mod code;
pub mod conflicts;
pub mod deletion;
pub mod dreams;
pub mod exchange;
pub mod ids;
pub mod memory;
pub mod page;
pub mod policies;
pub mod proposals;
pub mod recall;
pub mod rollbacks;
pub mod runs;
pub mod sessions;
pub mod stores;
pub mod text;
pub mod trail;
pub mod workspaces;

pub use access::{Email, Power, Project, Role, Settings, Slug, Workspace};
pub use actor::{Actor, ActorKind};
pub use ids::{
    AgentId, AuditId, CheckpointId, ConflictId, DeletionId, DreamId, HoldId, KeyId, LoginId, MemoryId, PersonId, ProposalId, ReceiptId,
    ReviewId, RollbackId, SessionId, StoreId, TaskId, WorkspaceId,
};
pub use memory::{Anchor, Kind, Memory, NewMemory, Revision, Source, State, Visibility};
pub use runs::{Run, RunId};
