//! What Postgres said when it did not start.

use std::{fs, path::PathBuf, time::SystemTime};

use super::place::Place;

const LINES: usize = 15;

/// It writes to our file until its collector runs, and to its own folder from then on.
pub fn end_of(place: &Place) -> String {
    let first = fs::read_to_string(&place.startup_log).unwrap_or_default();
    let mut text = last_lines(&first);
    if first.contains("logging collector")
        && let Some(newest) = newest_log(place)
        && let Ok(more) = fs::read(newest)
    {
        text = last_lines(&String::from_utf8_lossy(&more));
    }
    if text.is_empty() {
        text = "(it said nothing)".into();
    }
    text
}

/// The file or the shared memory of a postmaster that is just about to be gone, or that another
/// start brought up a moment before ours.
pub fn says_in_use(log: &str) -> bool {
    log.contains("is still in use") || log.contains("postmaster.pid\" already exists")
}

fn newest_log(place: &Place) -> Option<PathBuf> {
    fs::read_dir(place.log_folder())
        .ok()?
        .filter_map(Result::ok)
        .max_by_key(|entry| entry.metadata().and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH))
        .map(|entry| entry.path())
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
