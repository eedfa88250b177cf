//! What a checkout tells of its branch, and when it keeps quiet.

use crate::{
    code::{AUTH, Repository, done, paths},
    fake::{Fake, Mood},
    home::{Home, out},
};
use serde_json::{Value, json};
use std::process::Command;

fn signed_in() -> (Fake, Home, Repository) {
    let fake = Fake::start(Mood::Well);
    let home = Home::signed_in(&fake.url);
    let repository = Repository::new(&home);
    (fake, home, repository)
}

fn pictures(fake: &Fake) -> Vec<Value> {
    fake.known.lock().expect("known").pictures.clone()
}

#[test]
fn an_older_checkout_sets_nobody_back() {
    let (fake, home, repository) = signed_in();
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.write("auth.py", "def f():\n    pass\n");
    let second = repository.commit("second");
    done(&repository.cairn(&home, &["sync", "--json"]));
    repository.git(&["reset", "-q", "--hard", &first]);
    let said = done(&repository.cairn(&home, &["sync", "--json"]));
    assert_eq!((said["sent"].as_bool(), said["newer"].as_str()), (Some(false), Some(second.as_str())), "{said}");
    let words = out(&repository.cairn(&home, &["sync"]));
    assert!(words.contains(&second[..8]) && words.contains("--complete"), "{words}");
    assert_eq!(pictures(&fake).len(), 1);
    // What was told of a tree with changes is as new as its commit.
    repository.git(&["reset", "-q", "--hard", &second]);
    repository.write("auth.py", "def g():\n    pass\n");
    done(&repository.cairn(&home, &["sync", "--working-tree", "--json"]));
    repository.git(&["reset", "-q", "--hard", &first]);
    assert_eq!(done(&repository.cairn(&home, &["sync", "--json"]))["sent"], false);
    // Another history is no older one, and who means it is heard.
    repository.write("auth.py", "def h():\n    pass\n");
    let other = repository.commit("instead of the second");
    assert_eq!(done(&repository.cairn(&home, &["sync", "--json"]))["commit"], other.as_str());
    repository.git(&["reset", "-q", "--hard", &first]);
    let back = done(&repository.cairn(&home, &["sync", "--json", "--complete"]));
    assert_eq!((back["sent"].as_bool(), back["commit"].as_str()), (Some(true), Some(first.as_str())));
}

#[test]
fn a_hook_waits_for_what_is_fetched_already() {
    let (fake, home, repository) = signed_in();
    let first = repository.git(&["rev-parse", "HEAD"]);
    let second = repository.commit("second");
    repository.git(&["update-ref", "refs/remotes/origin/main", &second]);
    repository.git(&["config", "branch.main.remote", "origin"]);
    repository.git(&["config", "branch.main.merge", "refs/heads/main"]);
    repository.git(&["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
    repository.git(&["reset", "-q", "--hard", &first]);
    repository.cairn(&home, &["sync", "--hook"]);
    assert_eq!(pictures(&fake).len(), 0, "it is behind what it follows");
    repository.git(&["merge", "-q", "--ff-only", "origin/main"]);
    repository.cairn(&home, &["sync", "--hook"]);
    assert_eq!(pictures(&fake)[0]["commit"], second.as_str());
}

#[test]
fn where_a_repository_begins_is_told() {
    let (fake, home, repository) = signed_in();
    done(&repository.cairn(&home, &["sync", "--json"]));
    repository.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop"]);
    repository.commit("second");
    done(&repository.cairn(&home, &["sync", "--json"]));
    repository.commit("third");
    done(&repository.cairn(&home, &["sync", "--json", "--default-branch", "trunk"]));
    let said: Vec<Value> = pictures(&fake).iter().map(|picture| picture["default_branch"].clone()).collect();
    assert_eq!(said, [Value::Null, json!("develop"), json!("trunk")]);
}

#[test]
fn what_cannot_be_read_is_not_gone() {
    let (fake, home, repository) = signed_in();
    done(&repository.cairn(&home, &["sync", "--working-tree", "--json"]));
    let path = repository.folder.join("auth.py");
    std::fs::remove_file(&path).expect("gone");
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    let said = done(&repository.cairn(&home, &["sync", "--working-tree", "--complete", "--json"]));
    assert_eq!(said["skipped"][0]["reason"], "cannot be read", "{said}");
    let pictures = pictures(&fake);
    assert_eq!(paths(&pictures[1]), paths(&pictures[0]), "it is there");
    assert_eq!(pictures[1]["files"][0]["sha256"], pictures[0]["files"][0]["sha256"], "as it was last added");
}

#[test]
fn a_part_of_a_repository_is_looked_at_by_the_rules_of_the_whole() {
    let (_fake, home, repository) = signed_in();
    repository.write(".gitignore", "generated/\n");
    repository.write("sub/a.py", AUTH);
    repository.write("sub/generated/b.py", AUTH);
    let scan = |folder: &str| done(&repository.cairn(&home, &["scan", "--json", folder]));
    assert_eq!(paths(&scan("sub")), ["sub/a.py"]);
    assert_eq!(paths(&scan("sub/generated")), ["b.py"], "who asks for it sees it");
}

#[test]
fn a_question_and_a_brief_come_from_a_branch() {
    let (fake, home, repository) = signed_in();
    repository.git(&["checkout", "-q", "-b", "topic"]);
    repository.cairn(&home, &["recall", "what holds?"]);
    repository.cairn(&home, &["recall", "--branch", "main", "what holds?"]);
    repository.cairn(&home, &["context"]);
    let known = fake.known.lock().expect("known");
    let of = |door: &str| -> Vec<&Value> {
        known.requests.iter().filter(|(path, _)| path.ends_with(door)).map(|(_, body)| &body["branch"]).collect()
    };
    assert_eq!(of("/recall"), [&json!("topic"), &json!("main")]);
    assert_eq!(of("/context"), [&json!("topic")]);
}
