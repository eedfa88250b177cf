//! A workspace as people see it, with a colour of its own, and the page where one chooses.

use crate::{Theme, Viewer, query};
use askama::Template;

const HUES: u32 = 12;

/// A workspace that the viewer belongs to, and as what.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pub slug: String,
    pub name: String,
    pub purpose: String,
    /// The viewer's role here.
    pub role: String,
}

impl Workspace {
    /// Classes of the stylesheet, the same for this slug for ever. The factor keeps the usual names
    /// of teams apart; with twelve colours others may meet, so the name is always beside it.
    pub fn hue(&self) -> String {
        let mix = |sum: u32, byte: u8| sum.wrapping_mul(165).wrapping_add(byte.into());
        let sum = self.slug.bytes().fold(0, mix);
        format!("hued hue-{}", (sum ^ (sum >> 16)) % HUES)
    }

    /// One or two letters for its stone; the colour is never the only sign.
    pub fn initials(&self) -> String {
        let words = self.name.split(|c: char| !c.is_alphanumeric());
        let firsts = words.filter_map(|word| word.chars().next());
        firsts.take(2).flat_map(char::to_uppercase).collect()
    }

    pub(crate) fn base(&self) -> String {
        format!("/w/{}", query::encode(&self.slug))
    }

    pub fn href(&self) -> String {
        format!("{}/overview", self.base())
    }
}

/// Choose a workspace; or learn who can let you into one.
#[derive(Clone, Debug, Template)]
#[template(path = "workspaces.html")]
pub struct Workspaces {
    pub theme: Theme,
    pub viewer: Viewer,
    pub csrf: String,
    pub workspaces: Vec<Workspace>,
    /// May the viewer create workspaces and people?
    pub instance_admin: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn workspace(slug: &str, name: &str) -> Workspace {
        Workspace { slug: slug.into(), name: name.into(), ..Workspace::default() }
    }

    #[test]
    fn the_usual_teams_do_not_look_alike() {
        let teams = ["coding", "support", "research", "sales", "ops", "engineering", "legal", "data"];
        let hues: HashSet<_> = teams.map(|slug| workspace(slug, "").hue()).into();
        assert_eq!(hues.len(), teams.len());
    }

    #[test]
    fn a_stone_bears_the_initials() {
        assert_eq!(workspace("", "Customer support").initials(), "CS");
        assert_eq!(workspace("", "coding").initials(), "C");
        assert_eq!(workspace("", "").initials(), "");
    }
}
