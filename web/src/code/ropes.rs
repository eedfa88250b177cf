//! The co-access graph around one file: ropes from it to the files that runs used together with it, and bows between those
//! that go with each other. Drawn on both sides of a list, so that names are text at any width.

use super::Tally;
use std::fmt::Write;

#[derive(Clone, Debug, Default)]
pub struct Ropes {
    /// The closest first.
    pub files: Vec<Rope>,
    /// Places in the list, and how close: 1 is the closest.
    pub ties: Vec<(usize, usize, f32)>,
}

#[derive(Clone, Debug)]
pub struct Rope {
    pub path: String,
    /// 1 is the closest.
    pub closeness: f32,
    pub tally: Tally,
}

/// The drawing's own units: a row is as tall as any other, whatever the browser makes of it.
const ROW: usize = 40;
const WIDE: usize = 48;

impl Ropes {
    pub(super) fn height(&self) -> usize {
        self.files.len() * ROW
    }

    /// From the file above the list to each in it: how it runs, and how thick.
    pub(super) fn to_each(&self) -> Vec<(String, String)> {
        let rope = |(row, file): (usize, &Rope)| {
            let y = middle(row);
            (format!("M8 0C8 {y} 12 {y} {WIDE} {y}"), thick(file.closeness))
        };
        self.files.iter().enumerate().map(rope).collect()
    }

    /// Between two of them, the further apart the wider.
    pub(super) fn bows(&self) -> Vec<(String, String)> {
        let there = |row: &usize| *row < self.files.len();
        let bow = |(one, other, close): &(usize, usize, f32)| {
            let (from, to, reach) = (middle(*one), middle(*other), (12 + one.abs_diff(*other) * 7).min(WIDE * 4 / 3));
            let mut path = format!("M0 {from}");
            let _ = write!(path, "C{reach} {from} {reach} {to} 0 {to}");
            (path, thick(*close))
        };
        self.ties.iter().filter(|(one, other, _)| there(one) && there(other)).map(bow).collect()
    }
}

impl Rope {
    pub(super) fn name(&self) -> &str {
        super::split(&self.path).1
    }

    pub(super) fn folder(&self) -> &str {
        super::split(&self.path).0
    }

    pub(super) fn percent(&self) -> String {
        format!("{:.0} %", self.closeness.clamp(0.0, 1.0) * 100.0)
    }
}

fn middle(row: usize) -> usize {
    row * ROW + ROW / 2
}

fn thick(closeness: f32) -> String {
    format!("{:.1}", 1.0 + 4.0 * closeness.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_has_the_thickest_rope_and_no_bow_leads_nowhere() {
        let file = |path: &str, closeness| Rope { path: path.into(), closeness, tally: Tally::default() };
        let ropes = Ropes { files: vec![file("a/b.rs", 1.0), file("c.rs", 0.25)], ties: vec![(0, 1, 1.0), (0, 7, 1.0)] };
        let drawn = ropes.to_each();
        assert_eq!(drawn[0], ("M8 0C8 20 12 20 48 20".into(), "5.0".into()));
        assert_eq!((drawn[1].1.as_str(), ropes.bows().len(), ropes.height()), ("2.0", 1, 80));
        assert_eq!((ropes.files[0].name(), ropes.files[0].folder()), ("b.rs", "a/"));
    }
}
