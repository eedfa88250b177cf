//! Another value for the same thing: 60 seconds there, 350 here.

use super::{
    clash::{Clash, MOST, better, clash},
    cues, scope,
    text::{Reading, Word},
    values::{Bound, Measure, Quantity},
};

const WEEK: f64 = 7.0 * 86_400.0;

/// Another value of the same measure for the same thing.
pub fn value(old: &Reading, new: &Reading) -> Option<Clash> {
    let (mut there, here): (Vec<&Quantity>, Vec<&Quantity>) = (old.quantities.iter().collect(), new.quantities.iter().collect());
    // What was measured once does not speak against what is measured now.
    there.retain(|quantity| !scope::is_past(&old.words, quantity.at));
    let stands = |list: &[&Quantity], one: &Quantity, words: &[Word]| {
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
            let clash = clash(old, a, new, b, one.shown.clone(), other.shown.clone());
            // Another answer to another request: there is one for each.
            let answers = is_answer(&old.words, one) && is_answer(&new.words, other);
            if !answers || clash.near >= 0.6 {
                better(&mut best, clash);
            }
        }
    }
    best
}

impl Quantity {
    fn bound_fits(&self, other: &Self) -> bool {
        (self.bound == Bound::Above) == (other.bound == Bound::Above)
    }
}

pub fn same_measure(one: &Quantity, other: &Quantity) -> bool {
    match (&one.measure, &other.measure) {
        (Measure::Plain(a), Measure::Plain(b)) => a.iter().any(|label| b.contains(label)),
        (Measure::Plain(a), Measure::Count(b)) | (Measure::Count(b), Measure::Plain(a)) => a.first() == Some(b),
        // Once a week on one day, or each night: another rhythm.
        (Measure::Weekday, Measure::Every) | (Measure::Every, Measure::Weekday) => true,
        (a, b) => a == b,
    }
}

pub fn same_value(one: &Quantity, other: &Quantity) -> bool {
    if (one.measure == Measure::Weekday) != (other.measure == Measure::Weekday) {
        return [one, other].iter().any(|rhythm| rhythm.measure == Measure::Every && (rhythm.value - WEEK).abs() < 1.0);
    }
    if one.measure == Measure::Date && other.measure == Measure::Date {
        return same_date(one.value, other.value);
    }
    if one.measure == Measure::Percent && (is_part(one) || is_part(other)) && (one.value + other.value - 100.0).abs() < 1.0 {
        return true;
    }
    let slack = match one.measure {
        // A month is 30 days to some and a twelfth of a year to others, a third 33 percent.
        Measure::Duration | Measure::Every | Measure::Percent => 0.02,
        // 1000 to some, 1024 to others.
        Measure::Bytes => 0.06,
        _ => 0.001,
    };
    (one.value - other.value).abs() <= one.value.abs() * slack
}

/// "four fifths": who speaks of a part may mean the rest by it.
fn is_part(quantity: &Quantity) -> bool {
    quantity.shown.starts_with(char::is_alphabetic)
}

/// A month alone is any day of it, a quarter (below zero) any of its months.
fn same_date(one: f64, other: f64) -> bool {
    let month = |date: f64| (date / 100.0).floor();
    let quarter = |date: f64| if date < 0.0 { -date } else { ((month(date) - 1.0) / 3.0).floor() + 1.0 };
    if one < 0.0 || other < 0.0 {
        return (quarter(one) - quarter(other)).abs() < 0.5;
    }
    let whole = |date: f64| date % 100.0 < 0.5;
    if whole(one) || whole(other) { (month(one) - month(other)).abs() < 0.5 } else { (one - other).abs() < 0.5 }
}

/// "answers 409", "HTTP 401".
fn is_answer(words: &[Word], quantity: &Quantity) -> bool {
    const SAYS: &[&str] = &["answer", "answers", "answered", "return", "returns", "respond", "responds", "gives", "gets", "status", "http"];
    (100.0..600.0).contains(&quantity.value) && words[..quantity.at].iter().rev().take(3).any(|word| SAYS.contains(&word.low.as_str()))
}

/// "SDK 4 gets fixes": the version is what is spoken of, not what is said of it.
fn is_subject(reading: &Reading, quantity: &Quantity) -> bool {
    matches!(quantity.measure, Measure::Version(_)) && quantity.at > 0 && reading.words[quantity.at - 1].first
}

/// "18 fails", "OOM kills at 512Mi", "256 ran out": the value is mentioned to say that it is not the one.
pub fn is_bad(words: &[Word], at: usize) -> bool {
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
        .any(|word| matches!(word.low.as_str(), "oom" | "kills" | "old" | "former" | "formerly" | "previously" | "instead"));
    let from = words[..at].iter().rev().take(3).take_while(|word| word.clause == clause).any(|word| word.low == "from")
        && words[at..].iter().take(4).any(|word| word.low == "to")
        && words.iter().any(|word| word.clause == clause && cues::is_move(&word.low));
    let was = at > 0 && matches!(words[at - 1].low.as_str(), "was" | "were" | "war");
    words[at].denied || after || before || was || from
}
