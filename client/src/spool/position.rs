//! How far the flush has come, and how it fared: one small file, replaced as a whole.

use super::Spool;
use crate::places;
use serde::{Deserialize, Serialize};
use std::{fs, io};

#[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq)]
#[serde(default)]
pub struct Position {
    /// The segment that is being delivered, and how many of its bytes are.
    pub segment: u64,
    pub offset: u64,
    /// Segments up to this one were thinned.
    pub thinned_through: u64,
    pub delivered: u64,
    pub delivered_at: Option<String>,
    pub thinned: u64,
    pub dropped: u64,
    pub last_failure: Option<LastFailure>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq)]
pub struct LastFailure {
    /// When the attempt began.
    pub at: String,
    pub reason: String,
}

impl Position {
    pub fn load(spool: &Spool) -> Self {
        let text = fs::read_to_string(spool.folder.join("position.json")).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    pub fn store(&self, spool: &Spool) -> io::Result<()> {
        places::replace(&spool.folder.join("position.json"), serde_json::to_string(self)?.as_bytes())
    }
}
