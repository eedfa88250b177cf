//! Which memory a path of the tool means. No path leaves `/memories`, in whatever way it is written.

use super::Refused;
use crate::{
    model::text::{MemoryPath, nfc},
    problem::Problem,
};

const ROOT: &str = "/memories";
/// As long as a name may be where the tool keeps files.
const LONGEST_NAME: usize = 255;
/// What somebody means who writes a dot, a slash, a backslash or nothing so that it is not seen.
const HIDDEN: [&str; 4] = ["%2e", "%2f", "%5c", "%00"];

/// A place below `/memories`, as the store calls it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    Root,
    At(MemoryPath),
}

/// Reads a path as it was sent. Doubled slashes, single dots and one at the end change nothing, as in any file system.
pub fn place(sent: &str) -> Result<Place, Refused> {
    let shown: String = sent.chars().take(1100).collect();
    let wrong = |why: &str| Err(Refused(format!("Error: The path {shown} is not allowed: {why}")));
    let Some(below) = sent.strip_prefix(ROOT).filter(|below| below.is_empty() || below.starts_with('/')) else {
        return wrong("paths are /memories or start with /memories/");
    };
    if below.contains('\\') {
        return wrong("it must have no backslash");
    }
    let lower = below.to_ascii_lowercase();
    if HIDDEN.iter().any(|hidden| lower.contains(hidden)) {
        return wrong("it must not be encoded");
    }
    let names: Vec<&str> = below.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    if names.contains(&"..") {
        return wrong("it must have no `..`");
    }
    if names.iter().any(|name| name.len() > LONGEST_NAME) {
        return wrong("a name may have 255 bytes");
    }
    if names.is_empty() {
        return Ok(Place::Root);
    }
    let path = format!("/{}", names.join("/"));
    if nfc(&path) != path {
        return wrong("it must be in Unicode's composed form (NFC)");
    }
    match MemoryPath::parse(&path) {
        Ok(path) => Ok(Place::At(path)),
        Err(Problem::Invalid(errors)) => wrong(&errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("; ")),
        Err(_) => wrong("it cannot be read"),
    }
}
