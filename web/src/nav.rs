//! The menu: one line a place. A place stands here once its page is served, never before.

use crate::Chrome;

/// Every place there is or will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nav {
    Overview,
    Search,
    Memories,
    Decisions,
    Sessions,
    Tasks,
    Review,
    Receipts,
    Code,
    Audit,
    Deletion,
    Holds,
    Retention,
    Agents,
    Members,
    Settings,
    Connect,
    Instance,
}

/// Which places are for the viewer, by what they may do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sees {
    /// No place asks for it; forms do.
    pub writing: bool,
    pub reviewing: bool,
    pub auditing: bool,
    pub governing: bool,
    /// Runs the instance.
    pub instance: bool,
}

/// Whom a place is for.
#[derive(Clone, Copy)]
#[expect(dead_code, reason = "a word for every power, whether or not a place asks for it yet")]
enum For {
    Everyone,
    Reviewers,
    Auditors,
    Admins,
    InstanceAdmins,
}

/// Under which heading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Under {
    Knowledge,
    Governance,
    Team,
    Server,
}

/// The place, its heading, its label, its address below the workspace (or from the root), the letter after `g`, and
/// whom it is for. In the order of the menu; letters differ.
const PLACES: &[(Nav, Under, &str, &str, char, For)] = &[
    (Nav::Overview, Under::Knowledge, "Overview", "overview", 'o', For::Everyone),
    (Nav::Search, Under::Knowledge, "Search", "search", 's', For::Everyone),
    (Nav::Memories, Under::Knowledge, "Memories", "memories", 'm', For::Everyone),
    (Nav::Decisions, Under::Knowledge, "Decisions", "decisions", 'd', For::Everyone),
    (Nav::Code, Under::Knowledge, "Code", "code", 'f', For::Everyone),
    (Nav::Sessions, Under::Knowledge, "Sessions", "sessions", 'e', For::Everyone),
    (Nav::Tasks, Under::Knowledge, "Tasks", "tasks", 't', For::Everyone),
    (Nav::Review, Under::Knowledge, "Review", "review", 'r', For::Everyone),
    (Nav::Receipts, Under::Knowledge, "Receipts", "receipts", 'c', For::Everyone),
    (Nav::Audit, Under::Governance, "Audit", "trail", 'a', For::Auditors),
    (Nav::Deletion, Under::Governance, "Deletion", "deletion-requests", 'l', For::Everyone),
    (Nav::Holds, Under::Governance, "Holds", "holds", 'h', For::Auditors),
    (Nav::Retention, Under::Governance, "Retention", "retention", 'n', For::Auditors),
    (Nav::Agents, Under::Team, "Agents", "agents", 'k', For::Admins),
    (Nav::Members, Under::Team, "Members", "members", 'p', For::Admins),
    (Nav::Settings, Under::Team, "Settings", "settings", 'y', For::Admins),
    (Nav::Connect, Under::Team, "Connect", "connect", 'w', For::Everyone),
    (Nav::Instance, Under::Server, "Instance", "/instance", 'i', For::InstanceAdmins),
];

/// A heading and its places.
pub struct NavGroup {
    pub label: &'static str,
    pub items: Vec<NavItem>,
}

/// One entry of the menu.
pub struct NavItem {
    pub href: String,
    pub label: &'static str,
    /// Pressed after `g`.
    pub key: char,
    pub current: bool,
    /// How many wait there.
    pub count: Option<String>,
}

impl Nav {
    /// Where a place is, if it is served and for the viewer.
    pub fn href(self, chrome: &Chrome) -> Option<String> {
        let (.., place, _, whom) = PLACES.iter().find(|(nav, ..)| *nav == self)?;
        whom.includes(chrome.sees).then(|| address(chrome, place))
    }

    pub(crate) fn menu(chrome: &Chrome, active: Self) -> Vec<NavGroup> {
        let groups = [Under::Knowledge, Under::Governance, Under::Team, Under::Server].into_iter().map(|under| {
            let here = PLACES.iter().filter(|(_, heading, .., whom)| *heading == under && whom.includes(chrome.sees));
            let items = here.map(|(nav, _, label, place, key, _)| NavItem {
                href: address(chrome, place),
                label,
                key: *key,
                current: *nav == active,
                count: chrome.waiting.at(*nav),
            });
            NavGroup { label: under.label(), items: items.collect() }
        });
        groups.filter(|group| !group.items.is_empty()).collect()
    }
}

fn address(chrome: &Chrome, place: &str) -> String {
    if place.starts_with('/') { place.to_owned() } else { chrome.place(place) }
}

impl For {
    fn includes(self, sees: Sees) -> bool {
        match self {
            Self::Everyone => true,
            Self::Reviewers => sees.reviewing,
            Self::Auditors => sees.auditing,
            Self::Admins => sees.governing,
            Self::InstanceAdmins => sees.instance,
        }
    }
}

impl Under {
    fn label(self) -> &'static str {
        match self {
            Self::Knowledge => "Knowledge",
            Self::Governance => "Governance",
            Self::Team => "Workspace",
            Self::Server => "Server",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_places_share_a_letter_or_an_address() {
        for (n, one) in PLACES.iter().enumerate() {
            for other in &PLACES[n + 1..] {
                assert!(one.0 != other.0 && one.3 != other.3 && one.4 != other.4, "{} and {}", one.2, other.2);
            }
        }
    }
}
