//! What happened in a run, as a page of markdown: the goal, the files, the commands, what went wrong, what is open.

use super::{
    Episode, Run, corrections,
    log::{Act, Log, Ran},
    outcome::{self, Outcome},
    text,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How long an episode may become; its lists are cut until it fits.
const LONGEST: usize = 4 * 1024;
const LONGEST_LINE: usize = 160;
/// How much each list shows: edited, read, commands, errors, decisions, open ends.
const SHOWN: [usize; 6] = [12, 8, 10, 6, 10, 10];

struct Part {
    heading: &'static str,
    lines: Vec<String>,
    most: usize,
}

pub fn episode(run: &Run, log: &Log) -> Option<Episode> {
    let prompts = log.steps.iter().filter(|step| matches!(step.act, Act::Prompt(_))).count();
    let acted = log.steps.len() > prompts;
    let told = run.summary.is_some() || run.next_step.is_some() || !run.decisions.is_empty() || !run.open.is_empty();
    if !acted && !told && prompts < 2 {
        return None;
    }
    let goal = goal(run, log);
    let title = text::clipped(goal.as_deref().or(run.summary).unwrap_or("A run without a goal"), 80);
    let mut parts = parts(run, log);
    let mut content = written(run, goal.as_deref(), &parts);
    while content.len() > LONGEST && parts.iter().any(|part| part.most > 1) {
        for part in &mut parts {
            part.most = (part.most / 2).max(1);
        }
        content = written(run, goal.as_deref(), &parts);
    }
    content.truncate(content.floor_char_boundary(LONGEST));
    Some(Episode { title, content })
}

/// The first prompt that says something, or the task.
fn goal(run: &Run, log: &Log) -> Option<String> {
    let asked = log.steps.iter().find_map(|step| match step.act {
        Act::Prompt(said) if said.split_whitespace().take(3).count() > 2 && !corrections::is_made(said) => {
            said.lines().find(|line| line.split_whitespace().count() > 1 && !line.starts_with('<'))
        }
        _ => None,
    });
    asked.or(run.task).map(|goal| text::clipped(goal, LONGEST_LINE * 2))
}

fn parts(run: &Run, log: &Log) -> Vec<Part> {
    let (edited, read) = files(log);
    let (commands, failing) = commands(log);
    let mut open: Vec<String> = run.open.iter().map(|item| text::clipped(item, LONGEST_LINE)).collect();
    open.extend(failing.into_iter().map(|name| format!("`{name}` still fails")));
    let decisions = run.decisions.iter().map(|title| text::clipped(title, LONGEST_LINE)).collect();
    let lists = [
        ("Edited", edited),
        ("Read", read),
        ("Commands", commands),
        ("Errors met", errors(log)),
        ("Decisions", decisions),
        ("Open ends", open),
    ];
    lists.into_iter().zip(SHOWN).map(|((heading, lines), most)| Part { heading, lines, most }).collect()
}

fn written(run: &Run, goal: Option<&str>, parts: &[Part]) -> String {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(goal.map(|goal| format!("Goal: {goal}")));
    lines.extend(run.task.filter(|task| Some(*task) != goal).map(|task| format!("Task: {}", text::clipped(task, LONGEST_LINE))));
    lines.extend(run.summary.map(|summary| format!("Summary: {}", text::clipped(summary, 600))));
    for part in parts.iter().filter(|part| !part.lines.is_empty()) {
        lines.push(format!("\n## {}", part.heading));
        lines.extend(part.lines.iter().take(part.most).map(|line| format!("- {line}")));
        if part.lines.len() > part.most {
            lines.push(format!("- and {} more", part.lines.len() - part.most));
        }
    }
    lines.extend(run.next_step.map(|next| format!("\nNext: {}", text::clipped(next, 400))));
    lines.push(format!("\nRun with {}.\n", text::clipped(run.tool, 40)));
    lines.join("\n")
}

/// Files edited, and files only read, the most touched first.
fn files(log: &Log) -> (Vec<String>, Vec<String>) {
    let mut touched: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for step in &log.steps {
        match step.act {
            Act::Edit(file) => touched.entry(file).or_default().0 += 1,
            Act::Read(file) => touched.entry(file).or_default().1 += 1,
            _ => {}
        }
    }
    let mut ranked: Vec<(usize, (usize, usize))> = touched.into_iter().collect();
    ranked.sort_by_key(|(file, (edits, reads))| (std::cmp::Reverse((*edits, *reads)), *file));
    let shown = |file: usize, times: usize| {
        let path = text::clipped(&log.files[file], LONGEST_LINE);
        if times > 1 { format!("{path} ({times}×)") } else { path }
    };
    let edited = ranked.iter().filter(|(_, (edits, _))| *edits > 0).map(|(file, (edits, _))| shown(*file, *edits)).collect();
    let read = ranked.iter().filter(|(_, (edits, _))| *edits == 0).map(|(file, (_, reads))| shown(*file, *reads)).collect();
    (edited, read)
}

/// A command under its name: how often it passed, failed or was not heard of, and the last that was.
struct Tried<'a> {
    name: &'a str,
    counts: [usize; 3],
    last: &'a Ran<'a>,
}

/// Commands once each, with how they went in the end; and those that failed last.
fn commands(log: &Log) -> (Vec<String>, Vec<String>) {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut tried: Vec<Tried> = Vec::new();
    for ran in log.commands.iter().filter(|ran| ran.speaks) {
        let place = *places.entry(&ran.name).or_insert(tried.len());
        if place == tried.len() {
            tried.push(Tried { name: &ran.name, counts: [0; 3], last: ran });
        }
        tried[place].counts[ran.outcome as usize] += 1;
        if ran.outcome != Outcome::Unknown {
            tried[place].last = ran;
        }
    }
    // What builds and tests comes before what was tried once.
    tried.sort_by_key(|tried| (tried.last.known.is_none(), std::cmp::Reverse(tried.counts.iter().sum::<usize>())));
    let failing = tried.iter().filter(|tried| still_fails(log, tried.last)).map(|tried| tried.name.to_owned()).collect();
    let lines = tried.iter().map(|tried| {
        let counted = tried.last.counted.as_ref().map_or(String::new(), |counted| format!(" ({counted})"));
        format!("`{}`: {}{counted}", text::clipped(tried.name, 100), went(tried.counts, tried.last.outcome))
    });
    (lines.collect(), failing)
}

/// Whether it failed, and nothing for the same purpose passed after it.
fn still_fails(log: &Log, last: &Ran) -> bool {
    let purpose = |ran: &Ran| ran.known.as_ref().map(|known| known.purpose);
    let after = || log.commands.iter().rev().take_while(|ran| ran.step > last.step);
    last.outcome == Outcome::Failed
        && last.known.is_some()
        && !after().any(|ran| purpose(ran) == purpose(last) && ran.outcome == Outcome::Passed)
}

fn went([passed, failed, unknown]: [usize; 3], last: Outcome) -> String {
    let times = |count: usize| if count > 1 { format!(" {count} times") } else { String::new() };
    let unheard = if unknown > 0 { ", a result is missing" } else { "" };
    match (last, passed, failed) {
        (Outcome::Passed, _, 0) => format!("passed{}{unheard}", times(passed)),
        (Outcome::Passed, _, failed) => format!("failed{}, then passed{unheard}", times(failed)),
        (Outcome::Failed, 0, _) => format!("failed{}{unheard}", times(failed)),
        (Outcome::Failed, _, _) => format!("passed{}, then failed{unheard}", times(passed)),
        (Outcome::Unknown, _, _) => format!("run{}", times(unknown)),
    }
}

/// What went wrong, once each.
fn errors(log: &Log) -> Vec<String> {
    let mut met: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    let commands = log.commands.iter().filter(|ran| ran.speaks).filter_map(|ran| Some((ran.step, ran.error.as_ref()?)));
    let others =
        log.steps.iter().enumerate().filter_map(|(at, step)| if let Act::Error(error) = &step.act { Some((at, error)) } else { None });
    let mut all: Vec<(usize, &String)> = commands.chain(others).collect();
    all.sort_by_key(|(at, _)| *at);
    for (_, error) in all {
        if seen.insert(outcome::same(error)) {
            met.push(text::clipped(error, LONGEST_LINE));
        }
    }
    met
}
