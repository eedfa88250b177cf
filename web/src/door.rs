//! The way in: signing in, the very first admin, and one-time links to choose a password.

use crate::{Theme, query};
use askama::Template;

#[derive(Clone, Debug, Default, Template)]
#[template(path = "door/sign_in.html")]
pub struct SignIn {
    pub theme: Theme,
    pub csrf: String,
    /// What was typed before, so that nobody types it twice.
    pub email: String,
    /// Where to go afterwards; empty for the start page.
    pub next: String,
    pub error: Option<String>,
    /// Something kind to say, such as “You are signed out.”
    pub notice: Option<String>,
    /// Where one can sign in besides: the provider by name.
    pub provider: Option<String>,
}

impl SignIn {
    fn elsewhere(&self) -> String {
        query::link("/sign-in/sso", &[("next", &self.next)])
    }
}

/// Create the first admin of a fresh installation.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "door/set_up.html")]
pub struct SetUp {
    pub theme: Theme,
    pub csrf: String,
    /// From the server's log; proves that whoever sets up owns the machine.
    pub token: String,
    pub email: String,
    pub name: String,
    /// Fewest characters of a password.
    pub password_min: usize,
    pub error: Option<String>,
}

/// Choose a password through a one-time link.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "door/choose_password.html")]
pub struct ChoosePassword {
    pub theme: Theme,
    pub csrf: String,
    pub token: String,
    pub purpose: LinkPurpose,
    pub name: String,
    pub email: String,
    pub password_min: usize,
    pub error: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub enum LinkPurpose {
    /// The link lets someone in, perhaps to a named workspace.
    Invitation { workspace: Option<String> },
    #[default]
    Reset,
}

impl ChoosePassword {
    fn action(&self) -> String {
        format!("/invitations/{}", query::encode(&self.token))
    }
}
