//! Code: looked at, told, followed.

use super::Here;
use crate::{
    arguments::{Scan as ScanWish, Sync as SyncWish, Watch as WatchWish},
    failure::Failure,
    progress::Progress,
    repository,
    scan::{
        Passed,
        cache::Cache,
        git::Git,
        many::{self, Scan, Source},
    },
    show,
    sync::{self, Place, Told, Wish},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, BufWriter, Write},
    path::Path,
    time::{Duration, Instant},
};

/// A large repository's first time.
const PATIENCE: Duration = Duration::from_mins(5);
/// So many of what was passed over are named.
const NAMED: usize = 20;

pub fn scan(here: &Here, wish: ScanWish) -> Result<(), Failure> {
    let began = Instant::now();
    let mut cache = if wish.fresh { Cache::none() } else { Cache::open() };
    let root = match (&wish.path, &here.repository.root) {
        (Some(path), _) => path.canonicalize().map_err(|wrong| Failure::file("read", path, &wrong))?,
        (None, Some(root)) => root.clone(),
        (None, None) => std::env::current_dir().map_err(|wrong| Failure::Failed(format!("there is no current folder: {wrong}")))?,
    };
    let mut progress = Bar::new("scanning");
    let told = |done, all| progress.at(done, all);
    let found = match repository::find(&root).root.map(|above| Git::at(&above)) {
        // What lies in a folder that git looks away from is looked at as if there were no repository.
        Some(git) if git.root() == root || !git.ignores(&root) => {
            let below = root.strip_prefix(git.root()).unwrap_or(&root).to_owned();
            let listed = git.working_tree()?.into_iter().filter(|file| Path::new(&file.path).starts_with(&below)).collect();
            many::scan_listed(Source::Git(&git), listed, &mut cache, told)
        }
        _ => many::scan_folder(&root, &mut cache, told),
    };
    progress.finish();
    if here.json {
        return print_json(&found);
    }
    let mut text = passed(&found.passed);
    let _ = writeln!(text, "{}", summary(&found, began.elapsed()));
    let _ = io::stdout().write_all(text.as_bytes());
    Ok(())
}

pub fn sync(here: &Here, wish: SyncWish) -> Result<(), Failure> {
    let done = try_sync(here, &wish);
    // A hook of git must never be in anybody's way.
    if wish.hook { Ok(()) } else { done }
}

fn try_sync(here: &Here, wish: &SyncWish) -> Result<(), Failure> {
    let began = Instant::now();
    let place = Place::find(&here.repository, &wish.names)?;
    let server = here.server_within(PATIENCE)?;
    let mut progress = Bar::new("scanning");
    let told = |done, all| progress.at(done, all);
    let done = if wish.working_tree {
        sync::working_tree(&server, &place, wish.complete, told)
    } else {
        let wish = match wish {
            SyncWish { complete: true, .. } => Wish::All,
            SyncWish { hook: true, .. } => Wish::Hook,
            _ => Wish::Change,
        };
        sync::commit(&server, &place, wish, told)
    };
    progress.finish();
    let done = done?;
    if !wish.hook {
        let text = if here.json { as_json(&place, &done).to_string() } else { in_words(&place, &done, began.elapsed()) };
        let _ = writeln!(io::stdout(), "{}", text.trim_end());
    }
    Ok(())
}

pub fn watch(here: &Here, wish: WatchWish) -> Result<(), Failure> {
    let mut place = Place::find(&here.repository, &wish.names)?;
    let server = here.server_within(PATIENCE)?;
    eprintln!("Following {} ({}, {}); Ctrl-C ends it.", place.git.root().display(), place.repo, place.branch);
    let (json, mut last) = (here.json, Instant::now());
    let names = (place.repo.clone(), place.branch.clone());
    sync::watch::follow(&server, &mut place, Duration::from_millis(wish.rest), |done| {
        match done {
            Ok(Told::Nothing { .. }) => {}
            Ok(done) => {
                let text = if json { names_json(&names, &done).to_string() } else { words(&names, &done, last.elapsed()) };
                let _ = writeln!(io::stdout(), "{}", text.trim_end());
            }
            Err(failure) => eprintln!("{failure}"),
        }
        last = Instant::now();
    })
}

/// A bar that learns how long it is.
struct Bar {
    what: &'static str,
    bar: Option<Progress>,
}

impl Bar {
    fn new(what: &'static str) -> Self {
        Self { what, bar: None }
    }

    fn at(&mut self, done: usize, all: usize) {
        self.bar.get_or_insert_with(|| Progress::new(self.what, all as u64)).at(done as u64);
    }

    fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish();
        }
    }
}

/// File by file: it may be much.
fn print_json(found: &Scan) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = (|| {
        write!(out, "{{\"files\":[")?;
        for (at, file) in found.files.iter().enumerate() {
            write!(out, "{}{}", if at > 0 { "," } else { "" }, sync::file_json(file))?;
        }
        let passed: Vec<Value> = found.passed.iter().map(|(path, why)| json!({"path": path, "reason": why.reason()})).collect();
        let rest = json!({"skipped": passed, "symbols": found.symbols(), "lines": found.lines(), "parsed": found.parsed});
        writeln!(out, "],{}", rest.to_string().trim_start_matches('{'))?;
        out.flush()
    })();
    written.map_err(|wrong: io::Error| Failure::Failed(format!("cannot write: {wrong}")))
}

fn as_json(place: &Place, told: &Told) -> Value {
    names_json(&(place.repo.clone(), place.branch.clone()), told)
}

fn names_json((repo, branch): &(String, String), told: &Told) -> Value {
    match told {
        Told::Nothing { commit } => json!({"repo": repo, "branch": branch, "commit": commit, "sent": false}),
        Told::Older { commit, newer } => json!({"repo": repo, "branch": branch, "commit": commit, "sent": false, "newer": newer}),
        Told::Sent { commit, base, scan, removed, parts, answers } => json!({
            "repo": repo, "branch": branch, "commit": commit, "sent": true, "base": base,
            "files": scan.files.len(), "symbols": scan.symbols(), "removed": removed, "parsed": scan.parsed, "parts": parts,
            "skipped": scan.passed.iter().map(|(path, why)| json!({"path": path, "reason": why.reason()})).collect::<Vec<_>>(),
            "answer": answers.last().map(|answer| &answer.json),
        }),
    }
}

fn in_words(place: &Place, told: &Told, took: Duration) -> String {
    words(&(place.repo.clone(), place.branch.clone()), told, took)
}

fn words((repo, branch): &(String, String), told: &Told, took: Duration) -> String {
    match told {
        Told::Nothing { commit } => format!("{repo}, {branch}: the server knows {} already.", short(commit)),
        Told::Older { commit, newer } => format!(
            "{repo}, {branch}: {} is newer than {}, which is checked out here, so nothing was sent. `--complete` sets the branch back to it.",
            short(newer),
            short(commit)
        ),
        Told::Sent { commit, base, scan, removed, answers, .. } => {
            let mut text = passed(&scan.passed);
            let since = base.as_ref().map_or_else(|| "all of it".to_owned(), |base| format!("since {}", short(base)));
            let gone = if *removed > 0 { format!(", {removed} gone") } else { String::new() };
            let _ = writeln!(text, "{repo}, {branch} at {} ({since}): {}{gone}.", short(commit), summary(scan, took).trim_end_matches('.'));
            if let Some(answer) = answers.last() {
                text.push_str(&verdicts(&answer.json));
            }
            text
        }
    }
}

/// What the server says has become doubtful, or has moved.
fn verdicts(answer: &Value) -> String {
    let mut text = String::new();
    for (member, says) in [("stale", "stale"), ("suspect", "suspect"), ("moved", "moved"), ("fresh", "fresh again")] {
        for one in answer[member].as_array().into_iter().flatten().take(NAMED) {
            let name = ["title", "memory_title", "memory_id", "id"].iter().find_map(|name| one[*name].as_str()).unwrap_or_default();
            let reason = one["reason"].as_str().or_else(|| one["reasons"][0].as_str()).unwrap_or_default();
            let _ = writeln!(text, "  {says}: {} – {}", show::one_line(name), show::one_line(reason));
        }
    }
    text
}

fn summary(found: &Scan, took: Duration) -> String {
    format!("{} symbols in {} files, {} of them parsed now, {:.1} s.", found.symbols(), found.files.len(), found.parsed, took.as_secs_f64())
}

fn passed(passed: &[(String, Passed)]) -> String {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, why) in passed {
        by_reason.entry(why.reason()).or_default().push(path);
    }
    let mut text = String::new();
    for (reason, paths) in by_reason {
        let named: Vec<&str> = paths.iter().take(NAMED).copied().collect();
        let more = if paths.len() > NAMED { format!(" and {} more", paths.len() - NAMED) } else { String::new() };
        let _ = writeln!(text, "Passed over, {reason}: {}{more}", named.join(", "));
    }
    text
}

/// Of a commit's id as much as one says.
fn short(commit: &str) -> String {
    match commit.split_once('+') {
        Some((id, mark)) => format!("{}+{mark}", id.get(..8).unwrap_or(id)),
        None => commit.get(..8).unwrap_or(commit).to_owned(),
    }
}
