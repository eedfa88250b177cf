//! C2SP checkpoints: which tree, how large, and its root. Signed, they say all that there is to say about a trail.

use super::note::{self, NoteProblem};
use tlog_tiles::Hash;
use uuid::Uuid;

#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    pub origin: String,
    pub size: u64,
    pub root: Hash,
}

/// Which trail it is: the notary's name and the workspace's id, the nil one for the instance.
pub fn origin(name: &str, workspace: Uuid) -> String {
    format!("{name}/{workspace}")
}

impl Checkpoint {
    /// What is signed.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, self.root)
    }

    /// From a signed note, of which one of these keys has to be the signer; any, where none is given.
    pub fn read(note: &str, vkeys: &[impl AsRef<str>]) -> Result<Self, NoteProblem> {
        let text = if vkeys.is_empty() { note::text(note)? } else { note::verify(note, vkeys)? };
        Self::parse(&text).ok_or(NoteProblem::Malformed)
    }

    /// Nothing that could be written in another way, and no further lines: nobody could check what they say.
    fn parse(text: &str) -> Option<Self> {
        let parsed = tlog_tiles::Checkpoint::from_bytes(text.as_bytes()).ok()?;
        let read = Self { origin: parsed.origin().to_owned(), size: parsed.size(), root: *parsed.hash() };
        (read.text() == text).then_some(read)
    }
}
