//! Parts of a whole: "half an hour", "a quarter of a year", "four fifths", "a third of the bill".

use super::{
    lexicon,
    text::Word,
    units::unit_of_time,
    values::{Bound, Measure, Quantity},
};

pub fn fraction(words: &[Word], at: usize) -> Option<Quantity> {
    let make = |measure, value| Some(Quantity { measure, value, bound: Bound::Exact, at, shown: words[at].raw.clone() });
    let low = |ahead: usize| words.get(at + ahead).filter(|word| word.sentence == words[at].sentence).map_or("", |word| word.low.as_str());
    let before = at.checked_sub(1).map_or("", |before| words[before].low.as_str());
    if let Some(parts) = parts(low(0)) {
        return make(Measure::Percent, 100.0 * lexicon::number(before).unwrap_or(1.0) / parts);
    }
    let share = match low(0) {
        "half" | "halb" => 0.5,
        "quarter" | "viertel" | "quart" => 0.25,
        "third" | "drittel" | "tiers" => 1.0 / 3.0,
        _ => return make_nth(words, at),
    };
    let article = (1..3).map(low).any(|low| matches!(low, "a" | "an"));
    if let Some(seconds) = (1..4).map(low).find_map(unit_of_time).filter(|_| article) {
        return make(Measure::Duration, share * seconds);
    }
    let of_all = low(1) == "of" && matches!(before, "a" | "one" | "about" | "over");
    of_all.then(|| make(Measure::Percent, 100.0 * share)).flatten()
}

/// "more than a fifth".
fn make_nth(words: &[Word], at: usize) -> Option<Quantity> {
    let parts = match words[at].low.as_str() {
        "fifth" => 5.0,
        "tenth" => 10.0,
        _ => return None,
    };
    let article = at > 0 && matches!(words[at - 1].low.as_str(), "a" | "one");
    article.then(|| Quantity { measure: Measure::Percent, value: 100.0 / parts, bound: Bound::Exact, at, shown: words[at].raw.clone() })
}

/// In how many parts the whole is cut.
fn parts(low: &str) -> Option<f64> {
    Some(match low {
        "thirds" => 3.0,
        "quarters" => 4.0,
        "fifths" => 5.0,
        "tenths" => 10.0,
        _ => return None,
    })
}
