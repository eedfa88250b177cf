//! The certificate of an executed request, to be read, printed and checked.

use super::{Decision, Request};
use crate::{Chrome, When};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "deletion/certificate.html")]
pub struct Certificate {
    pub chrome: Chrome,
    pub request: Request,
    pub workspace_id: String,
    /// None for retention, which a rule decides.
    pub approved: Option<Decision>,
    pub executed: Option<Decision>,
    /// One person asked and approved.
    pub lone_approver: bool,
    /// The retention rule that asked, in words.
    pub rule: Option<String>,
    /// Rows by table.
    pub counts: Vec<(String, u64)>,
    /// Ids by sort.
    pub erased: Vec<(String, Vec<String>)>,
    /// What fitted the words and was not on the list.
    pub matched_since: u64,
    /// The signed note.
    pub note: String,
    /// Where it is as JSON.
    pub json: String,
}

impl Certificate {
    fn back(&self) -> String {
        self.chrome.deletion(&self.request.id)
    }

    fn left_some(&self) -> bool {
        self.matched_since > 0
    }

    fn at(at: &OffsetDateTime) -> When {
        When::absolute(*at)
    }
}
