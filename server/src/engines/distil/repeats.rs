//! What a run looked for again and again: a pointer saves the next one the search.

use super::{
    Finding, FindingKind,
    log::{Act, Log},
};
use crate::model::Kind;
use std::collections::{BTreeMap, HashMap};

const OFTEN: usize = 3;
/// A file that is only read is gone back to more often before it means something.
const OFTEN_READ: usize = 4;
/// And is this part of all reads: on a long day any file is read more than once.
const SHARE: usize = 10;
/// How many steps after a search its answer is looked for.
const ANSWER_WITHIN: usize = 3;

pub fn findings(log: &Log) -> Vec<Finding> {
    let mut found = searches(log);
    found.extend(reads(log));
    found
}

fn searches(log: &Log) -> Vec<Finding> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, step) in log.steps.iter().enumerate() {
        if let Act::Search(pattern) = &step.act {
            places.entry(pattern).or_default().push(at);
        }
    }
    places.into_iter().filter_map(|(pattern, at)| searched(log, pattern, &apart(&at))).collect()
}

/// A search with its answer: the file that was opened after it most times, and at least twice.
fn searched(log: &Log, pattern: &str, places: &[usize]) -> Option<Finding> {
    if places.len() < OFTEN {
        return None;
    }
    let mut answers: HashMap<usize, usize> = HashMap::new();
    for at in places {
        *answers.entry(answer(log, *at)?).or_default() += 1;
    }
    let (file, times) = answers.into_iter().max_by_key(|(file, times)| (*times, std::cmp::Reverse(*file)))?;
    if times < 2 || times * 2 < places.len() {
        return None;
    }
    let path = &log.files[file];
    Some(Finding {
        key: format!("repeated:search:{pattern}"),
        what: FindingKind::Repeated,
        kind: Kind::Discovery,
        title: format!("`{pattern}` is in {path}"),
        content: format!(
            "`{pattern}` is found in {path}: it was looked for {} times in one run, and this file was opened after it.",
            places.len()
        ),
        evidence: places.iter().map(|at| log.steps[*at].id.to_owned()).collect(),
        weight: often(places.len(), 0.3),
        personal: false,
    })
}

/// The file that was opened right after a search.
fn answer(log: &Log, at: usize) -> Option<usize> {
    log.steps[at + 1..].iter().take(ANSWER_WITHIN).find_map(|step| match step.act {
        Act::Read(file) | Act::Edit(file) => Some(file),
        _ => None,
    })
}

/// Files that were read again and again without being changed.
fn reads(log: &Log) -> Vec<Finding> {
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut edited = vec![false; log.files.len()];
    for (at, step) in log.steps.iter().enumerate() {
        match step.act {
            Act::Read(file) => places.entry(file).or_default().push(at),
            Act::Edit(file) => edited[file] = true,
            _ => {}
        }
    }
    let all = places.values().map(Vec::len).sum();
    let again = places.into_iter().filter(|(file, _)| !edited[*file]).map(|(file, at)| (file, apart(&at)));
    again
        .filter(|(_, at)| at.len() >= OFTEN_READ && at.len() * SHARE >= all)
        .map(|(file, at)| {
            let path = &log.files[file];
            Finding {
                key: format!("repeated:read:{path}"),
                what: FindingKind::Repeated,
                kind: Kind::Discovery,
                title: format!("{path} is gone back to again and again"),
                content: format!(
                    "{path} was read {} times in one run without being changed: what it says is worth knowing from the start.",
                    at.len()
                ),
                evidence: at.iter().map(|at| log.steps[*at].id.to_owned()).collect(),
                weight: often(at.len(), 0.15),
                personal: false,
            }
        })
        .collect()
}

/// Of places in a row only the first: a file read in pieces is read once.
fn apart(places: &[usize]) -> Vec<usize> {
    let follows = |index: usize| index > 0 && places[index] == places[index - 1] + 1;
    (0..places.len()).filter(|index| !follows(*index)).map(|index| places[index]).collect()
}

fn often(times: usize, base: f32) -> f32 {
    base + 0.05 * f32::from(u8::try_from(times.min(6)).unwrap_or(6) - 3)
}
