//! Finds what a workspace knows: one index per workspace, in memory, made of terms, vectors and what filters ask for, never of texts.
//! Pure: who calls it reads the rows, keeps the time and the locks. `document` goes in, `question` is asked, `pack` fills the budget.

mod census;
mod dates;
pub mod document;
pub mod excerpt;
mod filters;
pub mod hanging;
mod index;
mod irregular;
mod labels;
mod lexical;
pub mod pack;
mod postings;
pub mod question;
pub mod rank;
pub mod semantic;
mod sessions;
mod sketch;
mod stop_words;
#[cfg(test)]
mod tests;
mod typos;
mod walk;
pub mod weights;
mod words;

pub use census::Census;
pub use document::{AnchorOf, CodeOf, Document, Prepared, prepare, prepare_with};
pub use index::Index;
pub use question::{AskedAnchor, Filter, Hit, Question, Viewer};
pub use weights::{Ablation, Weights};
pub use words::Splitting;
