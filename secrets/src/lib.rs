//! Finds secrets in text before it is written anywhere, and text that speaks to a model instead of stating something.
//!
//! A process that lives two milliseconds can afford it: nothing is built at start. A table made at compile time finds the
//! keywords of all [`rules`] in one pass; only a rule whose keyword occurs looks closer, and only there.
//!
//! ```
//! let redacted = cairn_secrets::redact("PGPASSWORD=hunter2 psql").unwrap();
//! assert_eq!(redacted.text, "PGPASSWORD=[redacted: assigned-password] psql");
//! assert_eq!(cairn_secrets::redact("the password is hashed"), None);
//! ```

mod assignment;
mod basic;
mod entropy;
mod find;
mod instructions;
mod judge;
mod keywords;
mod marker;
mod names;
mod pattern;
mod rule;
mod rules;
mod scan;
mod urls;

pub use find::{Finding, Redacted, find, redact};
pub use instructions::speaks_to_the_model;
pub use rule::Rule;

/// Every rule, the more specific before the more general: what is looked for, in words. A finding has the name of one of them, or
/// `too-many-secrets`, which covers a whole text that would take too long to take apart.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::ALL.iter()
}
