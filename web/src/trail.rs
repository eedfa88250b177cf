//! The trail: who did what to what, when, with the means to prove it.

use crate::{Actor, Choice, Chrome, When, query};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "trail/index.html")]
pub struct Index {
    pub chrome: Chrome,
    pub filters: Filters,
    /// Who may be chosen: ids and names.
    pub actors: Vec<Choice>,
    pub entries: Vec<Entry>,
    /// Is this a later page, reached by a cursor?
    pub continued: bool,
    pub next_cursor: Option<String>,
}

/// As they stand in the URL; empty means not set.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    /// An id.
    pub actor: String,
    pub action: String,
    pub target: String,
    /// Days, `2026-11-16`.
    pub from: String,
    pub to: String,
}

#[derive(Clone, Debug)]
pub struct Entry {
    /// Its place in the sealed log; `None` until it is sealed.
    pub index: Option<i64>,
    pub at: OffsetDateTime,
    pub actor: Actor,
    pub role: String,
    /// `memory.remembered`
    pub action: String,
    pub target: Option<Target>,
    pub version: Option<i32>,
    pub request_id: String,
    /// Of the version that was written, in hexadecimal.
    pub digest: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Target {
    /// `memory`, `deletion_request`, `member` …
    pub kind: String,
    pub id: String,
    /// Its title, where it still has one.
    pub title: Option<String>,
}

impl Index {
    fn is_bare(&self) -> bool {
        self.entries.is_empty() && self.filters.is_empty() && !self.continued
    }

    fn href_of(&self, target: &Target) -> Option<String> {
        match target.kind.as_str() {
            // One without a title was erased, or is not the viewer's to see: there is no page to link to.
            "memory" => target.title.as_ref().map(|_| self.chrome.memory(&target.id)),
            "deletion_request" | "deletion" => Some(self.chrome.deletion(&target.id)),
            _ => None,
        }
    }

    fn next(&self) -> Option<String> {
        let cursor = self.next_cursor.as_deref()?;
        Some(self.filters.page(&self.chrome.trail(), cursor))
    }

    fn first(&self) -> String {
        self.filters.page(&self.chrome.trail(), "")
    }
}

impl Filters {
    pub fn is_empty(&self) -> bool {
        self.pairs().iter().all(|(_, value)| value.is_empty())
    }

    fn page(&self, list: &str, cursor: &str) -> String {
        let mut pairs = self.pairs().to_vec();
        pairs.push(("cursor", cursor));
        query::link(list, &pairs)
    }

    fn pairs(&self) -> [(&'static str, &str); 5] {
        [("actor", &self.actor), ("action", &self.action), ("target", &self.target), ("from", &self.from), ("to", &self.to)]
    }
}

impl Entry {
    /// What was done, to be read after the name of who did it: “approved a deletion request”.
    fn sentence(&self) -> String {
        let said = match self.action.as_str() {
            "access.refused" => "was refused",
            "person.signed_in" => "signed in",
            "person.signed_out" => "signed out",
            "person.sign_in_failed" => "failed to sign in",
            "person.refresh_token_reused" => "used a spent refresh token",
            "agent.token_issued" => "took a short-lived token",
            "instance.signing_key_made" => "made a signing key",
            "trail.exported" => "exported the trail",
            "member.role_changed" => "changed a member's role",
            action => return spelt_out(action),
        };
        said.to_owned()
    }

    fn exact(&self) -> When {
        When::absolute(self.at)
    }

    fn digest_full(&self) -> &str {
        self.digest.as_deref().unwrap_or_default()
    }

    fn digest_short(&self) -> Option<&str> {
        let digest = self.digest.as_deref()?;
        Some(digest.get(..12).unwrap_or(digest))
    }
}

/// `deletion.asked` → “asked for a deletion request”: actions are a noun and a verb in the past tense.
fn spelt_out(action: &str) -> String {
    let Some((noun, verb)) = action.rsplit_once('.') else {
        return action.replace('_', " ");
    };
    let noun = match noun {
        "deletion" => "deletion request".to_owned(),
        noun => noun.replace(['_', '.'], " "),
    };
    let verb = match verb {
        "asked" => "asked for".to_owned(),
        verb => verb.replace('_', " "),
    };
    let article = if noun.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{verb} {article} {noun}")
}

impl Target {
    fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(action: &str) -> String {
        let entry = Entry {
            index: None,
            at: OffsetDateTime::UNIX_EPOCH,
            actor: Actor::default(),
            role: String::new(),
            action: action.into(),
            target: None,
            version: None,
            request_id: String::new(),
            digest: None,
        };
        entry.sentence()
    }

    #[test]
    fn an_entry_reads_as_a_sentence() {
        assert_eq!(said("memory.remembered"), "remembered a memory");
        assert_eq!(said("deletion.asked"), "asked for a deletion request");
        assert_eq!(said("deletion_request.approved"), "approved a deletion request");
        assert_eq!(said("person.signed_in"), "signed in");
        assert_eq!(said("agent.created"), "created an agent");
        assert_eq!(said("sealed"), "sealed");
    }
}
