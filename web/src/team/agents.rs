//! Agents of a workspace, and the keys that they come with.

use crate::{Actor, Choice, Chrome, query};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "team/agents.html")]
pub struct Agents {
    pub chrome: Chrome,
    pub agents: Vec<Agent>,
    /// Whom an agent may work for, by id.
    pub people: Vec<Choice>,
    pub projects: Vec<String>,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Agent {
    pub id: String,
    pub name: String,
    pub role: String,
    pub project: Option<String>,
    /// Whom it works for.
    pub owner: Option<Actor>,
    pub made_by: Actor,
    pub created_at: OffsetDateTime,
    /// Keys that hold.
    pub keys: u64,
    pub last_used_at: Option<OffsetDateTime>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "team/agent.html")]
pub struct AgentPage {
    pub chrome: Chrome,
    pub agent: Agent,
    pub keys: Vec<Key>,
    /// A key that was just made: it is shown once.
    pub new_key: Option<NewKey>,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Key {
    pub id: String,
    pub created_at: OffsetDateTime,
    pub expires_at: Option<OffsetDateTime>,
    pub revoked_at: Option<OffsetDateTime>,
    pub last_used_at: Option<OffsetDateTime>,
}

#[derive(Clone, Debug)]
pub struct NewKey {
    /// All of it.
    pub text: String,
    pub expires_at: Option<OffsetDateTime>,
}

impl Agents {
    fn list(&self) -> String {
        self.chrome.place("agents")
    }

    fn one(&self, agent: &Agent) -> String {
        self.chrome.one("agents", &agent.id)
    }

    fn roles() -> Vec<Choice> {
        super::roles()
    }

    fn next(&self) -> Option<String> {
        self.next_cursor.as_deref().map(|cursor| query::link(&self.list(), &[("cursor", cursor)]))
    }

    fn first(&self) -> String {
        self.list()
    }
}

impl AgentPage {
    fn here(&self) -> String {
        self.chrome.one("agents", &self.agent.id)
    }

    fn action(&self, act: &str) -> String {
        format!("{}/{act}", self.here())
    }

    fn revoke(&self, key: &Key) -> String {
        format!("{}/keys/{}/revoke", self.here(), query::encode(&key.id))
    }

    fn expiries() -> Vec<Choice> {
        vec![Choice::new("30", "30 days"), Choice::new("90", "90 days"), Choice::new("365", "a year")]
    }

    fn roll_back(&self) -> String {
        self.chrome.one("rollbacks", "new")
    }

    fn spans() -> Vec<Choice> {
        crate::rollbacks::spans()
    }

    fn state(&self, key: &Key) -> &'static str {
        match (key.revoked_at, key.expires_at) {
            (Some(_), _) => "revoked",
            (None, Some(at)) if at <= self.chrome.now => "run out",
            _ => "holds",
        }
    }

    fn holds(&self, key: &Key) -> bool {
        self.state(key) == "holds"
    }

    fn next(&self) -> Option<String> {
        self.next_cursor.as_deref().map(|cursor| query::link(&self.here(), &[("cursor", cursor)]))
    }

    fn first(&self) -> String {
        self.here()
    }
}

impl Agent {
    fn keys_said(&self) -> String {
        match self.keys {
            0 => "no key that holds".to_owned(),
            1 => "1 key".to_owned(),
            many => format!("{many} keys"),
        }
    }
}

impl Key {
    fn short_id(&self) -> &str {
        let tail = self.id.len().saturating_sub(8);
        self.id.get(tail..).unwrap_or(&self.id)
    }
}
