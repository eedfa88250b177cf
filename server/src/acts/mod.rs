//! What the house can do. Every public function is a sentence, authorisation is in its signature, and a change
//! ends with the entry that stands for it.

pub mod access;
pub mod activity;
pub mod actors;
pub mod code;
pub mod conflicts;
pub mod consistency;
pub mod context;
pub mod decisions;
pub mod deletion;
pub mod dreams;
mod erased;
pub mod events;
mod everywhere;
pub mod exchange;
pub mod instance;
pub mod memories;
mod outside;
pub mod policies;
pub mod proposals;
pub mod recall;
pub mod reviews;
pub mod rollbacks;
pub mod safety;
pub mod seal;
pub mod sessions;
pub mod stores;
pub mod tasks;
mod to_the_end;
pub mod trail;

use crate::problem::Problem;

/// What may not be kept – erased before, over the quota, refused – is left out, and the act goes on without it.
fn unless_barred<T: Default>(done: Result<T, Problem>) -> Result<T, Problem> {
    match done {
        Err(Problem::Conflict(conflict)) if matches!(conflict.code, "content_erased" | "quota_exceeded" | "wrong_state") => {
            Ok(T::default())
        }
        Err(Problem::Invalid(_) | Problem::Forbidden(..) | Problem::NotFound) => Ok(T::default()),
        other => other,
    }
}

/// How often an act has been tried that somebody else was quicker than. For acts whose memories are sent without paths.
#[derive(Default)]
struct Tries(usize);

impl Tries {
    const MOST: usize = 4;

    /// Whether to look again.
    fn again<T>(&mut self, done: &Result<T, Problem>) -> bool {
        self.0 += 1;
        let lost = match done {
            Err(Problem::LostRace) => true,
            Err(Problem::Conflict(conflict)) => conflict.code == "path_conflict",
            _ => false,
        };
        lost && self.0 < Self::MOST
    }
}
