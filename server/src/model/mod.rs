//! Nouns: ids, words and texts that have been checked once and need no checking again. No I/O here.

pub mod access;
pub mod actor;
pub mod agents;
pub mod clock;
pub mod deletion;
pub mod ids;
pub mod memory;
pub mod page;
pub mod proposals;
pub mod recall;
pub mod sessions;
pub mod text;
pub mod trail;
pub mod workspaces;

pub use access::{Email, Power, Project, Role, Settings, Slug, Workspace};
pub use actor::{Actor, ActorKind};
pub use ids::{
    AgentId, AuditId, CheckpointId, DeletionId, HoldId, KeyId, LoginId, MemoryId, PersonId, ProposalId, ReceiptId, SessionId, StoreId,
    TaskId, WorkspaceId,
};
pub use memory::{Anchor, Kind, Memory, NewMemory, Revision, Source, State, Visibility};
