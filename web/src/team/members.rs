//! People of a workspace, and the link for somebody who is new.

use crate::{Choice, Chrome, query};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "team/members.html")]
pub struct Members {
    pub chrome: Chrome,
    pub members: Vec<Member>,
    /// Somebody who was just let in and has no password yet.
    pub invited: Option<Invited>,
    /// People can sign in through the organisation's own door.
    pub sso: bool,
    pub continued: bool,
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub id: String,
    pub name: String,
    pub email: String,
    pub role: String,
    pub since: OffsetDateTime,
    /// It is the viewer.
    pub you: bool,
    /// The role comes from a group of single sign-on, and follows it.
    pub by_group: bool,
}

#[derive(Clone, Debug)]
pub struct Invited {
    pub name: String,
    pub email: String,
    /// The one-time link.
    pub link: String,
}

impl Members {
    fn list(&self) -> String {
        self.chrome.place("members")
    }

    fn action(&self, member: &Member, act: &str) -> String {
        format!("{}/{act}", self.chrome.one("members", &member.id))
    }

    fn roles() -> Vec<Choice> {
        super::roles()
    }

    fn short_roles() -> Vec<Choice> {
        super::short_roles()
    }

    fn next(&self) -> Option<String> {
        self.next_cursor.as_deref().map(|cursor| query::link(&self.list(), &[("cursor", cursor)]))
    }

    fn first(&self) -> String {
        self.list()
    }
}
