//! One entry, read as a sentence.

use crate::{Actor, When};
use time::OffsetDateTime;

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
    pub session_id: Option<String>,
    /// Further ids, numbers and fixed words.
    pub details: Vec<(String, String)>,
    /// Whose id it is, to look for more by them.
    pub actor_id: String,
}

#[derive(Clone, Debug, Default)]
pub struct Target {
    /// `memory`, `deletion_request`, `member` …
    pub kind: String,
    pub id: String,
    /// Its title, where it still has one.
    pub title: Option<String>,
}

impl Entry {
    /// What was done, to be read after the name of who did it: “approved a deletion request”.
    pub(super) fn sentence(&self) -> String {
        let role = || self.detail("role").map(|role| format!(" as {role}")).unwrap_or_default();
        let said = match self.action.as_str() {
            "member.added" => return format!("let somebody in{}", role()),
            "member.removed" => "took somebody out of the workspace",
            "key.created" => "made a key for an agent",
            "policy.changed" => "changed the policies",
            "workspace.changed" => "changed the settings",
            "conflict.found" => "found two memories that contradict",
            "conflicts.swept" => "looked for contradictions",
            "memories.exported" => "exported the memories",
            "memories.imported" => "imported memories",
            "secrets.redacted" => "wrote something with a secret in it, which was cut out",
            "secrets.refused" => "was refused: there was a secret in it",
            "proposal.made" => "put up something for review",
            "proposal.assigned" => "said who is to look at a proposal",
            "rollback.executed" => "rolled writes back",
            "session.resumed_task" => "went on with a task",
            "task.taken_up" => "took up a task",
            "deletion.executed_again" => "erased again, after an older backup was restored",
            "person.linked" => "recognised somebody at the provider of single sign-on",
            "person.signed_out_everywhere" => "signed out everywhere",
            "person.link_made" => "made a one-time link for somebody",
            "person.password_changed" => "chose a new password",
            "access.refused" => "was refused",
            "person.signed_in" => "signed in",
            "person.signed_out" => "signed out",
            "person.sign_in_failed" => "failed to sign in",
            "person.refresh_token_reused" => "used a spent refresh token",
            "agent.token_issued" => "took a short-lived token",
            "instance.signing_key_made" => "made a signing key",
            "trail.exported" => "exported the trail",
            "member.role_changed" => {
                return format!("changed a member's role{}", self.detail("role").map(|role| format!(" to {role}")).unwrap_or_default());
            }
            action => return spelt_out(action),
        };
        said.to_owned()
    }

    fn detail(&self, name: &str) -> Option<&str> {
        self.details.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn exact(&self) -> When {
        When::absolute(self.at)
    }

    pub(super) fn digest_full(&self) -> &str {
        self.digest.as_deref().unwrap_or_default()
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
    pub(super) fn label(&self) -> &str {
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
            session_id: None,
            details: Vec::new(),
            actor_id: String::new(),
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
