//! The page a lead keeps open: what the agents know, what changed, what needs a decision, what cannot be trusted.

use crate::{
    Actor, Chrome, Nav, about,
    chart::{Columns, Shares},
    memories::Freshness,
    number, query,
};
use askama::Template;
use time::OffsetDateTime;

#[derive(Clone, Debug, Template)]
#[template(path = "overview/show.html")]
pub struct Overview {
    pub chrome: Chrome,
    /// `None` while the workspace is being counted for the first time.
    pub known: Option<Known>,
    pub writes: Columns,
    pub recalls: Columns,
    /// Tokens that were told in the days of the charts.
    pub told: u64,
    pub needs: Needs,
    pub most_recalled: Vec<Recalled>,
    pub decisions: Vec<Newest>,
    pub agents: Vec<Active>,
    /// Where the server answers, for the first command.
    pub origin: String,
}

/// What is active and for the viewer, by kind.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub kinds: Vec<KindCount>,
    /// What all of it would take to read.
    pub tokens: u64,
}

#[derive(Clone, Debug, Default)]
pub struct KindCount {
    pub kind: String,
    pub fresh: u64,
    pub suspect: u64,
    pub stale: u64,
}

/// What waits for a person.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    pub proposals: u32,
    pub conflicts: u32,
    /// Deletion requests that are pending, and those that are approved.
    pub to_approve: u32,
    pub to_execute: u32,
    /// In doubt, and told again and again.
    pub doubtful: Vec<Recalled>,
}

#[derive(Clone, Debug)]
pub struct Recalled {
    pub id: String,
    pub title: String,
    pub kind: String,
    pub freshness: Freshness,
    pub times: u64,
}

#[derive(Clone, Debug)]
pub struct Newest {
    pub id: String,
    pub title: String,
    pub by: Actor,
    pub at: OffsetDateTime,
    pub supersedes: bool,
}

#[derive(Clone, Debug)]
pub struct Active {
    pub agent: Actor,
    pub last_seen: OffsetDateTime,
    /// The id of the run that it is in, and what that is about.
    pub session: Option<(String, String)>,
}

/// A line of “needs you”: how many, of what, and where.
struct Need {
    count: String,
    what: &'static str,
    href: String,
}

impl Overview {
    fn is_bare(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.total() == 0) && self.writes.total() == 0
    }

    fn needs(&self) -> Vec<Need> {
        let waiting = [
            (self.needs.proposals, "proposal waits for review", "proposals wait for review", Nav::Review, ""),
            (self.needs.conflicts, "conflict is open", "conflicts are open", Nav::Review, "conflicts"),
            (self.needs.to_approve, "deletion request is pending", "deletion requests are pending", Nav::Deletion, "pending"),
            (
                self.needs.to_execute,
                "approved deletion is to be executed",
                "approved deletions are to be executed",
                Nav::Deletion,
                "approved",
            ),
        ];
        let there = waiting.into_iter().filter(|(count, ..)| *count > 0);
        there
            .filter_map(|(count, one, many, nav, tab)| {
                let base = nav.href(&self.chrome)?;
                let href = match tab {
                    "conflicts" => self.chrome.place("conflicts"),
                    state => query::link(&base, &[("state", state)]),
                };
                let shown = if count > crate::Waiting::MANY { format!("{}+", crate::Waiting::MANY) } else { count.to_string() };
                Some(Need { count: shown, what: if count == 1 { one } else { many }, href })
            })
            .collect()
    }

    fn is_calm(&self) -> bool {
        self.needs().is_empty() && self.needs.doubtful.is_empty()
    }

    /// What everything would have cost, sent along with every question, less what was told.
    fn saved(&self) -> Option<String> {
        let known = self.known.as_ref()?;
        let whole = known.tokens.saturating_mul(self.recalls.total());
        (self.recalls.total() > 0).then(|| about(whole.saturating_sub(self.told)))
    }

    fn saved_said(&self) -> String {
        let tokens = self.known.as_ref().map_or(0, |known| known.tokens);
        format!(
            "{} recalls told {} tokens; all {} tokens of what is active, sent with each, would have been the alternative.",
            number(self.recalls.total()),
            number(self.told),
            number(tokens)
        )
    }

    fn memories_of(&self, kind: &str, freshness: &str) -> String {
        query::link(&self.chrome.memories(), &[("kind", kind), ("freshness", freshness)])
    }
}

impl Known {
    fn total(&self) -> u64 {
        self.kinds.iter().map(KindCount::total).sum()
    }

    fn of(&self, count: fn(&KindCount) -> u64) -> u64 {
        self.kinds.iter().map(count).sum()
    }

    fn fresh(&self) -> u64 {
        self.of(|kind| kind.fresh)
    }

    fn suspect(&self) -> u64 {
        self.of(|kind| kind.suspect)
    }

    fn stale(&self) -> u64 {
        self.of(|kind| kind.stale)
    }

    fn bar(&self, kind: &KindCount) -> Shares {
        let whole = self.kinds.iter().map(KindCount::total).max().unwrap_or_default();
        Shares { parts: vec![("fresh", kind.fresh), ("suspect", kind.suspect), ("stale", kind.stale)], whole }
    }
}

impl KindCount {
    fn total(&self) -> u64 {
        self.fresh + self.suspect + self.stale
    }
}
