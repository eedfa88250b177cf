//! What waits for review, by the workspace's rules. A person's own words never do.

use crate::{
    model::{
        Actor, ActorKind, Kind, NewMemory,
        access::Mode,
        policies::Threshold,
        proposals::{Origin, Proposed},
    },
    store::Scope,
};

/// How sure a writer is who does not say.
pub fn confidence(by: &Actor, new: &NewMemory) -> f32 {
    new.confidence.unwrap_or(if by.kind == ActorKind::Person { 1.0 } else { 0.8 })
}

/// What an agent writes waits where the workspace wants to look at its kind, or wants agents surer than that.
pub fn by_policy<P>(scope: &Scope<P>, mut new: NewMemory) -> NewMemory {
    if scope.actor().kind == ActorKind::Person || new.proposed.is_some() {
        return new;
    }
    let (sure, kind) = (confidence(scope.actor(), &new), new.kind.word());
    let reason = match scope.settings().threshold_set_for(new.kind) {
        Some(Threshold::Below(least)) if sure < least => {
            format!("An agent is {sure:.2} sure of it, and what agents write as {kind} below {least:.2} waits here.")
        }
        Some(Threshold::ALWAYS) => format!("Everything that agents write as {kind} waits here."),
        _ => return new,
    };
    new.proposed = Some(Proposed::because(Origin::Policy, reason, sure));
    new
}

/// Whether something that was put up for review has to wait for it.
pub fn waits<P>(scope: &Scope<P>, kind: Kind, proposed: &Proposed) -> bool {
    proposed.origin != Origin::Capture || !is_sure(scope, kind, proposed.confidence)
}

/// What was captured is taken as known by itself only where the workspace wants that, and above its threshold.
pub fn is_sure<P>(scope: &Scope<P>, kind: Kind, confidence: f32) -> bool {
    let threshold = scope.settings().policy(kind).review_threshold;
    threshold == Threshold::NEVER || (scope.settings().capture_policy == Mode::Auto && !threshold.holds_back(confidence))
}
