//! `cairn watch`: whenever the working tree rests after a change, the server is told what is different.

use super::{Place, Told, working_tree};
use crate::{failure::Failure, scan::git::Git, server::Server};
use ignore::{Match, gitignore::Gitignore};
use notify::{Event, EventKind, RecursiveMode, Watcher};
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

/// A tree that never rests is told all the same.
const AT_LEAST_EVERY: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Until it is ended. What could not be told is told with the next change, or when the server is back.
pub fn follow(server: &Server, place: &mut Place, rest: Duration, mut told: impl FnMut(Result<Told, Failure>)) -> Result<(), Failure> {
    let (send, changes) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let _ = send.send(event);
    })
    .map_err(|wrong| Failure::Failed(format!("this folder cannot be watched: {wrong}")))?;
    watcher
        .watch(place.git.root(), RecursiveMode::Recursive)
        .map_err(|wrong| Failure::Failed(format!("{} cannot be watched: {wrong}", place.git.root().display())))?;
    let mut pause = None;
    loop {
        place.renew();
        let done = working_tree(server, place, false, |_, _| {});
        pause = match &done {
            Err(failure) if failure.is_away() => Some(pause.map_or(FIRST_PAUSE, |pause: Duration| (pause * 2).min(LONGEST_PAUSE))),
            Err(Failure::NotSignedIn(_)) => return done.map(|_| ()),
            _ => None,
        };
        told(done);
        if !wait(&changes, rest, pause, &Followed::of(&place.git)) {
            return Ok(());
        }
    }
}

/// For a change and the rest after it, or for the end of a pause; false if nobody watches any more.
fn wait(changes: &Receiver<notify::Result<Event>>, rest: Duration, pause: Option<Duration>, followed: &Followed) -> bool {
    let began = Instant::now();
    loop {
        let event = match pause {
            None => changes.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(pause) => changes.recv_timeout(pause.saturating_sub(began.elapsed())),
        };
        match event {
            Ok(event) if followed.counts(&event) => break,
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    let (since, mut last) = (Instant::now(), Instant::now());
    while since.elapsed() < AT_LEAST_EVERY {
        match changes.recv_timeout(rest.saturating_sub(last.elapsed())) {
            Ok(event) if followed.counts(&event) => last = Instant::now(),
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    true
}

/// What a change must touch to be one: a build that writes into ignored folders keeps nobody awake.
struct Followed {
    root: PathBuf,
    /// The innermost folder first.
    rules: Vec<(PathBuf, Gitignore)>,
    all_the_same: HashSet<PathBuf>,
}

impl Followed {
    /// By the rules as they are now.
    fn of(git: &Git) -> Self {
        let root = git.root().to_owned();
        let read = |path: PathBuf| {
            // `.git/info/exclude` speaks of the whole tree.
            let of = path.parent().filter(|_| path.ends_with(".gitignore")).unwrap_or(&root).to_owned();
            let mut rules = ignore::gitignore::GitignoreBuilder::new(&of);
            let unread = rules.add(&path);
            rules.build().ok().filter(|_| unread.is_none()).map(|rules| (of, rules))
        };
        let mut rules: Vec<(PathBuf, Gitignore)> = git.rules().into_iter().filter_map(read).collect();
        rules.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.components().count()));
        Self { rules, all_the_same: git.followed_all_the_same().into_iter().collect(), root }
    }

    fn counts(&self, event: &notify::Result<Event>) -> bool {
        let Ok(event) = event else { return true };
        !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(|path| self.has(path))
    }

    /// Git's own files change all the time; only where HEAD points, and the index, say something.
    fn has(&self, path: &Path) -> bool {
        match path.strip_prefix(self.root.join(".git")) {
            Ok(inside) => inside == Path::new("HEAD") || inside == Path::new("index") || inside.starts_with("refs/heads"),
            Err(_) => self.all_the_same.contains(path) || !self.ignores(path),
        }
    }

    fn ignores(&self, path: &Path) -> bool {
        let said = self.rules.iter().filter(|(folder, _)| path != folder && path.starts_with(folder));
        let mut said = said.map(|(_, rules)| rules.matched_path_or_any_parents(path, path.is_dir()));
        said.find(|said| !said.is_none()).is_some_and(|said| matches!(said, Match::Ignore(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, process::Command};

    #[test]
    fn what_is_ignored_wakes_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let git = |arguments: &[&str]| assert!(Command::new("git").arg("-C").arg(root).args(arguments).status().expect("git").success());
        git(&["init", "-q"]);
        for (path, text) in [
            (".gitignore", "target/\n*.log\n"),
            ("web/.gitignore", "dist\n!kept.log\n"),
            (".git/info/exclude", "mine.txt\n"),
            ("target/forced.rs", ""),
        ] {
            fs::create_dir_all(root.join(path).parent().expect("a folder")).expect("folders");
            fs::write(root.join(path), text).expect("a file");
        }
        git(&["add", "-f", "target/forced.rs"]);
        let followed = Followed::of(&Git::at(root));
        for (path, counts) in [
            ("src/lib.rs", true),
            ("dist/a.js", true),
            ("web/kept.log", true),
            (".gitignore", true),
            ("target/forced.rs", true),
            (".git/HEAD", true),
            ("target/debug/a.rs", false),
            ("a.log", false),
            ("web/dist/a.js", false),
            ("mine.txt", false),
            (".git/objects/aa", false),
        ] {
            assert_eq!(followed.has(&root.join(path)), counts, "{path}");
        }
    }
}
