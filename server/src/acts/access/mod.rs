//! Who may come in: signing in, people, workspaces, members, agents and their keys.

mod account;
mod agents;
mod first_admin;
mod links;
mod members;
mod people;
mod sign_in;
mod single_sign_on;
mod tokens;
mod workspaces;

pub use crate::store::agents::KeysOf;
pub use account::{Me, change_password, end_login, has_password, list_logins, me, sign_out_everywhere};
pub use agents::{AgentInUse, agent_in_use, agents_in_use, create_agent, create_key, delete_agent, list_agents, list_keys, revoke_key};
pub use first_admin::make_first_admin;
pub use links::{Redemption, open_link, redeem_link};
pub use members::{Joined, add_member, change_role, list_members, remove_member, those_who_may};
pub use people::{NewPerson, create_person, delete_person, list_people, make_link};
pub use sign_in::{sign_in, sign_out, sign_out_by, sign_out_with};
pub use single_sign_on::{Opened, refused_from_outside, sign_in_from_outside};
pub use tokens::{Narrower, ShortLived, SignedIn, hand_out, issue_token, refresh};
pub use workspaces::{change_workspace, create_workspace, delete_workspace, list_workspaces};

use crate::{
    App,
    auth::links::LinkToken,
    problem::Problem,
    store::{Request, Scope},
};

/// The address that a one-time link has for people.
fn invitation(app: &App, token: &LinkToken) -> String {
    format!("{}/invitations/{}", app.config().public_url(), token.text())
}

/// For changes that must last even when the answer is a refusal, and for callers whom nobody knows yet: an
/// idempotency key would undo the one and mix up the others.
fn without_key(request: &Request) -> Request {
    Request { once: None, ..request.clone() }
}

/// A key that is walled in a project neither governs what lies outside, where it could make itself a door, nor reads what
/// tells of all projects at once.
pub(super) fn for_the_whole<P>(scope: &Scope<P>) -> Result<(), Problem> {
    match scope.project() {
        None => Ok(()),
        Some(wall) => {
            Err(Problem::forbidden(format!("Your key is limited to the project {}; this is about the whole workspace.", wall.as_str())))
        }
    }
}
