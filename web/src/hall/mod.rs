//! Outside of any workspace: the instance for those who run it, and one's own account.

mod account;
mod instance;

pub use account::{Account, Login};
pub use instance::{Health, Index, Instance, Invited, Job, People, Person, Place, Workspaces};

use crate::{Flash, Theme, Viewer};
use time::OffsetDateTime;

/// The frame of pages that belong to no workspace.
#[derive(Clone, Debug)]
pub struct Hall {
    pub viewer: Viewer,
    /// Runs the instance.
    pub instance_admin: bool,
    pub csrf: String,
    pub theme: Theme,
    pub flash: Option<Flash>,
    pub now: OffsetDateTime,
}

/// Where one is in the hall.
struct Door {
    label: &'static str,
    href: &'static str,
    current: bool,
}

impl Hall {
    fn doors(&self, here: &str) -> Vec<Door> {
        let all = [
            ("Workspaces", "/workspaces", true),
            ("My account", "/account", true),
            ("Health", "/instance", self.instance_admin),
            ("All workspaces", "/instance/workspaces", self.instance_admin),
            ("People", "/instance/people", self.instance_admin),
        ];
        let seen = all.into_iter().filter(|(.., seen)| *seen);
        seen.map(|(label, href, _)| Door { label, href, current: href == here }).collect()
    }

    fn ago(&self, at: &OffsetDateTime) -> crate::When {
        crate::When::relative(*at, self.now)
    }
}
