//! Git, asked as a program: what a commit holds, what the working tree holds, what lies between two commits.

use crate::failure::Failure;
use std::{
    collections::HashSet,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// What is set while git runs a hook speaks of the hook's business.
const INHERITED: [&str; 6] =
    ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"];

#[derive(Clone)]
pub struct Git {
    root: PathBuf,
}

/// A file as git knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub path: String,
    pub mode: Mode,
    /// Of a file in the working tree that is not as it was last added: nothing.
    pub blob: Option<String>,
    /// Of such a file, what it was: it counts where the file cannot be read.
    pub added: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    File,
    Link,
    /// A repository in this one; its code is its own.
    Module,
}

/// What differs between two commits.
#[derive(Debug, Default)]
pub struct Difference {
    pub changed: Vec<Listed>,
    pub removed: Vec<String>,
}

impl Git {
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn head(&self) -> Result<String, Failure> {
        let said = self.ask(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        said.map(|id| id.trim().to_owned()).map_err(|_| Failure::Failed("there is no commit yet: commit something first".to_owned()))
    }

    pub fn branch(&self) -> Option<String> {
        let name = self.ask(&["symbolic-ref", "--quiet", "--short", "HEAD"]).ok()?;
        Some(name.trim().to_owned()).filter(|name| !name.is_empty())
    }

    pub fn remote(&self) -> Option<String> {
        let url = self.ask(&["config", "--get", "remote.origin.url"]).ok()?;
        Some(url.trim().to_owned()).filter(|url| !url.is_empty())
    }

    /// The branch that a clone of `origin` begins on, as far as this one knows.
    pub fn default_branch(&self) -> Option<String> {
        let name = self.ask(&["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"]).ok()?;
        name.trim().strip_prefix("origin/").map(str::to_owned)
    }

    /// What the branch that is checked out follows.
    pub fn upstream(&self) -> Option<String> {
        let id = self.ask(&["rev-parse", "--verify", "--quiet", "@{upstream}^{commit}"]).ok()?;
        Some(id.trim().to_owned()).filter(|id| !id.is_empty())
    }

    /// Whether one commit came before another, as far as we have both.
    pub fn is_before(&self, one: &str, other: &str) -> bool {
        one != other && self.has_commit(other) && self.ask(&["merge-base", "--is-ancestor", one, other]).is_ok()
    }

    /// Whether git looks away from a folder.
    pub fn ignores(&self, path: &Path) -> bool {
        self.ask(&["check-ignore", "-q", &path.to_string_lossy()]).is_ok()
    }

    /// Files that git follows though a rule says that it should not.
    pub fn followed_all_the_same(&self) -> Vec<PathBuf> {
        self.paths(&["ls-files", "-c", "-i", "-z", "--exclude-standard"])
    }

    /// Files with rules of what to ignore.
    pub fn rules(&self) -> Vec<PathBuf> {
        let mut rules = self.paths(&["ls-files", "-c", "-o", "-z", "--exclude-standard", "--", ":(glob)**/.gitignore"]);
        rules.extend(self.path("info/exclude"));
        rules
    }

    fn paths(&self, arguments: &[&str]) -> Vec<PathBuf> {
        let said = self.ask(arguments).unwrap_or_default();
        said.split('\0').filter(|path| !path.is_empty()).map(|path| self.root.join(path)).collect()
    }

    pub fn path(&self, name: &str) -> Result<PathBuf, Failure> {
        Ok(self.root.join(self.ask(&["rev-parse", "--git-path", name])?.trim_end_matches('\n')))
    }

    pub fn has_commit(&self, id: &str) -> bool {
        let plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain && self.ask(&["cat-file", "-e", &format!("{id}^{{commit}}")]).is_ok()
    }

    /// Everything that a commit holds.
    pub fn commit(&self, id: &str) -> Result<Vec<Listed>, Failure> {
        Ok(self.ask(&["ls-tree", "-r", "-z", "--full-tree", id])?.split('\0').filter_map(listed).collect())
    }

    pub fn difference(&self, from: &str, to: &str) -> Result<Difference, Failure> {
        let said = self.ask(&["diff-tree", "-r", "-z", "--no-renames", "--full-index", from, to])?;
        let mut found = Difference::default();
        let mut parts = said.split('\0');
        // `:100644 100644 <id> <id> M`, then the path.
        while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
            let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
            let [was, mode, _, blob, status] = words[..] else { continue };
            match (status, mode_of(mode)) {
                ("D", _) | (_, None) => found.removed.push(path.to_owned()),
                (_, Some(mode)) => {
                    // A link in the place of a file: what the file said is gone.
                    if mode != Mode::File && mode_of(was) == Some(Mode::File) {
                        found.removed.push(path.to_owned());
                    }
                    found.changed.push(Listed { path: path.to_owned(), mode, blob: Some(blob.to_owned()), added: None });
                }
            }
        }
        Ok(found)
    }

    /// The working tree: what git follows, as it is now, and what it would if asked; nothing that is ignored.
    pub fn working_tree(&self) -> Result<Vec<Listed>, Failure> {
        let followed = self.ask(&["ls-files", "-s", "-z"])?;
        let touched = self.ask(&["diff-files", "-z", "--name-only"])?;
        let gone = self.ask(&["ls-files", "-d", "-z"])?;
        let others = self.ask(&["ls-files", "-o", "-z", "--exclude-standard"])?;
        let touched: HashSet<&str> = touched.split('\0').collect();
        let gone: HashSet<&str> = gone.split('\0').collect();
        let mut seen = HashSet::new();
        let mut files: Vec<Listed> = followed
            .split('\0')
            .filter_map(|line| {
                // `100644 <id> <stage>\t<path>`; a path in conflict is there up to three times.
                let (head, path) = line.split_once('\t')?;
                let mut words = head.split(' ');
                let (mode, blob) = (mode_of(words.next()?)?, words.next()?);
                let clean = !touched.contains(path);
                (!gone.contains(path) && seen.insert(path)).then(|| Listed {
                    path: path.to_owned(),
                    mode,
                    blob: clean.then(|| blob.to_owned()),
                    added: (!clean).then(|| blob.to_owned()),
                })
            })
            .collect();
        let more = others.split('\0').filter(|path| !path.is_empty() && !path.ends_with('/'));
        files.extend(more.map(|path| Listed { path: path.to_owned(), mode: Mode::File, blob: None, added: None }));
        Ok(files)
    }

    /// Reads contents, one after the other.
    pub fn contents(&self) -> Result<Contents, Failure> {
        let mut child = self
            .command(&["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|wrong| Failure::Failed(format!("git cannot be run: {wrong}")))?;
        let (Some(ask), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::Failed("git cannot be asked".to_owned()));
        };
        Ok(Contents { child, ask: Some(ask), answers: BufReader::with_capacity(256 * 1024, answers) })
    }

    fn ask(&self, arguments: &[&str]) -> Result<String, Failure> {
        let output = self.command(arguments).output().map_err(|wrong| Failure::Failed(format!("git cannot be run: {wrong}")))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(Failure::Failed(format!("git {} failed: {}", arguments.first().unwrap_or(&""), said.trim())));
        }
        // A path that is no UTF-8 comes out garbled, is not found under that name, and is said to be unreadable.
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.root).args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"]).args(arguments);
        for name in INHERITED {
            command.env_remove(name);
        }
        command.env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C").stdin(Stdio::null()).stderr(Stdio::null());
        if arguments.first() != Some(&"cat-file") {
            command.stderr(Stdio::piped());
        }
        command
    }
}

/// `git cat-file --batch`.
pub struct Contents {
    child: Child,
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// What became of asking for a content.
pub enum Content {
    Bytes(Vec<u8>),
    /// Its size; it was not kept.
    TooLarge,
    Missing,
}

impl Contents {
    pub fn read(&mut self, blob: &str, largest: u64) -> std::io::Result<Content> {
        let Some(ask) = &mut self.ask else { return Ok(Content::Missing) };
        writeln!(ask, "{blob}")?;
        ask.flush()?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        // `<id> blob <size>`, or `<id> missing`.
        let Some(size) = head
            .trim_end()
            .rsplit_once(" blob ")
            .or_else(|| head.trim_end().rsplit_once(' '))
            .and_then(|(_, size)| size.parse::<u64>().ok())
        else {
            return Ok(Content::Missing);
        };
        let mut content = (&mut self.answers).take(size);
        let answer = if size > largest {
            std::io::copy(&mut content, &mut std::io::sink())?;
            Content::TooLarge
        } else {
            let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
            content.read_to_end(&mut bytes)?;
            Content::Bytes(bytes)
        };
        self.answers.read_exact(&mut [0])?;
        Ok(answer)
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        drop(self.ask.take());
        let _ = self.child.wait();
    }
}

/// `100644 blob <id>\t<path>`
fn listed(line: &str) -> Option<Listed> {
    let (head, path) = line.split_once('\t')?;
    let mut words = head.split(' ');
    let (mode, _, blob) = (mode_of(words.next()?)?, words.next()?, words.next()?);
    Some(Listed { path: path.to_owned(), mode, blob: Some(blob.to_owned()), added: None })
}

fn mode_of(mode: &str) -> Option<Mode> {
    match mode {
        "100644" | "100755" | "100664" => Some(Mode::File),
        "120000" => Some(Mode::Link),
        "160000" => Some(Mode::Module),
        _ => None,
    }
}
