//! The last briefs that came from a workspace, kept for when its server is away, and let go when something was erased there.

use crate::{clean::short_hash, clock, places, spool::Origin};
use serde_json::Value;
use std::{fs, path::PathBuf};

/// Those of one workspace.
pub struct Briefs {
    folder: PathBuf,
}

impl Briefs {
    pub fn of(destination: &str, workspace: Option<&str>) -> Self {
        let name = short_hash(&format!("{destination} {}", workspace.unwrap_or_default()));
        Self { folder: all().join(name) }
    }

    /// Takes the place of what was kept for the same project, task and branch.
    pub fn keep(&self, origin: &Origin, answer: &Value, markdown: &str) {
        let_go_of_the_old();
        let first = format!("{} {}", clock::stamp(), last_erasure(answer).unwrap_or(NEVER));
        let _ = places::write(&self.at(origin), format!("{first}\n{markdown}").as_bytes());
    }

    /// When the last one came, and what it said.
    pub fn last(&self, origin: &Origin) -> Option<(String, String)> {
        let text = fs::read_to_string(self.at(origin)).ok()?;
        let (first, markdown) = text.split_once('\n')?;
        Some((first.split_once(' ')?.0.to_owned(), markdown.to_owned()))
    }

    /// What came before the newest erasure may hold what was erased: it goes. Compared is what the server said then and says
    /// now, not two clocks.
    pub fn heed(&self, answer: &Value) {
        let_go_of_the_old();
        let Some(now) = last_erasure(answer) else { return };
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            let then = text.lines().next().and_then(|first| Some(first.split_once(' ')?.1));
            if then != Some(now) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn at(&self, origin: &Origin) -> PathBuf {
        let part = |part: &Option<String>| part.clone().unwrap_or_default();
        self.folder.join(short_hash(&format!("{} {} {}", part(&origin.project), part(&origin.task), part(&origin.branch))))
    }
}

fn all() -> PathBuf {
    places::state().join("briefs")
}

/// Briefs lay side by side once, of whatever workspace: no news of an erasure reaches those.
fn let_go_of_the_old() {
    for entry in fs::read_dir(all()).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

const NEVER: &str = "never";

/// When something was last erased; nothing where the answer does not say.
fn last_erasure(answer: &Value) -> Option<&str> {
    match answer.get("last_erasure_at")? {
        Value::String(at) => Some(at),
        _ => Some(NEVER),
    }
}
