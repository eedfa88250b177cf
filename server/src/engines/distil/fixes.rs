//! A command that failed, the edits after it, and the same command that passed.

use super::{
    Finding, FindingKind,
    commands::Purpose,
    log::{Act, Log, Ran},
    outcome::{self, Outcome},
    text,
};
use crate::model::Kind;
use std::collections::HashMap;

const MOST_FILES: usize = 6;

/// A failure that waits for its pass.
struct Broken<'a> {
    first: &'a Ran<'a>,
    evidence: Vec<String>,
    /// Whether it had passed before in this run: then the run itself broke it.
    own: bool,
}

pub fn findings(log: &Log) -> Vec<Finding> {
    let mut broken: HashMap<&str, Broken> = HashMap::new();
    let mut passed: HashMap<&str, usize> = HashMap::new();
    let first_edit = log.steps.iter().position(|step| matches!(step.act, Act::Edit(_))).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    for ran in log.commands.iter().filter(|ran| ran.speaks && !formats(ran)) {
        match ran.outcome {
            Outcome::Failed if ran.error.is_some() => {
                let own = passed.contains_key(ran.name.as_str()) || first_edit < ran.step;
                broken.entry(&ran.name).or_insert(Broken { first: ran, evidence: Vec::new(), own }).evidence.push(ran.id.to_owned());
            }
            Outcome::Passed => {
                *passed.entry(&ran.name).or_default() += 1;
                if broken.get(ran.name.as_str()).is_some_and(|broken| covers(ran, broken.first))
                    && let Some(broken) = broken.remove(ran.name.as_str())
                {
                    found.extend(finding(log, &broken, ran));
                }
            }
            Outcome::Failed | Outcome::Unknown => {}
        }
    }
    found
}

fn formats(ran: &Ran) -> bool {
    ran.known.as_ref().is_some_and(|known| known.purpose == Purpose::Format)
}

/// Whether what passed is what failed, or more than that.
fn covers(passed: &Ran, failed: &Ran) -> bool {
    match (&passed.known, &failed.known) {
        (Some(passed), Some(failed)) => passed.rest.iter().all(|word| word.starts_with('-') || failed.rest.contains(word)),
        _ => true,
    }
}

fn finding(log: &Log, broken: &Broken, passed: &Ran) -> Option<Finding> {
    let error = broken.first.error.as_deref()?;
    let between = &log.steps[broken.first.step..passed.step];
    let mut edits: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut evidence: Vec<String> = broken.evidence.iter().take(3).cloned().collect();
    for (at, step) in between.iter().enumerate() {
        if let Act::Edit(file) = step.act {
            let entry = edits.entry(file).or_insert((0, at));
            entry.0 += 1;
            if entry.0 == 1 && evidence.len() < 11 {
                evidence.push(step.id.to_owned());
            }
        }
    }
    let mut files: Vec<(usize, (usize, usize))> = edits.into_iter().collect();
    files.sort_by_key(|(_, (count, at))| (std::cmp::Reverse(*count), *at));
    let names: Vec<&str> = files.iter().map(|(file, _)| log.files[*file].as_str()).collect();
    let mut brought = between.iter().filter_map(|step| if let Act::Command(index) = step.act { log.commands.get(index) } else { None });
    let brought = brought.rfind(|ran| ran.provides && ran.outcome == Outcome::Passed && ran.name != passed.name);
    let (how, title) = match (names.first(), brought) {
        (Some(first), _) => (format!("Fixed by changing {}.", text::listed(&names, MOST_FILES)), format!("fixed in {}", base(first))),
        (None, Some(ran)) => {
            evidence.push(ran.id.to_owned());
            (format!("Fixed by `{}`.", ran.shown), format!("fixed by `{}`", text::clipped(&ran.shown, 40)))
        }
        (None, None) => return None,
    };
    evidence.push(passed.id.to_owned());
    let own = if broken.own { 0.6 } else { 1.0 };
    let wide = if names.len() > 8 { 0.7 } else { 1.0 };
    let lint = if passed.known.as_ref().is_some_and(|known| known.purpose == Purpose::Lint) { 0.8 } else { 1.0 };
    Some(Finding {
        key: format!("fix:{}:{}", text::clipped(&passed.name, 60), outcome::same(error)),
        what: FindingKind::Fix,
        kind: Kind::Discovery,
        title: format!("{} – {title}", text::clipped(error, 80)),
        content: format!("`{}` failed: {error}\n{how}\nThen `{}` passed.", broken.first.shown, passed.shown),
        evidence,
        weight: 0.6 * own * wide * lint,
        personal: false,
    })
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
