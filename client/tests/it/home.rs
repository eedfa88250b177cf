//! A person's machine: a home folder of its own, and `cairn` run in it.

use serde_json::Value;
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

pub struct Home {
    pub folder: TempDir,
    settings: Vec<(String, String)>,
}

/// While it lives, hooks believe that a flush runs, and start none.
pub struct NoFlush(#[expect(dead_code, reason = "held for its lock")] File);

impl Home {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a home"), settings: Vec::new() }
    }

    /// Signed in with a key from the environment.
    pub fn signed_in(url: &str) -> Self {
        Self::new().with("CAIRN_URL", url).with("CAIRN_KEY", "cairn_k_s")
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.current_dir(self.path()).env_clear().env("HOME", self.path()).env("PATH", "/usr/bin:/bin");
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(arguments, b"")
    }

    pub fn run_with(&self, arguments: &[&str], stdin: &[u8]) -> Output {
        let mut child = self.command().args(arguments).spawn().expect("cairn");
        feed(&mut child, stdin);
        child.wait_with_output().expect("an end")
    }

    pub fn hook(&self, tool: &str, payload: &[u8]) -> Output {
        self.run_with(&["hook", tool], payload)
    }

    pub fn state(&self) -> PathBuf {
        self.path().join(".local/state/cairn")
    }

    /// The only spool there is.
    pub fn spool(&self) -> PathBuf {
        let mut spools = fs::read_dir(self.state().join("spool")).expect("spools").flatten().map(|entry| entry.path());
        let one = spools.next().expect("a spool");
        assert_eq!(spools.next(), None, "one spool");
        one
    }

    pub fn no_flush(&self) -> NoFlush {
        let folder = self.state().join("spool/default");
        fs::create_dir_all(&folder).expect("a spool");
        let lock = File::create(folder.join("flush.lock")).expect("a lock");
        lock.lock().expect("the lock");
        NoFlush(lock)
    }

    /// What waits, oldest first.
    pub fn records(&self) -> Vec<Value> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.spool()).expect("the spool").flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|end| end == "segment") || path.ends_with("current"));
        files.sort();
        let text: String = files.iter().map(|path| fs::read_to_string(path).expect("a segment")).collect();
        text.lines().filter_map(|line| serde_json::from_str(line.split_once(' ')?.1).ok()).collect()
    }
}

/// Writes and closes; a process that does not read to the end is no failure of ours.
pub fn feed(child: &mut Child, bytes: &[u8]) {
    let mut stdin = child.stdin.take().expect("stdin");
    let _ = stdin.write_all(bytes);
}

pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
