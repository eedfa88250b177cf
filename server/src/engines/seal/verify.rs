//! The check of an exported trail, line by line, with nothing but the file, public keys and an earlier checkpoint.

use super::{
    Checkpoint, Edge,
    export::{EntryLine, LastLine, read_proof},
    note::NoteProblem,
};
use std::fmt;
use tlog_tiles::{Hash, check_record, record_hash};

/// What does not hold, and at which entry where that can be said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    pub index: Option<u64>,
    pub why: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "entry {index} does not hold: {}", self.why),
            None => write!(f, "{}", self.why),
        }
    }
}

fn broken<T>(index: impl Into<Option<u64>>, why: impl Into<String>) -> Result<T, Broken> {
    Err(Broken { index: index.into(), why: why.into() })
}

/// What was found to hold, and what was not looked at.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    pub checkpoint: Checkpoint,
    pub entries: u64,
    pub complete: bool,
    pub signer_checked: bool,
    /// The size of the earlier checkpoint that it goes on from.
    pub since: Option<u64>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { checkpoint: Checkpoint { origin, size, root }, entries, .. } = self;
        if self.complete {
            writeln!(f, "{entries} entries of {origin}: complete up to the checkpoint of size {size}, and unchanged. Root {root}.")?;
        } else {
            writeln!(f, "{entries} entries of {origin}: authentic, each is in the checkpoint of size {size}; not complete. Root {root}.")?;
        }
        if self.signer_checked {
            writeln!(f, "The checkpoint is signed with a key you gave.")?;
        } else {
            writeln!(f, "NOT CHECKED: who signed the checkpoint. Give the server's verification key with --key.")?;
        }
        match self.since {
            Some(since) => {
                writeln!(f, "It goes on from your earlier checkpoint of size {since}: nothing before it was changed or cut off.")
            }
            None if self.complete => {
                writeln!(f, "NOT CHECKED: whether its end was cut off. Give a checkpoint you kept earlier with --since.")
            }
            None => writeln!(f, "NOT CHECKED: whether anything before was changed or cut off. That takes a complete export, and --since."),
        }
    }
}

/// Takes the last line first, for it says what the others are to be held against; then all of them in order.
pub struct Verifier {
    checkpoint: Checkpoint,
    complete: bool,
    signer_checked: bool,
    since: Option<Checkpoint>,
    edge: Edge,
    entries: u64,
    last: Option<u64>,
}

impl Verifier {
    /// `last` is without its line break. Without keys the signers are not checked.
    pub fn new(last: &str, vkeys: &[impl AsRef<str>], since: Option<&str>) -> Result<Self, Broken> {
        let Some(last) = LastLine::read(last) else {
            return broken(None, "the file does not end with a signed checkpoint, written as Cairn writes it: it was cut off or changed");
        };
        let checkpoint = Checkpoint::read(&last.checkpoint, vkeys).or_else(|problem| broken(None, told("the checkpoint", &problem)))?;
        let since = since
            .map(|note| Checkpoint::read(note, vkeys).or_else(|problem| broken(None, told("the earlier checkpoint", &problem))))
            .transpose()?;
        let (complete, signer_checked) = (last.complete, !vkeys.is_empty());
        let mut verifier = Self { checkpoint, complete, signer_checked, since, edge: Edge::default(), entries: 0, last: None };
        verifier.check_against_earlier()?;
        verifier.look_back()?;
        Ok(verifier)
    }

    fn check_against_earlier(&self) -> Result<(), Broken> {
        let Some(since) = &self.since else { return Ok(()) };
        let Checkpoint { origin, size, .. } = &self.checkpoint;
        if since.origin != *origin {
            return broken(None, format!("this is the trail of {origin}, and the earlier checkpoint is that of {}", since.origin));
        }
        if since.size > *size {
            return broken(*size, format!("the end was cut off: there were {} entries already, and now there are {size}", since.size));
        }
        if !self.complete {
            return broken(None, "a filtered export cannot be held against an earlier checkpoint: get a complete one, without filters");
        }
        Ok(())
    }

    /// The next line, without its line break.
    pub fn entry(&mut self, line: &str) -> Result<(), Broken> {
        let expected = if self.complete { Some(self.entries) } else { None };
        let Some(read) = EntryLine::read(line) else {
            return broken(expected, format!("line {} is not an entry, written as Cairn writes it", self.entries + 1));
        };
        let Some(index) = read.index() else {
            return broken(expected, format!("line {} does not say which entry it is", self.entries + 1));
        };
        let hash = record_hash(read.leaf.as_bytes());
        if self.complete {
            self.next_of_all(index, &read)?;
        } else {
            self.one_of_some(index, &read, hash)?;
        }
        if hash.to_string() != read.hash {
            return broken(index, "it was changed: its hash is another than the one beside it");
        }
        self.entries += 1;
        if self.complete {
            self.edge.push(hash, |_, _| ());
            self.look_back()?;
        }
        Ok(())
    }

    fn next_of_all(&self, index: u64, read: &EntryLine<'_>) -> Result<(), Broken> {
        match index {
            _ if read.proof.is_some() => broken(index, "it brings a proof of its own, which entries of a complete export do not"),
            _ if index != self.entries => {
                broken(self.entries, format!("entry {index} stands in its place: one is missing, moved or too many"))
            }
            _ if index >= self.checkpoint.size => broken(index, format!("the checkpoint speaks of {} entries only", self.checkpoint.size)),
            _ => Ok(()),
        }
    }

    fn one_of_some(&mut self, index: u64, read: &EntryLine<'_>, hash: Hash) -> Result<(), Broken> {
        if self.last.replace(index).is_some_and(|last| last >= index) {
            return broken(index, "the entries are not in their order");
        }
        let Some(proof) = read.proof.and_then(read_proof) else {
            return broken(index, "there is no proof beside it, written as Cairn writes it");
        };
        match check_record(&proof, self.checkpoint.size, self.checkpoint.root, index, hash) {
            Ok(()) => Ok(()),
            Err(_) => broken(index, "its proof does not lead to the signed checkpoint: it, or the proof, was changed"),
        }
    }

    /// At the size of the earlier checkpoint the root has to be what it was then.
    fn look_back(&mut self) -> Result<(), Broken> {
        match &self.since {
            Some(since) if self.complete && since.size == self.edge.size() && since.root != self.edge.root() => broken(
                0,
                format!("one of the first {} entries, or its hash, is not what it was when the earlier checkpoint was signed", since.size),
            ),
            _ => Ok(()),
        }
    }

    /// After the last entry.
    pub fn finish(self) -> Result<Report, Broken> {
        let Checkpoint { size, root, .. } = &self.checkpoint;
        if self.complete && self.entries != *size {
            return broken(self.entries, format!("it is missing: the checkpoint speaks of {size} entries, and {} are here", self.entries));
        }
        if self.complete && self.edge.root() != *root {
            return broken(
                0,
                "the entries do not add up to the root that was signed: at least one of them was changed together with its hash",
            );
        }
        Ok(Report {
            since: self.since.as_ref().map(|since| since.size),
            entries: self.entries,
            complete: self.complete,
            signer_checked: self.signer_checked,
            checkpoint: self.checkpoint,
        })
    }
}

fn told(what: &str, problem: &NoteProblem) -> String {
    match problem {
        NoteProblem::Malformed => format!("{what} is not a C2SP checkpoint"),
        NoteProblem::Unknown => {
            format!("{what} is signed with none of the keys given. If keys were changed since, give those before with --key too")
        }
        other => format!("{what} does not hold: {other}"),
    }
}

/// A whole export that lies in memory.
pub fn verify(export: &[u8], vkeys: &[impl AsRef<str>], since: Option<&str>) -> Result<Report, Broken> {
    let Ok(text) = std::str::from_utf8(export) else {
        return broken(None, "the file is not UTF-8: it was changed");
    };
    let Some(text) = text.strip_suffix('\n') else {
        return broken(None, "the file does not end with a line break: it was cut off or changed");
    };
    let (entries, last) = text.rsplit_once('\n').map_or((None, text), |(entries, last)| (Some(entries), last));
    let mut verifier = Verifier::new(last, vkeys, since)?;
    for line in entries.into_iter().flat_map(|entries| entries.split('\n')) {
        verifier.entry(line)?;
    }
    verifier.finish()
}
