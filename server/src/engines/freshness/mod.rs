//! Whether a memory still deserves trust, and why not. One place computes it, from all reasons at once.

mod code;
mod fingerprint;
mod named;
#[cfg(test)]
mod tests;

pub use code::{Anchored, Branch, Files, Found, alike};
pub use fingerprint::{Fingerprint, Of};
pub use named::names_the_old;

use crate::{
    model::{
        Kind, Memory, MemoryId, Settings, State,
        code::{Contested, Fate, Standing, leaf},
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
#[derive(Clone, Debug)]
pub struct Signs {
    pub kind: Kind,
    pub state: State,
    pub superseded_by: Option<MemoryId>,
    pub stale_after: Option<OffsetDateTime>,
    pub expires_at: Option<OffsetDateTime>,
    pub verified_at: Option<OffsetDateTime>,
    pub updated_at: OffsetDateTime,
    pub reported: Option<(OffsetDateTime, Report)>,
    /// What is said of the code it hangs on, on every branch.
    pub code: Vec<Standing>,
    /// What it contradicts, undecided.
    pub contested: Vec<Contested>,
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
                    code: of.code.clone(),
                    contested: of.contested.clone(),
                }
            }
        }
    };
}
signs_of!(Memory, |of| of.superseded_by, |of| of.reported);
signs_of!(Text, |of| of.superseded_by, |of| of.reported_at.zip(of.reported_as));
signs_of!(Indexed, |_| None, |of| of.reported);

pub fn judge(of: impl Into<Signs>, settings: &Settings, now: OffsetDateTime) -> Judgement {
    judge_on(of, settings, now, None)
}

/// The code as it is on a branch; on the main one where none is named or the branch says nothing of its own.
pub fn judge_on(of: impl Into<Signs>, settings: &Settings, now: OffsetDateTime, branch: Option<&str>) -> Judgement {
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
    for at in on_branch(&memory.code, branch).into_iter().filter(|at| at.at <= now) {
        if let Some(state) = at.verdict.freshness().filter(|state| *state != Freshness::Fresh) {
            found.push((state, reason(at)));
        }
    }
    for other in memory.contested.iter().filter(|other| other.at <= now) {
        found.push((Freshness::Suspect, format!("contradicts {}, and nobody has decided which holds", other.memory_id)));
    }
    let state = found.iter().map(|(state, _)| *state).max().unwrap_or(Freshness::Fresh);
    Judgement { state, reasons: found.into_iter().map(|(_, reason)| reason).collect() }
}

/// Being recalled makes nothing younger: only a new version or a verification does.
fn last_sure(memory: &Signs) -> OffsetDateTime {
    memory.verified_at.map_or(memory.updated_at, |verified| verified.max(memory.updated_at))
}

/// The moments from which a memory is doubted, if ever.
pub struct Turns {
    /// That another contradicts it says nothing of which of the two holds.
    pub contested: Option<OffsetDateTime>,
    pub suspect: Option<OffsetDateTime>,
    pub stale: Option<OffsetDateTime>,
}

/// The same rules, for an index that outlives today.
pub fn turns(of: impl Into<Signs>, settings: &Settings) -> Turns {
    let memory = of.into();
    let overdue = memory.stale_after.filter(|at| memory.verified_at.is_none_or(|verified| verified < *at));
    let reported = memory.reported.map(|(at, _)| at).filter(|at| *at > last_sure(&memory));
    let unattended =
        settings.policy(memory.kind).review_age_days.and_then(|days| last_sure(&memory).checked_add(Duration::days(days.into())));
    let superseded = (memory.state == State::Superseded).then_some(OffsetDateTime::UNIX_EPOCH);
    Turns {
        contested: memory.contested.iter().map(|other| other.at).min(),
        suspect: [overdue, reported, unattended].into_iter().flatten().min(),
        stale: [superseded, memory.expires_at].into_iter().flatten().min(),
    }
}

/// From when the code makes a memory suspect and stale, on each branch that is known to say something; without a name on the
/// main ones.
pub fn code_turns(code: &[Standing]) -> Vec<(Option<&str>, Option<OffsetDateTime>, Option<OffsetDateTime>)> {
    let mut branches: Vec<Option<&str>> = code.iter().map(|at| Some(at.branch.as_str())).chain([None]).collect();
    branches.sort_unstable();
    branches.dedup();
    if code.is_empty() {
        branches.clear();
    }
    let turn = |branch: Option<&str>, wanted| {
        let at = on_branch(code, branch).into_iter().filter(|at| at.verdict.freshness() == Some(wanted));
        at.map(|at| at.at).min()
    };
    branches.into_iter().map(|branch| (branch, turn(branch, Freshness::Suspect), turn(branch, Freshness::Stale))).collect()
}

/// Of each anchor what is said on this branch, or else on the main one.
fn on_branch<'a>(code: &'a [Standing], branch: Option<&str>) -> Vec<&'a Standing> {
    let mut chosen: Vec<&Standing> = Vec::new();
    for at in code.iter().filter(|at| at.main || Some(at.branch.as_str()) == branch) {
        match chosen.iter_mut().find(|known| known.position == at.position) {
            Some(known) if Some(at.branch.as_str()) == branch => *known = at,
            Some(_) => {}
            None => chosen.push(at),
        }
    }
    chosen
}

/// What happened to the code, where and in which commit.
pub fn reason(at: &Standing) -> String {
    let name = at.symbol.as_deref().unwrap_or(&at.path);
    let was = at.was_symbol.as_deref().unwrap_or(&at.was_path);
    let (commit, path) = (short(&at.since), &at.path);
    let place = if at.main { path.clone() } else { format!("{path} on {}", at.branch) };
    match at.verdict {
        Fate::Unchanged => format!("{name} is as it was ({place})"),
        Fate::Moved => format!("{was} moved to {place} in {commit}"),
        Fate::Renamed => format!("{was} is called {name} since {commit} ({place})"),
        Fate::TextNamesTheOld if leaf(name) == leaf(was) || at.symbol.is_none() => {
            format!("{was} moved to {place} in {commit}, and the text names the old place")
        }
        Fate::TextNamesTheOld => format!("{was} is called {name} since {commit} ({place}), and the text names it as it was"),
        Fate::BodyChanged => format!("{name} changed its body in {commit} ({place})"),
        Fate::RenamedAndChanged => format!("{was} became {name} in {commit}, with a changed body ({place})"),
        Fate::FileChanged if at.main => format!("{path} changed in {commit}"),
        Fate::FileChanged => format!("{path} changed in {commit} on {}", at.branch),
        Fate::Differs => format!("{name} is another on {} than the one this was written for ({path}, {commit})", at.branch),
        Fate::SignatureChanged => format!("{name} changed its signature in {commit} ({place})"),
        Fate::Removed => format!("{name} was removed in {commit} ({place})"),
        Fate::FileGone if at.symbol.is_some() => format!("{name} went with its file in {commit} ({place})"),
        Fate::FileGone => format!("{place} was removed in {commit}"),
        Fate::Absent => format!("{name} is not on {}", at.branch),
    }
}

/// A commit as people write it.
fn short(commit: &str) -> String {
    let digits = commit.bytes().take_while(u8::is_ascii_hexdigit).count();
    if digits < 16 { commit.to_owned() } else { format!("{}{}", &commit[..7], &commit[digits..]) }
}

fn day(at: OffsetDateTime) -> String {
    at.format(format_description!("[year]-[month]-[day]")).unwrap_or_default()
}
