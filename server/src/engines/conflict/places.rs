//! Where in the code two memories hang: what is said of one place says little about another.

use super::Claim;
use crate::model::{Anchor, Kind};

/// Both hang on code, and nowhere on the same. Decisions hold wherever they hang.
pub fn apart(there: &Claim<'_>, here: &Claim<'_>) -> bool {
    let decided = there.kind == Kind::Decision && here.kind == Kind::Decision;
    let hang = !there.anchors.is_empty() && !here.anchors.is_empty();
    hang && !decided && !there.anchors.iter().any(|one| here.anchors.iter().any(|other| may_be_same(one, other)))
}

/// A file is the place of all its symbols, and who names no repository may mean any.
fn may_be_same(one: &Anchor, other: &Anchor) -> bool {
    let agree = |one: &Option<String>, other: &Option<String>| one.is_none() || other.is_none() || one == other;
    one.path == other.path && agree(&one.repo, &other.repo) && agree(&one.symbol, &other.symbol)
}
