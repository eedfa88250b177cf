//! What to do by itself and what to leave to a person, by the workspace's rules.

use crate::{
    engines::dream::{Act, Action, Known},
    model::{Kind, MemoryId, Settings, access::Mode, dreams::Deed},
};
use std::collections::HashMap;

/// What becomes of an action, if nothing stands in the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    Apply,
    Propose,
    /// It changes no memory.
    Note,
}

/// How a run treats each kind.
#[derive(Clone, Debug)]
pub struct Manners {
    settings: Settings,
    /// What was asked for, if anything.
    asked: Option<Mode>,
}

impl Manners {
    pub fn new(settings: &Settings, asked: Option<Mode>) -> Self {
        Self { settings: settings.clone(), asked }
    }

    /// Of what was asked for and what is set for a kind the more careful.
    pub fn mode(&self, kind: Kind) -> Mode {
        let set = self.settings.policies.get(&kind).and_then(|policy| policy.dream_mode);
        match (self.asked, set) {
            (None, _) => self.settings.policy(kind).dream_mode,
            (Some(asked), None) => asked,
            (Some(Mode::Off), _) | (_, Some(Mode::Off)) => Mode::Off,
            (Some(Mode::Review), _) | (_, Some(Mode::Review)) => Mode::Review,
            (Some(Mode::Auto), Some(Mode::Auto)) => Mode::Auto,
        }
    }

    fn way(&self, kind: Kind, score: f32) -> Way {
        let sure = self.mode(kind) == Mode::Auto && !self.settings.policy(kind).review_threshold.holds_back(score);
        if sure { Way::Apply } else { Way::Propose }
    }
}

/// The actions with their ways, those about the same memory side by side.
pub fn plan(actions: Vec<Action>, known: &[Known], manners: &Manners) -> Vec<(Action, Way)> {
    let kinds: HashMap<MemoryId, Kind> = known.iter().map(|one| (one.id, one.kind)).collect();
    let way = |action: &Action| match &action.act {
        Act::Flag { .. } | Act::Verify { .. } => Way::Note,
        Act::Merge { away: memory, .. } | Act::Decay { memory } => {
            manners.way(kinds.get(memory).copied().unwrap_or(Kind::Fact), action.score)
        }
        // Both what goes and what comes have a say.
        Act::Promote { .. } => match manners.way(Kind::Discovery, action.score) {
            Way::Apply => manners.way(Kind::Pattern, action.score),
            way => way,
        },
        Act::Condense { .. } => manners.way(Kind::Episode, action.score),
    };
    let mut planned: Vec<(Action, Way)> =
        actions.into_iter().map(|action| (way(&action), action)).map(|(way, action)| (action, way)).collect();
    planned.sort_by_key(|(action, way)| (place(action), *way != Way::Apply));
    planned
}

/// Merges by the one that stays; everything else as it was found.
fn place(action: &Action) -> (u8, Option<MemoryId>) {
    match &action.act {
        Act::Condense { .. } => (0, None),
        Act::Promote { .. } => (1, None),
        Act::Decay { .. } => (2, None),
        Act::Merge { into, .. } => (3, Some(*into)),
        Act::Flag { .. } => (4, None),
        Act::Verify { .. } => (5, None),
    }
}

pub fn deed(act: &Act) -> Deed {
    match act {
        Act::Merge { .. } => Deed::Merge,
        Act::Promote { .. } => Deed::Promote,
        Act::Condense { .. } => Deed::Condense,
        Act::Decay { .. } => Deed::Decay,
        Act::Flag { .. } => Deed::Flag,
        Act::Verify { .. } => Deed::Verify,
    }
}

/// The memory that an action is about, and the others.
pub fn about(act: &Act) -> (MemoryId, Vec<MemoryId>) {
    match act {
        Act::Merge { away, into } => (*into, vec![*away]),
        Act::Promote { memory, like } => (*memory, like.clone()),
        Act::Condense { episodes, .. } => (episodes[0], episodes[1..].to_vec()),
        Act::Decay { memory } | Act::Verify { memory } => (*memory, Vec::new()),
        Act::Flag { old, new, .. } => (*old, vec![*new]),
    }
}
