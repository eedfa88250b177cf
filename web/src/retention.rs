//! Retention: after how many days archived memories are erased, by kind, and what that would take now.

use crate::Chrome;
use askama::Template;

#[derive(Clone, Debug, Template)]
#[template(path = "retention/show.html")]
pub struct Retention {
    pub chrome: Chrome,
    /// Days for every kind that says nothing else; empty: kept.
    pub days: String,
    pub kinds: Vec<Rule>,
    /// The address asks what other rules would do: they are shown, and not saved yet.
    pub trying: bool,
    /// May the viewer change the rules?
    pub may_change: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Rule {
    pub kind: String,
    /// What is set for it: days, `never`, or empty where the rule for all holds.
    pub set: String,
    /// What holds: days, or none where it is kept.
    pub days: Option<u32>,
    /// Memories that would be erased now.
    pub due: usize,
    /// Those that would be, if no hold kept them.
    pub held: usize,
    /// There may be more: nobody counts past this.
    pub many: bool,
}

impl Retention {
    fn here(&self) -> String {
        self.chrome.place("retention")
    }

    fn due(&self) -> usize {
        self.kinds.iter().map(|rule| rule.due).sum()
    }

    fn many(&self) -> bool {
        self.kinds.iter().any(|rule| rule.many)
    }
}

impl Rule {
    fn field(&self) -> String {
        format!("kind.{}", self.kind)
    }

    fn holds(&self) -> String {
        match self.days {
            Some(1) => "erased 1 day after it is archived".to_owned(),
            Some(days) => format!("erased {days} days after it is archived"),
            None => "kept".to_owned(),
        }
    }
}
