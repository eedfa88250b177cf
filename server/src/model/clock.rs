//! The only place that asks for the time or for a new id, so that both can be found.

use time::OffsetDateTime;
use uuid::Uuid;

/// Now, to the microsecond that Postgres keeps.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub fn now() -> OffsetDateTime {
    let now = OffsetDateTime::now_utc();
    now.replace_nanosecond(now.nanosecond() / 1000 * 1000).unwrap_or(now)
}

#[expect(clippy::disallowed_methods, reason = "the one place")]
pub fn new_id() -> Uuid {
    Uuid::now_v7()
}
