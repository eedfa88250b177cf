//! A store: a collection of memories inside a workspace, with a name and whatever its maker keeps beside it.

use super::{ActorKind, MemoryId, SessionId, StoreId, memory::words};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, str::FromStr};
use time::OffsetDateTime;
use uuid::Uuid;

const MOST_PAIRS: usize = 16;

#[derive(Clone, Debug)]
pub struct Store {
    pub id: StoreId,
    pub name: String,
    pub description: String,
    pub metadata: BTreeMap<String, String>,
    /// The wall of the key that made it.
    pub project: Option<String>,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
    pub archived_at: Option<OffsetDateTime>,
    pub deleted_at: Option<OffsetDateTime>,
}

/// What the default store is called.
pub const MAIN: &str = "main";

/// A store by our id, or by that of the Memory Stores API.
pub fn store_id(sent: &str) -> Option<StoreId> {
    sent.strip_prefix("memstore_").unwrap_or(sent).parse().ok()
}

/// The same where it narrows what is asked for.
pub fn only_store(sent: Option<&str>) -> Result<Option<StoreId>, Problem> {
    sent.map(|sent| store_id(sent).ok_or_else(|| Problem::invalid("store", "must be the id of a store"))).transpose()
}

/// A store that someone wants, checked.
#[derive(Clone, Debug, Default)]
pub struct NewStore {
    pub name: String,
    pub description: String,
    pub metadata: BTreeMap<String, String>,
}

/// What someone wants changed in one; what is absent stays, and a pair without a value goes.
#[derive(Clone, Debug, Default)]
pub struct StoreChange {
    pub name: Option<String>,
    pub description: Option<String>,
    pub metadata: BTreeMap<String, Option<String>>,
}

impl NewStore {
    pub fn checked(self) -> Result<Self, Problem> {
        check_name(&self.name)?;
        check_description(&self.description)?;
        check_metadata(&self.metadata)?;
        Ok(self)
    }
}

impl StoreChange {
    pub fn checked(self) -> Result<Self, Problem> {
        self.name.as_deref().map_or(Ok(()), check_name)?;
        self.description.as_deref().map_or(Ok(()), check_description)?;
        // How many there are afterwards is known when they are there.
        self.metadata.iter().try_for_each(|(key, value)| check_pair(key, value.as_deref().unwrap_or_default()))?;
        Ok(self)
    }

    /// The store as it shall be; nothing when it is so already.
    pub fn apply_to(self, store: &Store) -> Result<Option<Store>, Problem> {
        let mut next = store.clone();
        next.name = self.name.unwrap_or(next.name);
        next.description = self.description.unwrap_or(next.description);
        for (key, value) in self.metadata {
            match value {
                Some(value) => next.metadata.insert(key, value),
                None => next.metadata.remove(&key),
            };
        }
        check_metadata(&next.metadata)?;
        let same = (&next.name, &next.description, &next.metadata) == (&store.name, &store.description, &store.metadata);
        Ok((!same).then_some(next))
    }
}

fn check_name(name: &str) -> Result<(), Problem> {
    let fits = (1..=255).contains(&name.chars().count()) && !name.trim().is_empty() && !name.chars().any(char::is_control);
    if fits { Ok(()) } else { Err(Problem::invalid("name", "must be 1 to 255 characters, without control characters")) }
}

fn check_description(text: &str) -> Result<(), Problem> {
    let fits = text.chars().count() <= 1024 && !text.contains('\0');
    if fits { Ok(()) } else { Err(Problem::invalid("description", "must be at most 1,024 characters, without NUL")) }
}

fn check_metadata(pairs: &BTreeMap<String, String>) -> Result<(), Problem> {
    if pairs.len() > MOST_PAIRS {
        return Err(Problem::invalid("metadata", "must be at most 16 pairs"));
    }
    pairs.iter().try_for_each(|(key, value)| check_pair(key, value))
}

fn check_pair(key: &str, value: &str) -> Result<(), Problem> {
    if !(1..=64).contains(&key.chars().count()) || key.contains('\0') {
        return Err(Problem::invalid("metadata", "keys must be 1 to 64 characters, without NUL"));
    }
    if value.chars().count() > 512 || value.contains('\0') {
        return Err(Problem::invalid("metadata", "values must be at most 512 characters, without NUL"));
    }
    Ok(())
}

/// Which stores a list shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreFilter {
    pub archived: bool,
    pub deleted: bool,
    pub from: Option<OffsetDateTime>,
    pub to: Option<OffsetDateTime>,
}

/// Which memories of a store a list shows, and how deep below a folder; those that lie deeper as the folder they lie in.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Ends with a slash.
    pub prefix: Option<String>,
    /// 0: as deep as there is.
    pub depth: u32,
}

words!(
    /// What a version says was done, in the words of that API.
    Deed as "VersionOperation", "operation" {
        Created = "created",
        Modified = "modified",
        Deleted = "deleted",
    }
);

/// A version of a memory of a store, as that API tells it.
#[derive(Clone, Debug)]
pub struct VersionInStore {
    pub memory_id: MemoryId,
    pub version: i32,
    pub store_id: StoreId,
    pub deed: Deed,
    pub path: Option<String>,
    /// Read only where it is shown.
    pub content: Option<String>,
    pub bytes: Option<i32>,
    pub content_sha256: Option<Vec<u8>>,
    pub at: OffsetDateTime,
    pub actor: (ActorKind, Uuid),
    /// The session it was written in.
    pub session: Option<SessionId>,
    pub redacted_at: Option<OffsetDateTime>,
    pub redacted_by: Option<(ActorKind, Uuid)>,
}

/// Which versions of a store a list shows.
#[derive(Clone, Debug, Default)]
pub struct VersionFilter {
    pub memory: Option<MemoryId>,
    pub deed: Option<Deed>,
    pub session: Option<SessionId>,
    pub actor: Option<(ActorKind, Uuid)>,
    pub from: Option<OffsetDateTime>,
    pub to: Option<OffsetDateTime>,
}
