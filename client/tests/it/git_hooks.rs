//! `cairn install git`: there and back, beside what is there, and never in anybody's way.

use crate::{
    code::{Repository, wait_for},
    fake::{Fake, Mood},
    home::{Home, err, out},
};
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

fn ok(home: &Home, repository: &Repository, arguments: &[&str]) -> String {
    let ended = repository.cairn(home, arguments);
    assert!(ended.status.success(), "{}", err(&ended));
    out(&ended)
}

fn hook(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a hook");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("runs");
}

#[test]
fn each_commit_is_told_and_uninstalled_it_is_as_before() {
    let fake = Fake::start(Mood::Well);
    let home = Home::signed_in(&fake.url);
    let repository = Repository::new(&home);
    let before = repository.folder.join(".git/hooks/post-commit");
    // A hook that ends early, with a failure that git does not mind.
    let theirs = "#!/bin/sh\necho theirs >> heard.log\nexit 1\n";
    hook(&before, theirs);
    ok(&home, &repository, &["install", "git", "--yes"]);
    assert!(ok(&home, &repository, &["install", "git", "--yes"]).contains("Nothing to do"));
    let text = fs::read_to_string(&before).expect("a hook");
    assert!(text.starts_with("#!/bin/sh\n") && text.contains("sync --hook") && text.contains("echo theirs"), "{text}");

    // Git runs hooks with its own environment, so the profile must be stored.
    ok(&home, &repository, &["login", "--url", &fake.url, "--key", "cairn_k_s"]);
    let commit = git_at_home(&home, &repository, &["commit", "-q", "--allow-empty", "-m", "told"]);
    assert!(commit, "a commit never fails for us");
    let head = repository.git(&["rev-parse", "HEAD"]);
    let told = || fake.known.lock().expect("known").pictures.iter().any(|picture| picture["commit"] == head.as_str());
    assert!(wait_for(told), "the commit is told");
    assert!(fs::read_to_string(repository.folder.join("heard.log")).expect("theirs ran").contains("theirs"));

    ok(&home, &repository, &["uninstall", "git", "--yes"]);
    assert_eq!(fs::read_to_string(&before).expect("a hook"), theirs);
    assert!(!repository.folder.join(".git/hooks/post-merge").exists());
    assert!(ok(&home, &repository, &["uninstall", "git", "--yes"]).contains("Nothing to do"));
}

#[test]
fn hooks_are_written_where_git_looks_for_them() {
    let home = Home::new();
    let repository = Repository::new(&home);
    repository.git(&["config", "core.hooksPath", "tools/hooks"]);
    ok(&home, &repository, &["install", "git", "--yes"]);
    for name in ["post-commit", "post-merge", "post-checkout", "post-rewrite"] {
        let path = repository.folder.join("tools/hooks").join(name);
        let mode = fs::metadata(&path).expect("a hook").permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{name} runs");
    }
    assert!(!repository.folder.join(".git/hooks/post-commit").exists());
}

#[test]
fn git_ends_well_where_there_is_nothing_to_tell() {
    let home = Home::new();
    let repository = Repository::new(&home);
    ok(&home, &repository, &["install", "git", "--yes"]);
    let restored = |why: &str| assert!(git_at_home(&home, &repository, &["checkout", "-q", "--", "auth.py"]), "{why}");
    restored("a checkout of single files");
    let hook = repository.folder.join(".git/hooks/post-checkout");
    fs::write(&hook, fs::read_to_string(&hook).expect("a hook").replace("cairn' ", "no-longer' ").replace("cairn' ]", "no-longer' ]"))
        .expect("a hook");
    assert!(git_at_home(&home, &repository, &["checkout", "-q", "-b", "side"]), "the program is gone");
}

#[test]
fn what_somebody_wrote_below_a_lost_end_stays() {
    let home = Home::new();
    let repository = Repository::new(&home);
    let path = repository.folder.join(".git/hooks/post-commit");
    hook(&path, "#!/bin/sh\necho theirs\n");
    ok(&home, &repository, &["install", "git", "--yes"]);
    let lost = fs::read_to_string(&path).expect("a hook").replace("# <<< cairn\n", "");
    fs::write(&path, lost).expect("a hook");
    ok(&home, &repository, &["uninstall", "git", "--yes"]);
    assert_eq!(fs::read_to_string(&path).expect("a hook"), "#!/bin/sh\necho theirs\n");
}

#[test]
fn a_hook_that_is_no_shell_script_is_left_alone() {
    let home = Home::new();
    let repository = Repository::new(&home);
    let path = repository.folder.join(".git/hooks/post-commit");
    hook(&path, "#!/usr/bin/env python3\nprint('theirs')\n");
    let ended = repository.cairn(&home, &["install", "git", "--yes"]);
    assert!(ended.status.code() == Some(1) && err(&ended).contains("no shell script"), "{}", err(&ended));
    assert!(!fs::read_to_string(&path).expect("a hook").contains("cairn"));
}

#[test]
fn with_the_server_away_or_nobody_signed_in_a_commit_is_a_commit() {
    let home = Home::new();
    let repository = Repository::new(&home);
    ok(&home, &repository, &["install", "git", "--yes"]);
    assert!(git_at_home(&home, &repository, &["commit", "-q", "--allow-empty", "-m", "alone"]));
    let quiet = repository.cairn(&home, &["sync", "--hook"]);
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{}", err(&quiet));
}

#[test]
fn a_rebase_is_told_when_it_is_over() {
    let fake = Fake::start(Mood::Well);
    let home = Home::signed_in(&fake.url);
    let repository = Repository::new(&home);
    repository.git(&["checkout", "-q", "-b", "topic"]);
    repository.write("topic.py", "def t():\n    pass\n");
    repository.commit("topic");
    repository.git(&["checkout", "-q", "main"]);
    repository.commit("main goes on");
    repository.git(&["checkout", "-q", "topic"]);
    ok(&home, &repository, &["install", "git", "--yes"]);
    ok(&home, &repository, &["login", "--url", &fake.url, "--key", "cairn_k_s"]);
    assert!(git_at_home(&home, &repository, &["rebase", "-q", "main"]));
    let head = repository.git(&["rev-parse", "HEAD"]);
    let told = || {
        let known = fake.known.lock().expect("known");
        known.pictures.iter().any(|picture| picture["commit"] == head.as_str() && picture["branch"] == "topic")
    };
    assert!(wait_for(told), "what came of it is told");
}

fn git_at_home(home: &Home, repository: &Repository, arguments: &[&str]) -> bool {
    let mut command = std::process::Command::new("git");
    command.current_dir(&repository.folder).args(["-c", "user.name=A", "-c", "user.email=a@b.example"]).args(arguments);
    command.env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin").status().expect("git").success()
}
