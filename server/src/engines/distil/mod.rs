//! A session's log distilled into what the next run should know: an episode, files that belong together, and findings with
//! their evidence. The same log always gives the same answer, and keys that meet those of other runs.

mod commands;
mod corrections;
mod episode;
mod fixes;
mod log;
mod looks;
mod outcome;
mod repeats;
mod shell;
mod text;
mod together;
mod working;

#[cfg(test)]
mod tests;

use crate::model::{Kind, sessions::Event};
use log::Log;
pub use repeats::Look;
use std::collections::HashSet;

/// One session, as it was logged.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub tool: &'a str,
    pub project: Option<&'a str>,
    pub task: Option<&'a str>,
    /// Where it ran; paths below it are kept without it.
    pub cwd: Option<&'a str>,
    pub events: &'a [Event],
    /// Titles of the decisions that its checkpoints made.
    pub decisions: &'a [String],
    /// Items that are not completed.
    pub open: &'a [String],
    pub next_step: Option<&'a str>,
    pub summary: Option<&'a str>,
}

#[derive(Clone, PartialEq, Default, Debug)]
pub struct Distilled {
    /// None when nothing happened.
    pub episode: Option<Episode>,
    /// The strongest first.
    pub pairs: Vec<Pair>,
    /// The surest first.
    pub findings: Vec<Finding>,
    /// To be held against what other runs looked for.
    pub looks: Vec<Look>,
}

/// What happened, as markdown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Episode {
    pub title: String,
    pub content: String,
}

/// Two files that were worked on together; `a` sorts before `b`.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair {
    pub a: String,
    pub b: String,
    pub weight: f32,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// Equal for the same finding in any run.
    pub key: String,
    pub what: FindingKind,
    /// The kind of memory it proposes.
    pub kind: Kind,
    pub title: String,
    pub content: String,
    /// Ids of the events that show it.
    pub evidence: Vec<String>,
    /// How sure this one run makes it, from 0 to 1.
    pub weight: f32,
    /// Whether a person said it.
    pub personal: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FindingKind {
    /// A command that works for this project.
    Command,
    /// A failure and what fixed it.
    Fix,
    /// Said by a person.
    Correction,
    /// Looked for again and again.
    Repeated,
    /// Files that change together.
    FilesTogether,
}

impl FindingKind {
    /// Why it is proposed, in a sentence.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Command => "A command that worked in a run.",
            Self::Fix => "A command failed in a run, was mended, and passed.",
            Self::Correction => "A person said so in a run.",
            Self::Repeated => "It was looked for again and again.",
            Self::FilesTogether => "These files were worked on together.",
        }
    }
}

impl FindingKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Fix => "fix",
            Self::Correction => "correction",
            Self::Repeated => "repeated",
            Self::FilesTogether => "files_together",
        }
    }

    /// How many of its kind one run may bring.
    fn most(self) -> usize {
        match self {
            Self::Command | Self::Fix => 3,
            // What a person said is rare, and worth more than what was seen.
            Self::Correction => 7,
            Self::Repeated => 2,
            Self::FilesTogether => 1,
        }
    }
}

/// So many runs make a memory of what each of them looked for.
pub const ENOUGH_RUNS: usize = 3;
/// How many findings one run may bring, so that review stays possible.
const MOST: usize = 8;
const MOST_EVIDENCE: usize = 12;
/// However often it was seen, nobody has verified it.
const SUREST: f32 = 0.95;

pub fn distil(run: &Run<'_>) -> Distilled {
    let log = Log::read(run);
    let ties = together::ties(&log);
    let mut findings = working::findings(&log);
    findings.extend(fixes::findings(&log));
    findings.extend(corrections::findings(&log));
    findings.extend(repeats::findings(&log));
    findings.extend(together::findings(&log, &ties));
    Distilled {
        episode: episode::episode(run, &log),
        pairs: together::pairs(&log, &ties),
        findings: best(findings),
        looks: repeats::looks(&log),
    }
}

/// How sure several runs together make a finding, each as sure as given.
pub fn confidence(sightings: &[f32]) -> f32 {
    let doubt: f32 = sightings.iter().filter(|weight| weight.is_finite()).map(|weight| 1.0 - weight.clamp(0.0, 1.0)).product();
    (1.0 - doubt).clamp(0.0, SUREST)
}

fn best(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.key.cmp(&b.key)));
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        if let Some(known) = kept.iter_mut().find(|known| known.key == finding.key) {
            known.evidence.extend(finding.evidence);
        } else if kept.len() < MOST && kept.iter().filter(|other| other.what == finding.what).count() < finding.what.most() {
            kept.push(finding);
        }
    }
    for finding in &mut kept {
        let mut seen = HashSet::new();
        finding.evidence.retain(|id| seen.insert(id.clone()));
        finding.evidence.truncate(MOST_EVIDENCE);
    }
    kept
}
