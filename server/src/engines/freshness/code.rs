//! What became of the code under a memory: its fingerprint held against the newest picture of a branch.

use super::fingerprint::{Fingerprint, Of, outline};
use crate::model::code::{Fate, File, Standing, Symbol, leaf};
use std::{cell::OnceCell, collections::HashMap};

/// From here on a body counts as nearly the same.
const NEARLY: f32 = 0.5;

pub type Files = HashMap<String, File>;

/// A branch that has just been looked at again.
pub struct Branch<'a> {
    pub name: &'a str,
    /// The one that memories are judged on unless another is asked for.
    pub main: &'a str,
    pub commit: &'a str,
    /// Files that changed or went, as they were.
    pub before: &'a Files,
    /// Files that changed or came, as they are.
    pub now: &'a Files,
    /// Files that are as they were, as far as anybody asks for them.
    pub unchanged: &'a Files,
    /// What came with this picture, by body and by file; made when first asked for.
    pub came: OnceCell<Came<'a>>,
}

#[derive(Default)]
pub struct Came<'a> {
    by_body: HashMap<&'a str, Vec<(&'a File, &'a Symbol)>>,
    /// How many symbols with this body went.
    went: HashMap<&'a str, usize>,
}

/// Code that a memory hangs on, and what was said of it on this branch before.
#[derive(Clone, Debug)]
pub struct Anchored<'a> {
    pub path: &'a str,
    pub symbol: Option<&'a str>,
    pub fingerprint: Option<Fingerprint>,
    pub standing: Option<&'a Standing>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    pub verdict: Fate,
    pub path: String,
    pub symbol: Option<String>,
    pub since: String,
    /// Of what no picture had before: what it looks like.
    pub first_seen: Option<Fingerprint>,
}

/// What is at a place.
enum Here<'a> {
    File(&'a File),
    Symbol(&'a File, &'a Symbol),
    /// Nobody could look into the file.
    Closed,
    NoSymbol,
    NoFile,
}

impl<'a> Branch<'a> {
    /// Nothing where the picture does not have the place and never had: it is unresolved.
    pub fn judge(&self, anchor: &Anchored<'_>) -> Option<Found> {
        let last = anchor.standing.map(|last| (last.path.as_str(), last.symbol.as_deref()));
        let (path, symbol) = last.unwrap_or((anchor.path, anchor.symbol));
        let mut here = self.at(path, symbol);
        let Some(fingerprint) = &anchor.fingerprint else {
            return self.first_seen(&here);
        };
        // It may have gone back to where it was.
        if last.is_some_and(|last| last != (anchor.path, anchor.symbol)) {
            let missing = matches!(here, Here::NoSymbol | Here::NoFile);
            match self.at(anchor.path, anchor.symbol) {
                Here::File(file) if missing || same_file(fingerprint, file) => here = Here::File(file),
                Here::Symbol(file, symbol) if missing || compare(fingerprint, symbol) == Fate::Unchanged => {
                    here = Here::Symbol(file, symbol);
                }
                _ => {}
            }
        }
        match here {
            Here::Closed => anchor.standing.map(|last| self.found(anchor, last.verdict, &last.path, last.symbol.as_deref())),
            Here::File(file) => {
                let verdict = if same_file(fingerprint, file) { Fate::Unchanged } else { Fate::FileChanged };
                Some(self.found(anchor, self.unless_other(anchor, fingerprint, verdict), &file.path, None))
            }
            Here::Symbol(file, symbol) => {
                let verdict = self.unless_other(anchor, fingerprint, compare(fingerprint, symbol));
                Some(self.found(anchor, verdict, &file.path, Some(&symbol.name)))
            }
            missing @ (Here::NoSymbol | Here::NoFile) => {
                if let Some(found) = self.followed(anchor, fingerprint, path, symbol) {
                    return Some(found);
                }
                let verdict = match missing {
                    _ if self.never_was_here(anchor, fingerprint) => Fate::Absent,
                    Here::NoFile => Fate::FileGone,
                    _ => Fate::Removed,
                };
                Some(self.found(anchor, verdict, path, symbol))
            }
        }
    }

    fn file(&self, path: &str) -> Option<&'a File> {
        self.now.get(path).or_else(|| self.unchanged.get(path))
    }

    fn at(&self, path: &str, symbol: Option<&str>) -> Here<'a> {
        match (self.file(path), symbol) {
            (None, _) => Here::NoFile,
            (Some(file), None) => Here::File(file),
            (Some(file), Some(_)) if !file.parsed => Here::Closed,
            (Some(file), Some(name)) => file.meant(name).map_or(Here::NoSymbol, |symbol| Here::Symbol(file, symbol)),
        }
    }

    fn first_seen(&self, here: &Here<'_>) -> Option<Found> {
        let (path, symbol, seen) = match here {
            Here::File(file) => (&file.path, None, Fingerprint::of_file(file, self.name)),
            Here::Symbol(file, symbol) => (&file.path, Some(symbol.name.clone()), Fingerprint::of_symbol(symbol, self.name)),
            Here::Closed | Here::NoSymbol | Here::NoFile => return None,
        };
        Some(Found { verdict: Fate::Unchanged, path: path.clone(), symbol, since: self.commit.to_owned(), first_seen: Some(seen) })
    }

    /// What was written on another branch need not be true on this one; that is no change of this one.
    fn unless_other(&self, anchor: &Anchored<'_>, fingerprint: &Fingerprint, verdict: Fate) -> Fate {
        if verdict != Fate::Unchanged && self.never_was_here(anchor, fingerprint) { Fate::Differs } else { verdict }
    }

    /// Seen first on another branch that this one did not come from, and never yet as it was there.
    fn never_was_here(&self, anchor: &Anchored<'_>, fingerprint: &Fingerprint) -> bool {
        let seen_elsewhere = fingerprint.branch.as_deref().is_none_or(|seen| seen != self.name && seen != self.main);
        seen_elsewhere && anchor.standing.is_none_or(|last| matches!(last.verdict, Fate::Absent | Fate::Differs))
    }

    /// Where it went, if something that came with this picture is it.
    fn followed(&self, anchor: &Anchored<'_>, fingerprint: &Fingerprint, path: &str, symbol: Option<&str>) -> Option<Found> {
        let Some(name) = symbol else {
            let file = self.same_elsewhere(fingerprint)?;
            return Some(self.found(anchor, Fate::Unchanged, &file.path, None));
        };
        let was = self.before.get(path).and_then(|file| file.meant(name));
        let Of::Symbol { signature, body } = &fingerprint.of else { return None };
        let (signature, body) = was.map_or((signature, body), |was| (&was.signature, &was.body));
        let gone = anchor.standing.is_some_and(|last| matches!(last.verdict, Fate::Removed | Fate::FileGone));
        if let Some((file, symbol)) = self.same_body(path, name, signature, body, gone) {
            let verdict = self.unless_other(anchor, fingerprint, compare(fingerprint, symbol));
            return Some(self.found(anchor, verdict, &file.path, Some(&symbol.name)));
        }
        let (file, symbol) = self.nearly_same(path, name, was?)?;
        let verdict = match compare(fingerprint, symbol) {
            Fate::SignatureChanged => Fate::SignatureChanged,
            _ => Fate::RenamedAndChanged,
        };
        Some(self.found(anchor, verdict, &file.path, Some(&symbol.name)))
    }

    /// A file that came and is the one that went; only where there is one such.
    fn same_elsewhere(&self, fingerprint: &Fingerprint) -> Option<&'a File> {
        let mut came = self.now.values().filter(|file| !self.before.contains_key(&file.path) && same_file(fingerprint, file));
        came.next().filter(|_| came.next().is_none())
    }

    /// The one symbol with this body that came, the likelier the more of its name and place it kept.
    fn same_body(&self, path: &str, name: &str, signature: &str, body: &str, gone: bool) -> Option<(&'a File, &'a Symbol)> {
        let came = self.came.get_or_init(|| self.what_came());
        let likely = |file: &File, symbol: &Symbol| {
            let (same_signature, same_file) = (symbol.signature == signature, file.path == path);
            match () {
                () if symbol.name == name => 4,
                () if symbol.leaf() == leaf(name) && same_signature => 3,
                () if same_file && same_signature => 2,
                () if same_file || same_signature => 1,
                () => 0,
            }
        };
        let all = came.by_body.get(body)?;
        let best = all.iter().map(|(file, symbol)| likely(file, symbol)).max().filter(|best| *best > 0)?;
        // Of several that went, each could be this one, unless the name says which; and one that was gone before went nowhere now.
        if best < 3 && (gone || came.went.get(body).is_some_and(|went| *went > 1)) {
            return None;
        }
        let mut found = all.iter().filter(|(file, symbol)| likely(file, symbol) == best);
        found.next().filter(|_| found.next().is_none()).copied()
    }

    /// One that came in the same file and place, and is made of nearly the same.
    fn nearly_same(&self, path: &str, name: &str, was: &Symbol) -> Option<(&'a File, &'a Symbol)> {
        let (file, before) = (self.now.get(path)?, self.before.get(path)?);
        let parent = |name: &str| name.rsplit_once('.').map(|(parent, _)| parent.to_owned());
        let came = file.symbols.iter().filter(|one| one.kind == was.kind && parent(&one.name) == parent(name));
        let near = came.filter(|one| before.symbol(&one.name).is_none()).map(|one| (one, alike(&was.shingles, &one.shingles)));
        let (one, _) = near.filter(|(_, near)| *near >= NEARLY).max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((file, one))
    }

    fn what_came(&self) -> Came<'a> {
        let mut came = Came::default();
        for file in self.now.values() {
            let before = self.before.get(&file.path);
            let new = file.symbols.iter().filter(|one| before.is_none_or(|before| before.symbol(&one.name).is_none()));
            new.for_each(|one| came.by_body.entry(&one.body).or_default().push((file, one)));
        }
        for file in self.before.values() {
            let now = self.now.get(&file.path);
            let gone = file.symbols.iter().filter(|one| now.is_none_or(|now| now.symbol(&one.name).is_none()));
            gone.for_each(|one| *came.went.entry(&one.body).or_default() += 1);
        }
        came
    }

    fn found(&self, anchor: &Anchored<'_>, verdict: Fate, path: &str, symbol: Option<&str>) -> Found {
        let verdict = match (verdict, symbol, anchor.symbol) {
            (Fate::Unchanged, Some(now), Some(was)) if leaf(now) != leaf(was) => Fate::Renamed,
            (Fate::Unchanged, Some(now), Some(was)) if path != anchor.path || !(now == was || now.ends_with(&format!(".{was}"))) => {
                Fate::Moved
            }
            (Fate::Unchanged, None, _) if path != anchor.path => Fate::Moved,
            _ => verdict,
        };
        let since = anchor.standing.filter(|last| last.verdict == verdict).map_or(self.commit, |last| &last.since);
        Found { verdict, path: path.to_owned(), symbol: symbol.map(str::to_owned), since: since.to_owned(), first_seen: None }
    }
}

fn compare(fingerprint: &Fingerprint, symbol: &Symbol) -> Fate {
    match &fingerprint.of {
        Of::Symbol { signature, .. } if *signature != symbol.signature => Fate::SignatureChanged,
        Of::Symbol { body, .. } if *body != symbol.body => Fate::BodyChanged,
        _ => Fate::Unchanged,
    }
}

/// The file is what it was, to the letter or in all that its symbols say.
fn same_file(fingerprint: &Fingerprint, file: &File) -> bool {
    match &fingerprint.of {
        Of::File { sha256, outline: was } => *sha256 == file.sha256 || (was.is_some() && *was == outline(file)),
        // It was made of a symbol that the anchor no longer names.
        Of::Symbol { .. } => true,
    }
}

/// How much two bodies have in common, from their smallest hashes: of the smallest of both together, how many both have.
pub fn alike(one: &[u32], other: &[u32]) -> f32 {
    let most = one.len().max(other.len());
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    let (mut i, mut j, mut seen, mut both) = (0, 0, 0_usize, 0_usize);
    while seen < most && (i < one.len() || j < other.len()) {
        let (a, b) = (one.get(i).copied().unwrap_or(u32::MAX), other.get(j).copied().unwrap_or(u32::MAX));
        both += usize::from(a == b && i < one.len() && j < other.len());
        i += usize::from(a <= b);
        j += usize::from(b <= a);
        seen += 1;
    }
    ratio(both, seen)
}

#[expect(clippy::cast_precision_loss, reason = "at most 64 of 64")]
fn ratio(part: usize, of: usize) -> f32 {
    part as f32 / of as f32
}
