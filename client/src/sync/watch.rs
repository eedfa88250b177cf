//! `cairn watch`: whenever the working tree rests after a change, the server is told what is different.

use super::{Place, Told, working_tree};
use crate::{failure::Failure, server::Server};
use notify::{Event, EventKind, RecursiveMode, Watcher};
use std::{
    path::Path,
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
        if !wait(&changes, rest, pause, place.git.root()) {
            return Ok(());
        }
    }
}

/// For a change and the rest after it, or for the end of a pause; false if nobody watches any more.
fn wait(changes: &Receiver<notify::Result<Event>>, rest: Duration, pause: Option<Duration>, root: &Path) -> bool {
    let began = Instant::now();
    loop {
        let event = match pause {
            None => changes.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(pause) => changes.recv_timeout(pause.saturating_sub(began.elapsed())),
        };
        match event {
            Ok(event) if counts(&event, root) => break,
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    let since = Instant::now();
    while since.elapsed() < AT_LEAST_EVERY {
        match changes.recv_timeout(rest) {
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    true
}

/// Git's own files change all the time; only where HEAD points, and the index, say something.
fn counts(event: &notify::Result<Event>, root: &Path) -> bool {
    let Ok(event) = event else { return true };
    if matches!(event.kind, EventKind::Access(_)) {
        return false;
    }
    event.paths.iter().any(|path| match path.strip_prefix(root.join(".git")) {
        Ok(inside) => inside == Path::new("HEAD") || inside == Path::new("index") || inside.starts_with("refs/heads"),
        Err(_) => true,
    })
}
