//! What the code under a memory looked like when the memory was true, in one line: `s1:<signature>:<body>@main` of a symbol,
//! `f1:<sha256>:<outline>@main` of a whole file.

use crate::model::{
    code::{File, Symbol, is_hash},
    text,
};
use sha2::{Digest, Sha256};
use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    pub of: Of,
    /// Where it was seen.
    pub branch: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Of {
    Symbol {
        signature: String,
        body: String,
    },
    File {
        sha256: String,
        /// Of all its symbols together: it stays when only the layout of the text changes.
        outline: Option<String>,
    },
}

impl Fingerprint {
    pub fn of_symbol(symbol: &Symbol, branch: &str) -> Self {
        Self { of: Of::Symbol { signature: symbol.signature.clone(), body: symbol.body.clone() }, branch: Some(branch.to_owned()) }
    }

    pub fn of_file(file: &File, branch: &str) -> Self {
        Self { of: Of::File { sha256: file.sha256.clone(), outline: outline(file) }, branch: Some(branch.to_owned()) }
    }

    /// Nothing of what is not ours: a caller may have sent anything.
    pub fn read(text: &str) -> Option<Self> {
        let (of, branch) = match text.split_once('@') {
            Some((of, branch)) => (of, Some(branch.to_owned())),
            None => (text, None),
        };
        let mut parts = of.split(':');
        let (form, one, other) = (parts.next()?, parts.next()?, parts.next()?);
        let of = match form {
            _ if parts.next().is_some() => return None,
            "s1" if is_hash(one) && is_hash(other) => Of::Symbol { signature: one.to_owned(), body: other.to_owned() },
            "f1" if is_hash(one) && (other == "-" || is_hash(other)) => {
                Of::File { sha256: one.to_owned(), outline: (other != "-").then(|| other.to_owned()) }
            }
            _ => return None,
        };
        Some(Self { of, branch })
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.of {
            Of::Symbol { signature, body } => write!(f, "s1:{signature}:{body}")?,
            Of::File { sha256, outline } => write!(f, "f1:{sha256}:{}", outline.as_deref().unwrap_or("-"))?,
        }
        self.branch.as_ref().map_or(Ok(()), |branch| write!(f, "@{branch}"))
    }
}

/// Of a file without symbols nothing but its digest tells anything.
pub fn outline(file: &File) -> Option<String> {
    if file.symbols.is_empty() {
        return None;
    }
    let mut hasher = Sha256::new();
    for one in &file.symbols {
        for part in [&one.name, &one.signature, &one.body] {
            hasher.update(part);
            hasher.update([0]);
        }
    }
    Some(text::hex(&hasher.finalize()[..16]))
}
