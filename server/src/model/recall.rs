//! Asking what is known, the answer, and the receipt that says afterwards what was told.

use super::{
    Actor, Anchor, Kind, MemoryId, SessionId, Source, State, StoreId,
    code::{Contested, Standing},
    memory::words,
};
use crate::{engines::freshness::Freshness, problem::Problem};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use time::OffsetDateTime;
use uuid::Uuid;

words!(
    /// How much of each memory an answer shows.
    Detail, "detail" {
        /// Title, kind, freshness, id and what the text would cost.
        Index = "index",
        /// The best passage.
        Excerpt = "excerpt",
        /// The whole text.
        Full = "full",
    }
);

words!(
    /// What somebody says of a memory that they were told.
    Verdict, "verdict" {
        /// It was read and acted upon.
        Used = "used",
        /// It was right and of use.
        Helpful = "helpful",
        /// It is not true.
        Wrong = "wrong",
        /// It is no longer true.
        Stale = "stale",
    }
);

/// Code that the one who asks is working on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

/// A question, checked. As it is kept in the receipt, without the words.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Recall {
    #[serde(skip)]
    pub query: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<Kind>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<Uuid>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<State>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub freshness: Vec<Freshness>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Place>,
    /// Only what hangs on a file of the anchors, instead of that first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_anchored: bool,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    pub as_of: Option<OffsetDateTime>,
    pub limit: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u32>,
    pub detail: Detail,
    pub include_stale: bool,
    #[serde(skip)]
    pub session_id: Option<SessionId>,
}

impl Default for Recall {
    fn default() -> Self {
        Self {
            query: String::new(),
            project: None,
            kinds: Vec::new(),
            tags: Vec::new(),
            path_prefix: None,
            store: None,
            author: None,
            states: Vec::new(),
            freshness: Vec::new(),
            branch: None,
            anchors: Vec::new(),
            only_anchored: false,
            as_of: None,
            limit: 10,
            token_budget: None,
            detail: Detail::Full,
            include_stale: true,
            session_id: None,
        }
    }
}

/// A version of a memory as an answer needs it, read under the asker's scope.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Text {
    pub id: MemoryId,
    pub version: i32,
    pub path: Option<String>,
    pub title: Option<String>,
    pub content: Option<String>,
    pub kind: Kind,
    pub tags: Vec<String>,
    pub project: Option<String>,
    pub state: State,
    #[sqlx(json(nullable))]
    pub source: Option<Source>,
    pub confidence: f32,
    pub created_at: OffsetDateTime,
    pub created_by_type: super::ActorKind,
    pub created_by: Uuid,
    pub created_by_name: Option<String>,
    pub updated_at: OffsetDateTime,
    pub session_id: Option<SessionId>,
    pub superseded_by: Option<MemoryId>,
    pub verified_at: Option<OffsetDateTime>,
    pub stale_after: Option<OffsetDateTime>,
    pub expires_at: Option<OffsetDateTime>,
    pub reported_at: Option<OffsetDateTime>,
    pub reported_as: Option<super::memory::Report>,
    pub store_id: StoreId,
    /// Of a store beside the default one.
    pub store_name: Option<String>,
    /// Read apart, where the index doubts it.
    #[sqlx(skip)]
    pub code: Vec<Standing>,
    #[sqlx(skip)]
    pub contested: Vec<Contested>,
}

impl Text {
    /// What the store that it lies in is called.
    pub fn store(&self) -> &str {
        self.store_name.as_deref().unwrap_or(super::stores::MAIN)
    }

    pub fn author(&self) -> Actor {
        Actor::known(self.created_by_type, self.created_by, self.created_by_name.clone())
    }
}

/// One memory that was told: which version, how much of it, at what place and why there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Told {
    pub memory_id: MemoryId,
    pub version: i32,
    pub score: f32,
    pub why: Why,
    pub freshness: Freshness,
    pub tokens: u32,
    pub detail: Detail,
    /// Of an excerpt: where in the text it lies, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passage: Option<(usize, usize)>,
    /// Near-duplicates that were folded into this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<MemoryId>,
}

/// The parts of a score, each 0 to 1 before its weight.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Why {
    /// How well the words fit.
    pub keyword: f32,
    /// How near the meaning is.
    pub semantic: f32,
    /// Whether it hangs on the code that was asked about.
    pub code: f32,
    /// Whether it is of the time that the question names.
    #[serde(default)]
    pub date: f32,
    /// How lately it was changed or verified.
    pub recency: f32,
    /// What its kind weighs.
    pub authority: f32,
    /// Whether a person verified it.
    #[serde(default)]
    pub verification: f32,
    /// How sure its author was.
    #[serde(default)]
    pub confidence: f32,
    /// What those who were told it said of it.
    #[serde(default)]
    pub helpfulness: f32,
    /// 1 fresh, less for suspect and stale.
    pub freshness: f32,
}

/// What was told, to whom, when.
#[derive(Clone, Debug)]
pub struct Receipt {
    pub id: super::ReceiptId,
    pub at: OffsetDateTime,
    pub actor: Actor,
    pub session_id: Option<SessionId>,
    pub surface: String,
    /// Gone when what it asked for was erased.
    pub query: Option<String>,
    pub asked: Recall,
    pub items: Vec<Told>,
    pub tokens: u32,
    pub omitted: u32,
    pub took_ms: f32,
}

/// Which receipts a list shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReceiptFilter {
    pub memory_id: Option<MemoryId>,
    pub actor: Option<Uuid>,
    pub session_id: Option<SessionId>,
    pub from: Option<OffsetDateTime>,
    pub to: Option<OffsetDateTime>,
}

/// What somebody said of a memory that a receipt tells of.
#[derive(Clone, Debug)]
pub struct Judged {
    pub memory_id: MemoryId,
    pub actor: Actor,
    pub verdict: Verdict,
    pub at: OffsetDateTime,
}

/// A memory as the index takes it in.
#[derive(Clone, Debug)]
pub struct Indexed {
    pub id: MemoryId,
    pub version: i32,
    pub stamp: u64,
    pub kind: Kind,
    pub state: State,
    pub title: String,
    pub store: StoreId,
    pub path: String,
    pub content: String,
    pub tags: Vec<String>,
    pub project: Option<String>,
    pub owner: Option<super::PersonId>,
    pub author: Uuid,
    pub author_name: String,
    pub anchors: Vec<Anchor>,
    pub source: Option<Source>,
    pub session_id: Option<SessionId>,
    pub confidence: f32,
    pub valid_from: OffsetDateTime,
    pub stale_after: Option<OffsetDateTime>,
    pub expires_at: Option<OffsetDateTime>,
    pub verified_at: Option<OffsetDateTime>,
    /// An agent may say that it still holds; that makes it fresh, and no surer than it was.
    pub verified_by_person: bool,
    pub updated_at: OffsetDateTime,
    pub reported: Option<(OffsetDateTime, super::memory::Report)>,
    pub code: Vec<Standing>,
    pub contested: Vec<Contested>,
    pub tokens: Option<u32>,
    pub helpful: i32,
    /// What an outside model made of it, if that is asked for and kept: how long each vector is, and all of them.
    pub vectors: Option<(usize, Vec<u8>)>,
}
