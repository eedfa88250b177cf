//! Roles and what each may do, and the words of access: workspace, project, e-mail, settings.

use super::{PersonId, WorkspaceId, policies::Policies, text};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, sqlx::Type, Serialize, Deserialize, utoipa::ToSchema)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Reader,
    Writer,
    Reviewer,
    Auditor,
    Admin,
}

/// What one may do in a workspace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Power {
    /// Recall and read memories.
    Reading,
    /// Remember, run sessions, ask for deletion.
    Writing,
    /// Decide proposals and conflicts, verify, roll back, approve deletion.
    Reviewing,
    /// Read the audit trail, export, manage holds.
    Auditing,
    /// Members, agents, keys, settings.
    Governing,
}

/// The role table. Every check and the page in `docs/` come from it.
pub const ROLES: [(Role, &[Power]); 5] = [
    (Role::Reader, &[Power::Reading]),
    (Role::Writer, &[Power::Reading, Power::Writing]),
    (Role::Reviewer, &[Power::Reading, Power::Writing, Power::Reviewing]),
    (Role::Auditor, &[Power::Reading, Power::Auditing]),
    (Role::Admin, &[Power::Reading, Power::Writing, Power::Reviewing, Power::Auditing, Power::Governing]),
];

impl Role {
    pub fn powers(self) -> &'static [Power] {
        ROLES.iter().find(|(role, _)| *role == self).map_or(&[], |(_, powers)| powers)
    }

    pub fn may(self, power: Power) -> bool {
        self.powers().contains(&power)
    }

    /// Whether everything this role may do, the other may do too.
    pub fn within(self, other: Self) -> bool {
        self.powers().iter().all(|power| other.may(*power))
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Reviewer => "reviewer",
            Self::Auditor => "auditor",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Role {
    type Err = Problem;
    fn from_str(word: &str) -> Result<Self, Problem> {
        ROLES
            .iter()
            .map(|(role, _)| *role)
            .find(|role| role.word() == word)
            .ok_or_else(|| Problem::invalid("role", "must be one of reader, writer, reviewer, auditor, admin"))
    }
}

/// The name of a workspace in addresses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slug(String);

impl Slug {
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let fits = (1..=63).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !text.starts_with('-')
            && !text.ends_with('-');
        // A slug that reads as an id would make `{ws}` ambiguous.
        if fits && uuid::Uuid::parse_str(text).is_err() {
            Ok(Self(text.to_owned()))
        } else {
            Err(Problem::invalid("slug", "must be 1 to 63 of a-z, 0-9 and -, must not start or end with -, and must not be an id"))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A part of a workspace's work: a repository, a product. Keys can be walled in one.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Project(String);

impl Project {
    pub fn parse(text: &str) -> Result<Self, Problem> {
        text::line("project", text, 200).map(Self)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Email(String);

impl Email {
    /// Loose on purpose: whether it is one, only a letter sent there would tell.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        let fits = text.len() <= 254
            && text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'))
            && !text.chars().any(|c| c.is_whitespace() || text::unprintable(c) || "<>()[],;:\\\"".contains(c));
        if fits {
            Ok(Self(text.to_lowercase()))
        } else {
            Err(Problem::invalid("email", "must be an e-mail address such as ada@example.org"))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What to call somebody of whom only the address is known.
    pub fn name(&self) -> &str {
        self.0.split('@').next().unwrap_or(&self.0)
    }
}

/// A password as typed; never shown, never logged.
#[derive(Clone)]
pub struct Password(String);

impl Password {
    /// In characters.
    pub const SHORTEST: usize = 12;

    pub fn parse(text: &str) -> Result<Self, Problem> {
        match text.chars().count() {
            0..Self::SHORTEST => Err(Problem::invalid("password", "must be at least 12 characters; a few unrelated words make a good one")),
            257.. => Err(Problem::invalid("password", "must be at most 256 characters")),
            _ => Ok(Self(text.to_owned())),
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(…)")
    }
}

#[derive(Clone, Debug)]
pub struct Workspace {
    pub id: WorkspaceId,
    pub slug: String,
    pub name: String,
    pub purpose: String,
    pub settings: Settings,
    pub created_at: time::OffsetDateTime,
}

/// What happens to text that looks like a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SecretPolicy {
    /// The secret is cut out and the rest is kept.
    Redact,
    /// The whole write is refused.
    Reject,
}

/// Whether something is done at all, waits for a person, or is done at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, sqlx::Type, Serialize, Deserialize, utoipa::ToSchema)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Off,
    /// Everything waits for a person.
    Review,
    /// What is sure enough is done at once.
    Auto,
}

/// How a workspace wants to be run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Settings {
    /// Captured memories below this confidence (0 to 1) wait for review.
    #[schema(example = 0.7, minimum = 0, maximum = 1)]
    pub review_threshold: f32,
    /// What becomes of memories captured from sessions.
    pub capture_policy: Mode,
    /// What becomes of text that looks like a secret.
    pub secret_policy: SecretPolicy,
    /// A memory neither changed nor verified for this many days becomes `suspect`; null: never.
    #[schema(example = 90)]
    pub default_stale_after_days: Option<u32>,
    /// Archived memories are erased after this many days; null: kept.
    pub retention_days: Option<u32>,
    /// How curation runs treat what they find.
    pub dream_mode: Mode,
    /// How many active and proposed memories there may be; null: any number.
    #[schema(example = 100_000)]
    pub quota_memories: Option<u32>,
    /// What is set for single kinds; changed with `PUT …/policies`.
    #[serde(skip_serializing_if = "Policies::is_empty")]
    #[schema(value_type = std::collections::BTreeMap<String, super::policies::PolicyOfKind>)]
    pub policies: Policies,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            review_threshold: 0.7,
            capture_policy: Mode::Review,
            secret_policy: SecretPolicy::Redact,
            default_stale_after_days: Some(90),
            retention_days: None,
            dream_mode: Mode::Review,
            quota_memories: None,
            policies: Policies::new(),
        }
    }
}

impl Settings {
    pub fn check(self) -> Result<Self, Problem> {
        if !(0.0..=1.0).contains(&self.review_threshold) {
            return Err(Problem::invalid("settings.review_threshold", "must be between 0 and 1"));
        }
        for (field, days) in
            [("settings.default_stale_after_days", self.default_stale_after_days), ("settings.retention_days", self.retention_days)]
        {
            if days.is_some_and(|days| !(1..=36_500).contains(&days)) {
                return Err(Problem::invalid(field, "must be between 1 and 36,500 days, or null"));
            }
        }
        Ok(self)
    }
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Person {
    pub id: PersonId,
    pub email: String,
    pub name: String,
    pub instance_admin: bool,
    pub created_at: time::OffsetDateTime,
}

/// A sign-in of a person.
#[derive(Clone, Debug)]
pub struct Login {
    pub id: super::LoginId,
    pub user_agent: String,
    pub address: String,
    pub created_at: time::OffsetDateTime,
    pub last_used_at: time::OffsetDateTime,
    pub expires_at: time::OffsetDateTime,
}

/// A person in a workspace.
#[derive(Clone, Debug)]
pub struct Member {
    pub person: PersonId,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub since: time::OffsetDateTime,
    /// The role comes from a group of single sign-on, and follows it.
    pub by_group: bool,
}
