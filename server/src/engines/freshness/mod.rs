//! Whether a memory still deserves trust, and why not. One place computes it, from all reasons at once.

use crate::{
    model::{Memory, Settings, State},
    problem::Problem,
};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use time::{Duration, OffsetDateTime, macros::format_description};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    Fresh,
    /// Something happened that may have made it untrue.
    Suspect,
    /// It no longer holds.
    Stale,
}

impl Freshness {
    pub fn word(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Suspect => "suspect",
            Self::Stale => "stale",
        }
    }
}

impl FromStr for Freshness {
    type Err = Problem;
    fn from_str(word: &str) -> Result<Self, Problem> {
        [Self::Fresh, Self::Suspect, Self::Stale]
            .into_iter()
            .find(|state| state.word() == word)
            .ok_or_else(|| Problem::invalid("freshness", "must be one of fresh suspect stale"))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    pub state: Freshness,
    pub reasons: Vec<String>,
}

pub fn judge(memory: &Memory, settings: &Settings, now: OffsetDateTime) -> Judgement {
    let mut found = Vec::new();
    if memory.state == State::Superseded {
        found.push((
            Freshness::Stale,
            match memory.superseded_by {
                Some(by) => format!("superseded by {by}"),
                None => "superseded".to_owned(),
            },
        ));
    }
    if let Some(at) = memory.expires_at.filter(|at| *at <= now) {
        found.push((Freshness::Stale, format!("expired on {}", day(at))));
    }
    if let Some(at) = memory.stale_after.filter(|at| *at <= now && memory.verified_at.is_none_or(|verified| verified < *at)) {
        found.push((Freshness::Suspect, format!("past its review date, {}", day(at))));
    }
    if let Some(days) = settings.default_stale_after_days {
        let last_sure = memory.verified_at.map_or(memory.updated_at, |verified| verified.max(memory.updated_at));
        if last_sure + Duration::days(days.into()) <= now {
            found.push((Freshness::Suspect, format!("neither changed nor verified since {}, more than {days} days", day(last_sure))));
        }
    }
    let state = found.iter().map(|(state, _)| *state).max().unwrap_or(Freshness::Fresh);
    Judgement { state, reasons: found.into_iter().map(|(_, reason)| reason).collect() }
}

fn day(at: OffsetDateTime) -> String {
    at.format(format_description!("[year]-[month]-[day]")).unwrap_or_default()
}
