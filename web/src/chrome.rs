//! The frame around every signed-in page: which workspace, who looks, where to go.

use crate::{When, Workspace, query};
use std::fmt;
use time::OffsetDateTime;

/// What the frame shows. Pages know their own place in the menu.
#[derive(Clone, Debug)]
pub struct Chrome {
    pub workspace: Workspace,
    /// All workspaces of the viewer, this one too, for the switcher.
    pub workspaces: Vec<Workspace>,
    pub viewer: Viewer,
    /// Auditors and admins: may the viewer see the trail?
    pub sees_trail: bool,
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

/// Light, dark, or as the system has it. Prints as the value of `data-theme` and of the cookie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// A message about what was just done, shown once.
#[derive(Clone, Debug)]
pub struct Flash {
    pub tone: Tone,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Good,
    Bad,
    Note,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nav {
    Memories,
    Trail,
    DeletionRequests,
}

/// One entry of the menu.
pub struct NavItem {
    pub href: String,
    pub label: &'static str,
    pub current: bool,
}

impl Chrome {
    pub(crate) fn nav(&self, active: Nav) -> Vec<NavItem> {
        let places = [
            (Nav::Memories, "Memories", "memories"),
            (Nav::Trail, "Trail", "trail"),
            (Nav::DeletionRequests, "Deletion requests", "deletion-requests"),
        ];
        let seen = places.into_iter().filter(|(nav, ..)| *nav != Nav::Trail || self.sees_trail);
        seen.map(|(nav, label, place)| NavItem { href: self.place(place), label, current: nav == active }).collect()
    }

    fn place(&self, place: &str) -> String {
        format!("{}/{place}", self.workspace.base())
    }

    pub(crate) fn memories(&self) -> String {
        self.place("memories")
    }

    pub(crate) fn memory(&self, id: &str) -> String {
        format!("{}/{}", self.memories(), query::encode(id))
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
        format!("{}/{}", self.deletions(), query::encode(id))
    }

    pub(crate) fn ago(&self, at: &OffsetDateTime) -> When {
        When::relative(*at, self.now)
    }
}

impl Theme {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// From the cookie or the form; whatever else it says, the system decides.
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.name() == name).unwrap_or_default()
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Flash {
    pub fn good(text: impl Into<String>) -> Self {
        Self { tone: Tone::Good, text: text.into() }
    }

    pub fn bad(text: impl Into<String>) -> Self {
        Self { tone: Tone::Bad, text: text.into() }
    }

    pub fn note(text: impl Into<String>) -> Self {
        Self { tone: Tone::Note, text: text.into() }
    }
}

impl Tone {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Note => "note",
        }
    }
}
