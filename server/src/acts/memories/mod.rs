//! Remember, read, revise: what can be done with memories.

mod history;
mod labels;
mod remember;
mod revise;
pub(super) mod waiting;

pub use history::{DiffLine, Segment, diff, find, find_as_of, find_version, list, versions};
pub use labels::{labels, titles};
pub(super) use remember::{Asked, put_down};
pub use remember::{Remembered, Together, remember, remember_all};
pub use revise::{Precondition, archive, restore, revert, revise, supersede, verify};
pub(super) use revise::{put_aside, put_away, rewrite, settle};

use super::erased::{barred as erased, refuse as may_return};
use crate::{
    engines::freshness::{self, Judgement},
    model::{Memory, clock},
    problem::Problem,
    store::Scope,
};

/// Whether a memory still deserves trust, by this workspace's rules.
pub fn judge<P>(scope: &Scope<P>, memory: &Memory) -> Judgement {
    freshness::judge(memory, scope.settings(), clock::now())
}

/// A key that is walled in a project reads what belongs to the whole workspace, and changes only its own.
pub(super) fn may_change<P>(scope: &Scope<P>, memory: &Memory) -> Result<(), Problem> {
    match scope.project() {
        Some(wall) if memory.project.as_deref() != Some(wall.as_str()) => Err(Problem::forbidden(format!(
            "Your key is limited to the project {}; this memory belongs to the whole workspace.",
            wall.as_str()
        ))),
        _ => Ok(()),
    }
}
