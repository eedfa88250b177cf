//! Remember, read, revise: what can be done with memories.

mod edited;
mod history;
mod labels;
pub(super) mod owners;
mod related;
mod remember;
mod revise;
pub(super) mod waiting;

pub(super) use edited::{edited, put_instead, settle_as};
pub use history::{DiffLine, Segment, diff, find, find_as_of, find_version, list, moment_of, needing_review, versions};
pub use labels::{labels, some, titles};
pub use related::related;
pub(super) use remember::{Arrival, Asked, put_down, put_down_or_leave, within_quota};
pub use remember::{Remembered, Together, remember, remember_all};
pub use revise::{Precondition, archive, restore, revert, revise, supersede, to_supersede, verify};
pub(super) use revise::{Settled, find_to_revise, next_state, put_aside, put_away, revise_held, rewrite, settle, still_true};

pub use crate::store::memories::Doubted;

use super::erased::barred as erased;
pub(super) use super::erased::refuse as may_return;
use crate::{
    engines::freshness::{self, Judgement},
    model::{Memory, clock},
    problem::Problem,
    store::Scope,
};
use time::OffsetDateTime;

/// Whether a memory still deserves trust, by this workspace's rules.
pub fn judge<P>(scope: &Scope<P>, memory: &Memory) -> Judgement {
    judge_as_of(scope, memory, clock::now())
}

/// The same with the code as it is on a branch, where that says something of its own.
pub fn judge_on<P>(scope: &Scope<P>, memory: &Memory, branch: Option<&str>) -> Judgement {
    freshness::judge_on(memory, scope.settings(), clock::now(), branch)
}

/// Whether it did, at a moment.
pub fn judge_as_of<P>(scope: &Scope<P>, memory: &Memory, moment: OffsetDateTime) -> Judgement {
    freshness::judge(memory, scope.settings(), moment)
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
