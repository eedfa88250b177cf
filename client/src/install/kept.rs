//! What was in the files before us, and a digest of what we wrote: by these `uninstall` knows what to give back.

use super::Scope;
use crate::{
    clean::{hex, short_hash},
    failure::Failure,
    hook::Tool,
    places,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    fs,
    path::{Path, PathBuf},
};

#[derive(Debug, Serialize, Deserialize)]
pub struct Installed {
    tool: String,
    /// None for a person's own settings.
    root: Option<PathBuf>,
    pub files: Vec<KeptFile>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptFile {
    path: PathBuf,
    pub before: Option<String>,
    after: String,
}

impl Installed {
    pub fn new(tool: Tool, scope: &Scope) -> Self {
        Self { tool: tool.name().to_owned(), root: root(scope), files: Vec::new() }
    }

    pub fn file(&self, path: &Path) -> Option<&KeptFile> {
        self.files.iter().find(|file| file.path == path)
    }

    fn is_of(&self, tool: Tool, scope: &Scope) -> bool {
        self.tool == tool.name() && self.root == root(scope)
    }
}

impl KeptFile {
    pub fn of(path: &Path, before: Option<String>, after: &str) -> Self {
        Self { path: path.to_owned(), before, after: digest(after) }
    }

    pub fn untouched(&self, now: &str) -> bool {
        self.after == digest(now)
    }
}

pub fn load(tool: Tool, scope: &Scope) -> Option<Installed> {
    serde_json::from_str(&fs::read_to_string(path(tool, scope)).ok()?).ok()
}

pub fn store(installed: &Installed) -> Result<(), Failure> {
    let scope = installed.root.clone().map_or(Scope::User, Scope::Project);
    let Some(tool) = Tool::parse(&installed.tool) else { return Ok(()) };
    let path = path(tool, &scope);
    let text = serde_json::to_string(installed).map_err(|wrong| Failure::Failed(wrong.to_string()))?;
    places::write(&path, text.as_bytes()).map_err(|wrong| Failure::file("write", &path, &wrong))
}

pub fn forget(tool: Tool, scope: &Scope) {
    let _ = fs::remove_file(path(tool, scope));
}

/// Whether another tool's agent reads the same file.
pub fn used_by_others(tool: Tool, scope: &Scope, file: &Path) -> bool {
    all().iter().any(|other| !other.is_of(tool, scope) && other.file(file).is_some())
}

/// What was there before us is theirs to give back from now on, unless somebody wrote into the file since.
pub fn hand_over(tool: Tool, scope: &Scope, file: &Path, now: &str) {
    let Some(ours) = load(tool, scope).and_then(|installed| installed.file(file).filter(|kept| kept.untouched(now)).cloned()) else {
        return;
    };
    for mut other in all().into_iter().filter(|other| !other.is_of(tool, scope)) {
        let Some(theirs) = other.files.iter_mut().find(|kept| kept.path == file) else { continue };
        theirs.before.clone_from(&ours.before);
        let _ = store(&other);
    }
}

fn all() -> Vec<Installed> {
    let files = fs::read_dir(folder()).into_iter().flatten().flatten();
    files.filter_map(|file| serde_json::from_str(&fs::read_to_string(file.path()).ok()?).ok()).collect()
}

fn folder() -> PathBuf {
    places::state().join("installed")
}

fn path(tool: Tool, scope: &Scope) -> PathBuf {
    let root = root(scope).map(|root| root.to_string_lossy().into_owned()).unwrap_or_default();
    folder().join(format!("{}-{}.json", tool.name(), short_hash(&root)))
}

fn root(scope: &Scope) -> Option<PathBuf> {
    match scope {
        Scope::User => None,
        Scope::Project(root) => Some(root.clone()),
    }
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}
