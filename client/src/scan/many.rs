//! Many files at once, on all cores: what the cache knows is not read, the rest is parsed, and no more than a file per core
//! is in memory.

use super::{
    LARGEST, Language, Passed, Scanned,
    cache::Cache,
    git::{Content, Contents, Git, Listed, Mode},
    scan, tree,
};
use std::{
    path::Path,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// Kept in the cache together.
const BATCH: usize = 500;

/// A file and what is in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    pub path: String,
    /// Its git id: the same id, the same content.
    pub blob: String,
    pub scanned: Scanned,
}

#[derive(Debug, Default)]
pub struct Scan {
    pub files: Vec<Known>,
    pub passed: Vec<(String, Passed)>,
    /// How many were parsed now; the others were known.
    pub parsed: usize,
}

impl Scan {
    pub fn symbols(&self) -> usize {
        self.files.iter().map(|file| file.scanned.symbols.len()).sum()
    }

    pub fn lines(&self) -> u64 {
        self.files.iter().map(|file| u64::from(file.scanned.lines)).sum()
    }
}

/// Where contents come from.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    Git(&'a Git),
    Folder(&'a Path),
}

impl<'a> Source<'a> {
    fn root(self) -> &'a Path {
        match self {
            Self::Git(git) => git.root(),
            Self::Folder(root) => root,
        }
    }
}

/// A folder, whatever it is.
pub fn scan_folder(root: &Path, cache: &mut Cache, told: impl FnMut(usize, usize)) -> Scan {
    let walked = tree::walk(root);
    let listed = walked.paths.into_iter().map(|path| Listed { path, mode: Mode::File, blob: None, added: None }).collect();
    let mut scan = scan_listed(Source::Folder(root), listed, cache, told);
    scan.passed.extend(walked.passed);
    scan.passed.sort_unstable();
    scan
}

/// Files as git lists them; those without an id are read where they lie.
pub fn scan_listed(source: Source<'_>, listed: Vec<Listed>, cache: &mut Cache, mut told: impl FnMut(usize, usize)) -> Scan {
    let mut done = Scan::default();
    let mut unread = Vec::new();
    for file in listed {
        match (file.mode, file.blob) {
            (Mode::Module, _) => {}
            _ if !is_tellable(&file.path) => done.passed.push((file.path, Passed::Unreadable)),
            (Mode::Link, _) => done.passed.push((file.path, Passed::Link)),
            (Mode::File, Some(blob)) => known_or(file.path, blob, cache, &mut done, &mut unread),
            (Mode::File, None) => unread.push(Unread { path: file.path, blob: None, added: file.added }),
        }
    }
    let all = done.files.len() + unread.len();
    told(done.files.len(), all);
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(2, usize::from).min(unread.len()).min(32);
    thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel(64);
        for _ in 0..workers {
            let (send, next, unread) = (send.clone(), &next, &unread);
            // A parser has a stack of its own, but grammars' scanners are not ours.
            let worker = move || work(source, unread, next, &send);
            let _ = thread::Builder::new().stack_size(8 * 1024 * 1024).spawn_scoped(scope, worker);
        }
        drop(send);
        let mut batch = Vec::new();
        for (at, read) in receive {
            let file = &unread[at];
            match read {
                Err(passed) => done.passed.push((file.path.clone(), passed)),
                Ok(Fresh { blob, scanned, parsed }) => {
                    if let Some(language) = Language::of(&file.path).filter(|_| parsed) {
                        done.parsed += 1;
                        batch.push((blob.clone(), language, scanned.clone()));
                    }
                    take(&mut done, Known { path: file.path.clone(), blob, scanned });
                }
            }
            told(done.files.len(), all);
            if batch.len() >= BATCH {
                cache.put(&batch);
                batch.clear();
            }
        }
        cache.put(&batch);
    });
    done.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    done.passed.sort_unstable();
    done
}

/// A path that a server takes, and that was not garbled on the way here.
fn is_tellable(path: &str) -> bool {
    path.len() <= 1024 && !path.chars().any(|c| c.is_control() || c == char::REPLACEMENT_CHARACTER)
}

struct Unread {
    path: String,
    blob: Option<String>,
    added: Option<String>,
}

fn known_or(path: String, blob: String, cache: &Cache, done: &mut Scan, unread: &mut Vec<Unread>) {
    let Some(language) = Language::of(&path) else {
        take(done, Known { path, scanned: unparsed(&blob, None), blob });
        return;
    };
    match cache.get(&blob, language) {
        Some(scanned) => take(done, Known { path, blob, scanned }),
        None => unread.push(Unread { path, blob: Some(blob), added: None }),
    }
}

fn take(done: &mut Scan, file: Known) {
    if let Some(passed) = file.scanned.passed {
        done.passed.push((file.path.clone(), passed));
    }
    done.files.push(file);
}

/// Known by git's id alone.
fn unparsed(blob: &str, passed: Option<Passed>) -> Scanned {
    Scanned { digest: blob.to_owned(), symbols: Vec::new(), lines: 0, passed }
}

/// What was read, and whether it had to be parsed.
struct Fresh {
    blob: String,
    scanned: Scanned,
    parsed: bool,
}

type Read = (usize, Result<Fresh, Passed>);

fn work(source: Source<'_>, unread: &[Unread], next: &AtomicUsize, send: &mpsc::SyncSender<Read>) {
    let mut contents = None;
    // Opened once per worker: what a folder's file holds may be known though its id was not.
    let cache = match source {
        Source::Git(_) => Cache::none(),
        Source::Folder(_) => Cache::open(),
    };
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(file) = unread.get(at) else { return };
        if send.send((at, read(source, file, &mut contents, &cache))).is_err() {
            return;
        }
    }
}

fn read(source: Source<'_>, file: &Unread, contents: &mut Option<Contents>, cache: &Cache) -> Result<Fresh, Passed> {
    if let (Some(blob), Source::Git(git)) = (&file.blob, source) {
        return Ok(in_git(git, &file.path, blob, contents));
    }
    let opened = match (tree::open(source.root(), &file.path), &file.added, source) {
        // It is there: what it was when it was added is nearer the truth than that it is gone.
        (Err(Passed::Unreadable), Some(added), Source::Git(git)) => {
            let was = in_git(git, &file.path, added, contents);
            return Ok(Fresh { scanned: Scanned { passed: Some(Passed::Unreadable), ..was.scanned }, parsed: false, ..was });
        }
        (opened, ..) => opened?,
    };
    let Some(language) = Language::of(&file.path) else {
        return Ok(Fresh { scanned: unparsed(&opened.blob, None), blob: opened.blob, parsed: false });
    };
    if let Some(scanned) = cache.get(&opened.blob, language) {
        return Ok(Fresh { blob: opened.blob, scanned, parsed: false });
    }
    let scanned = match opened.bytes {
        Some(bytes) => of_bytes(&file.path, &bytes, &opened.blob),
        None => unparsed(&opened.blob, Some(Passed::TooLarge)),
    };
    Ok(Fresh { blob: opened.blob, scanned, parsed: true })
}

/// Of a content that git has lost, too, its id is known.
fn in_git(git: &Git, path: &str, blob: &str, contents: &mut Option<Contents>) -> Fresh {
    if contents.is_none() {
        *contents = git.contents().ok();
    }
    let content = contents.as_mut().and_then(|contents| contents.read(blob, LARGEST).ok());
    let (scanned, parsed) = match content {
        Some(Content::Bytes(bytes)) => (of_bytes(path, &bytes, blob), true),
        Some(Content::TooLarge) => (unparsed(blob, Some(Passed::TooLarge)), true),
        Some(Content::Missing) | None => {
            *contents = None;
            (unparsed(blob, Some(Passed::Unreadable)), false)
        }
    };
    Fresh { blob: blob.to_owned(), scanned, parsed }
}

/// A file that could not be parsed has the digest that git gives it, from wherever it was read.
fn of_bytes(path: &str, bytes: &[u8], blob: &str) -> Scanned {
    let scanned = scan(path, bytes);
    if scanned.passed.is_some() { unparsed(blob, scanned.passed) } else { scanned }
}
