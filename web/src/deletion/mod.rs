//! Deletion requests: asked by one, approved by another, executed for real.

mod certificate;
mod index;
mod items;
mod new;
mod show;

pub use certificate::Certificate;
pub use index::Index;
pub use items::Items;
pub use new::{New, Typed};
pub use show::{Decision, FourEyes, May, Show, Step, Touched};

use crate::Actor;
use time::OffsetDateTime;

/// What a list and a page both say of a request.
#[derive(Clone, Debug)]
pub struct Request {
    pub id: String,
    /// `pending`, `approved`, `executed`, `rejected` or `blocked`.
    pub state: String,
    /// Gone once it is executed: it may name what was erased.
    pub reason: Option<String>,
    pub asked_by: Actor,
    pub asked_at: OffsetDateTime,
    /// What it touches, by sort: `(12, "memories")`.
    pub counts: Vec<(u64, String)>,
}

impl Request {
    fn touches(&self) -> String {
        let counts: Vec<_> = self.counts.iter().map(|(number, sort)| format!("{number} {sort}")).collect();
        if counts.is_empty() { "nothing yet".into() } else { counts.join(", ") }
    }

    fn why(&self) -> &str {
        self.reason.as_deref().unwrap_or("The reason was erased with what it was about.")
    }

    /// The end of the id, for people to tell each other.
    fn short_id(&self) -> &str {
        let tail = self.id.len().saturating_sub(8);
        self.id.get(tail..).unwrap_or(&self.id)
    }
}
