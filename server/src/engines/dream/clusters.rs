//! What says the same: one stays, the others are put aside for it. What was found by several becomes a pattern.

use super::{Act, Action, Run, Why, likeness::likeness, neighbours, pair};
use crate::{
    engines::{
        conflict::{self, Claim},
        freshness::Freshness,
    },
    model::Kind,
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};
use time::OffsetDateTime;

/// So many independent findings make a pattern.
const INDEPENDENT: usize = 3;
/// Of each memory so many others are held against it.
const NEAREST: usize = 12;
/// What was merged may uncover neighbours that were crowded out.
const ROUNDS: usize = 8;

/// Those put aside, for whom and why.
type Stars = BTreeMap<usize, Vec<(usize, Why, f32)>>;

/// Discoveries that were made by several become patterns.
pub fn promote(run: &mut Run) -> Vec<Action> {
    let among: Vec<usize> = run.living().filter(|at| matches!(run.kinds[*at], Kind::Discovery | Kind::Pattern)).collect();
    let stars = rounds(run, &among, |why| why != Why::AlmostSame);
    let mut actions = Vec::new();
    for (into, away) in stars {
        let all = || away.iter().map(|(at, ..)| *at).chain([into]);
        let sources: HashSet<_> = all().map(|at| run.known[at].session.map_or(run.known[at].author, |session| session.0)).collect();
        if run.kinds[into] != Kind::Discovery || sources.len() < INDEPENDENT || all().any(|at| run.is_left_alone(at)) {
            continue;
        }
        let like = away.iter().map(|(at, ..)| run.known[*at].id).collect();
        let halvings = i32::try_from(sources.len().min(16)).unwrap_or(16) - 1;
        let score = 1.0 - 0.5_f32.powi(halvings);
        actions.push(Action { act: Act::Promote { memory: run.known[into].id, like }, why: Why::FoundAgain, score });
        run.kinds[into] = Kind::Pattern;
        for (at, ..) in &away {
            run.alive[*at] = false;
        }
    }
    actions
}

/// Of what says the same one stays; what says almost the same is for a person to decide.
pub fn merge(run: &mut Run) -> Vec<Action> {
    let mut actions = Vec::new();
    for sure in [true, false] {
        let among: Vec<usize> = run.living().filter(|at| run.kinds[*at] != Kind::Episode).collect();
        for (into, away) in rounds(run, &among, |why| (why != Why::AlmostSame) == sure) {
            for (at, why, score) in away {
                // What only may be the same stays for whatever else is to be said of it.
                run.alive[at] = !sure;
                actions.push(put_aside(run, at, into, why, score));
            }
        }
    }
    actions
}

fn put_aside(run: &Run, away: usize, into: usize, why: Why, score: f32) -> Action {
    Action { act: Act::Merge { away: run.known[away].id, into: run.known[into].id }, why, score }
}

/// Until nothing more is found among what stays.
fn rounds(run: &Run, among: &[usize], wanted: impl Fn(Why) -> bool) -> Stars {
    let mut among = among.to_vec();
    let mut stars = Stars::new();
    for _ in 0..ROUNDS {
        let (found, crowded) = stars_among(run, &among, &wanted);
        let gone: HashSet<usize> = found.values().flatten().map(|(at, ..)| *at).collect();
        among.retain(|at| !gone.contains(at));
        let done = found.is_empty() || !crowded;
        for (into, away) in found {
            stars.entry(into).or_default().extend(away);
        }
        if done {
            break;
        }
    }
    to_the_roots(stars)
}

/// What was put aside for something that was put aside itself goes where that went.
fn to_the_roots(stars: Stars) -> Stars {
    let parents: HashMap<usize, usize> = stars.iter().flat_map(|(into, away)| away.iter().map(|(at, ..)| (*at, *into))).collect();
    let mut roots = Stars::new();
    for (mut into, away) in stars {
        while let Some(parent) = parents.get(&into) {
            into = *parent;
        }
        roots.entry(into).or_default().extend(away);
    }
    for away in roots.values_mut() {
        away.sort_by_key(|(at, ..)| *at);
    }
    roots
}

/// Whoever has the most to say for itself takes all that are like it.
fn stars_among(run: &Run, among: &[usize], wanted: impl Fn(Why) -> bool) -> (Stars, bool) {
    let (mut stars, mut taken) = (Stars::new(), HashSet::new());
    // The same words, however many have them.
    let mut alike: HashMap<_, Vec<usize>> = HashMap::new();
    for &at in among {
        let mut words = DefaultHasher::new();
        run.readings[at].words.iter().for_each(|word| word.hash.hash(&mut words));
        alike.entry((words.finish(), run.known[at].project.as_deref(), family(run.kinds[at]))).or_default().push(at);
    }
    for mut same in alike.into_values().filter(|same| same.len() > 1) {
        same.sort_by_key(|at| Reverse(standing(run, *at)));
        take_in(run, &same, &wanted, &mut stars, &mut taken);
    }
    let rest: Vec<usize> = among.iter().copied().filter(|at| !taken.contains(at)).collect();
    let (pairs, crowded) = neighbours::pairs(&run.readings, &rest, NEAREST, |one, other| may_be_one(run, one, other));
    let mut near: HashMap<usize, Vec<usize>> = HashMap::new();
    for found in pairs {
        near.entry(found.one).or_default().push(found.other);
        near.entry(found.other).or_default().push(found.one);
    }
    let mut order: Vec<usize> = rest.into_iter().filter(|at| near.contains_key(at)).collect();
    order.sort_by_key(|at| Reverse(standing(run, *at)));
    for at in order {
        let mut group = vec![at];
        group.extend(near[&at].iter().copied());
        group[1..].sort_by_key(|at| Reverse(standing(run, *at)));
        take_in(run, &group, &wanted, &mut stars, &mut taken);
    }
    (stars, crowded)
}

/// The first of a group takes those of the others that are like it and nobody's yet.
fn take_in(run: &Run, group: &[usize], wanted: &impl Fn(Why) -> bool, stars: &mut Stars, taken: &mut HashSet<usize>) {
    let [into, others @ ..] = group else { return };
    if taken.contains(into) {
        return;
    }
    for &at in others {
        if taken.contains(&at) || standing(run, at) > standing(run, *into) || !may_be_one(run, *into, at) {
            continue;
        }
        let Some((why, score)) = likeness(&run.readings[*into], &run.readings[at]).filter(|(why, _)| wanted(*why)) else { continue };
        // The same words and signs in the same order cannot clash.
        if matches!(why, Why::SaysMore | Why::AlmostSame) && contradict(run, *into, at) {
            continue;
        }
        taken.insert(at);
        stars.entry(*into).or_default().push((at, why, score));
    }
}

/// Discoveries are merged into patterns too.
fn family(kind: Kind) -> Kind {
    if kind == Kind::Pattern { Kind::Discovery } else { kind }
}

fn may_be_one(run: &Run, one: usize, other: usize) -> bool {
    let (a, b) = (run.known[one], run.known[other]);
    a.project == b.project && family(run.kinds[one]) == family(run.kinds[other]) && !run.rules.kept_apart.contains(&pair(a.id, b.id))
}

/// What speaks for keeping a memory rather than another that says the same; no two are equal.
fn standing(run: &Run, at: usize) -> impl Ord + use<> {
    let one = run.known[at];
    let sure = (one.confidence.clamp(0.0, 1.0) * 100.0).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    let sure = sure as u8;
    let fresh = match one.freshness {
        Freshness::Fresh => 2_u8,
        Freshness::Suspect => 1,
        Freshness::Stale => 0,
    };
    let older = Reverse::<OffsetDateTime>(one.created_at);
    (
        run.kinds[at] == Kind::Pattern,
        (fresh, one.verified, one.by_person),
        (one.helpful, one.told, sure),
        (run.readings[at].words.len(), older, Reverse(one.id)),
    )
}

fn contradict(run: &Run, one: usize, other: usize) -> bool {
    let (old, new) = if run.known[one].created_at <= run.known[other].created_at { (one, other) } else { (other, one) };
    conflict::judge(&claim(run, old), &claim(run, new)).is_some()
}

pub fn claim<'a>(run: &Run<'a>, at: usize) -> Claim<'a> {
    let one = run.known[at];
    Claim { kind: run.kinds[at], title: &one.title, content: &one.content, project: one.project.as_deref(), tags: &one.tags, anchors: &[] }
}
