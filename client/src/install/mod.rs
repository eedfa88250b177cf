//! `cairn install` and `uninstall`: our hooks and our MCP entry in a tool's settings, and the protocol block in what its
//! agent reads.
//!
//! Everything is planned as texts first, shown as a diff, and written only then. What was there before is kept, so that
//! `uninstall` gives it back to the byte if nobody touched it since, and otherwise takes out only what is ours.

mod files;
mod git;
mod json;
mod kept;
mod protocol;
mod servers;
mod settings;
mod tools;

use crate::{failure::Failure, hook::Tool, repository::Repository};
use files::Change;
pub use git::{install as install_git, uninstall as uninstall_git};
use kept::{Installed, KeptFile};
use similar::TextDiff;
use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
};
use tools::Places;

/// Where a tool is told: for a person everywhere, or for everybody in a repository.
#[derive(Debug, Clone, PartialEq)]
pub enum Scope {
    User,
    Project(PathBuf),
}

pub fn install(tool: Tool, project: bool, dry_run: bool, yes: bool) -> Result<(), Failure> {
    let scope = scope(project)?;
    let places = Places::of(tool, &scope);
    let before = kept::load(tool, &scope);
    let mut changes = Vec::new();
    let mut keep = Installed::new(tool, &scope);
    for (path, ours) in ours(tool, &scope, &places)? {
        let now = files::read(&path)?;
        let mut after = now.clone().unwrap_or_default();
        for part in &ours {
            after = part.added_to(&after, &path)?;
        }
        let before = original(before.as_ref(), &path, now.as_deref(), |text| without(&ours, text, &path, None));
        keep.files.push(KeptFile::of(&path, before, &after));
        changes.push(Change { path, before: now, after: Some(after) });
    }
    if let Some(path) = places.protocol {
        let now = files::read(&path)?;
        let after = protocol::added_to(now.as_deref().unwrap_or_default());
        keep.files.push(KeptFile::of(
            &path,
            original(before.as_ref(), &path, now.as_deref(), |text| Some(protocol::removed_from(text))),
            &after,
        ));
        changes.push(Change { path, before: now, after: Some(after) });
    }
    if !carry_out(&changes, dry_run, yes, "Nothing to do: it is installed.")? {
        return Ok(());
    }
    kept::store(&keep)?;
    println!("{}", places.next);
    Ok(())
}

pub fn uninstall(tool: Tool, project: bool, dry_run: bool, yes: bool) -> Result<(), Failure> {
    let scope = scope(project)?;
    let places = Places::of(tool, &scope);
    let kept = kept::load(tool, &scope);
    let mut changes = Vec::new();
    for (path, ours) in ours(tool, &scope, &places)? {
        let Some(now) = files::read(&path)? else { continue };
        let file = kept.as_ref().and_then(|kept| kept.file(&path));
        let after = match file {
            Some(file) if file.untouched(&now) => file.before.clone(),
            file => without(&ours, &now, &path, file.and_then(|file| file.before.as_deref())),
        };
        changes.push(Change { path, before: Some(now), after });
    }
    let mut shared = None;
    if let Some(path) = &places.protocol
        && let Some(now) = files::read(path)?
    {
        if kept::used_by_others(tool, &scope, path) {
            shared = Some((path, now));
        } else {
            let file = kept.as_ref().and_then(|kept| kept.file(path));
            let after = match file {
                Some(file) if file.untouched(&now) => file.before.clone(),
                file => {
                    let was_there = file.is_none_or(|file| file.before.is_some());
                    Some(protocol::removed_from(&now)).filter(|text| was_there || !text.is_empty())
                }
            };
            changes.push(Change { path: path.clone(), before: Some(now), after });
        }
    }
    if carry_out(&changes, dry_run, yes, "Nothing to do: it is not installed.")? {
        println!("Removed.");
    }
    if !dry_run {
        if let Some((path, now)) = shared {
            kept::hand_over(tool, &scope, path, &now);
        }
        kept::forget(tool, &scope);
    }
    Ok(())
}

/// Something of ours in a file of settings.
enum Part {
    Hooks(settings::Hooks),
    Server(servers::Entry),
}

impl Part {
    fn added_to(&self, text: &str, path: &Path) -> Result<String, Failure> {
        match self {
            Self::Hooks(hooks) => hooks.added_to(text, path),
            Self::Server(entry) => entry.added_to(text, path),
        }
    }

    fn removed_from(&self, text: &str, path: &Path, before: Option<&str>) -> Option<String> {
        match self {
            Self::Hooks(hooks) => hooks.removed_from(text, before),
            Self::Server(_) => servers::Entry::removed_from(text, path, before),
        }
    }
}

/// What goes into which file; Gemini CLI has both in one.
fn ours(tool: Tool, scope: &Scope, places: &Places) -> Result<Vec<(PathBuf, Vec<Part>)>, Failure> {
    let mut files = vec![(places.settings.clone(), vec![Part::Hooks(settings::Hooks::of(tool, scope)?)])];
    if let Some(path) = &places.servers {
        let entry = Part::Server(servers::Entry::of(scope)?);
        match files.iter_mut().find(|(file, _)| file == path) {
            Some((_, parts)) => parts.push(entry),
            None => files.push((path.clone(), vec![entry])),
        }
    }
    Ok(files)
}

/// A text without any of ours; none if nothing is left of what we made.
fn without(ours: &[Part], text: &str, path: &Path, before: Option<&str>) -> Option<String> {
    ours.iter().rev().try_fold(text.to_owned(), |text, part| part.removed_from(&text, path, before))
}

/// Where this program lies.
fn program() -> Result<String, Failure> {
    let program = std::env::current_exe().map_err(|wrong| Failure::Failed(format!("where is this program? {wrong}")))?;
    Ok(program.to_string_lossy().into_owned())
}

/// Where each tool has our hooks, for `cairn status`.
pub fn installed() -> Vec<(Tool, PathBuf)> {
    let project = Repository::here().root.map(Scope::Project);
    let mut found = Vec::new();
    for tool in Tool::ALL {
        for scope in [Some(Scope::User), project.clone()].into_iter().flatten() {
            let path = Places::of(tool, &scope).settings;
            if files::read(&path).ok().flatten().is_some_and(|text| text.contains(&format!("hook {}", tool.name()))) {
                found.push((tool, path));
            }
        }
    }
    found
}

/// What was there before us: as kept by an earlier install if nobody touched it since, else what is there without ours.
fn original(earlier: Option<&Installed>, path: &Path, now: Option<&str>, without: impl Fn(&str) -> Option<String>) -> Option<String> {
    let now = now?;
    match earlier.and_then(|earlier| earlier.file(path)) {
        Some(file) if file.untouched(now) => file.before.clone(),
        _ => without(now),
    }
}

/// Shows, asks, writes; false if there was nothing to do or it was only to be shown.
fn carry_out(changes: &[Change], dry_run: bool, yes: bool, nothing: &str) -> Result<bool, Failure> {
    let changes: Vec<&Change> = changes.iter().filter(|change| change.before != change.after).collect();
    if changes.is_empty() {
        println!("{nothing}");
        return Ok(false);
    }
    for change in &changes {
        let name = change.path.display().to_string();
        let (before, after) = (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default());
        let (from, to) =
            (if change.before.is_some() { &name } else { "/dev/null" }, if change.after.is_some() { &name } else { "/dev/null" });
        print!("{}", TextDiff::from_lines(before, after).unified_diff().context_radius(3).header(from, to));
    }
    if dry_run {
        return Ok(false);
    }
    if !yes && !agreed()? {
        return Err(Failure::Failed("Nothing was changed.".to_owned()));
    }
    for change in changes {
        files::write(change)?;
    }
    Ok(true)
}

fn agreed() -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::Usage("Nothing was changed: there is nobody to ask. Say `--yes`.".to_owned()));
    }
    eprint!("Write this? [y/N] ");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(|wrong| Failure::Failed(format!("stdin cannot be read: {wrong}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn scope(project: bool) -> Result<Scope, Failure> {
    if !project {
        return Ok(Scope::User);
    }
    let here = std::env::current_dir().map_err(|wrong| Failure::Failed(format!("there is no current folder: {wrong}")))?;
    Ok(Scope::Project(Repository::here().root.unwrap_or(here)))
}
