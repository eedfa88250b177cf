//! Ids as that API has them: a word that says of what, and ours.

use crate::model::{ActorKind, MemoryId, SessionId, StoreId};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::fmt;
use uuid::Uuid;

/// An id written as we write it, after its word.
fn after(word: &str, sent: &str) -> Option<Uuid> {
    let id = sent.strip_prefix(word)?;
    (id.len() == 36).then(|| Uuid::parse_str(id).ok()).flatten()
}

macro_rules! prefixed {
    ($($(#[$doc:meta])* $name:ident($inner:ident) $word:literal)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($word, "{}"), self.0)
            }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let sent = String::deserialize(from)?;
                let id = after($word, &sent).ok_or_else(|| D::Error::custom(concat!("must be an id that begins with ", $word)))?;
                Ok(Self($inner(id)))
            }
        }
    )* };
}

prefixed! {
    StoreRef(StoreId) "memstore_"
    MemoryRef(MemoryId) "mem_"
    SessionRef(SessionId) "sesn_"
}

/// A version has no id of its own: it is the memory's, and its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VersionRef(pub MemoryId, pub i32);

impl fmt::Display for VersionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memver_{}_{}", self.0, self.1)
    }
}

impl Serialize for VersionRef {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for VersionRef {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let sent = String::deserialize(from)?;
        let read = || {
            let (id, version) = sent.rsplit_once('_')?;
            Some(Self(MemoryId(after("memver_", id)?), version.parse().ok().filter(|version| *version > 0)?))
        };
        read().ok_or_else(|| D::Error::custom("must be an id that begins with memver_"))
    }
}

/// Who did something. Keys come and go: an agent's name for them is its own id.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(tag = "type")]
#[schema(as = MemoryVersionActor)]
pub enum ActorBody {
    /// An agent in a session.
    #[serde(rename = "session_actor")]
    Session {
        /// The session.
        session_id: String,
    },
    /// An agent.
    #[serde(rename = "api_actor")]
    Api {
        /// The agent whose key it was.
        api_key_id: String,
    },
    /// A person.
    #[serde(rename = "user_actor")]
    User {
        /// The person.
        user_id: String,
    },
    /// The server itself, in its background work.
    #[serde(rename = "service_account_actor")]
    ServiceAccount {
        /// Always the same.
        service_account_id: String,
    },
}

impl ActorBody {
    pub fn new((kind, id): (ActorKind, Uuid), session: Option<SessionId>) -> Self {
        match (session, kind) {
            (Some(session), _) => Self::Session { session_id: SessionRef(session).to_string() },
            (None, ActorKind::Agent) => Self::Api { api_key_id: format!("apikey_{id}") },
            (None, ActorKind::Person) => Self::User { user_id: format!("user_{id}") },
            (None, ActorKind::System) => Self::ServiceAccount { service_account_id: "svac_cairn".to_owned() },
        }
    }
}

/// The agent whose key is meant; of nobody's, nothing is found.
pub fn agent_of(key: &str) -> Uuid {
    after("apikey_", key).unwrap_or(Uuid::max())
}
