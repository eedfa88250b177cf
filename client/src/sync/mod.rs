//! `cairn sync` and `cairn watch`: the server is told what the code looks like now – fingerprints, names and lines – as a
//! difference to what it knows, or as a whole.
//!
//! Of a commit, exactly the commit is told. Of a working tree with changes, the commit's id gets a mark and a digest of
//! what is different: `3f2a1c…+dirty.9b1c2d3e`. Nobody can take it for the commit.

mod picture;
mod places;
mod state;
pub mod watch;

use crate::{
    clean::short_hash,
    failure::Failure,
    scan::{
        cache::Cache,
        git::{Difference, Listed, Mode},
        many::{self, Known, Scan, Source},
    },
    server::{Answer, Server, escape},
};
use picture::Picture;
pub use picture::file_json;
pub use places::Place;
use state::State;
use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write as _,
    thread,
    time::Duration,
};

const DIRTY: &str = "+dirty.";
/// How often a part is sent again that the server was too busy for.
const MOST_TRIES: usize = 5;

/// What became of a sync.
pub enum Told {
    /// The server knew this commit.
    Nothing {
        commit: String,
    },
    /// It knows, or will soon, one that came after this: an older checkout does not set everybody back.
    Older {
        commit: String,
        newer: String,
    },
    Sent {
        commit: String,
        base: Option<String>,
        scan: Box<Scan>,
        removed: usize,
        parts: usize,
        answers: Vec<Answer>,
    },
}

/// Who wants a commit told, and how much of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Git, after whatever it did.
    Hook,
    Change,
    /// Somebody who means it, also where the server knows a newer one.
    All,
}

/// What a commit holds, told as a difference where the server has something to differ from.
pub fn commit(server: &Server, place: &Place, wish: Wish, told: impl FnMut(usize, usize)) -> Result<Told, Failure> {
    let git = &place.git;
    let head = git.head()?;
    let known = newest(server, place)?.filter(|_| wish != Wish::All);
    if known.as_ref() == Some(&head) {
        return Ok(Told::Nothing { commit: head });
    }
    let upstream = git.upstream().filter(|_| wish == Wish::Hook);
    if let Some(newer) = known.iter().chain(&upstream).find(|other| git.is_before(&head, clean(other))) {
        return Ok(Told::Older { commit: head, newer: newer.clone() });
    }
    let mut cache = Cache::open();
    let mut told = told;
    if let Some(base) = known
        && let Some(difference) = step(place, &base, &head)
    {
        let files = many::scan_listed(Source::Git(git), difference.changed, &mut cache, &mut told);
        match send(server, place, &head, Some(&base), files, difference.removed) {
            Err(Failure::Refused(problem)) if problem.code == "snapshot_base_unknown" => {}
            sent => return sent,
        }
    }
    let files = many::scan_listed(Source::Git(git), git.commit(&head)?, &mut cache, &mut told);
    send(server, place, &head, None, files, Vec::new())
}

/// The working tree as it is.
pub fn working_tree(server: &Server, place: &Place, complete: bool, told: impl FnMut(usize, usize)) -> Result<Told, Failure> {
    let git = &place.git;
    let head = git.head()?;
    let listed = git.working_tree()?;
    let mut cache = Cache::open();
    let committed: BTreeMap<String, String> = blobs(git.commit(&head)?);
    let files = many::scan_listed(Source::Git(git), listed, &mut cache, told);
    let now: BTreeMap<&str, &Known> = files.files.iter().map(|file| (file.path.as_str(), file)).collect();
    let commit = match difference(&committed, &now) {
        different if different.is_empty() => head,
        different => format!("{head}{DIRTY}{}", &short_hash(&different)[..8]),
    };
    let known = newest(server, place)?.filter(|_| !complete);
    if known.as_ref() == Some(&commit) {
        return Ok(Told::Nothing { commit });
    }
    let base = known.and_then(|base| Some((state::at(place, &base)?, base)));
    let all = State::of(&commit, &files);
    let Some((before, base)) = base else {
        let sent = send(server, place, &commit, None, files, Vec::new());
        if sent.is_ok() {
            state::keep(place, &all);
        }
        return sent;
    };
    let removed: Vec<String> = before.keys().filter(|path| !now.contains_key(path.as_str())).cloned().collect();
    let mut changed = Scan { parsed: files.parsed, passed: files.passed.clone(), files: Vec::new() };
    changed.files = files.files.iter().filter(|file| before.get(&file.path) != Some(&file.blob)).cloned().collect();
    let sent = match send(server, place, &commit, Some(&base), changed, removed) {
        Err(Failure::Refused(problem)) if problem.code == "snapshot_base_unknown" => send(server, place, &commit, None, files, Vec::new()),
        sent => sent,
    };
    if sent.is_ok() {
        state::keep(place, &all);
    }
    sent
}

/// The commit under whatever was told.
fn clean(told: &str) -> &str {
    told.split_once('+').map_or(told, |(commit, _)| commit)
}

/// Files only: links and modules are never told.
fn blobs(listed: Vec<Listed>) -> BTreeMap<String, String> {
    listed.into_iter().filter(|file| file.mode == Mode::File).filter_map(|file| Some((file.path, file.blob?))).collect()
}

/// What the working tree has that the commit has not, and the other way round; empty if nothing.
fn difference(committed: &BTreeMap<String, String>, now: &BTreeMap<&str, &Known>) -> String {
    let mut different = String::new();
    for (path, file) in now {
        if committed.get(*path) != Some(&file.blob) {
            let _ = writeln!(different, "{path} {}", file.blob);
        }
    }
    for path in committed.keys().filter(|path| !now.contains_key(path.as_str())) {
        let _ = writeln!(different, "{path} -");
    }
    different
}

/// The newest commit of this branch that the server knows.
fn newest(server: &Server, place: &Place) -> Result<Option<String>, Failure> {
    let answer = server.get(&format!("/code/snapshots?repo={}&branch={}", escape(&place.repo), escape(&place.branch)))?;
    let all = answer.json["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let here = all.iter().find(|head| head["branch"] == place.branch.as_str() && head["repo"] == place.repo.as_str());
    Ok(here.and_then(|head| head["commit"].as_str()).map(str::to_owned))
}

/// What lies between something that was told and a commit; nothing where we do not have what was told.
fn step(place: &Place, base: &str, head: &str) -> Option<Difference> {
    if !base.contains(DIRTY) {
        return place.git.has_commit(base).then(|| place.git.difference(base, head).ok()).flatten();
    }
    let before = state::at(place, base)?;
    let listed = place.git.commit(head).ok()?;
    let there: HashSet<&str> = listed.iter().filter(|file| file.mode == Mode::File).map(|file| file.path.as_str()).collect();
    let removed = before.keys().filter(|path| !there.contains(path.as_str())).cloned().collect();
    let changed = listed.into_iter().filter(|file| before.get(&file.path) != file.blob.as_ref()).collect();
    Some(Difference { changed, removed })
}

fn send(server: &Server, place: &Place, commit: &str, base: Option<&str>, scan: Scan, removed: Vec<String>) -> Result<Told, Failure> {
    let picture = Picture { place, commit, base, files: &scan.files, removed: &removed };
    let parts = picture.parts();
    let mut answers = Vec::new();
    for part in 0..parts.len() {
        answers.push(patiently(server, &picture.body(&parts, part))?);
    }
    let (commit, base) = (commit.to_owned(), base.map(str::to_owned));
    Ok(Told::Sent { commit, base, removed: removed.len(), parts: parts.len(), scan: Box::new(scan), answers })
}

fn patiently(server: &Server, body: &str) -> Result<Answer, Failure> {
    let mut tries = 0;
    loop {
        match server.post_text("/code/snapshots", body.to_owned()) {
            Err(Failure::Refused(problem)) if problem.status == 429 && tries < MOST_TRIES => {
                tries += 1;
                thread::sleep(Duration::from_secs(problem.retry_after.unwrap_or(1).clamp(1, 30)));
            }
            answer => return answer,
        }
    }
}
