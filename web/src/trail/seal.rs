//! What is sealed, and whether it held when it was last looked through.

use time::OffsetDateTime;

/// The newest signed checkpoint.
#[derive(Clone, Debug, Default)]
pub struct Checkpoint {
    /// Entries that are sealed.
    pub size: u64,
    pub root: String,
    /// What the keys are known by.
    pub signer: String,
}

/// The last look through the whole trail by this server.
#[derive(Clone, Debug)]
pub struct Check {
    pub at: OffsetDateTime,
    pub entries: u64,
    pub size: u64,
    /// None while it is under way.
    pub outcome: Option<Outcome>,
}

#[derive(Clone, Debug)]
pub enum Outcome {
    Holds { root: String, took_ms: u64 },
    Broken { index: Option<u64>, why: String },
    Failed,
}

impl Check {
    pub(super) fn tone(&self) -> &'static str {
        match &self.outcome {
            Some(Outcome::Holds { .. }) => "good",
            Some(Outcome::Broken { .. }) => "bad",
            Some(Outcome::Failed) => "warn",
            None => "note",
        }
    }

    pub(super) fn said(&self) -> String {
        match &self.outcome {
            Some(Outcome::Holds { took_ms, .. }) => {
                format!(
                    "All {} sealed entries are what they were when they were sealed, and the tree is the one that was signed. Computed anew in {took_ms} ms.",
                    self.entries
                )
            }
            Some(Outcome::Broken { index: Some(index), why }) => format!("Entry #{index} does not hold: {why}."),
            Some(Outcome::Broken { index: None, why }) => format!("The trail does not hold: {why}."),
            Some(Outcome::Failed) => "The look through the trail could not be finished. Try again.".to_owned(),
            None => format!("Looking through the trail: {} of {} entries so far.", self.entries, self.size),
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.outcome.is_none()
    }
}
