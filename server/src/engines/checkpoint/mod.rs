//! Free text of a session sorted into decisions, progress, discoveries and one next step, by marks, headings, check boxes and
//! wording. Nothing is invented: a text is kept as written, without its bullet and its mark, and knows the line it came from.

pub(in crate::engines) mod blocks;
mod marks;
mod names;
mod sorter;
mod tray;
mod verdict;
mod wording;
mod words;

#[cfg(test)]
mod tests;

use crate::model::sessions::Checkpoint;

/// What a text was sorted into, and how much of it is not there.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Routed {
    pub checkpoint: Checkpoint,
    /// Entries beyond the limit of one checkpoint.
    pub left_out: usize,
    /// Entries too long to be kept whole.
    pub shortened: usize,
}

/// What the parts of a text say, and where they belong.
pub fn route(text: &str) -> Checkpoint {
    sort(text).checkpoint
}

/// The same, and what was left out.
pub fn sort(text: &str) -> Routed {
    let blocks = blocks::blocks(text);
    sorter::sort(&blocks)
}

/// Where a part belongs, or how what stands below a heading is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Decision,
    Completed,
    InProgress,
    Pending,
    /// Progress that says itself how far it is.
    Progress,
    Next,
    Discovery,
    /// Each sentence is read for itself.
    Open,
    /// Said for the reader, not for the next run.
    Aside,
}
