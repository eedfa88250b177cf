//! Pairs about the same thing of which only one can hold.

use super::{
    Act, Action, Run, STRETCH, Why,
    clusters::claim,
    neighbours::{self, Pair},
    pair,
};
use crate::{
    engines::{conflict::Statement, cores::on_all_cores},
    model::Kind,
};

/// Of each memory so many others are held against it; more pairs than these are not judged, the least alike left out.
const NEAREST: usize = 4;
const MOST: usize = 40_000;

pub fn flag(run: &Run) -> Vec<Action> {
    let among: Vec<usize> = run.living().filter(|at| run.kinds[*at] != Kind::Episode).collect();
    let (mut pairs, _) = neighbours::pairs(&run.readings, &among, NEAREST, |one, other| may_clash(run, one, other));
    pairs.sort_by(|a, b| b.near.total_cmp(&a.near).then((a.one, a.other).cmp(&(b.one, b.other))));
    pairs.truncate(MOST);
    // What one is held against is judged together: it is read once.
    pairs.sort_unstable_by_key(|found| (found.one, found.other));
    let each: Vec<&[Pair]> = pairs.chunk_by(|a, b| a.one == b.one).collect();
    let parts = on_all_cores(each.len(), STRETCH, |some| each[some].iter().flat_map(|of_one| judged(run, of_one)).collect::<Vec<Action>>());
    let mut flagged: Vec<Action> = parts.into_iter().flatten().collect();
    flagged.sort_by(|a, b| b.score.total_cmp(&a.score));
    flagged
}

fn may_clash(run: &Run, one: usize, other: usize) -> bool {
    let (a, b) = (run.known[one], run.known[other]);
    let together = a.project == b.project || a.project.is_none() || b.project.is_none();
    // The same words and signs are the same statement.
    together && run.readings[one].words != run.readings[other].words
}

/// One memory, held against those near to it.
fn judged(run: &Run, of_one: &[Pair]) -> Vec<Action> {
    let Some(one) = of_one.first().map(|found| found.one) else { return Vec::new() };
    let statement = Statement::of(claim(run, one));
    let when = |at: usize| (run.known[at].created_at, run.known[at].id);
    let flag = |found: &Pair| {
        let other = Statement::of(claim(run, found.other));
        let is_older = when(one) <= when(found.other);
        let (old, new) = if is_older { (one, found.other) } else { (found.other, one) };
        let said = if is_older { statement.against(&other) } else { other.against(&statement) }?;
        let (old, new) = (run.known[old].id, run.known[new].id);
        let known = run.rules.known_conflicts.contains(&pair(old, new));
        (!known).then_some(Action { act: Act::Flag { old, new, certain: said.certain }, why: Why::Contradicts, score: said.score })
    };
    of_one.iter().filter_map(flag).collect()
}
