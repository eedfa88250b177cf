//! Answers of a kind that a text gives: amounts, rhythms, times, versions, people, machines, tools, places, teams, names.

use super::{
    alternatives,
    cues::Cues,
    figures, gazetteer, shapes, synonyms,
    text::{Reading, Role, Word},
    values::{Bound, Measure, Quantity},
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Amount,
    Rhythm,
    Time,
    Version,
    Person,
    Machine,
    Tool,
    Place,
    Team,
    Name,
}

pub struct Slot {
    pub sort: Sort,
    /// Where it stands among the words.
    pub at: usize,
    pub quantity: Option<Quantity>,
    /// The category of a tool.
    pub category: usize,
    /// It is named as what is given up, not as what holds.
    pub dropped: bool,
    /// Its clause says that it is gone, not only that it is not so.
    pub gone: bool,
}

pub fn slots(reading: &Reading, cues: &Cues) -> Vec<Slot> {
    let words = &reading.words;
    let dropped = |at: usize| words[at].denied || cues.gone.contains(&words[at].clause);
    let gone = |at: usize| cues.gone.contains(&words[at].clause);
    let mut found: Vec<Slot> = numbers(reading, cues);
    for at in 0..words.len() {
        for sort in sorts(reading, at).into_iter().flatten() {
            found.push(Slot { sort, at, quantity: None, category: 0, dropped: dropped(at), gone: gone(at) });
        }
    }
    for member in &reading.members {
        found.push(Slot {
            sort: Sort::Tool,
            at: member.at,
            quantity: None,
            category: member.category,
            dropped: dropped(member.at),
            gone: gone(member.at),
        });
    }
    found
}

fn numbers(reading: &Reading, cues: &Cues) -> Vec<Slot> {
    let words = &reading.words;
    let versions = words.iter().enumerate().filter_map(|(at, word)| {
        let (name, value) = version(&word.low)?;
        Some(Quantity { measure: Measure::Version(name.to_owned()), value, bound: Bound::Exact, at, shown: word.raw.clone() })
    });
    let quantities = reading.quantities.iter().filter(|quantity| !is_of_date(words, quantity)).cloned().chain(versions);
    let slot = |quantity: Quantity| {
        let sort = match quantity.measure {
            Measure::Every => Sort::Rhythm,
            Measure::Clock | Measure::Weekday | Measure::Date | Measure::DayOfMonth => Sort::Time,
            Measure::Version(_) => Sort::Version,
            _ => Sort::Amount,
        };
        let at = quantity.at;
        Slot {
            sort,
            at,
            quantity: Some(quantity),
            category: 0,
            dropped: is_given_up(words, at, &cues.gone),
            gone: cues.gone.contains(&words[at].clause),
        }
    };
    quantities.map(slot).collect()
}

/// "on the 15th of every month": the day is the answer.
fn is_of_date(words: &[Word], quantity: &Quantity) -> bool {
    let at = quantity.at;
    let is_ordinal = |low: &str| {
        matches!(low, "first" | "second" | "third" | "last")
            || (low.starts_with(|c: char| c.is_ascii_digit()) && low.ends_with(['t', 'd', 'h']))
    };
    quantity.measure == Measure::Every
        && words[at.saturating_sub(4)..at].iter().any(|word| word.sentence == words[at].sentence && is_ordinal(&word.low))
}

/// A number is given up where its clause says so, unless it is a bound: "below iOS 16 nothing installs any more".
fn is_given_up(words: &[Word], at: usize, gone: &[usize]) -> bool {
    const BOUNDS: &[&str] = &[
        "below", "under", "than", "until", "before", "by", "on", "at", "after", "within", "least", "most", "to", "from", "since", "in",
        "for", "beyond", "above", "over", "every", "each",
    ];
    const ENDS: &[&str] =
        &["closed", "gone", "retired", "aborts", "refused", "rejected", "unused", "free", "too", "locking", "caused", "dead"];
    let clause = |word: &&Word| word.clause == words[at].clause;
    let bound = words[..at].iter().rev().take(4).take_while(clause).any(|word| BOUNDS.contains(&word.low.as_str()));
    let ended = words[at + 1..].iter().take(4).take_while(clause).any(|word| ENDS.contains(&word.low.as_str()));
    let denied = words[at].denied;
    ended || (!denied && figures::is_bad(words, at)) || (!bound && (denied || gone.contains(&words[at].clause)))
}

/// What else a word may answer.
fn sorts(reading: &Reading, at: usize) -> [Option<Sort>; 2] {
    let (words, word) = (&reading.words, &reading.words[at]);
    if word.part || matches!(word.role, Role::Stop | Role::Number) {
        return [None, None];
    }
    let upper = shapes::starts_upper(&word.raw);
    let itself = if upper && gazetteer::is_place(&word.low) {
        Some(Sort::Place)
    } else if upper && gazetteer::is_person(&word.low) {
        Some(Sort::Person)
    } else if is_machine(&word.raw) {
        Some(Sort::Machine)
    } else if word.role == Role::Name && at >= reading.title && alternatives::known(word).is_none() {
        Some(Sort::Name)
    } else {
        None
    };
    let next = words.get(at + 1).is_some_and(|next| is_team(&next.low));
    let team = next || (at > 0 && upper && is_team(&words[at - 1].low));
    let says = !is_team(&word.low) && !synonyms::is_generic(&word.stem) && word.low != "house";
    [itself, (team && says).then_some(Sort::Team)]
}

fn is_team(low: &str) -> bool {
    matches!(low, "team" | "squad" | "guild" | "board" | "department" | "crew" | "chapter" | "tribe")
}

/// A path, a host, an address, an identifier.
fn is_machine(raw: &str) -> bool {
    let inner = raw.trim_matches(|c: char| !c.is_alphanumeric());
    let numbered = inner.contains('-') && inner.chars().any(|c| c.is_ascii_digit());
    let marked = inner.contains(['/', '_', ':', '@', '#', '=', '.', '\\']) || raw.starts_with(['/', '#', '.']);
    inner.starts_with("0x") || inner.chars().filter(|c| c.is_alphabetic()).count() > 1 && (numbered || marked) && version(inner).is_none()
}

/// v1.29.4, torch==1.13.1: a version, with what it is of if it says so. The first two numbers count.
fn version(low: &str) -> Option<(&str, f64)> {
    let split = low.split_once("==").or_else(|| low.split_once('@')).or_else(|| low.split_once('='));
    let (name, rest) = split.unwrap_or(("", low));
    let digits = rest.strip_prefix('v').unwrap_or(rest);
    let numeric = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    if digits == low || !numeric {
        return None;
    }
    let end = digits.match_indices('.').nth(1).map_or(digits.len(), |(end, _)| end);
    Some((name, digits[..end].trim_end_matches('.').parse().ok()?))
}
