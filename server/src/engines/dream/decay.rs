//! What nobody asked for goes; what is asked for and may not hold is listed.

use super::{Act, Action, Run, Why};
use crate::{engines::freshness::Freshness, model::Kind};
use std::cmp::Reverse;

/// What weighs no more than this, and was never told, may go.
const LIGHT: f32 = 0.25;
/// A list that a person can work through.
const LISTED: usize = 1000;

/// Put away what is old, weighs little and was never told. Decisions stay, and what a person wrote or verified.
pub fn decay(run: &mut Run) -> Vec<Action> {
    let mut actions = Vec::new();
    for at in run.living().collect::<Vec<_>>() {
        let one = run.known[at];
        let spoken_for = one.verified || one.by_person || one.anchored || one.told > 0 || one.helpful > 0 || run.is_left_alone(at);
        let Some(authority) = authority(run.kinds[at]) else { continue };
        let weight = authority * one.confidence;
        let digest = one.tags.iter().any(|tag| tag == super::DIGEST);
        if spoken_for || digest || weight > LIGHT || !run.older_than(at, run.rules.decay_after) {
            continue;
        }
        run.alive[at] = false;
        actions.push(Action { act: Act::Decay { memory: one.id }, why: Why::NeverRecalled, score: 1.0 - weight });
    }
    actions
}

/// How much a kind weighs when two memories compete; nothing outweighs a decision.
fn authority(kind: Kind) -> Option<f32> {
    match kind {
        Kind::Decision => None,
        Kind::Pattern | Kind::Fact => Some(1.0),
        Kind::Procedure => Some(0.8),
        Kind::Preference => Some(0.6),
        Kind::Discovery => Some(0.4),
        Kind::Episode => Some(0.2),
    }
}

/// What is no longer fresh, the most told first.
pub fn verify(run: &Run) -> Vec<Action> {
    let mut listed: Vec<usize> = run.living().filter(|at| run.known[*at].freshness != Freshness::Fresh).collect();
    listed.sort_by_key(|at| {
        let one = run.known[*at];
        (Reverse(one.told), Reverse(one.freshness), one.updated_at, one.id)
    });
    listed.truncate(LISTED);
    let action = |at: usize| {
        let one = run.known[at];
        let score = if one.freshness == Freshness::Stale { 1.0 } else { 0.5 };
        Action { act: Act::Verify { memory: one.id }, why: Why::NotFresh, score }
    };
    listed.into_iter().map(action).collect()
}
