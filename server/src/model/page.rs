//! Lists come in pages: a limit, a cursor that says where the last page ended, and the next one.

use crate::problem::Problem;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

#[derive(Clone, Copy, Debug)]
pub struct Limit(u32);

impl Limit {
    pub const DEFAULT: Self = Self(50);

    pub fn parse(asked: Option<i64>) -> Result<Self, Problem> {
        match asked {
            None => Ok(Self::DEFAULT),
            Some(n) => u32::try_from(n)
                .ok()
                .filter(|n| (1..=200).contains(n))
                .map(Self)
                .ok_or_else(|| Problem::invalid("limit", "must be between 1 and 200")),
        }
    }

    /// As another list has it: how many if nothing is said, and how many at most.
    pub fn within(asked: Option<i64>, usual: u32, most: u32) -> Result<Self, Problem> {
        let fits = |n: i64| u32::try_from(n).ok().filter(|n| (1..=most).contains(n));
        match asked {
            None => Ok(Self(usual)),
            Some(n) => fits(n).map(Self).ok_or_else(|| Problem::invalid("limit", format!("must be between 1 and {most}"))),
        }
    }

    /// No more than this, whatever was asked.
    #[must_use]
    pub fn at_most(self, most: u32) -> Self {
        Self(self.0.min(most))
    }

    /// One more than asked, to learn whether there is a next page.
    pub fn and_one(self) -> i64 {
        i64::from(self.0) + 1
    }

    fn size(self) -> usize {
        self.0 as usize
    }
}

pub struct Page<T> {
    pub data: Vec<T>,
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// Cuts what was read with `Limit::and_one`, and remembers where it was cut.
    pub fn cut<C: Serialize>(mut rows: Vec<T>, limit: Limit, place: impl Fn(&T) -> C) -> Self {
        let more = rows.len() > limit.size();
        rows.truncate(limit.size());
        let next_cursor = rows.last().filter(|_| more).map(|last| encode(&place(last)));
        Self { data: rows, next_cursor }
    }

    /// The cursor that goes on after a place.
    pub fn place<C: Serialize>(place: &C) -> String {
        encode(place)
    }

    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page { data: self.data.into_iter().map(change).collect(), next_cursor: self.next_cursor }
    }
}

fn encode<C: Serialize>(place: &C) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(serde_json::to_vec(place).unwrap_or_default())
}

/// A cursor is ours to read; one that we did not make is refused.
pub fn decode<C: DeserializeOwned>(cursor: &str) -> Result<C, Problem> {
    BASE64_URL_SAFE_NO_PAD
        .decode(cursor)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .filter(|place| !is_beyond_us(place))
        .and_then(|place| serde_json::from_value(place).ok())
        .ok_or_else(|| Problem::invalid("cursor", "is not a cursor of this list; start again without one"))
}

/// Postgres has no text with a NUL, and no moment that is not in the years 1 to 9999 of UTC.
fn is_beyond_us(value: &Value) -> bool {
    let is_no_moment = |text: &str| OffsetDateTime::parse(text, &Rfc3339).is_ok_and(|at| at.checked_to_offset(UtcOffset::UTC).is_none());
    match value {
        Value::String(text) => text.contains('\0') || is_no_moment(text),
        Value::Array(values) => values.iter().any(is_beyond_us),
        Value::Object(members) => members.values().any(is_beyond_us),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
