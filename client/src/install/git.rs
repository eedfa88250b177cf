//! `cairn install git`: after a commit, a merge, a rebase and a checkout, the server is told what the code looks like. A few lines in
//! each hook, marked, beside whatever the hook does already; in the background, so that nobody waits and nothing can fail.

use super::{carry_out, files, files::Change, program};
use crate::{failure::Failure, repository::Repository, scan::git::Git};
use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

const HOOKS: [&str; 4] = ["post-commit", "post-merge", "post-checkout", "post-rewrite"];
const BEGIN: &str = "# >>> cairn: tells the memory what the code looks like; `cairn uninstall git` takes it out";
const END: &str = "# <<< cairn";
const CALL: &str = "sync --hook";

pub fn install(dry_run: bool, yes: bool) -> Result<(), Failure> {
    let mut changes = Vec::new();
    let program = program()?;
    for (path, name) in hooks()? {
        let before = files::read(&path)?;
        let after = added_to(before.as_deref().unwrap_or_default(), name, &program, &path)?;
        changes.push(Change { path, before, after: Some(after) });
    }
    if !carry_out(&changes, dry_run, yes, "Nothing to do: it is installed.")? {
        return Ok(());
    }
    for change in &changes {
        let mode = fs::metadata(&change.path).map_or(0o644, |found| found.permissions().mode());
        let runs = fs::set_permissions(&change.path, fs::Permissions::from_mode(mode | 0o755));
        runs.map_err(|wrong| Failure::file("make executable", &change.path, &wrong))?;
    }
    println!("Installed. Each commit, merge, rebase and checkout is told in the background; `cairn sync` tells it now.");
    Ok(())
}

pub fn uninstall(dry_run: bool, yes: bool) -> Result<(), Failure> {
    let mut changes = Vec::new();
    for (path, _) in hooks()? {
        let Some(before) = files::read(&path)? else { continue };
        let after = removed_from(&before);
        changes.push(Change { path, before: Some(before), after });
    }
    if carry_out(&changes, dry_run, yes, "Nothing to do: it is not installed.")? {
        println!("Removed.");
    }
    Ok(())
}

/// Where git looks for its hooks: `core.hooksPath`, or the folder that all worktrees share.
fn hooks() -> Result<Vec<(PathBuf, &'static str)>, Failure> {
    let root = Repository::here().root.ok_or_else(|| Failure::Usage("there is no git repository here".to_owned()))?;
    let folder = Git::at(&root).path("hooks")?;
    Ok(HOOKS.iter().map(|name| (folder.join(name), *name)).collect())
}

fn added_to(text: &str, name: &str, program: &str, path: &std::path::Path) -> Result<String, Failure> {
    let others = removed_from(text).unwrap_or_default();
    if !others.is_empty() && !is_shell(&others) {
        let what = format!("{} is no shell script: call `cairn sync --hook &` in it yourself, or move it", path.display());
        return Err(Failure::Failed(what));
    }
    let block = block(name, program);
    // First, since a hook may end early; and after the line that says what runs it.
    let (shebang, rest) = match others.split_once('\n') {
        Some((first, rest)) if first.starts_with("#!") => (format!("{first}\n"), rest.to_owned()),
        _ if others.starts_with("#!") => (format!("{others}\n"), String::new()),
        _ => ("#!/bin/sh\n".to_owned(), others.clone()),
    };
    Ok(format!("{shebang}{block}{rest}"))
}

fn block(name: &str, program: &str) -> String {
    let quoted = program.replace('\'', "'\\''");
    let when = match name {
        // Of a checkout of single files nothing is to be told: the third word is 0.
        "post-checkout" => "[ \"$3\" = 1 ] && ",
        // An amended commit is told as a commit.
        "post-rewrite" => "[ \"$1\" = rebase ] && ",
        _ => "",
    };
    // How the hook ends is how git ends: with nothing to tell, well.
    format!("{BEGIN}\nif {when}[ -x '{quoted}' ]; then ('{quoted}' {CALL} </dev/null >/dev/null 2>&1 &); fi\n{END}\n")
}

/// Without ours; nothing if nothing is left but the line that we needed.
fn removed_from(text: &str) -> Option<String> {
    let Some((before, rest)) = text.split_once(BEGIN) else { return Some(text.to_owned()) };
    let after = if let Some((_, after)) = rest.split_once(END) {
        after.strip_prefix('\n').unwrap_or(after)
    } else {
        // Somebody took the end away: only the line that is ours goes, the rest is theirs.
        let rest = rest.strip_prefix('\n').unwrap_or(rest);
        rest.split_once('\n').map_or("", |(ours, others)| if ours.contains(CALL) { others } else { rest })
    };
    let left = format!("{before}{after}");
    if left.trim() == "#!/bin/sh" { None } else { Some(left) }
}

fn is_shell(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    !first.starts_with("#!")
        || ["sh", "bash", "dash", "zsh", "ksh"]
            .iter()
            .any(|shell| first.trim_end().ends_with(shell) || first.contains(&format!("{shell} ")))
}
