//! One memory's history: whether the selected versions can be taken off its end, and what lies below them.

use super::{Past, Thread};

/// What undoing the selected versions comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Undo {
    /// They are undone already, or none was selected.
    Nothing,
    /// The state of this version again; 0: the memory was not there.
    BackTo(i32),
    /// Somebody built on it, with this version.
    BuiltOn(i32),
}

/// The end of the history as it was written; else, with what rollbacks took off left out.
pub(super) fn undo(thread: &Thread) -> Undo {
    let versions = whole(&thread.versions);
    match undo_in(&versions, |n| n.checked_sub(1)) {
        Undo::BuiltOn(_) if versions.iter().any(|one| one.restores.is_some()) => without_rollbacks(&versions),
        done => done,
    }
}

#[derive(Clone, Copy)]
struct One {
    version: i32,
    selected: bool,
    restores: Option<i32>,
}

/// Versions that are not to be seen are somebody's all the same.
fn whole(versions: &[Past]) -> Vec<One> {
    let mut whole: Vec<One> = Vec::with_capacity(versions.len());
    for past in versions {
        let next = i32::try_from(whole.len()).unwrap_or(i32::MAX).saturating_add(1);
        whole.extend((next..past.version).map(|version| One { version, selected: false, restores: None }));
        whole.push(One { version: past.version, selected: past.selected, restores: past.restores });
    }
    whole
}

/// Walks down from the last one by `below`: the selected must lie on top.
fn undo_in(versions: &[One], below: impl Fn(usize) -> Option<usize>) -> Undo {
    let mut at = versions.len().checked_sub(1);
    let (mut built, mut top, mut lowest) = (None, true, None);
    while let Some(n) = at {
        let one = versions[n];
        if one.selected {
            top &= built.is_none();
            lowest = Some(n);
        } else {
            built = Some(one.version);
        }
        if one.selected && !top {
            // Of those above it, the first that was not selected.
            return built.map_or(Undo::Nothing, Undo::BuiltOn);
        }
        at = below(n);
    }
    lowest.map_or(Undo::Nothing, |n| Undo::BackTo(below(n).map_or(0, |n| versions[n].version)))
}

/// What a rollback wrote stands for the version whose state it has, and what it undid is no part of the history.
fn without_rollbacks(versions: &[One]) -> Undo {
    // Of each version, the one it stands for; none before the first.
    let mut stands_for: Vec<Option<usize>> = Vec::with_capacity(versions.len());
    for (n, one) in versions.iter().enumerate() {
        stands_for.push(match one.restores {
            Some(version) => usize::try_from(version - 1).ok().and_then(|n| stands_for.get(n).copied().flatten()),
            None => Some(n),
        });
    }
    let Some(last) = stands_for.last().copied().flatten() else { return Undo::Nothing };
    let below = |n: usize| n.checked_sub(1).and_then(|n| stands_for[n]);
    undo_in(&versions[..=last], below)
}
