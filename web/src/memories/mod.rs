//! Memories: the list with its filters, one memory with its history, and writing one by hand.

mod diff;
mod edit;
mod filters;
mod index;
mod show;
mod version;

pub use diff::{Compare, DiffKind, DiffLine, FieldChange, Hunk, Segment};
pub use edit::{Edit, Obstacle, Purpose, Typed};
pub use filters::{Chip, Filters};
pub use index::{Index, Row};
pub use show::{Anchor, Look, May, Memory, Related, Show, Source, Told};
pub use version::{Text, Version};

use askama::{Template, filters::HtmlSafe};

/// How far a memory can be trusted, and why not further. Printed in a template it is a badge.
#[derive(Clone, Debug, Default, Template)]
#[template(
    source = r#"<span class="fresh fresh-{{ state }}"{% if !reasons.is_empty() %} title="{{ self.why() }}"{% endif %}>{{ state }}</span>"#,
    ext = "html"
)]
pub struct Freshness {
    /// `fresh`, `suspect` or `stale`.
    pub state: String,
    pub reasons: Vec<String>,
}

impl HtmlSafe for Freshness {}

impl Freshness {
    fn why(&self) -> String {
        self.reasons.join("; ")
    }

    fn in_doubt(&self) -> bool {
        self.state != "fresh"
    }
}
