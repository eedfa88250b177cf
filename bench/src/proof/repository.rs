//! A repository whose history is the releases of a package; it is also the world against which memories are held.

use super::task::{Call, Question, Source};
use crate::Failure;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

pub struct Repository {
    _folder: TempDir,
    pub root: PathBuf,
    releases: PathBuf,
    pub release: String,
}

impl Repository {
    pub fn new(source: &Source, project: &str, tasks: &Path, packages: &Path) -> Result<Self, Failure> {
        let releases = match (&source.folder, &source.language, &source.package) {
            (Some(folder), ..) => tasks.join(folder),
            (None, Some(language), Some(package)) => packages.join(language).join(package),
            _ => return Err(format!("{project}: say the folder, or language and package").into()),
        };
        let folder = tempfile::tempdir()?;
        let root = folder.path().join(project);
        fs::create_dir(&root)?;
        let this = Self { _folder: folder, root, releases, release: String::new() };
        this.git(&["init", "--quiet", "--initial-branch", "main"])?;
        fs::write(this.root.join(".cairn.toml"), format!("project = \"{project}\"\nrepo = \"{project}\"\n"))?;
        Ok(this)
    }

    /// Somebody brought this release in.
    pub fn check_out(&mut self, release: &str) -> Result<(), Failure> {
        let from = self.releases.join(release);
        if !from.is_dir() {
            return Err(format!("{} is not there: fetch the packages first (scripts/proof.sh does)", from.display()).into());
        }
        for entry in fs::read_dir(&self.root)? {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| name == ".git" || name == ".cairn.toml") {
                continue;
            }
            if path.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
        }
        let packed = from.join("package");
        copy(if packed.is_dir() { &packed } else { &from }, &self.root)?;
        release.clone_into(&mut self.release);
        self.commit(&format!("Release {release}"))
    }

    pub fn commit(&self, message: &str) -> Result<(), Failure> {
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message])
    }

    pub fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }

    /// Whether every edit of these calls is in the files already. None if none of them edits.
    pub fn is_done(&self, calls: &[Call]) -> Option<bool> {
        let mut edits = calls.iter().filter(|call| call.edits()).peekable();
        edits.peek()?;
        Some(edits.all(|call| match self.read(call.path()) {
            None => false,
            Some(text) => match call.text("old_string") {
                "" => text == call.text("content"),
                old => !text.contains(old) && text.contains(call.text("new_string")),
            },
        }))
    }

    pub fn edit(&self, call: &Call) -> Result<(), Failure> {
        let path = self.root.join(call.path());
        let (old, new) = (call.text("old_string"), call.text("new_string"));
        if old.is_empty() {
            return Ok(fs::write(path, call.text("content"))?);
        }
        let text = fs::read_to_string(&path)?;
        if !text.contains(old) {
            return Err(format!("{}: what is to be replaced is not there: {old}", call.path()).into());
        }
        Ok(fs::write(path, text.replace(old, new))?)
    }

    /// What a call shows now.
    pub fn shown(&self, call: &Call) -> String {
        match call.tool_name.as_str() {
            "Read" => self.read(call.path()).unwrap_or_else(|| format!("{}: no such file", call.path())),
            "Grep" => self.found(call.text("pattern")),
            _ => call.error.clone().unwrap_or_else(|| said(call.at_release.get(&self.release).unwrap_or(&call.tool_response))),
        }
    }

    /// Lines with these words, as `grep -rn` prints them.
    fn found(&self, words: &str) -> String {
        let (mut files, mut folders) = (Vec::new(), vec![self.root.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                match entry.path() {
                    path if hidden => drop(path),
                    path if path.is_dir() => folders.push(path),
                    path => files.push(path),
                }
            }
        }
        files.sort();
        let mut lines = Vec::new();
        for file in files {
            let text = fs::read_to_string(&file).unwrap_or_default();
            let name = file.strip_prefix(&self.root).unwrap_or(&file).display();
            lines.extend(
                text.lines().enumerate().filter(|(_, line)| line.contains(words)).map(|(n, line)| format!("{name}:{}:{line}", n + 1)),
            );
        }
        lines.join("\n")
    }

    /// What is true now: what somebody would see who looks everywhere the recording says. None for a choice.
    pub fn truth(&self, question: &Question) -> Result<Option<String>, Failure> {
        for look in &question.looks {
            if let Some(value) = question.in_sight(&look.sight(&self.shown(look)))? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn git(&self, arguments: &[&str]) -> Result<(), Failure> {
        let done = Command::new("git")
            .args(["-c", "user.name=proof", "-c", "user.email=proof@example.org", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(&self.root)
            // Commits have the same ids each time.
            .envs(["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"].map(|name| (name, "2026-01-01T00:00:00Z")))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()?;
        let said = String::from_utf8_lossy(&done.stderr);
        if done.status.success() { Ok(()) } else { Err(format!("git {arguments:?}: {said}").into()) }
    }
}

impl Call {
    pub fn edits(&self) -> bool {
        matches!(self.tool_name.as_str(), "Edit" | "Write")
    }

    pub fn reads(&self) -> bool {
        self.tool_name == "Read"
    }

    pub fn path(&self) -> &str {
        self.text("file_path")
    }

    pub fn text(&self, member: &str) -> &str {
        self.tool_input[member].as_str().unwrap_or_default()
    }

    /// What one sees who ran it: the command, then what it showed.
    pub fn sight(&self, shown: &str) -> String {
        if self.tool_name == "Bash" { format!("$ {}\n{shown}", self.text("command")) } else { shown.to_owned() }
    }

    /// In a few words, for a trace.
    pub fn words(&self) -> String {
        match self.tool_name.as_str() {
            "Read" | "Edit" | "Write" => self.path().to_owned(),
            "Bash" => self.text("command").to_owned(),
            "Grep" => format!("grep {}", self.text("pattern")),
            tool => format!("{tool} {}", self.tool_input),
        }
    }
}

/// The words in a recorded response.
fn said(response: &Value) -> String {
    match response {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(said).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => ["stdout", "text", "content"].iter().find_map(|name| members.get(*name)).map(said).unwrap_or_default(),
        _ => String::new(),
    }
}

/// Source only: no mark of ours, no metadata of an installer.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if text.starts_with('.') || text.ends_with(".dist-info") {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(to.join(&name))?;
            copy(&entry.path(), &to.join(&name))?;
        } else {
            fs::copy(entry.path(), to.join(&name))?;
        }
    }
    Ok(())
}
