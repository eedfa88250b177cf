//! In which state a text says that something is: allowed or forbidden, required or optional, working or broken, on or off.

use super::{
    meaning::Pair,
    text::{Reading, Word},
};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// A line each: its name, the words of the one side, the words of the other.
const STATES: &str = "\
permission | allowed permitted fine ok okay accepted may can could welcome approved legal accepts accept allows allow permits permit lets erlaubt darf autorise permitido | forbidden banned bans ban blocked denied denies deny refused refuse refuses rejected rejects reject prohibited disallowed disallows locked restricted forbid forbids blocks block illegal avoid avoids verboten untersagt interdit prohibido taboo off-limits
requirement | required mandatory must obligatory compulsory enforced necessary requires require need needs needed force forces forced insist insists demands pflicht muss mussen obligatoire obligatorio | optional voluntary unnecessary exempt waived waives suffices suffice enough omit omits omitted skip skips skipped freiwillig facultatif opcional waive
function | works working work fixed solved resolved stable passes passing healthy available supported supports support verified ready reliable possible functional succeed succeeds smoothly trouble-free compiles builds installs | broken breaks fails fail failing failed crash crashes crashed unavailable unsupported flaky hangs unusable kaputt impossible corrupt corrupted buggy stuck rejects refuses aborts
activation | on enabled enable enables active activated live started sent up answers runs running processing | off disabled disable disables inactive deactivated paused suspended stopped stops retired decommissioned shut down gone removed deleted dropped sunset unused dead discontinued abgeschaltet
maturity | ga generally general stable official released launched production-ready | beta experimental preview alpha pilot prototype early
progress | closed done finished completed complete resolved merged shipped signed delivered over | open pending ongoing unresolved planned waiting draft paused unfinished
hands | automatic automatically automated auto bot cron scheduled nightly unattended | manual manually hand human someone clicks demand
exposure | public open external visible published exposed readable | private internal hidden secret restricted confidential
keeping | keep kept keeps stays stay remains remain retained retain stored forever persists | delete deletes removed remove purged wiped dropped erased discarded purge
reach | everyone everybody anyone all every any anywhere everywhere generally | nobody none only solely single selected few
consent | opt-in | opt-out
place | in-house inhouse internal ourselves self-hosted on-prem on-premises | outsourced external vendor hosted saas cloud managed agency
timing | immediately instantly instant synchronous synchronously real-time realtime live once straight | later asynchronous asynchronously batch batched nightly delayed overnight afterwards
";

const LINES: usize = 13;
const PERMISSION: usize = 0;
const REQUIREMENT: usize = 1;
/// More words of state than these are a list.
const MOST: usize = 16;

static WORDS: LazyLock<FxHashMap<&'static str, Vec<(usize, bool)>>> = LazyLock::new(|| {
    let mut words: FxHashMap<&'static str, Vec<(usize, bool)>> = FxHashMap::default();
    for (line, text) in STATES.lines().enumerate() {
        for (side, list) in text.split(" | ").skip(1).enumerate() {
            for word in list.split_whitespace() {
                words.entry(word).or_default().push((line, side == 0));
            }
        }
    }
    words
});

/// A word of state where a text has it.
#[derive(Clone, Copy)]
pub struct State {
    at: usize,
    line: usize,
    /// On the first side of its line, denials counted.
    yes: bool,
}

/// How much stands around words by which the two texts put things in opposite states.
#[derive(Default)]
pub struct Opposed {
    pub any: f32,
    pub requirement: f32,
    /// The words of state that stand against each other most, as they are written.
    pub told: Option<(String, String)>,
}

pub fn opposed(old: &Reading, there: &[State], new: &Reading, here: &[State], pair: &Pair<'_>) -> Opposed {
    let (mut apart, mut alike) = ([0.0_f32; LINES], [0.0_f32; LINES]);
    let (mut nearest, mut told) = (0.0, None);
    for one in there.iter().take(MOST) {
        for other in here.iter().take(MOST).filter(|other| other.line == one.line) {
            let near = pair.around(old, one.at, new, other.at);
            let best = if one.yes == other.yes { &mut alike[one.line] } else { &mut apart[one.line] };
            *best = best.max(near);
            if one.yes != other.yes && near > nearest {
                nearest = near;
                told = Some((old.words[one.at].raw.clone(), new.words[other.at].raw.clone()));
            }
        }
    }
    let lines: Vec<f32> = apart.iter().zip(alike).map(|(apart, alike)| (apart - alike).max(0.0)).collect();
    Opposed { any: lines.iter().copied().fold(0.0, f32::max), requirement: lines[REQUIREMENT], told }
}

pub fn is_state(low: &str) -> bool {
    WORDS.contains_key(low)
}

pub fn states(reading: &Reading) -> Vec<State> {
    let words = &reading.words;
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map_or("", |next| next.low.as_str());
        if is_ban(reading, at, next) {
            found.push(State { at, line: PERMISSION, yes: false });
            continue;
        }
        let denied = is_denied(words, at);
        if matches!(word.low.as_str(), "have" | "has" | "had") && next == "to" {
            found.push(State { at, line: REQUIREMENT, yes: !denied });
        }
        let is_month = word.raw == "May";
        let states = WORDS.get(word.low.as_str()).filter(|_| !is_month);
        found.extend(states.into_iter().flatten().map(|(line, yes)| State { at, line: *line, yes: *yes != denied }));
    }
    found
}

/// "must not", "never …", "no …" at the beginning: a ban.
fn is_ban(reading: &Reading, at: usize, next: &str) -> bool {
    let word = &reading.words[at];
    let opens = word.first || (at > 0 && reading.words[at - 1].clause != word.clause);
    let verb = matches!(word.low.as_str(), "must" | "should" | "may" | "can" | "do" | "shall") && matches!(next, "not" | "never");
    verb || (opens && (word.low == "never" || (word.low == "no" && at >= reading.title)))
}

fn is_denied(words: &[Word], at: usize) -> bool {
    let clause = |word: &&Word| word.clause == words[at].clause;
    let denials = words[..at].iter().rev().take(4).take_while(clause).filter(|word| denies(&word.low)).count();
    let after = words.get(at + 1).filter(clause).is_some_and(|word| matches!(word.low.as_str(), "not" | "nothing" | "nobody"));
    denials % 2 == 1 || after
}

fn denies(low: &str) -> bool {
    matches!(
        low,
        "not"
            | "no"
            | "never"
            | "nobody"
            | "nothing"
            | "without"
            | "un-"
            | "none"
            | "neither"
            | "stopped"
            | "nicht"
            | "kein"
            | "keine"
            | "pas"
            | "jamais"
            | "nunca"
    )
}
