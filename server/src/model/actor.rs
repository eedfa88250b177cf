//! Who acts.

use super::{AgentId, PersonId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Clone, Copy, PartialEq, Eq, Debug, sqlx::Type, Serialize, Deserialize, utoipa::ToSchema)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    Person,
    Agent,
    /// The server itself, in its background work and before anyone has signed in.
    System,
}

impl ActorKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::System => "system",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Actor {
    pub kind: ActorKind,
    pub id: Uuid,
    pub name: String,
}

impl Actor {
    pub fn person(id: PersonId, name: impl Into<String>) -> Self {
        Self { kind: ActorKind::Person, id: id.0, name: name.into() }
    }

    pub fn agent(id: AgentId, name: impl Into<String>) -> Self {
        Self { kind: ActorKind::Agent, id: id.0, name: name.into() }
    }

    pub fn system() -> Self {
        Self { kind: ActorKind::System, id: Uuid::nil(), name: "cairn".to_owned() }
    }

    /// Names are joined when read; someone who never was in this workspace has none here.
    pub fn known(kind: ActorKind, id: Uuid, name: Option<String>) -> Self {
        Self { kind, id, name: name.unwrap_or_else(|| if kind == ActorKind::System { "cairn" } else { "unknown" }.to_owned()) }
    }
}
