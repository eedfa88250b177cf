//! One type per kind of id, so that none is taken for another.

use super::clock;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, sqlx::Type, Serialize, Deserialize, utoipa::ToSchema)]
        #[sqlx(transparent)]
        #[serde(transparent)]
        #[schema(example = "0197a6a8-3f0c-7d70-a2c1-0d3b1c9be7aa")]
        pub struct $name(pub Uuid);

        impl $name {
            #[expect(clippy::new_without_default, reason = "a new id is an event, not a default")]
            pub fn new() -> Self { Self(clock::new_id()) }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { self.0.fmt(f) }
        }
        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, uuid::Error> { Uuid::parse_str(text).map(Self) }
        }
    )* };
}

ids! {
    /// The id of a workspace.
    WorkspaceId
    /// The id of a store.
    StoreId
    /// The id of a memory.
    MemoryId
    /// The id of a person.
    PersonId
    /// The id of an agent.
    AgentId
    /// The id of an agent's key.
    KeyId
    /// The id of a sign-in.
    LoginId
    /// The id of a session.
    SessionId
    /// The id of a task.
    TaskId
    /// The id of a checkpoint.
    CheckpointId
    /// The id of a proposal.
    ProposalId
    /// The id of a conflict.
    ConflictId
    /// The id of an entry in the trail.
    AuditId
    /// The id of a deletion request.
    DeletionId
    /// The id of a legal hold.
    HoldId
    /// The id of a receipt.
    ReceiptId
    /// The id of a dream.
    DreamId
    /// The id of a rollback.
    RollbackId
    /// The id of what a person decided with one press of a button.
    ReviewId
}

impl WorkspaceId {
    /// The instance itself, whose trail lies beside those of the workspaces.
    pub const INSTANCE: Self = Self(Uuid::nil());

    /// The default store has the workspace's own id, so that no write has to look it up.
    pub fn main_store(self) -> StoreId {
        StoreId(self.0)
    }
}
