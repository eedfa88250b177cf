//! Scan, sync and watch: what is told of code, when, and what never is.

use crate::{
    fake::{Fake, Mood},
    home::{Home, err, out},
};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

/// A repository with two files in two languages.
pub struct Repository {
    pub folder: PathBuf,
}

pub const AUTH: &str = "SECRET_PEPPER = 'zebra-hunter'\n\n\ndef authenticate_user(name, password):\n    # platypus says so\n    return check(name, password + 'giraffe')\n\n\ndef other():\n    return 1\n";
const LIB: &str = "pub fn alpaca_count(x: u32) -> u32 {\n    x + 1\n}\n";

impl Repository {
    pub fn new(home: &Home) -> Self {
        let folder = home.path().join("api");
        fs::create_dir_all(folder.join("src")).expect("folders");
        let repository = Self { folder };
        repository.git(&["init", "-q", "-b", "main"]);
        repository.git(&["remote", "add", "origin", "git@host.example:acme/api.git"]);
        repository.write("auth.py", AUTH);
        repository.write("src/lib.rs", LIB);
        repository.write("notes.txt", "wombat\n");
        repository.commit("first");
        repository
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(&self.folder).args(["-c", "user.name=A", "-c", "user.email=a@b.example"]).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        let output = command.output().expect("git");
        assert!(output.status.success(), "git {arguments:?}: {}", err(&output));
        out(&output).trim().to_owned()
    }

    pub fn cairn(&self, home: &Home, arguments: &[&str]) -> Output {
        home.command().current_dir(&self.folder).args(arguments).output().expect("cairn")
    }
}

pub fn done(output: &Output) -> Value {
    assert!(output.status.success(), "{}{}", out(output), err(output));
    serde_json::from_str(&out(output)).unwrap_or_default()
}

pub fn paths(picture: &Value) -> Vec<&str> {
    picture["files"].as_array().expect("files").iter().filter_map(|file| file["path"].as_str()).collect()
}

fn names(file: &Value) -> Vec<&str> {
    file["symbols"].as_array().expect("symbols").iter().filter_map(|symbol| symbol["name"].as_str()).collect()
}

#[test]
fn a_link_in_the_place_of_a_file_takes_away_what_the_file_said() {
    let fake = Fake::start(Mood::Well);
    let home = Home::signed_in(&fake.url);
    let repository = Repository::new(&home);
    done(&repository.cairn(&home, &["sync", "--json"]));
    repository.git(&["mv", "auth.py", "src/auth.py"]);
    std::os::unix::fs::symlink("src/auth.py", repository.folder.join("auth.py")).expect("a link");
    repository.commit("moved behind a link");
    done(&repository.cairn(&home, &["sync", "--json"]));
    let pictures = fake.known.lock().expect("known").pictures.clone();
    let step = pictures.last().expect("a picture");
    assert_eq!((paths(step), step["removed"][0].as_str()), (vec!["src/auth.py"], Some("auth.py")));
}

#[test]
fn a_commit_is_told_whole_the_first_time_and_then_what_changed() {
    let fake = Fake::start(Mood::Well);
    let home = Home::signed_in(&fake.url);
    let repository = Repository::new(&home);
    let first = repository.git(&["rev-parse", "HEAD"]);
    let said = done(&repository.cairn(&home, &["sync", "--json"]));
    assert_eq!((said["repo"].as_str(), said["branch"].as_str(), said["parsed"].as_u64()), (Some("acme/api"), Some("main"), Some(2)));

    repository.write("auth.py", &AUTH.replace("name, password):", "name, password, otp):"));
    fs::remove_file(repository.folder.join("notes.txt")).expect("gone");
    // What is not committed is not told.
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "second"]);
    repository.write("src/lib.rs", "fn half(");
    let second = repository.git(&["rev-parse", "HEAD"]);
    let said = done(&repository.cairn(&home, &["sync", "--json"]));
    assert_eq!((said["parsed"].as_u64(), said["removed"].as_u64()), (Some(1), Some(1)));
    let again = done(&repository.cairn(&home, &["sync", "--json"]));
    assert_eq!(again["sent"], false);

    let known = fake.known.lock().expect("known");
    let [whole, step] = &known.pictures[..] else { panic!("two pictures, not {}", known.pictures.len()) };
    assert_eq!((whole["commit"].as_str(), whole["complete"].as_bool(), whole.get("base")), (Some(first.as_str()), Some(true), None));
    assert_eq!(paths(whole), ["auth.py", "notes.txt", "src/lib.rs"]);
    assert_eq!(names(&whole["files"][0]), ["SECRET_PEPPER", "authenticate_user", "other"]);
    assert_eq!(whole["files"][1].get("symbols"), None);
    assert_eq!(
        (step["commit"].as_str(), step["base"].as_str(), step["complete"].as_bool()),
        (Some(second.as_str()), Some(first.as_str()), Some(false))
    );
    assert_eq!((paths(step), step["removed"][0].as_str()), (vec!["auth.py"], Some("notes.txt")));
    let (was, is) = (&whole["files"][0]["symbols"], &step["files"][0]["symbols"]);
    assert_eq!(was[2], is[2]);
    assert_eq!(was[1]["body_hash"], is[1]["body_hash"]);
    assert_ne!(was[1]["signature_hash"], is[1]["signature_hash"]);
}

#[test]
fn no_word_of_the_source_leaves_the_machine() {
    let fake = Fake::start(Mood::Well);
    let home = Home::signed_in(&fake.url);
    let repository = Repository::new(&home);
    done(&repository.cairn(&home, &["sync", "--json"]));
    repository.write("auth.py", &AUTH.replace("return 1", "return 'ocelot'"));
    done(&repository.cairn(&home, &["sync", "--working-tree", "--json"]));
    let scanned = out(&repository.cairn(&home, &["scan", "--json"]));
    let known = fake.known.lock().expect("known");
    let sent = String::from_utf8_lossy(&known.sent);
    assert!(sent.contains("authenticate_user") && sent.contains("body_hash"));
    for word in ["zebra", "platypus", "giraffe", "wombat", "ocelot", "password", "return", "check", "x + 1", "u32"] {
        assert!(!sent.contains(word), "{word} was sent");
        assert!(!scanned.contains(word), "{word} was printed");
    }
}

#[test]
fn what_was_parsed_once_is_not_parsed_again() {
    let home = Home::new();
    let repository = Repository::new(&home);
    assert_eq!(done(&repository.cairn(&home, &["scan", "--json"]))["parsed"], 2);
    let again = done(&repository.cairn(&home, &["scan", "--json"]));
    assert_eq!((again["parsed"].as_u64(), again["symbols"].as_u64()), (Some(0), Some(4)));
    // The same content at another place, in a folder that is no repository.
    let copy = home.path().join("copy");
    fs::create_dir_all(&copy).expect("a folder");
    fs::copy(repository.folder.join("auth.py"), copy.join("moved.py")).expect("a copy");
    assert_eq!(done(&repository.cairn(&home, &["scan", "--json", "../copy"]))["parsed"], 0);
    assert_eq!(done(&repository.cairn(&home, &["scan", "--json", "--fresh"]))["parsed"], 2);
}

#[test]
fn a_base_that_the_server_lost_is_answered_with_everything() {
    let fake = Fake::start(Mood::Well);
    let home = Home::signed_in(&fake.url);
    let repository = Repository::new(&home);
    done(&repository.cairn(&home, &["sync", "--json"]));
    // It speaks of a commit that we have, and refuses it as a base.
    fake.known.lock().expect("known").refuses_bases = true;
    repository.write("auth.py", "def f():\n    pass\n");
    repository.commit("second");
    done(&repository.cairn(&home, &["sync", "--json"]));
    let known = fake.known.lock().expect("known");
    let last = known.pictures.last().expect("a picture");
    assert_eq!((last["complete"].as_bool(), paths(last).len()), (Some(true), 3));
}

#[test]
fn a_new_branch_is_told_whole_and_parses_only_what_is_new() {
    let fake = Fake::start(Mood::Well);
    let home = Home::signed_in(&fake.url);
    let repository = Repository::new(&home);
    done(&repository.cairn(&home, &["sync", "--json"]));
    repository.git(&["checkout", "-q", "-b", "topic"]);
    repository.write("auth.py", "def f():\n    pass\n");
    repository.commit("second");
    let said = done(&repository.cairn(&home, &["sync", "--json"]));
    assert_eq!((said["branch"].as_str(), said["files"].as_u64(), said["parsed"].as_u64()), (Some("topic"), Some(3), Some(1)));
}

#[test]
fn a_tree_with_changes_is_never_taken_for_its_commit() {
    let fake = Fake::start(Mood::Well);
    let home = Home::signed_in(&fake.url);
    let repository = Repository::new(&home);
    let head = repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(done(&repository.cairn(&home, &["sync", "--working-tree", "--json"]))["commit"], head.as_str());
    repository.write("auth.py", &AUTH.replace("return 1", "return 2"));
    repository.write("new.py", "def fresh():\n    pass\n");
    repository.write(".gitignore", "ignored.py\n");
    repository.write("ignored.py", "def hidden():\n    pass\n");
    let dirty = done(&repository.cairn(&home, &["sync", "--working-tree", "--json"]));
    let commit = dirty["commit"].as_str().expect("a commit");
    assert!(commit.starts_with(&format!("{head}+dirty.")), "{commit}");
    assert_eq!(dirty["base"], head.as_str());
    fs::remove_file(repository.folder.join("new.py")).expect("gone");
    let dirtier = done(&repository.cairn(&home, &["sync", "--working-tree", "--json"]));
    assert_eq!((dirtier["base"].as_str(), dirtier["removed"].as_u64()), (Some(commit), Some(1)));
    // Committed, it is the commit again, as a step from what was told last.
    let second = repository.commit("second");
    let clean = done(&repository.cairn(&home, &["sync", "--json"]));
    assert_eq!((clean["commit"].as_str(), clean["base"].as_str()), (Some(second.as_str()), dirtier["commit"].as_str()));
    let known = fake.known.lock().expect("known");
    assert_eq!(paths(&known.pictures[1]), [".gitignore", "auth.py", "new.py"]);
}

#[test]
fn a_large_picture_comes_in_parts() {
    let fake = Fake::start(Mood::Well);
    let home = Home::signed_in(&fake.url);
    let repository = Repository::new(&home);
    let words = (0..14).map(|n| format!("    a{n} = b{n}(c{n})\n")).collect::<Vec<_>>().concat();
    for file in 0..12 {
        let text = (0..1100).map(|n| format!("def f{file}_{n}():\n{words}    return {n}\n")).collect::<Vec<_>>().concat();
        repository.write(&format!("big/{file}.py"), &text);
    }
    repository.commit("big");
    let said = done(&repository.cairn(&home, &["sync", "--json"]));
    let known = fake.known.lock().expect("known");
    let parts = said["parts"].as_u64().expect("parts");
    assert!(parts > 1 && known.pictures.len() as u64 == parts, "{said}");
    let all: usize = known.pictures.iter().map(|part| paths(part).len()).sum();
    assert_eq!(all, 15);
    for (at, part) in known.pictures.iter().enumerate() {
        assert_eq!(
            (part["part"].as_u64(), part["parts"].as_u64(), part["complete"].as_bool()),
            (Some(at as u64 + 1), Some(parts), Some(true))
        );
        assert!(part.to_string().len() < 10 * 1024 * 1024);
    }
}

#[test]
fn a_detached_head_needs_a_name_and_ci_gives_one() {
    let fake = Fake::start(Mood::Well);
    let home = Home::signed_in(&fake.url);
    let repository = Repository::new(&home);
    repository.git(&["checkout", "-q", "--detach"]);
    let ended = repository.cairn(&home, &["sync"]);
    assert!(ended.status.code() == Some(2) && err(&ended).contains("--branch"), "{}", err(&ended));
    let mut command = home.command();
    let ended =
        command.current_dir(&repository.folder).env("GITHUB_REF_NAME", "release/2").args(["sync", "--json"]).output().expect("cairn");
    assert_eq!(done(&ended)["branch"], "release/2");
    let said = done(&repository.cairn(&home, &["sync", "--json", "--branch", "mine", "--repo", "other"]));
    assert_eq!((said["branch"].as_str(), said["repo"].as_str()), (Some("mine"), Some("other")));
}

#[test]
fn the_working_tree_is_followed() {
    let fake = Fake::start(Mood::Well);
    let home = Home::signed_in(&fake.url);
    let repository = Repository::new(&home);
    let mut watching = home.command().current_dir(&repository.folder).args(["watch", "--rest", "50"]).spawn().expect("cairn");
    let told = |count: usize| wait_for(|| fake.known.lock().expect("known").pictures.len() >= count);
    assert!(told(1), "the tree as it is");
    repository.write("auth.py", &AUTH.replace("return 1", "return 2"));
    assert!(told(2), "a change");
    repository.git(&["checkout", "-q", "--", "auth.py"]);
    assert!(told(3), "and back");
    let _ = watching.kill();
    let _ = watching.wait();
    let known = fake.known.lock().expect("known");
    let commits: Vec<&str> = known.pictures.iter().filter_map(|picture| picture["commit"].as_str()).collect();
    assert!(commits[1].contains("+dirty."), "{commits:?}");
    assert_eq!(commits.last(), commits.first());
    assert_eq!(paths(&known.pictures[1]), ["auth.py"]);
}

pub fn wait_for(mut happened: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < Duration::from_mins(1) {
        if happened() {
            return true;
        }
        thread::sleep(Duration::from_millis(50));
    }
    false
}

/// What is in the way: each is passed over with a word, and the rest is read.
#[test]
fn hostile_files_are_passed_over_and_nothing_outside_is_read() {
    let home = Home::new();
    let outside = home.path().join("outside.py");
    fs::write(&outside, "def outsider():\n    pass\n").expect("a file");
    fs::create_dir_all(home.path().join("elsewhere")).expect("a folder");
    fs::write(home.path().join("elsewhere/deep.py"), "def deep_outsider():\n    pass\n").expect("a file");
    for (folder, in_git) in [("plain", false), ("repository", true)] {
        let root = home.path().join(folder);
        fs::create_dir_all(&root).expect("a folder");
        if in_git {
            let made = Command::new("git").args(["init", "-q"]).arg(&root).output().expect("git");
            assert!(made.status.success());
        }
        hostile(&root, &outside);
        let ended = home.command().args(["scan", "--json"]).arg(&root).output().expect("cairn");
        let said = done(&ended);
        let text = out(&ended);
        assert!(!text.contains("outsider"), "{folder}: {text}");
        let skipped: Vec<(&str, &str)> = said["skipped"]
            .as_array()
            .expect("skipped")
            .iter()
            .filter_map(|one| Some((one["path"].as_str()?, one["reason"].as_str()?)))
            .collect();
        for (path, reason) in [
            ("binary.py", "binary"),
            ("bad_text.py", "not UTF-8"),
            ("huge.js", "larger than 4 MB"),
            ("half.rs", "does not parse"),
            ("link.py", "a link"),
        ] {
            assert!(skipped.contains(&(path, reason)), "{folder}: {path} is not {reason}: {skipped:?}");
        }
        assert!(skipped.iter().any(|(path, _)| *path == "deep.c" || *path == "deep.json.js"), "{folder}: {skipped:?}");
        assert!(text.contains("\"good\""), "{folder}: the others are read");
        let plain = home.command().arg("scan").arg(&root).output().expect("cairn");
        assert!(out(&plain).contains("Passed over, binary: binary.py"), "{}", out(&plain));
    }
}

fn hostile(root: &Path, outside: &Path) {
    let write = |name: &str, bytes: &[u8]| fs::write(root.join(name), bytes).expect("a file");
    write("good.py", b"def good():\n    pass\n");
    write("binary.py", b"\x7fELF\0\0\0\0");
    write("bad_text.py", b"x = '\xff\xfe'\n");
    let huge = fs::File::create(root.join("huge.js")).expect("a file");
    huge.set_len(100 * 1024 * 1024).expect("100 MB");
    write("half.rs", b"fn whole() {}\nfn half() { let x = ");
    write("deep.json.js", format!("x = {}{}", "[".repeat(200_000), "]".repeat(200_000)).as_bytes());
    write("quotes.py", "'''\"".repeat(50_000).as_bytes());
    write("empty.ts", b"");
    std::os::unix::fs::symlink(outside, root.join("link.py")).expect("a link");
    std::os::unix::fs::symlink("../elsewhere", root.join("linked")).expect("a link");
    std::os::unix::fs::symlink("loop.py", root.join("loop.py")).expect("a link");
    let made = Command::new("mkfifo").arg(root.join("pipe.py")).status().expect("mkfifo");
    assert!(made.success());
}
