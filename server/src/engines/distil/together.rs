//! Files that belong together: touched in one run, the closer and the more by edits, the stronger.

use super::{
    Finding, FindingKind, Pair,
    log::{Act, Log},
    text,
};
use crate::model::Kind;
use std::collections::{BTreeSet, HashMap};

const MOST_PAIRS: usize = 200;
/// How many touches back a file still counts as near.
const WINDOW: usize = 12;
/// Two files edited in one run belong together a little wherever it was; more files than this were a sweep.
const MOST_EDITED: usize = 20;
const EDITED_BOTH: f32 = 3.0;
const EDITED_ONE: f32 = 1.5;
const READ_BOTH: f32 = 0.5;
const STRONGEST: f32 = 10.0;
/// From here on a pair is worth a proposal.
const ENOUGH: f32 = 4.0;
/// How much of it each touch of the busier file must bring.
const PER_TOUCH: f32 = 0.8;
/// How strong a tie must be beside the strongest to join it.
const TIED: f32 = 0.75;
const MOST_IN_GROUP: usize = 5;

/// Two files, and how strongly one run ties them.
pub struct Tie {
    a: usize,
    b: usize,
    weight: f32,
}

/// All ties of a run, the strongest first.
pub fn ties(log: &Log) -> Vec<Tie> {
    let touched = touches(log);
    let mut weights: HashMap<(usize, usize), f32> = HashMap::new();
    for (at, (file, edits)) in touched.iter().enumerate() {
        for (distance, (other, also)) in (1_u8..).zip(touched[at.saturating_sub(WINDOW)..at].iter().rev()) {
            if other != file {
                let kind = match (edits, also) {
                    (true, true) => EDITED_BOTH,
                    (false, false) => READ_BOTH,
                    _ => EDITED_ONE,
                };
                *weights.entry((*file.min(other), *file.max(other))).or_default() += kind / f32::from(distance);
            }
        }
    }
    let edited: Vec<usize> =
        touched.iter().filter(|(_, edits)| *edits).map(|(file, _)| *file).collect::<BTreeSet<_>>().into_iter().collect();
    if edited.len() <= MOST_EDITED {
        for (index, a) in edited.iter().enumerate() {
            for b in &edited[index + 1..] {
                *weights.entry((*a, *b)).or_default() += READ_BOTH;
            }
        }
    }
    let ordered = |a: usize, b: usize| if log.files[a] <= log.files[b] { (a, b) } else { (b, a) };
    let mut ties: Vec<Tie> =
        weights.into_iter().map(|((a, b), weight)| (ordered(a, b), weight)).map(|((a, b), weight)| Tie { a, b, weight }).collect();
    let names = |tie: &Tie| (&log.files[tie.a], &log.files[tie.b]);
    ties.sort_by(|x, y| y.weight.total_cmp(&x.weight).then_with(|| names(x).cmp(&names(y))));
    ties
}

pub fn pairs(log: &Log, ties: &[Tie]) -> Vec<Pair> {
    let rounded = |weight: f32| (weight.min(STRONGEST) * 1000.0).round() / 1000.0;
    ties.iter()
        .take(MOST_PAIRS)
        .map(|tie| Pair { a: log.files[tie.a].clone(), b: log.files[tie.b].clone(), weight: rounded(tie.weight) })
        .collect()
}

/// Files as they were touched; touches of one file in a row are one.
fn touches(log: &Log) -> Vec<(usize, bool)> {
    let mut touched: Vec<(usize, bool)> = Vec::new();
    for step in &log.steps {
        let (file, edits) = match step.act {
            Act::Read(file) => (file, false),
            Act::Edit(file) => (file, true),
            _ => continue,
        };
        match touched.last_mut() {
            Some(last) if last.0 == file => last.1 |= edits,
            _ => touched.push((file, edits)),
        }
    }
    touched
}

/// The strongest tie between edited files and what is tied to them about as strongly.
pub fn findings(log: &Log, ties: &[Tie]) -> Vec<Finding> {
    let mut edits: HashMap<usize, &str> = HashMap::new();
    let mut busy: HashMap<usize, f32> = HashMap::new();
    for (file, _) in touches(log) {
        *busy.entry(file).or_default() += 1.0;
    }
    for step in &log.steps {
        if let Act::Edit(file) = step.act {
            edits.insert(file, step.id);
        }
    }
    let strong = |tie: &&Tie| {
        // Files that are touched all day are near any other now and then.
        let most = busy.get(&tie.a).copied().unwrap_or(1.0).max(busy.get(&tie.b).copied().unwrap_or(1.0));
        tie.weight >= ENOUGH && tie.weight / most >= PER_TOUCH && edits.contains_key(&tie.a) && edits.contains_key(&tie.b)
    };
    let Some(strongest) = ties.iter().find(strong) else { return Vec::new() };
    let mut group = vec![strongest.a, strongest.b];
    for tie in ties.iter().filter(strong).filter(|tie| tie.weight >= strongest.weight * TIED) {
        let joins = if group.contains(&tie.a) { tie.b } else { tie.a };
        if group.contains(&tie.a) != group.contains(&tie.b) && group.len() < MOST_IN_GROUP {
            group.push(joins);
        }
    }
    let names: Vec<&str> = group.iter().map(|file| log.files[*file].as_str()).collect();
    vec![Finding {
        key: format!("together:{}+{}", names[0], names[1]),
        what: FindingKind::FilesTogether,
        kind: Kind::Discovery,
        title: text::clipped(&format!("{} and {} change together", names[0], names[1]), 160),
        content: format!("These files were changed together: {}.", names.join(", ")),
        evidence: group.iter().filter_map(|file| edits.get(file).map(|id| (*id).to_owned())).collect(),
        weight: (0.1 + strongest.weight / 40.0).min(0.35),
        personal: false,
    }]
}
