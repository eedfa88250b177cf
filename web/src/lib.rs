//! Pages as values: plain structs in, HTML out. No I/O, no domain types, no HTTP.
//!
//! A page is a struct that the server fills and a template that calls its small methods. Words such
//! as a kind, a state or a freshness arrive as the API writes them (`decision`, `active`, `stale`);
//! one that we do not know is shown as it is, in a neutral dress. Links are made here, from ids.
//!
//! Signed-in pages carry a [`Chrome`]; the others a [`Theme`]. Every page has `html()`, and
//! [`samples`] holds a believable one of each for the gallery and its tests.

mod actor;
pub mod assets;
mod choice;
mod chrome;
pub mod deletion;
mod docs;
mod door;
mod guide;
pub mod memories;
mod problem;
mod query;
pub mod samples;
pub mod trail;
mod when;
mod workspace;

pub use actor::Actor;
use askama::Template;
pub use choice::Choice;
pub use chrome::{Chrome, Flash, Nav, NavItem, Theme, Tone, Viewer};
pub use docs::Docs;
pub use door::{ChoosePassword, LinkPurpose, SetUp, SignIn};
pub use guide::Guide;
pub use problem::{Problem, WayOut};
pub use when::When;
pub use workspace::{Workspace, Workspaces};

/// The policy of every page but [`Docs`], which brings its own: nothing inline, nothing from afar.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

macro_rules! pages {
    ($($page:ty),* $(,)?) => { $(
        impl $page {
            /// Rendered here, so that templates are compiled in this crate and not in the server.
            pub fn html(&self) -> String {
                self.render().expect("writing to a String cannot fail")
            }
        }
    )* };
}

macro_rules! framed {
    ($($page:ty => $nav:ident),* $(,)?) => {
        pages!($($page),*);
        $(impl $page {
            /// The frame's menu, with this page's place in it.
            fn nav(&self) -> Vec<NavItem> {
                self.chrome.nav(Nav::$nav)
            }
        })*
    };
}

pages!(SignIn, SetUp, ChoosePassword, Workspaces, Problem, Docs, Guide);
framed!(
    memories::Index => Memories,
    memories::Show => Memories,
    trail::Index => Trail,
    deletion::Certificate => DeletionRequests,
    deletion::Index => DeletionRequests,
    deletion::Show => DeletionRequests,
);
