//! Whether a memory still deserves trust, and why not. One place computes it, from all reasons at once.

use crate::{
    model::{
        Kind, Memory, MemoryId, Settings, State,
        memory::Report,
        recall::{Indexed, Text},
    },
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

/// What of a memory speaks for or against it.
#[derive(Clone, Copy, Debug)]
pub struct Signs {
    pub kind: Kind,
    pub state: State,
    pub superseded_by: Option<MemoryId>,
    pub stale_after: Option<OffsetDateTime>,
    pub expires_at: Option<OffsetDateTime>,
    pub verified_at: Option<OffsetDateTime>,
    pub updated_at: OffsetDateTime,
    pub reported: Option<(OffsetDateTime, Report)>,
}

macro_rules! signs_of {
    ($of:ident, $superseded_by:expr, $reported:expr) => {
        impl From<&$of> for Signs {
            fn from(of: &$of) -> Self {
                let (superseded_by, reported): (fn(&$of) -> _, fn(&$of) -> _) = ($superseded_by, $reported);
                Self {
                    kind: of.kind,
                    state: of.state,
                    superseded_by: superseded_by(of),
                    stale_after: of.stale_after,
                    expires_at: of.expires_at,
                    verified_at: of.verified_at,
                    updated_at: of.updated_at,
                    reported: reported(of),
                }
            }
        }
    };
}
signs_of!(Memory, |of| of.superseded_by, |of| of.reported);
signs_of!(Text, |of| of.superseded_by, |of| of.reported_at.zip(of.reported_as));
signs_of!(Indexed, |_| None, |of| of.reported);

pub fn judge(of: impl Into<Signs>, settings: &Settings, now: OffsetDateTime) -> Judgement {
    let memory = of.into();
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
    if let Some((at, report)) = memory.reported.filter(|(at, _)| *at > last_sure(&memory) && *at <= now) {
        found.push((Freshness::Suspect, format!("reported as {} on {}", report.word(), day(at))));
    }
    if let Some(days) = settings.policy(memory.kind).review_age_days {
        let last_sure = last_sure(&memory);
        if last_sure + Duration::days(days.into()) <= now {
            found.push((Freshness::Suspect, format!("neither changed nor verified since {}, more than {days} days", day(last_sure))));
        }
    }
    let state = found.iter().map(|(state, _)| *state).max().unwrap_or(Freshness::Fresh);
    Judgement { state, reasons: found.into_iter().map(|(_, reason)| reason).collect() }
}

/// Being recalled makes nothing younger: only a new version or a verification does.
fn last_sure(memory: &Signs) -> OffsetDateTime {
    memory.verified_at.map_or(memory.updated_at, |verified| verified.max(memory.updated_at))
}

/// The moments from which a memory is suspect and stale, if ever: the same rules, for an index that outlives today.
pub fn turns(of: impl Into<Signs>, settings: &Settings) -> (Option<OffsetDateTime>, Option<OffsetDateTime>) {
    let memory = of.into();
    let overdue = memory.stale_after.filter(|at| memory.verified_at.is_none_or(|verified| verified < *at));
    let reported = memory.reported.map(|(at, _)| at).filter(|at| *at > last_sure(&memory));
    let unattended =
        settings.policy(memory.kind).review_age_days.and_then(|days| last_sure(&memory).checked_add(Duration::days(days.into())));
    let suspect = [overdue, reported, unattended].into_iter().flatten().min();
    let superseded = (memory.state == State::Superseded).then_some(OffsetDateTime::UNIX_EPOCH);
    (suspect, [superseded, memory.expires_at].into_iter().flatten().min())
}

fn day(at: OffsetDateTime) -> String {
    at.format(format_description!("[year]-[month]-[day]")).unwrap_or_default()
}
