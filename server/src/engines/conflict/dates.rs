//! Days, months and quarters by their names, and what a date looks like.

use super::{
    text::{Role, Word},
    units::month,
};

/// "in October", "until the end of March": a month without a day. "May" is a verb more often.
pub fn month_alone(words: &[Word], at: usize) -> Option<f64> {
    let beside = |word: Option<&Word>| word.is_some_and(|word| word.role == Role::Number && word.low.len() < 5);
    let dated = beside(at.checked_sub(1).and_then(|before| words.get(before)))
        || beside(words.get(at + 1).filter(|next| next.low.parse::<u32>().is_ok_and(|day| day < 32)));
    // "the 5th of December".
    let of = at > 1 && matches!(words[at - 1].low.as_str(), "of" | "de") && beside(words.get(at - 2));
    let (word, dated) = (&words[at], dated || of);
    month(&word.low).filter(|_| !dated && word.raw.starts_with(char::is_uppercase) && !word.first)
}

/// A month by its name, with a capital: "may" is a verb.
pub fn named_month(word: &Word) -> Option<f64> {
    month(&word.low).filter(|_| word.raw.starts_with(char::is_uppercase))
}

pub fn quarter(low: &str) -> Option<f64> {
    match low {
        "q1" => Some(1.0),
        "q2" => Some(2.0),
        "q3" => Some(3.0),
        "q4" => Some(4.0),
        _ => None,
    }
}

pub fn ordinal(low: &str) -> Option<f64> {
    Some(match low {
        "first" | "1st" => 1.0,
        "second" | "2nd" => 2.0,
        "third" | "3rd" => 3.0,
        "fourth" => 4.0,
        "fifth" => 5.0,
        "tenth" => 10.0,
        "last" => 31.0,
        _ => return None,
    })
}

/// 2023-10-16: month and day as one number, as without a year.
pub fn iso_date(low: &str) -> Option<f64> {
    let parts: Vec<&str> = low.split('-').collect();
    let [year, month, day] = parts[..] else { return None };
    (year.len() == 4 && month.len() == 2 && day.len() == 2).then(|| format!("{month}{day}").parse().ok()).flatten()
}
