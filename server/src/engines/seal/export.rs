//! The lines of an exported trail. Each byte of them is checked, so there is one way only to write each.

use super::note;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use tlog_tiles::Hash;

/// An entry, its hash, and in a filtered export the proof that it is in the tree.
pub fn entry_line(leaf: &str, hash: Hash, proof: Option<&[Hash]>) -> String {
    let mut line = format!("{{\"entry\":{leaf},\"leaf_hash\":\"{hash}\"");
    if let Some(proof) = proof {
        line.push_str(",\"proof\":[");
        for (n, hash) in proof.iter().enumerate() {
            let _ = write!(line, "{}\"{hash}\"", if n == 0 { "" } else { "," });
        }
        line.push(']');
    }
    line.push_str("}\n");
    line
}

/// The end: the signed checkpoint, and whether the entries are all that it is about.
#[derive(Serialize, Deserialize, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct LastLine {
    pub checkpoint: String,
    pub complete: bool,
}

impl LastLine {
    pub fn text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string(self)? + "\n")
    }

    /// None if it is anything else, or written in another way.
    pub(super) fn read(line: &str) -> Option<Self> {
        let read: Self = serde_json::from_str(line).ok()?;
        let one_signature = note::signatures(&read.checkpoint) == Some(1);
        (one_signature && read.text().ok()?.strip_suffix('\n')? == line).then_some(read)
    }
}

/// A line of an entry, taken apart.
#[derive(PartialEq, Debug)]
pub(super) struct EntryLine<'a> {
    pub leaf: &'a str,
    pub hash: &'a str,
    /// As it stands between the brackets.
    pub proof: Option<&'a str>,
}

impl<'a> EntryLine<'a> {
    pub(super) fn read(line: &'a str) -> Option<Self> {
        let inside = line.strip_prefix("{\"entry\":")?.strip_suffix('}')?;
        let (leaf, rest) = inside.rsplit_once(",\"leaf_hash\":\"")?;
        let (hash, rest) = rest.split_once('"')?;
        let proof = match rest {
            "" => None,
            more => Some(more.strip_prefix(",\"proof\":[")?.strip_suffix(']')?),
        };
        Some(Self { leaf, hash, proof })
    }

    /// Where the leaf says it is.
    pub(super) fn index(&self) -> Option<u64> {
        let digits = self.leaf.strip_prefix("{\"index\":")?.split_once(',')?.0;
        digits.parse().ok().filter(|index: &u64| index.to_string() == digits)
    }
}

/// The hashes of a proof.
pub(super) fn read_proof(inside: &str) -> Option<Vec<Hash>> {
    if inside.is_empty() {
        return Some(Vec::new());
    }
    inside.split(',').map(|quoted| Hash::parse_hash(quoted.strip_prefix('"')?.strip_suffix('"')?).ok()).collect()
}
