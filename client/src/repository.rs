//! The repository that somebody stands in: its root, its branch, and what its `.cairn.toml` says.

use serde::Deserialize;
use std::{
    fs,
    path::{Path, PathBuf},
};

pub const SETTINGS: &str = ".cairn.toml";

/// `.cairn.toml`. It names a profile and never a server: a cloned repository must not decide where texts are sent.
#[derive(Debug, Default, Deserialize, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub profile: Option<String>,
    pub workspace: Option<String>,
    pub project: Option<String>,
    /// What anchors and snapshots call this repository.
    pub repo: Option<String>,
}

#[derive(Debug, Default)]
pub struct Repository {
    /// Where `.git` is.
    pub root: Option<PathBuf>,
    pub settings: Settings,
    /// Why `.cairn.toml` could not be read.
    pub complaint: Option<String>,
}

/// Looks upwards from here, for the nearest of each.
pub fn find(from: &Path) -> Repository {
    let mut found = Repository::default();
    let mut settings_found = false;
    for folder in from.ancestors() {
        if found.root.is_none() && folder.join(".git").exists() {
            found.root = Some(folder.to_path_buf());
        }
        if !settings_found && let Ok(text) = fs::read_to_string(folder.join(SETTINGS)) {
            settings_found = true;
            match toml::from_str(&text) {
                Ok(settings) => found.settings = settings,
                Err(wrong) => found.complaint = Some(format!("{}: {wrong}", folder.join(SETTINGS).display())),
            }
        }
        if settings_found && found.root.is_some() {
            break;
        }
    }
    found
}

impl Repository {
    pub fn here() -> Self {
        std::env::current_dir().map(|here| find(&here)).unwrap_or_default()
    }

    pub fn branch(&self) -> Option<String> {
        let head = fs::read_to_string(self.git_dir()?.join("HEAD")).ok()?;
        Some(head.trim().strip_prefix("ref: refs/heads/")?.to_owned())
    }

    pub fn commit(&self) -> Option<String> {
        let git = self.git_dir()?;
        let head = fs::read_to_string(git.join("HEAD")).ok()?;
        let Some(name) = head.trim().strip_prefix("ref: ") else { return Some(head.trim().to_owned()) };
        let shared = fs::read_to_string(git.join("commondir")).map_or_else(|_| git.clone(), |path| git.join(path.trim()));
        let loose = fs::read_to_string(shared.join(name)).ok().map(|id| id.trim().to_owned());
        loose.or_else(|| {
            let packed = fs::read_to_string(shared.join("packed-refs")).ok()?;
            packed.lines().find_map(|line| line.strip_suffix(name)?.split(' ').next().map(str::to_owned))
        })
    }

    /// A path as a colleague with another checkout would write it.
    pub fn relative(&self, path: &str, cwd: Option<&str>) -> String {
        let inside = |root: &Path| Path::new(path).strip_prefix(root).ok().map(|path| path.to_string_lossy().into_owned());
        let relative = self.root.as_deref().and_then(inside).or_else(|| cwd.map(Path::new).and_then(inside));
        relative.filter(|path| !path.is_empty()).unwrap_or_else(|| path.to_owned())
    }

    fn git_dir(&self) -> Option<PathBuf> {
        let git = self.root.as_ref()?.join(".git");
        if git.is_dir() {
            return Some(git);
        }
        // A worktree: a file that says where.
        let text = fs::read_to_string(&git).ok()?;
        Some(self.root.as_ref()?.join(text.trim().strip_prefix("gitdir: ")?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_commit_and_settings_are_found_from_below() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("src/deep");
        fs::create_dir_all(&below).expect("folders");
        fs::create_dir_all(folder.path().join(".git/refs/heads")).expect("folders");
        fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/topic\n").expect("HEAD");
        fs::write(folder.path().join(".git/packed-refs"), "# pack-refs\nabc123 refs/heads/topic\n").expect("refs");
        fs::write(folder.path().join(SETTINGS), "project = \"gateway\"\n").expect("settings");
        let found = find(&below);
        assert_eq!(found.settings.project.as_deref(), Some("gateway"));
        assert_eq!((found.branch().as_deref(), found.commit().as_deref()), (Some("topic"), Some("abc123")));
        let inside = below.join("a.rs");
        assert_eq!(found.relative(&inside.to_string_lossy(), None), "src/deep/a.rs");
        assert_eq!(found.relative("/elsewhere/a.rs", None), "/elsewhere/a.rs");
    }

    #[test]
    fn a_misspelt_setting_is_said_and_not_fatal() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(SETTINGS), "projct = \"gateway\"\n").expect("settings");
        let found = find(folder.path());
        assert!(found.complaint.is_some_and(|said| said.contains("projct")));
    }
}
