//! JSON settings as they stand in a file: comments, order and white space stay.

use crate::failure::Failure;
use jsonc_parser::{ParseOptions, cst::CstRootNode};
use std::path::Path;

pub fn parse(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|wrong| wrong.to_string())
}

pub fn member(root: &CstRootNode, name: &str) -> bool {
    root.object_value().is_some_and(|object| object.get(name).is_some())
}

pub fn unreadable(path: &Path, why: &str) -> Failure {
    Failure::Failed(format!("{} cannot be changed: {why}. Nothing was changed; mend the file and try again.", path.display()))
}
