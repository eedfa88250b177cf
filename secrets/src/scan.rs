//! One pass over a text: every keyword asks its rule to look closer.

use crate::{assignment, basic, keywords::Keywords, marker, pattern, rule::Shape, rules, urls};
use std::ops::Range;

/// A secret and the place of its rule in the list: the smaller, the more specific.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub rule: usize,
    pub start: usize,
    pub end: usize,
}

static KEYWORDS: Keywords<{ rules::KEYWORDS }> = Keywords::new(rules::keywords());

pub(crate) fn scan(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    // Up to where each rule has looked: no byte is taken twice by one rule, which keeps hostile texts linear.
    let mut looked = [0; rules::ALL.len()];
    KEYWORDS.each(text, |at, rule| {
        let rule = usize::from(rule);
        if at < looked[rule] {
            return;
        }
        let here = match &rules::ALL[rule].shape {
            Shape::Pattern(pattern) => pattern::at(text, at, rule, pattern),
            Shape::Assigned(promise) => assignment::at(text, at, *promise, &mut looked[rule]),
            Shape::UrlPassword => urls::password_at(text, at),
            Shape::BasicCredentials => basic::credentials_at(text, at),
        };
        if let Some(Range { start, end }) = here
            && !text[start..end].contains(marker::OPENS)
            && !marker::says(&text[start..end])
            && !marker::holds(text, at)
        {
            looked[rule] = end;
            found.push(Found { rule, start, end });
        }
    });
    found
}
