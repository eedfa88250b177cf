//! Contradictions: a decision that contradicts an active one is caught before it lands, everything else is noticed when it
//! is written or when the workspace is gone through, and a person says which holds.

mod backlog;
mod decisions;
mod meanwhile;
mod notice;
mod review;
mod sweep;

pub use backlog::Backlog;
pub(super) use decisions::{Weighed, against, stands, unless_contradicting, weigh, weigh_again, weigh_together};
pub(super) use meanwhile::Since;
pub use notice::Noticed;
pub(super) use notice::{Against, Look, look, note, put_down, settle_revised};
pub(super) use review::open_within;
pub use review::{Shown, find, list, open_of, resolve, titles};
pub use sweep::{Swept, catch_up, sweep};

use crate::{
    engines::conflict::{Claim, Contradiction, Statement},
    model::Memory,
};

/// A memory that has been read.
type Read<'a> = (&'a Memory, Statement<'a>);

fn read(memory: &Memory) -> Read<'_> {
    (memory, Statement::of(claim_of(memory)))
}

/// The older of two is held to be the one that was there, whichever of them is looked at.
fn judge((one, said): &Read<'_>, (other, says): &Read<'_>) -> Option<Contradiction> {
    let older = (one.created_at, one.id) <= (other.created_at, other.id);
    if older { said.against(says) } else { says.against(said) }
}

fn claim_of(memory: &Memory) -> Claim<'_> {
    Claim {
        kind: memory.kind,
        title: &memory.title,
        content: &memory.content,
        project: memory.project.as_deref(),
        tags: &memory.tags,
        anchors: &memory.anchors,
    }
}
