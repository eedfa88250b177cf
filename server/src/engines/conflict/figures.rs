//! Another value for the same thing: 60 seconds there, 350 here.

use super::{
    clash::{Clash, MOST, better, clash},
    scope,
    text::{Reading, Word},
    values::{self, Bound, Measure, Quantity},
};

const WEEK: f64 = 7.0 * 86_400.0;

/// Another value of the same measure for the same thing.
pub fn value(old: &Reading, new: &Reading) -> Option<Clash> {
    let (mut there, here) = (values::quantities(&old.words), values::quantities(&new.words));
    // What was measured once does not speak against what is measured now.
    there.retain(|quantity| !scope::is_past(&old.words, quantity.at));
    let stands = |list: &[Quantity], one: &Quantity, words: &[Word]| {
        list.iter().any(|other| same_measure(one, other) && same_value(one, other) && !is_bad(words, other.at))
    };
    let mut best = None;
    for one in there.iter().filter(|one| !stands(&here, one, &new.words)).take(MOST) {
        let rivals = here.iter().filter(|other| same_measure(one, other) && one.bound_fits(other) && !stands(&there, other, &old.words));
        for other in rivals.take(MOST) {
            if same_value(one, other) || (is_subject(old, one) && is_subject(new, other)) {
                continue;
            }
            let (a, b) = (&old.words[one.at], &new.words[other.at]);
            if is_bad(&new.words, other.at) {
                continue;
            }
            better(&mut best, clash(old, a, new, b, one.shown.clone(), other.shown.clone()));
        }
    }
    best
}

impl Quantity {
    fn bound_fits(&self, other: &Self) -> bool {
        (self.bound == Bound::Above) == (other.bound == Bound::Above)
    }
}

fn same_measure(one: &Quantity, other: &Quantity) -> bool {
    match (&one.measure, &other.measure) {
        (Measure::Plain(a), Measure::Plain(b)) => a.iter().any(|label| b.contains(label)),
        (Measure::Plain(a), Measure::Count(b)) | (Measure::Count(b), Measure::Plain(a)) => a.first() == Some(b),
        // Once a week on one day, or each night: another rhythm.
        (Measure::Weekday, Measure::Every) | (Measure::Every, Measure::Weekday) => true,
        (a, b) => a == b,
    }
}

fn same_value(one: &Quantity, other: &Quantity) -> bool {
    if (one.measure == Measure::Weekday) != (other.measure == Measure::Weekday) {
        return [one, other].iter().any(|rhythm| rhythm.measure == Measure::Every && (rhythm.value - WEEK).abs() < 1.0);
    }
    // A month is 30 days to some and a twelfth of a year to others.
    let slack = if matches!(one.measure, Measure::Duration | Measure::Every) { 0.02 } else { 0.001 };
    (one.value - other.value).abs() <= one.value.abs() * slack
}

/// "SDK 4 gets fixes": the version is what is spoken of, not what is said of it.
fn is_subject(reading: &Reading, quantity: &Quantity) -> bool {
    matches!(quantity.measure, Measure::Version(_)) && quantity.at > 0 && reading.words[quantity.at - 1].first
}

/// "18 fails", "OOM kills at 512Mi", "256 ran out": the value is mentioned to say that it is not the one.
fn is_bad(words: &[Word], at: usize) -> bool {
    let clause = words[at].clause;
    let after = words[at..].iter().take_while(|word| word.clause == clause).any(|word| {
        matches!(
            word.low.as_str(),
            "fails" | "failed" | "fail" | "ran" | "broke" | "breaks" | "crashed" | "crashes" | "leaked" | "overloaded"
        )
    });
    let before = words[..at].iter().rev().take(4).take_while(|word| word.clause == clause);
    let before = before
        .into_iter()
        .any(|word| matches!(word.low.as_str(), "oom" | "kills" | "old" | "former" | "formerly" | "previously" | "from" | "instead"));
    let was = at > 0 && matches!(words[at - 1].low.as_str(), "was" | "were" | "war");
    words[at].denied || after || before || was
}
