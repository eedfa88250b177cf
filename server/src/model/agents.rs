//! An agent of a workspace, and its keys.

use super::{Actor, AgentId, KeyId, PersonId, Project, Role};
use time::OffsetDateTime;

#[derive(Clone, Debug)]
pub struct Agent {
    pub id: AgentId,
    pub name: String,
    pub role: Role,
    /// The wall of its keys; without one they see the whole workspace.
    pub project: Option<String>,
    /// Whom it works for, and whose private memories it may see.
    pub owner: Option<Actor>,
    /// Whose doing its deeds count as.
    pub made_by: Actor,
    pub created_at: OffsetDateTime,
}

#[derive(Clone, Debug)]
pub struct NewAgent {
    pub name: String,
    pub role: Role,
    pub project: Option<Project>,
    pub owner: Option<PersonId>,
}

/// A key as it can be seen after it was shown: without its secret.
#[derive(Clone, Debug)]
pub struct AgentKey {
    pub id: KeyId,
    pub created_at: OffsetDateTime,
    pub expires_at: Option<OffsetDateTime>,
    pub revoked_at: Option<OffsetDateTime>,
    pub last_used_at: Option<OffsetDateTime>,
}
