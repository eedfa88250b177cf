//! A version in a memory's history.

use crate::Actor;
use time::OffsetDateTime;

#[derive(Clone, Debug)]
pub struct Version {
    pub number: i32,
    pub at: OffsetDateTime,
    pub by: Actor,
    /// What made it, in the past tense: `remembered`, `revised`, `archived`, `reverted` …
    pub operation: String,
    pub reason: Option<String>,
    pub text: Text,
}

/// Whether a version still has its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Text {
    #[default]
    Kept,
    /// A secret was taken out of it.
    Redacted,
    /// Gone, for good.
    Erased,
}

impl Text {
    pub(crate) fn is_kept(self) -> bool {
        self != Self::Erased
    }

    pub(crate) fn remark(self) -> Option<&'static str> {
        match self {
            Self::Kept => None,
            Self::Redacted => Some("A part of this text was redacted."),
            Self::Erased => Some("The text of this version was erased. Only the fact that it existed remains."),
        }
    }
}

impl Version {
    /// Can it be set against the one before?
    pub(crate) fn has_before(&self) -> bool {
        self.number > 1 && self.text.is_kept()
    }

    pub(crate) fn before(&self) -> i32 {
        self.number - 1
    }
}
