//! Pages as values: plain structs in, HTML out. No I/O, no domain types, no HTTP.
//!
//! A page is a struct that the server fills and a template that calls its small methods. Words such
//! as a kind, a state or a freshness arrive as the API writes them (`decision`, `active`, `stale`);
//! one that we do not know is shown as it is, in a neutral dress. Links are made here, from ids.
//!
//! Signed-in pages carry a [`Chrome`]; the others a [`Theme`]. Every page has `html()`, and
//! [`samples`] holds a believable one of each for the gallery and its tests.
//!
//! # The rules of the frame
//!
//! * A page extends `frame.html` and stands in `framed!` below with its [`Nav`]. A place in the menu is one variant
//!   and one line in `nav.rs`; its count, if any, one line in [`Waiting::at`](Waiting).
//! * Every page works without scripts: links, `get` forms for filters, `post` forms with the CSRF token and a
//!   redirect. htmx is only laid over it: `hx-get` on a filter form with `hx-target="#results" hx-select="#results"
//!   hx-push-url="true"`, `hx-post` on a form in a list; whatever stands outside and depends on it is named in
//!   `hx-select-oob`, `#flash` always. The server answers whole pages either way; one without the part that was
//!   asked for is not put in, but opened or told. Nothing inline, no `hx-on`, no `js:`: the policy forbids it.
//! * `cairn.js` does the rest by attributes. Rows that `j`/`k` walk have `data-row`; the link that `enter` opens is
//!   the row's `[data-open]`, or its first. `data-press="a"` (or `r`) marks the button that the letter presses in the
//!   current row, or on the page. `data-live="memory receipt"` on an element with an id: it is read anew when
//!   something of these sorts changes in the workspace (the events' `kind`; `*` for any). `/` goes to
//!   `[data-search]` or the search page. `data-copy="#id"` on a button copies what that element says.
//! * What was done is said by a [`Flash`], with [`Flash::or_undo`] where it can be taken back by a form.
//! * Colours, sizes and distances come from `tokens.css`; a page brings a stylesheet of its own only for what no
//!   other page has, and names it in `assets.rs`.

mod actor;
pub mod assets;
pub mod chart;
mod choice;
mod chrome;
pub mod code;
pub mod decisions;
pub mod deletion;
mod docs;
mod door;
pub mod dreams;
pub mod explain;
mod figures;
mod flash;
mod guide;
pub mod hall;
pub mod holds;
pub mod markdown;
pub mod memories;
mod nav;
pub mod overview;
mod problem;
mod query;
mod reason;
pub mod receipts;
pub mod retention;
pub mod review;
pub mod rollbacks;
pub mod samples;
pub mod search;
pub mod sessions;
pub mod tasks;
pub mod team;
mod theme;
pub mod trail;
mod when;
mod workspace;

pub use actor::Actor;
use askama::Template;
pub use choice::Choice;
pub use chrome::{Chrome, Viewer, Waiting};
pub use docs::Docs;
pub use door::{ChoosePassword, LinkPurpose, SetUp, SignIn};
pub use figures::{about, number};
pub use flash::{Flash, Tone, Undo};
pub use guide::Guide;
pub use nav::{Nav, NavGroup, NavItem, Sees};
pub use problem::{Problem, WayOut};
pub use theme::Theme;
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
            fn nav(&self) -> Vec<NavGroup> {
                self.chrome.nav(Nav::$nav)
            }
        })*
    };
}

pages!(SignIn, SetUp, ChoosePassword, Workspaces, Problem, Docs, Guide);
pages!(hall::Account, hall::Instance, hall::People, hall::Workspaces);
framed!(
    overview::Overview => Overview,
    search::Search => Search,
    decisions::Index => Decisions,
    code::Tree => Code,
    code::Show => Code,
    code::Review => Code,
    sessions::Index => Sessions,
    sessions::Show => Sessions,
    tasks::Index => Tasks,
    tasks::Show => Tasks,
    receipts::Index => Receipts,
    receipts::Show => Receipts,
    memories::Edit => Memories,
    memories::Index => Memories,
    memories::Show => Memories,
    trail::Index => Audit,
    deletion::Certificate => Deletion,
    deletion::Index => Deletion,
    deletion::Items => Deletion,
    deletion::New => Deletion,
    deletion::Show => Deletion,
    dreams::Index => Review,
    dreams::Show => Review,
    holds::Holds => Holds,
    retention::Retention => Retention,
    team::AgentPage => Agents,
    team::Agents => Agents,
    team::Connect => Connect,
    team::Members => Members,
    team::Settings => Settings,
    review::Conflicts => Review,
    review::Index => Review,
    review::Show => Review,
    rollbacks::Index => Review,
    rollbacks::New => Review,
    rollbacks::Show => Review,
);
