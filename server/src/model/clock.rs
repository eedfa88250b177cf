//! The only place that asks for the time or for a new id, so that both can be found.

use crate::problem::Problem;
use time::{OffsetDateTime, UtcOffset};
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

/// A moment as it is kept: to the microsecond. Postgres has no year 0, and one past the year 9999 could not be read again.
pub fn kept(field: &'static str, sent: Option<OffsetDateTime>) -> Result<Option<OffsetDateTime>, Problem> {
    let fits = |at: OffsetDateTime| {
        let at = at.checked_to_offset(UtcOffset::UTC).filter(|at| (1..=9999).contains(&at.year()))?;
        at.replace_nanosecond(at.nanosecond() / 1000 * 1000).ok()
    };
    match sent {
        Some(at) => fits(at).map(Some).ok_or_else(|| Problem::invalid(field, "must lie between the years 1 and 9999")),
        None => Ok(None),
    }
}
