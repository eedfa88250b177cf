//! Dates in words: those of a memory, so that they can be searched, and those of a question, as a span of time.

use std::ops::Range;
use time::{Date, Duration, Month, OffsetDateTime, Weekday};

/// `2026-10-03 October`, as people may ask for it.
pub fn words_of(at: i64) -> String {
    let Some(date) = date_of(at) else { return String::new() };
    format!("{:04}-{:02}-{:02} {}", date.year(), u8::from(date.month()), date.day(), date.month())
}

/// The time that a question speaks of, in English: a day, a week, a month or a year. The most exact one, if there are several.
pub fn window(query: &str, now: i64) -> Option<Range<i64>> {
    /// Dates stand in questions, not in pages of pasted text.
    const READ: usize = 100;
    let today = date_of(now)?;
    let words: Vec<String> = query
        .split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '/'))
        .filter(|word| !word.is_empty())
        .take(READ)
        .map(str::to_lowercase)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let rules = [written, ago, named_day, relative_day, month, period, year];
    let (from, to) = rules.iter().find_map(|rule| (0..words.len()).find_map(|at| rule(&words[..at], &words[at..], today)))?;
    Some(from.midnight().assume_utc().unix_timestamp()..to.next_day()?.midnight().assume_utc().unix_timestamp())
}

/// First and last day.
type Days = (Date, Date);

/// `2026-10-03`, `2026/10/03`, `2026-10`.
fn written(_: &[&str], words: &[&str], _: Date) -> Option<Days> {
    let mut numbers = words[0].split(['-', '/']);
    let year = numbers.next().filter(|year| year.len() == 4)?.parse().ok()?;
    let month = Month::try_from(numbers.next()?.parse::<u8>().ok()?).ok()?;
    match numbers.next() {
        Some(day) => Date::from_calendar_date(year, month, day.parse().ok()?).ok().map(|day| (day, day)),
        None => whole_month(year, month),
    }
}

/// `two weeks ago`, `10 days ago`, `a couple of months ago`: around that day, the wider the longer ago.
fn ago(_: &[&str], words: &[&str], today: Date) -> Option<Days> {
    let (count, rest) = count(words)?;
    let [unit, "ago" | "before" | "earlier", ..] = rest else { return None };
    let (days, slack) = match *unit {
        "day" | "days" => (1, 1),
        "week" | "weeks" => (7, 3),
        "month" | "months" => (30, 10),
        "year" | "years" => (365, 120),
        _ => return None,
    };
    around(today.checked_sub(Duration::days(count * days))?, slack, today)
}

/// `last Tuesday`, `on Friday`.
fn named_day(before: &[&str], words: &[&str], today: Date) -> Option<Days> {
    if !matches!(before.last(), Some(&("last" | "on" | "this" | "past" | "previous" | "since"))) {
        return None;
    }
    let wanted = match words[0] {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    };
    let mut day = today.previous_day()?;
    while day.weekday() != wanted {
        day = day.previous_day()?;
    }
    Some((day, day))
}

fn relative_day(before: &[&str], words: &[&str], today: Date) -> Option<Days> {
    match words[0] {
        "today" | "tonight" => Some((today, today)),
        "yesterday" => {
            let day = today.previous_day()?;
            let day = if before.ends_with(&["day", "before"]) { day.previous_day()? } else { day };
            Some((day, day))
        }
        _ => None,
    }
}

/// `in March`, `March 15th`, `15 March 2026`: the last one that has begun, unless a year is said. `may` and `march` alone are verbs.
fn month(before: &[&str], words: &[&str], today: Date) -> Option<Days> {
    let month = MONTHS.iter().find(|(name, short, _)| words[0] == *name || words[0] == *short)?.2;
    let day =
        |word: &&str| word.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse::<u8>().ok().filter(|day| (1..=31).contains(day));
    let year = |word: &&str| word.parse::<i32>().ok().filter(|year| (1900..=2200).contains(year));
    let day_before = before
        .last()
        .and_then(day)
        .or_else(|| if before.last() == Some(&"of") { before.get(before.len().wrapping_sub(2)).and_then(day) } else { None });
    let day_said = words.get(1).and_then(day).or(day_before);
    let year_said = words.get(1).and_then(year).or_else(|| words.get(2).and_then(year));
    let introduced = matches!(
        before.last(),
        Some(
            &("in"
                | "on"
                | "of"
                | "since"
                | "during"
                | "last"
                | "this"
                | "by"
                | "from"
                | "until"
                | "before"
                | "after"
                | "early"
                | "late"
                | "mid"
                | "around")
        )
    );
    if !introduced && day_said.is_none() && year_said.is_none() {
        return None;
    }
    let this_year = if u8::from(month) > u8::from(today.month()) { today.year() - 1 } else { today.year() };
    let of_last_year = words.get(1..4).is_some_and(|next| matches!(next, ["of", "last", "year"]))
        || words.get(1..3).is_some_and(|next| matches!(next, ["last", "year"]));
    let year = year_said.unwrap_or(if of_last_year { today.year() - 1 } else { this_year });
    match day_said.and_then(|day| Date::from_calendar_date(year, month, day).ok()) {
        Some(day) => Some((day, day)),
        None => whole_month(year, month),
    }
}

/// `last week`, `this month`, `the past three months`, `last weekend`.
fn period(_: &[&str], words: &[&str], today: Date) -> Option<Days> {
    let ["last" | "past" | "previous" | "this" | "recent", rest @ ..] = words else { return None };
    let (count, rest) = count(rest).unwrap_or((1, rest));
    let days = match *rest.first()? {
        "day" | "days" => 1,
        "week" | "weeks" | "weekend" | "weekends" => 7,
        "month" | "months" => 31,
        "quarter" => 92,
        "year" | "years" => 366,
        _ => return None,
    };
    let this = words[0] == "this";
    let from = match rest[0] {
        "month" if this => today.replace_day(1).ok()?,
        "year" if this => Date::from_calendar_date(today.year(), Month::January, 1).ok()?,
        "year" => return Date::from_calendar_date(today.year() - 1, Month::January, 1).ok().map(|first| (first, today)),
        _ => today.checked_sub(Duration::days(count * days))?,
    };
    // Last week is not only the last seven days to everyone.
    let from = if count == 1 && !this && days == 7 {
        from.checked_sub(Duration::days(i64::from(today.weekday().number_days_from_monday())))?
    } else {
        from
    };
    Some((from, today))
}

/// `in 2025`.
fn year(before: &[&str], words: &[&str], _: Date) -> Option<Days> {
    if !matches!(before.last(), Some(&("in" | "since" | "during" | "of" | "year"))) {
        return None;
    }
    let year = words[0].parse::<i32>().ok().filter(|year| (1900..=2200).contains(year))?;
    Some((Date::from_calendar_date(year, Month::January, 1).ok()?, Date::from_calendar_date(year, Month::December, 31).ok()?))
}

/// A number in figures or words, and what follows it.
fn count<'w>(words: &'w [&'w str]) -> Option<(i64, &'w [&'w str])> {
    const WORDS: [&str; 13] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    match words {
        ["a", "couple", "of", rest @ ..] | ["couple", "of", rest @ ..] | ["a", "couple", rest @ ..] => Some((2, rest)),
        ["a", "few", rest @ ..] | ["few", rest @ ..] => Some((3, rest)),
        ["a" | "an", rest @ ..] => Some((1, rest)),
        [first, rest @ ..] => {
            let in_words = WORDS.iter().position(|word| word == first).and_then(|number| i64::try_from(number).ok());
            Some((in_words.or_else(|| first.parse().ok().filter(|number| (1..=999).contains(number)))?, rest))
        }
        [] => None,
    }
}

fn around(day: Date, slack: i64, today: Date) -> Option<Days> {
    Some((day.checked_sub(Duration::days(slack))?, day.checked_add(Duration::days(slack))?.min(today)))
}

fn whole_month(year: i32, month: Month) -> Option<Days> {
    let last = Date::from_calendar_date(year, month, month.length(year)).ok()?;
    Some((Date::from_calendar_date(year, month, 1).ok()?, last))
}

fn date_of(at: i64) -> Option<Date> {
    OffsetDateTime::from_unix_timestamp(at).ok().map(OffsetDateTime::date)
}

const MONTHS: [(&str, &str, Month); 12] = [
    ("january", "jan", Month::January),
    ("february", "feb", Month::February),
    ("march", "mar", Month::March),
    ("april", "apr", Month::April),
    ("may", "may", Month::May),
    ("june", "jun", Month::June),
    ("july", "jul", Month::July),
    ("august", "aug", Month::August),
    ("september", "sep", Month::September),
    ("october", "oct", Month::October),
    ("november", "nov", Month::November),
    ("december", "dec", Month::December),
];

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    /// A Wednesday.
    const NOW: i64 = 1_791_374_400;

    fn days(query: &str) -> Option<(Date, Date)> {
        window(query, NOW).map(|span| (date_of(span.start).unwrap(), date_of(span.end - 1).unwrap()))
    }

    #[test]
    fn days_are_understood() {
        assert_eq!(date_of(NOW), Some(date!(2026 - 10 - 07)));
        for (query, day) in [
            ("what broke on 2026-10-03?", date!(2026 - 10 - 03)),
            ("what did we decide yesterday", date!(2026 - 10 - 06)),
            ("the outage the day before yesterday", date!(2026 - 10 - 05)),
            ("who was on call last Tuesday?", date!(2026 - 10 - 06)),
            ("who was on call last Wednesday?", date!(2026 - 09 - 30)),
            ("the release of March 15th", date!(2026 - 03 - 15)),
            ("on 15 march 2025", date!(2025 - 03 - 15)),
        ] {
            assert_eq!(days(query), Some((day, day)), "{query}");
        }
    }

    #[test]
    fn spans_are_understood() {
        for (query, from, to) in [
            ("the incident two weeks ago", date!(2026 - 09 - 20), date!(2026 - 09 - 26)),
            ("what did I buy 10 days ago", date!(2026 - 09 - 26), date!(2026 - 09 - 28)),
            ("migrations in March", date!(2026 - 03 - 01), date!(2026 - 03 - 31)),
            ("migrations in December", date!(2025 - 12 - 01), date!(2025 - 12 - 31)),
            ("the plan of may 2024", date!(2024 - 05 - 01), date!(2024 - 05 - 31)),
            ("what changed in 2024", date!(2024 - 01 - 01), date!(2024 - 12 - 31)),
            ("this month", date!(2026 - 10 - 01), date!(2026 - 10 - 07)),
            ("in the past three months", date!(2026 - 07 - 06), date!(2026 - 10 - 07)),
        ] {
            assert_eq!(days(query), Some((from, to)), "{query}");
        }
    }

    #[test]
    fn words_that_only_look_like_dates_are_left_alone() {
        for query in
            ["you may march on", "how many days ago was it", "port 2024 is open", "", "the last one", "99999999999-99-99", "9999 years ago"]
        {
            assert_eq!(days(query), None, "{query}");
        }
    }

    #[test]
    fn a_memory_can_be_found_by_its_month_and_day() {
        assert_eq!(words_of(NOW), "2026-10-07 October");
        assert_eq!(words_of(i64::MAX), "");
    }
}
