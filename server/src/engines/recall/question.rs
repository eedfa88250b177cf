//! What is asked of an index, and what it answers.

use super::{semantic::Vector, sketch::Sketch, weights::Weights};
use crate::{
    engines::freshness::Freshness,
    model::{Kind, MemoryId, PersonId, State, recall::Why},
};
use uuid::Uuid;

#[derive(Clone, Copy)]
pub struct Question<'a> {
    pub query: &'a str,
    /// The query's direction, by the model that made the index's vectors. Without it only words count.
    pub vector: Option<&'a Vector>,
    pub filter: &'a Filter,
    pub viewer: Viewer<'a>,
    /// The code that the one who asks is working on.
    pub anchors: &'a [AskedAnchor],
    /// Seconds since 1970.
    pub now: i64,
    pub limit: usize,
    pub weights: &'a Weights,
}

/// Who asks, as far as it decides what may be seen.
#[derive(Clone, Copy, Default, Debug)]
pub struct Viewer<'a> {
    /// Whose private memories are seen.
    pub person: Option<PersonId>,
    /// A wall: nothing but this project's and what belongs to the whole workspace.
    pub project: Option<&'a str>,
}

/// Which memories may be answered with. What is empty or absent does not narrow.
#[derive(Clone, Default, Debug)]
pub struct Filter {
    /// That project's and what belongs to the whole workspace.
    pub project: Option<String>,
    pub kinds: Vec<Kind>,
    /// All of them.
    pub tags: Vec<String>,
    pub path_prefix: Option<String>,
    pub store: Option<Uuid>,
    pub author: Option<Uuid>,
    /// Empty: active ones only.
    pub states: Vec<State>,
    pub freshness: Vec<Freshness>,
    /// The branch that the code under them is judged on; the main one unless said.
    pub branch: Option<String>,
    /// Anchored in any of these files.
    pub anchor_paths: Vec<String>,
    pub leave_out_stale: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct AskedAnchor {
    pub repo: Option<String>,
    pub path: String,
    pub symbol: Option<String>,
    /// 1 for what was asked for, less for files that merely go together with it.
    pub weight: f32,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hit {
    pub id: MemoryId,
    pub version: i32,
    /// 0 to 1, comparable within one answer only.
    pub score: f32,
    pub why: Why,
    pub freshness: Freshness,
    /// Whether code or other memories speak for or against it.
    pub spoken_of: bool,
    pub tokens: u32,
    /// Who first wrote it.
    pub author: Uuid,
    pub sketch: Sketch,
}
