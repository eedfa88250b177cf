//! The frame around every signed-in page: which workspace, who looks, where to go.

use crate::{
    Flash, Theme, When, Workspace,
    nav::{Nav, NavGroup, Sees},
    query,
    reason::Reason,
};
use time::OffsetDateTime;

/// What the frame shows. Pages know their own place in the menu.
#[derive(Clone, Debug)]
pub struct Chrome {
    pub workspace: Workspace,
    /// All workspaces of the viewer, this one too, for the switcher.
    pub workspaces: Vec<Workspace>,
    pub viewer: Viewer,
    /// Which places of the menu are for the viewer.
    pub sees: Sees,
    /// What waits for the viewer, told beside the places where it waits.
    pub waiting: Waiting,
    /// Path and query of this page, for the way back from the theme switch.
    pub here: String,
    pub csrf: String,
    pub theme: Theme,
    pub flash: Option<Flash>,
    pub now: OffsetDateTime,
}

#[derive(Clone, Debug, Default)]
pub struct Viewer {
    pub name: String,
    pub email: String,
}

/// How many wait; nobody counts past [`Waiting::MANY`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Waiting {
    /// Proposals and conflicts.
    pub review: u32,
    pub deletion: u32,
}

impl Waiting {
    pub const MANY: u32 = 99;

    pub(crate) fn at(self, nav: Nav) -> Option<String> {
        let count = match nav {
            Nav::Review => self.review,
            Nav::Deletion => self.deletion,
            _ => 0,
        };
        match count {
            0 => None,
            count if count > Self::MANY => Some(format!("{}+", Self::MANY)),
            count => Some(count.to_string()),
        }
    }
}

impl Chrome {
    pub(crate) fn nav(&self, active: Nav) -> Vec<NavGroup> {
        Nav::menu(self, active)
    }

    /// Where the page hears of changes, for the script.
    pub(crate) fn events(&self) -> String {
        format!("/v1/workspaces/{}/events", query::encode(&self.workspace.slug))
    }

    pub(crate) fn place(&self, place: &str) -> String {
        format!("{}/{place}", self.workspace.base())
    }

    /// One thing in a list of this workspace: `decisions`, `sessions` …
    pub(crate) fn one(&self, place: &str, id: &str) -> String {
        format!("{}/{}", self.place(place), query::encode(id))
    }

    pub(crate) fn memories(&self) -> String {
        self.place("memories")
    }

    pub(crate) fn memory(&self, id: &str) -> String {
        self.one("memories", id)
    }

    /// A task of a project: another one may have a task of the same key.
    pub(crate) fn task(&self, key: &str, project: Option<&str>) -> String {
        query::link(&self.one("tasks", key), &[("project", project.unwrap_or_default())])
    }

    /// The list of memories, narrowed by one filter.
    pub(crate) fn memories_by(&self, filter: &str, value: &str) -> String {
        query::link(&self.memories(), &[(filter, value)])
    }

    pub(crate) fn trail(&self) -> String {
        self.place("trail")
    }

    pub(crate) fn deletions(&self) -> String {
        self.place("deletion-requests")
    }

    pub(crate) fn deletion(&self, id: &str) -> String {
        self.one("deletion-requests", id)
    }

    /// Why something cannot be trusted, or waits, with a link to the memory that it names.
    pub(crate) fn reason<'a>(&self, text: &'a str) -> Reason<'a> {
        Reason::new(text, |id| self.memory(id))
    }

    pub(crate) fn ago(&self, at: &OffsetDateTime) -> When {
        When::relative(*at, self.now)
    }
}
