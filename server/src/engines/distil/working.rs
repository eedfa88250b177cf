//! Commands that work for this project, with the one they replaced.

use super::{
    Finding, FindingKind,
    commands::Purpose,
    log::{Act, Log, Ran},
    outcome::Outcome,
    text::{clipped, each},
};
use crate::model::Kind;
use std::collections::BTreeMap;

/// How many steps before a success a failure may lie that it replaced.
const REACH: usize = 12;
/// Flags whose value does not narrow what a command is run on.
const TAKING: &str = "-D|-W|-A|-n|-j|-c|--jobs|--config|--profile|--color|--tb|--maxfail";
/// Errors that speak of the command itself, not of the code it was run on.
const WRONG_COMMAND: &str = "not found|missing script|must be set|is not set|no such|unknown|unrecognized|unrecognised|no rule to make|\
    refused|not installed|cannot find module|no module named|unsupported|is required|permission denied|does not exist|requires|\
    unexpected argument|not recognized|could not find|can't open|no configuration|invalid option|out of memory|too many open files|\
    in use";

pub fn findings(log: &Log) -> Vec<Finding> {
    let mut groups: BTreeMap<(Purpose, &str), Vec<&Ran>> = BTreeMap::new();
    for ran in &log.commands {
        if let Some(known) = &ran.known {
            groups.entry((known.purpose, &known.name)).or_default().push(ran);
        }
    }
    groups.into_iter().filter_map(|((purpose, name), runs)| finding(log, purpose, name, &runs)).collect()
}

fn finding(log: &Log, purpose: Purpose, name: &str, runs: &[&Ran]) -> Option<Finding> {
    let passed: Vec<&Ran> = runs.iter().copied().filter(|ran| ran.outcome == Outcome::Passed).collect();
    let failures = runs.iter().filter(|ran| ran.outcome == Outcome::Failed).count();
    // The one with the fewest paths and filters is the most general.
    let best =
        passed.iter().min_by_key(|ran| ran.known.as_ref().map_or(0, |known| positional(&known.rest).count()) * 1000 + ran.shown.len())?;
    let replaced = passed.iter().find_map(|ran| replaced(log, ran).map(|failed| (*ran, failed)));
    let best = replaced.map_or(*best, |(worked, _)| worked);
    let narrowed = best.known.as_ref().is_some_and(|known| positional(&known.rest).next().is_some());
    let mut content = if narrowed {
        format!("{} `{name}`, as in `{}`.", purpose.title(), best.shown)
    } else {
        format!("{} `{}`.", purpose.title(), best.shown)
    };
    let mut evidence: Vec<String> = passed.iter().take(6).map(|ran| ran.id.to_owned()).collect();
    if let Some((_, failed)) = replaced {
        let why = failed.error.as_deref().unwrap_or("it failed");
        content = format!("{content}\n`{}` does not work here: {why}", failed.shown);
        evidence.insert(0, failed.id.to_owned());
    }
    let often = 0.1 * f32::from(u8::try_from(passed.len().min(3) - 1).unwrap_or(0));
    let about = if purpose == Purpose::Format { -0.1 } else { 0.0 };
    let doubt = if failures > passed.len() { -0.1 } else { 0.0 };
    let weight = 0.3 + often + about + doubt + if replaced.is_some() { 0.2 } else { 0.0 };
    Some(Finding {
        key: format!("command:{}:{name}", purpose.word()),
        what: FindingKind::Command,
        kind: Kind::Procedure,
        // Where only `cargo test --lib` is known to work, `cargo test` is another command.
        title: format!("{} `{}`", purpose.title(), if narrowed { name.to_owned() } else { clipped(&best.shown, 100) }),
        content,
        evidence,
        weight,
        personal: false,
    })
}

/// The command for the same purpose that failed shortly before for a reason of its own, with no edit since.
fn replaced<'a>(log: &'a Log, worked: &Ran) -> Option<&'a Ran<'a>> {
    let earlier = &log.commands[..log.commands.partition_point(|ran| ran.step < worked.step)];
    earlier.iter().rev().take_while(|ran| ran.step + REACH >= worked.step).find(|failed| {
        let edited = log.steps[failed.step..worked.step].iter().any(|step| matches!(step.act, Act::Edit(_)));
        failed.outcome == Outcome::Failed && !edited && is_variant(failed, worked) && blames_command(failed)
    })
}

fn is_variant(failed: &Ran, worked: &Ran) -> bool {
    let (Some(a), Some(b)) = (&failed.known, &worked.known) else { return false };
    // With another filter it was another question.
    a.purpose == b.purpose && failed.shown != worked.shown && (a.name != b.name || positional(&a.rest).eq(positional(&b.rest)))
}

fn blames_command(failed: &Ran) -> bool {
    let error = failed.error.as_deref().unwrap_or("").to_lowercase();
    each(WRONG_COMMAND).any(|sign| error.contains(sign))
}

/// What narrows a command: its words without flags, what they take, and names for everything.
fn positional(rest: &[String]) -> impl Iterator<Item = &String> {
    let taken = |index: usize| index > 0 && each(TAKING).any(|flag| flag == rest[index - 1]);
    rest.iter()
        .enumerate()
        .filter(move |(index, word)| !word.starts_with('-') && !taken(*index) && !matches!(word.as_str(), "." | "./..."))
        .map(|(_, word)| word)
}
