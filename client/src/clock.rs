//! The only place that asks for the time or for a new id.

use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

#[expect(clippy::disallowed_methods, reason = "the one place")]
pub fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}

/// Now, as the server writes times.
pub fn stamp() -> String {
    written(now())
}

pub fn written(at: OffsetDateTime) -> String {
    let to_the_millisecond = at.replace_nanosecond(at.nanosecond() / 1_000_000 * 1_000_000).unwrap_or(at);
    to_the_millisecond.format(&Rfc3339).unwrap_or_default()
}

pub fn read(stamp: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(stamp, &Rfc3339).ok()
}

#[expect(clippy::disallowed_methods, reason = "the one place")]
pub fn new_id() -> Uuid {
    Uuid::now_v7()
}
