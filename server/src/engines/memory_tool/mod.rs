//! The memory tool as models know it: places below `/memories`, edits of a text, and the words that they are answered with. No I/O.

mod edits;
mod paths;
#[cfg(test)]
mod tests;
mod views;

pub use edits::{Edit, insert, replace, replaced};
pub use paths::{Place, place};
pub use views::{Entry, folder, text};

/// Why nothing was done, in words that a model can act on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused(pub String);

/// More characters than this are cut: a model's context is not ours to fill.
pub const MOST_SHOWN: usize = 16_000;

/// Lines as the tool counts them: the end of the last one begins another.
fn numbered<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> String {
    lines.map(|(number, line)| format!("{number:>6}\t{line}")).collect::<Vec<_>>().join("\n")
}
