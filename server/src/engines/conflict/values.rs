//! Quantities in a text, in one measure each: durations, sizes, money, counts, versions, times of day, weekdays and dates.

use super::{
    alternatives, dates, fractions, lexicon,
    text::{Role, Word},
    units::{MINUTE, adverb, is_money, is_times, month, unit_of_matter, unit_of_size, unit_of_time, weekday},
};

#[derive(Clone, PartialEq, Debug)]
pub enum Measure {
    /// In seconds.
    Duration,
    /// How often, as seconds from one time to the next.
    Every,
    Bytes,
    Percent,
    Money,
    /// In minutes after midnight.
    Clock,
    Weekday,
    /// Month and day as one number.
    Date,
    DayOfMonth,
    Version(String),
    Count(String),
    /// A number without a unit; the words before it say what it is.
    Plain(Vec<String>),
}

/// Whether the number is a bound, and on which side what is spoken of lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    Exact,
    AtMost,
    Above,
}

#[derive(Clone, Debug)]
pub struct Quantity {
    pub measure: Measure,
    pub value: f64,
    pub bound: Bound,
    /// Where it stands among the words.
    pub at: usize,
    /// As it was written, with its unit.
    pub shown: String,
}

pub fn quantities(words: &[Word]) -> Vec<Quantity> {
    let found = (0..words.len()).filter_map(|at| quantity(words, at));
    found.map(|quantity| Quantity { bound: bound(words, quantity.at), ..quantity }).collect()
}

fn quantity(words: &[Word], at: usize) -> Option<Quantity> {
    let word = &words[at];
    let make = |measure, value, shown: String| Some(Quantity { measure, value, bound: Bound::Exact, at, shown });
    if let Some(day) = weekday(&word.low) {
        return make(Measure::Weekday, day, word.raw.clone());
    }
    if let Some(seconds) = adverb(&word.low) {
        return make(Measure::Every, seconds, word.raw.clone());
    }
    if let Some(found) = fractions::fraction(words, at) {
        return Some(found);
    }
    if let Some(month) = dates::month_alone(words, at) {
        return make(Measure::Date, month * 100.0, word.raw.clone());
    }
    if let Some(quarter) = dates::quarter(&word.low) {
        return make(Measure::Date, -quarter, word.raw.clone());
    }
    if let Some(seconds) = unit_of_time(&word.low).filter(|_| at > 0 && is_every(&words[at - 1].low)) {
        return make(Measure::Every, seconds, format!("{} {}", words[at - 1].raw, word.raw));
    }
    if let Some(seconds) = unit_of_time(&word.low).filter(|_| is_one(words, at)) {
        let seconds = if is_and_half(words, at + 1) { seconds * 1.5 } else { seconds };
        return make(Measure::Duration, seconds, format!("{} {}", words[at - 1].raw, word.raw));
    }
    if let Some(day) = dates::ordinal(&word.low) {
        let of_month = words[at + 1..]
            .iter()
            .take(6)
            .any(|word| matches!(word.stem.as_str(), "month" | "monat" | "mois") || matches!(word.low.as_str(), "working" | "business"));
        return of_month.then(|| make(Measure::DayOfMonth, day, word.raw.clone())).flatten();
    }
    if word.role == Role::Number { numeric(words, at) } else { None }
}

fn numeric(words: &[Word], at: usize) -> Option<Quantity> {
    let word = &words[at];
    let (value, suffix, clock) = parse(&word.low)?;
    // "ten thousand": the second word only tells how much the first is worth.
    if at > 0 && scale(&word.low).is_some() && same_clause(words, at, at - 1).is_some_and(|before| parse(&before.low).is_some()) {
        return None;
    }
    let scaled = same_clause(words, at, at + 1).and_then(|next| scale(&next.low)).filter(|_| suffix.is_empty());
    let value = value * scaled.unwrap_or(1.0);
    let after = if scaled.is_some() { at + 2 } else { at + 1 };
    let make = |measure, value, shown: &str| Some(Quantity { measure, value, bound: Bound::Exact, at, shown: shown.to_owned() });
    if clock {
        return make(Measure::Clock, value, &word.raw);
    }
    if let Some(date) = dates::iso_date(&word.low) {
        return make(Measure::Date, date, &word.raw);
    }
    let before = at.checked_sub(1).map(|before| words[before].low.as_str()).unwrap_or_default();
    if is_no_amount(words, at, value, suffix, before) {
        return None;
    }
    // 4.7k, €5k.
    let (value, suffix) = if suffix == "k" { (value * 1000.0, "") } else { (value, suffix) };
    let suffix = if is_range(suffix) { "" } else { suffix };
    // "on day 25".
    if matches!(before, "day" | "tag" | "jour" | "dia") && value <= 31.0 && suffix.is_empty() {
        return make(Measure::DayOfMonth, value, &word.raw);
    }
    let (unit, shown) = match same_clause(words, at, after) {
        Some(next) if suffix.is_empty() => (next.low.as_str(), format!("{} {}", word.raw, next.raw)),
        _ => (suffix, word.raw.clone()),
    };
    if let Some(month) = month(unit).or_else(|| month(before)).filter(|_| value <= 31.0) {
        return make(Measure::Date, month * 100.0 + value, &shown);
    }
    if matches!(suffix, "st" | "nd" | "rd" | "th") {
        // "the 5th of December".
        let month = words[at + 1..].iter().take(2).find_map(dates::named_month);
        return match month {
            Some(month) => make(Measure::Date, month * 100.0 + value, &word.raw),
            None if value <= 31.0 => make(Measure::DayOfMonth, value, &word.raw),
            None => None,
        };
    }

    let half = if is_and_half(words, at + 2) { 0.5 } else { 0.0 };
    if let Some((measure, value)) = measured(word, unit, value, half, is_every(before)) {
        return make(measure, value, &shown);
    }
    repeated(words, at, value, unit).or_else(|| counted(words, at, value, suffix, shown))
}

/// A number with a unit of measure.
fn measured(word: &Word, unit: &str, value: f64, half: f64, every: bool) -> Option<(Measure, f64)> {
    if matches!(unit, "am" | "pm" | "uhr" | "o'clock") {
        return Some((Measure::Clock, value * MINUTE + if unit == "pm" { 720.0 } else { 0.0 }));
    }
    if let Some(seconds) = unit_of_time(unit) {
        return Some((if every { Measure::Every } else { Measure::Duration }, (value + half) * seconds));
    }
    if let Some(bytes) = unit_of_size(unit) {
        return Some((Measure::Bytes, value * bytes));
    }
    if matches!(unit, "%" | "percent" | "prozent" | "pourcent") {
        return Some((Measure::Percent, value));
    }
    if let Some((kind, size)) = unit_of_matter(unit) {
        return Some((Measure::Count(kind.to_owned()), value * size));
    }
    (is_money(unit) || word.low.starts_with(['€', '$', '£'])).then_some((Measure::Money, value))
}

/// The year of a date, a line of versions (2.x), "the shorter one".
fn is_no_amount(words: &[Word], at: usize, value: f64, suffix: &str, before: &str) -> bool {
    // 2025-04 names a month or a version, it counts nothing.
    let dated = (1900.0..2100.0).contains(&value) && suffix.starts_with('-');
    let year = month(before).is_some() && (1900.0..2100.0).contains(&value);
    let one = matches!(words[at].low.as_str(), "one" | "single") && at > 0 && words[at - 1].role != Role::Stop;
    let unit = words.get(at + 1).is_some_and(|next| unit_of_time(&next.low).is_some());
    year || dated || suffix.starts_with('x') || (one && !unit)
}

/// 19-23, 3–5: the first of them counts.
fn is_range(suffix: &str) -> bool {
    let rest = suffix.strip_prefix(['-', '–']);
    rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || "–-.:".contains(c)))
}

/// "a minute and a half".
fn is_and_half(words: &[Word], from: usize) -> bool {
    words.get(from).is_some_and(|word| word.low == "and") && words.get(from + 2).is_some_and(|word| word.low == "half")
}

/// "3 times", "twice a day".
fn repeated(words: &[Word], at: usize, value: f64, unit: &str) -> Option<Quantity> {
    let times = is_times(unit);
    if !times && !matches!(words[at].low.as_str(), "once" | "twice" | "einmal" | "zweimal") {
        return None;
    }
    let from = if times { at + 2 } else { at + 1 };
    let per = words
        .get(from)
        .filter(|word| matches!(word.low.as_str(), "a" | "an" | "per" | "each" | "am" | "pro" | "im" | "par" | "al" | "por"))
        .and_then(|_| words.get(from + 1));
    let (measure, value) = match per.and_then(|per| unit_of_time(&per.low)) {
        Some(seconds) if value > 0.0 => (Measure::Every, seconds / value),
        _ => (Measure::Count("time".to_owned()), value),
    };
    let shown = words[at..].iter().take(from + 2 - at).map(|word| word.raw.as_str()).collect::<Vec<_>>().join(" ");
    Some(Quantity { measure, value, bound: Bound::Exact, at, shown })
}

/// A number with a noun behind it, a name before it, or only a word that says what it is.
fn counted(words: &[Word], at: usize, value: f64, suffix: &str, shown: String) -> Option<Quantity> {
    let (word, bound) = (&words[at], Bound::Exact);
    let before = at.checked_sub(1).map(|before| &words[before]).filter(|before| before.clause == word.clause);
    let spelled = lexicon::number(&word.low).is_some();
    if let Some(product) = before.filter(|before| is_product(before) && !spelled && suffix.is_empty()) {
        let shown = format!("{} {}", product.raw, word.raw);
        return Some(Quantity { measure: Measure::Version(product.stem.clone()), value, bound, at, shown });
    }
    let unit = if suffix.is_empty() {
        same_clause(words, at, at + 1).filter(|next| next.role != Role::Stop && next.role != Role::Number)
    } else {
        None
    };
    if let Some(unit) = unit {
        return Some(Quantity { measure: Measure::Count(unit.stem.clone()), value, bound, at, shown });
    }
    if spelled && matches!(word.low.as_str(), "one" | "once" | "single" | "zero" | "double") {
        return None;
    }
    let sentence = word.sentence;
    let telling = |word: &&Word| word.role == Role::Content || word.role == Role::Name;
    let labels: Vec<String> = words[..at]
        .iter()
        .rev()
        .take(6)
        .take_while(|word| word.sentence == sentence)
        .filter(telling)
        .take(3)
        .map(|word| word.stem.clone())
        .collect();
    (!labels.is_empty()).then(|| Quantity { measure: Measure::Plain(labels), value, bound, at, shown: word.raw.clone() })
}

fn is_product(word: &Word) -> bool {
    word.role == Role::Name
        || alternatives::known(word).is_some()
        || (word.role == Role::Content && word.raw.starts_with(char::is_uppercase))
        || word.stem == "version"
}

fn scale(low: &str) -> Option<f64> {
    Some(match low {
        "hundred" => 100.0,
        "thousand" => 1000.0,
        "million" => 1_000_000.0,
        _ => return None,
    })
}

fn same_clause(words: &[Word], from: usize, at: usize) -> Option<&Word> {
    words.get(at).filter(|word| word.clause == words[from].clause)
}

fn bound(words: &[Word], at: usize) -> Bound {
    let clause = words[at].clause;
    let measured = words.get(at + 1).is_some_and(|word| unit_of_time(&word.low).is_some());
    for word in words[..at].iter().rev().take(4).take_while(|word| word.clause == clause) {
        match word.low.as_str() {
            "over" if measured => return Bound::Exact,
            "above" | "over" | "exceeds" | "beyond" | "more" | "longer" | "larger" | "greater" | "dela" | "uber" | "older" => {
                return Bound::Above;
            }
            "less" | "fewer" | "to" | "most" | "limit" | "maximum" | "max" | "under" | "below" | "within" | "least" | "minimum" => {
                return Bound::AtMost;
            }
            _ => {}
        }
    }
    Bound::Exact
}

/// The number, what is glued to it, and whether it is a time of day.
fn parse(low: &str) -> Option<(f64, &str, bool)> {
    if let Some(value) = lexicon::number(low) {
        return Some((value, "", false));
    }
    let low = low.trim_start_matches(['€', '$', '£']);
    let end = low.find(|c: char| !c.is_ascii_digit() && !".,:".contains(c)).unwrap_or(low.len());
    let (digits, suffix) = low.split_at(end);
    if let Some((hours, minutes)) = digits.split_once(':') {
        let (hours, minutes): (f64, f64) = (hours.parse().ok()?, minutes.parse().ok()?);
        return (hours <= 24.0 && minutes < 60.0).then_some((hours * MINUTE + minutes, suffix, true));
    }
    let thousands = digits.split(',').skip(1).all(|group| group.len() == 3);
    // 2.0.29: the first two count.
    let digits = digits.trim_end_matches('.');
    let digits = digits.match_indices('.').nth(1).map_or(digits, |(end, _)| &digits[..end]);
    let plain = if thousands { digits.replace(',', "") } else { digits.replace(',', ".") };
    Some((plain.parse().ok()?, suffix, false))
}

/// "for a month", "takes an hour".
fn is_one(words: &[Word], at: usize) -> bool {
    let article = at > 1
        && matches!(words[at - 1].low.as_str(), "a" | "an" | "un" | "une" | "una" | "ein" | "eine" | "einem" | "einen" | "einer" | "eines");
    article
        && matches!(
            words[at - 2].low.as_str(),
            "for"
                | "within"
                | "after"
                | "in"
                | "of"
                | "than"
                | "takes"
                | "lasts"
                | "about"
                | "over"
                | "last"
                | "sous"
                | "en"
                | "pendant"
                | "apres"
                | "dans"
                | "durante"
                | "tras"
                | "nach"
                | "innerhalb"
                | "binnen"
                | "fur"
        )
}

fn is_every(low: &str) -> bool {
    ["every", "each", "per", "jede", "jeden", "jedes", "chaque", "cada", "alle", "nightly"].contains(&low)
}
