//! Pairs about the same thing of which only one can hold.

use super::{Act, Action, Run, Why, clusters::claim, neighbours, pair};
use crate::{engines::conflict, model::Kind};

/// Of each memory so many others are held against it; more pairs than these are not judged, the least alike left out.
const NEAREST: usize = 4;
const MOST: usize = 40_000;

pub fn flag(run: &Run) -> Vec<Action> {
    let among: Vec<usize> = run.living().filter(|at| run.kinds[*at] != Kind::Episode).collect();
    let (mut pairs, _) = neighbours::pairs(&run.readings, &among, NEAREST, |one, other| may_clash(run, one, other));
    pairs.sort_by(|a, b| b.near.total_cmp(&a.near).then((a.one, a.other).cmp(&(b.one, b.other))));
    let mut flagged: Vec<Action> = pairs.into_iter().take(MOST).filter_map(|found| judged(run, found.one, found.other)).collect();
    flagged.sort_by(|a, b| b.score.total_cmp(&a.score));
    flagged
}

fn may_clash(run: &Run, one: usize, other: usize) -> bool {
    let (a, b) = (run.known[one], run.known[other]);
    let together = a.project == b.project || a.project.is_none() || b.project.is_none();
    // The same words and signs are the same statement.
    together && run.readings[one].words != run.readings[other].words
}

fn judged(run: &Run, one: usize, other: usize) -> Option<Action> {
    let when = |at: usize| (run.known[at].created_at, run.known[at].id);
    let (old, new) = if when(one) <= when(other) { (one, other) } else { (other, one) };
    let found = conflict::judge(&claim(run, old), &claim(run, new))?;
    let (old, new) = (run.known[old].id, run.known[new].id);
    let known = run.rules.known_conflicts.contains(&pair(old, new));
    (!known).then_some(Action { act: Act::Flag { old, new, certain: found.certain }, why: Why::Contradicts, score: found.score })
}
