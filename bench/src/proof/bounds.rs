//! The bars that a report is held against, in a file beside the tasks: one that can be missed.

use crate::Failure;
use serde::Deserialize;
use std::{collections::BTreeMap, fs, path::Path};

pub const FILE: &str = "bounds.json";

/// By the name of a figure, summed over all tasks with a memory.
pub struct Bounds(BTreeMap<String, Bound>);

#[derive(Deserialize, Clone, Copy, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    AtMost(u64),
    /// Else too little happened for the others to mean anything.
    AtLeast(u64),
    /// Of a hundred that the same cost without a memory.
    PercentOfCold(u64),
}

impl Bounds {
    pub fn read(file: &Path) -> Result<Self, Failure> {
        let text = fs::read(file).map_err(|wrong| format!("{}: {wrong}", file.display()))?;
        Ok(Self(serde_json::from_slice(&text).map_err(|wrong| format!("{}: {wrong}", file.display()))?))
    }

    pub fn of(&self, figure: &str) -> Option<Bound> {
        self.0.get(figure).copied()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl Bound {
    /// A figure that was not measured misses every bar.
    pub fn holds(self, warm: Option<u64>, cold: Option<u64>) -> bool {
        match (self, warm, cold) {
            (Self::AtMost(most), Some(warm), _) => warm <= most,
            (Self::AtLeast(least), Some(warm), _) => warm >= least,
            (Self::PercentOfCold(percent), Some(warm), Some(cold)) => cold > 0 && warm * 100 <= cold * percent,
            _ => false,
        }
    }

    pub fn words(self) -> String {
        match self {
            Self::AtMost(0) => "0".to_owned(),
            Self::AtMost(most) => format!("≤ {most}"),
            Self::AtLeast(least) => format!("≥ {least}"),
            Self::PercentOfCold(percent) => format!("≤ {percent} % of cold"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bound;

    #[test]
    fn a_bar_can_be_missed_and_what_was_not_measured_misses_it() {
        assert!(Bound::AtMost(0).holds(Some(0), None) && !Bound::AtMost(0).holds(Some(1), None));
        assert!(Bound::AtLeast(3).holds(Some(3), None) && !Bound::AtLeast(3).holds(Some(2), None));
        assert!(Bound::PercentOfCold(50).holds(Some(5), Some(10)) && !Bound::PercentOfCold(50).holds(Some(6), Some(10)));
        assert!(!Bound::PercentOfCold(50).holds(Some(0), Some(0)), "of nothing, nothing is shown");
        for bound in [Bound::AtMost(0), Bound::AtLeast(0), Bound::PercentOfCold(100)] {
            assert!(!bound.holds(None, Some(1)), "{bound:?}");
        }
    }
}
