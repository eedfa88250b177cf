//! A developer's machine: a home of its own, and the real `cairn` in it.

use crate::Failure;
use serde_json::Value;
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

pub struct Machine {
    home: TempDir,
    program: PathBuf,
    /// Held so that hooks start no process of their own: when their words are delivered shall not be left to chance.
    lock: Option<File>,
}

pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Machine {
    pub fn new(program: &Path, url: &str, key: &str, folder: &Path) -> Result<Self, Failure> {
        let mut machine = Self { home: tempfile::tempdir()?, program: program.to_owned(), lock: None };
        machine.does(folder, &["login", "--url", url, "--key", key])?;
        machine.hold()?;
        Ok(machine)
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    pub fn transcript(&self) -> PathBuf {
        self.home.path().join("transcript.jsonl")
    }

    /// One line of the tool's own transcript.
    pub fn transcribe(&self, entry: &Value) -> Result<(), Failure> {
        let mut file = File::options().create(true).append(true).open(self.transcript())?;
        Ok(writeln!(file, "{entry}")?)
    }

    pub fn run(&self, folder: &Path, arguments: &[&str], stdin: &str) -> Result<Ended, Failure> {
        let mut child = Command::new(&self.program)
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut pipe) = child.stdin.take() {
            // A program that does not read is not a failure.
            let _ = pipe.write_all(stdin.as_bytes());
        }
        let done = child.wait_with_output()?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Ended { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) })
    }

    pub fn does(&self, folder: &Path, arguments: &[&str]) -> Result<String, Failure> {
        let done = self.run(folder, arguments, "")?;
        if done.code == Some(0) { Ok(done.out) } else { Err(format!("cairn {}: {}", arguments.join(" "), done.err).into()) }
    }

    pub fn asks(&self, folder: &Path, arguments: &[&str]) -> Result<Value, Failure> {
        Ok(serde_json::from_str(&self.does(folder, arguments)?)?)
    }

    pub fn hook(&self, folder: &Path, payload: &Value) -> Result<String, Failure> {
        Ok(self.run(folder, &["hook", "claude-code"], &payload.to_string())?.out)
    }

    /// As git's hook does after a commit, where `cairn install git` put it.
    pub fn syncs(&self, folder: &Path) -> Result<(), Failure> {
        self.does(folder, &["sync"]).map(drop)
    }

    /// Brings what the hooks heard to the server, as the process they start does within a second.
    pub fn deliver(&mut self, folder: &Path) -> Result<(), Failure> {
        self.lock = None;
        self.does(folder, &["flush", "--wait"])?;
        self.hold()
    }

    fn hold(&mut self) -> Result<(), Failure> {
        let spool = self.home.path().join(".local/state/cairn/spool/default");
        fs::create_dir_all(&spool)?;
        let lock = File::create(spool.join("flush.lock"))?;
        lock.lock()?;
        self.lock = Some(lock);
        Ok(())
    }
}

/// How often these words stand in files below a folder, in bytes, and where.
pub fn bytes_in(folder: &Path, words: &[String]) -> Result<(u64, Vec<PathBuf>), Failure> {
    let (mut bytes, mut places, mut folders) = (0, Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let Ok(content) = fs::read(&path) else { continue };
            let found = occurrences(&content, words);
            if found > 0 {
                bytes += found;
                places.push(path);
            }
        }
    }
    Ok((bytes, places))
}

pub fn occurrences(content: &[u8], words: &[String]) -> u64 {
    words.iter().map(|word| (memchr::memmem::find_iter(content, word.as_bytes()).count() * word.len()) as u64).sum()
}
