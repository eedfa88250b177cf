//! What a run, or several, looked for again and again: a pointer saves the next one the search.

use super::{
    Finding, FindingKind, MOST_EVIDENCE,
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
/// A file that a run went back to so often says something if others did as well.
const OFTEN_AMONG_RUNS: usize = 2;
/// How much of what one run looked for is held against other runs.
const MOST_LOOKS: usize = 60;

/// What a run looked for, and where it was: alone it says little.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Look {
    /// The words, where it was a search.
    pattern: Option<String>,
    pub path: String,
    evidence: Vec<String>,
}

impl Look {
    pub fn key(&self) -> String {
        key(self.pattern.as_deref(), &self.path)
    }

    /// What so many runs looked for.
    pub fn in_runs(&self, runs: usize) -> Finding {
        let path = &self.path;
        let content = match &self.pattern {
            Some(pattern) => {
                format!("`{pattern}` is found in {path}: it was looked for in {runs} runs, and this file was opened after it.")
            }
            None => format!("{path} was gone back to in {runs} runs without being changed: what it says is worth knowing from the start."),
        };
        let evidence = self.evidence.iter().take(MOST_EVIDENCE).cloned().collect();
        finding(self.pattern.as_deref(), path, content, evidence, OF_ONE_RUN)
    }
}

/// How sure each of several runs makes it.
const OF_ONE_RUN: f32 = 0.2;

fn key(pattern: Option<&str>, path: &str) -> String {
    pattern.map_or_else(|| format!("repeated:read:{path}"), |pattern| format!("repeated:search:{pattern}"))
}

fn finding(pattern: Option<&str>, path: &str, content: String, evidence: Vec<String>, weight: f32) -> Finding {
    Finding {
        key: key(pattern, path),
        what: FindingKind::Repeated,
        kind: Kind::Discovery,
        title: match pattern {
            Some(pattern) => format!("`{pattern}` is in {path}"),
            None => format!("{path} is gone back to again and again"),
        },
        content,
        evidence,
        weight,
        personal: false,
    }
}

pub fn findings(log: &Log) -> Vec<Finding> {
    let mut found = searches(log);
    found.extend(reads(log));
    found
}

/// Everything that was searched and found, and every file gone back to, the most often first.
pub fn looks(log: &Log) -> Vec<Look> {
    let ids = |at: &[usize]| at.iter().map(|at| log.steps[*at].id.to_owned()).collect::<Vec<_>>();
    let searched = patterns(log).into_iter().filter_map(|(pattern, at)| {
        let (file, _) = answered(log, &at).filter(|(_, times)| times * 2 >= at.len())?;
        Some(Look { pattern: Some(pattern.to_owned()), path: log.files[file].clone(), evidence: ids(&at) })
    });
    let gone_back_to = unchanged(log).into_iter().filter(|(_, at)| at.len() >= OFTEN_AMONG_RUNS);
    let read = gone_back_to.map(|(file, at)| Look { pattern: None, path: log.files[file].clone(), evidence: ids(&at) });
    let mut looks: Vec<Look> = searched.chain(read).collect();
    looks.sort_by_key(|look| std::cmp::Reverse(look.evidence.len()));
    looks.truncate(MOST_LOOKS);
    looks
}

fn searches(log: &Log) -> Vec<Finding> {
    patterns(log).into_iter().filter_map(|(pattern, at)| searched(log, pattern, &at)).collect()
}

/// Where each pattern was searched.
fn patterns<'a>(log: &'a Log) -> BTreeMap<&'a str, Vec<usize>> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, step) in log.steps.iter().enumerate() {
        if let Act::Search(pattern) = &step.act {
            places.entry(pattern).or_default().push(at);
        }
    }
    places.into_iter().map(|(pattern, at)| (pattern, apart(&at))).collect()
}

/// A search with its answer: the file that was opened after it most times, and at least twice.
fn searched(log: &Log, pattern: &str, places: &[usize]) -> Option<Finding> {
    if places.len() < OFTEN || places.iter().any(|at| answer(log, *at).is_none()) {
        return None;
    }
    let (file, _) = answered(log, places).filter(|(_, times)| *times >= 2 && times * 2 >= places.len())?;
    let path = &log.files[file];
    let content =
        format!("`{pattern}` is found in {path}: it was looked for {} times in one run, and this file was opened after it.", places.len());
    let evidence = places.iter().map(|at| log.steps[*at].id.to_owned()).collect();
    Some(finding(Some(pattern), path, content, evidence, often(places.len(), 0.3)))
}

/// The file that was opened most times after these searches, and how often.
fn answered(log: &Log, places: &[usize]) -> Option<(usize, usize)> {
    let mut answers: HashMap<usize, usize> = HashMap::new();
    for file in places.iter().filter_map(|at| answer(log, *at)) {
        *answers.entry(file).or_default() += 1;
    }
    answers.into_iter().max_by_key(|(file, times)| (*times, std::cmp::Reverse(*file)))
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
    let all: usize = log.steps.iter().filter(|step| matches!(step.act, Act::Read(_))).count();
    let often_read = unchanged(log).into_iter().filter(|(_, at)| at.len() >= OFTEN_READ && at.len() * SHARE >= all);
    often_read
        .map(|(file, at)| {
            let path = &log.files[file];
            let content = format!(
                "{path} was read {} times in one run without being changed: what it says is worth knowing from the start.",
                at.len()
            );
            finding(None, path, content, at.iter().map(|at| log.steps[*at].id.to_owned()).collect(), often(at.len(), 0.15))
        })
        .collect()
}

/// Where each file was read that was not changed.
fn unchanged(log: &Log) -> BTreeMap<usize, Vec<usize>> {
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut edited = vec![false; log.files.len()];
    for (at, step) in log.steps.iter().enumerate() {
        match step.act {
            Act::Read(file) => places.entry(file).or_default().push(at),
            Act::Edit(file) => edited[file] = true,
            _ => {}
        }
    }
    places.into_iter().filter(|(file, _)| !edited[*file]).map(|(file, at)| (file, apart(&at))).collect()
}

/// Of places in a row only the first: a file read in pieces is read once.
fn apart(places: &[usize]) -> Vec<usize> {
    let follows = |index: usize| index > 0 && places[index] == places[index - 1] + 1;
    (0..places.len()).filter(|index| !follows(*index)).map(|index| places[index]).collect()
}

fn often(times: usize, base: f32) -> f32 {
    base + 0.05 * f32::from(u8::try_from(times.min(6)).unwrap_or(6) - 3)
}
