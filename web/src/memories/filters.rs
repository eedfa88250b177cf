//! The filters of the list, as they stand in the URL; empty means not set.

use crate::query;

#[derive(Clone, Debug, Default)]
pub struct Filters {
    pub q: String,
    pub kind: String,
    pub tag: String,
    pub project: String,
    pub state: String,
    pub freshness: String,
    /// An id.
    pub author: String,
    pub path_prefix: String,
    /// The run in which it was learned, by id.
    pub session_id: String,
}

/// One active filter, and the list without it.
pub struct Chip {
    pub label: &'static str,
    pub value: String,
    pub without: String,
}

impl Filters {
    pub const KINDS: [&str; 7] = ["decision", "pattern", "procedure", "discovery", "preference", "episode", "fact"];
    pub const STATES: [&str; 4] = ["active", "proposed", "superseded", "archived"];
    pub const FRESHNESS: [&str; 3] = ["fresh", "suspect", "stale"];

    pub fn is_empty(&self) -> bool {
        self.pairs().iter().all(|(_, value)| value.is_empty())
    }

    /// Are any set of those that hide under “More filters”?
    pub(crate) fn hidden(&self) -> usize {
        self.pairs()[3..].iter().filter(|(_, value)| !value.is_empty()).count()
    }

    pub(crate) fn chips(&self, list: &str) -> Vec<Chip> {
        let labels = ["Search", "Kind", "Freshness", "State", "Project", "Tag", "Author", "Path", "Run"];
        let pairs = self.pairs();
        let set = (0..pairs.len()).filter(|place| !pairs[*place].1.is_empty());
        set.map(|place| {
            let mut others = pairs;
            others[place].1 = "";
            Chip { label: labels[place], value: pairs[place].1.to_owned(), without: query::link(list, &others) }
        })
        .collect()
    }

    /// The same list from a cursor on.
    pub(crate) fn page(&self, list: &str, cursor: &str) -> String {
        let mut pairs = self.pairs().to_vec();
        pairs.push(("cursor", cursor));
        query::link(list, &pairs)
    }

    fn pairs(&self) -> [(&'static str, &str); 9] {
        [
            ("q", &self.q),
            ("kind", &self.kind),
            ("freshness", &self.freshness),
            ("state", &self.state),
            ("project", &self.project),
            ("tag", &self.tag),
            ("author", &self.author),
            ("path_prefix", &self.path_prefix),
            ("session_id", &self.session_id),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chip_takes_away_its_own_filter_and_no_other() {
        let filters = Filters { q: "deploy".into(), tag: "a b".into(), ..Filters::default() };
        let chips = filters.chips("/m");
        let without: Vec<_> = chips.iter().map(|chip| (chip.label, chip.without.as_str())).collect();
        assert_eq!(without, [("Search", "/m?tag=a%20b"), ("Tag", "/m?q=deploy")]);
        assert_eq!(filters.page("/m", "c1"), "/m?q=deploy&tag=a%20b&cursor=c1");
        assert_eq!(filters.hidden(), 1);
    }
}
