//! Moments in words: how long ago for reading, the exact second in UTC for proof.

use askama::{Template, filters::HtmlSafe};
use time::{Month, OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

/// A moment as a `<time>` element that renders itself; the exact time stands in its title.
#[derive(Clone, Copy, Debug, Template)]
#[template(source = r#"<time datetime="{{ self.rfc3339() }}" title="{{ self.exact() }}">{{ self.words() }}</time>"#, ext = "html")]
pub struct When {
    at: OffsetDateTime,
    said: Said,
}

#[derive(Clone, Copy, Debug)]
enum Said {
    Since(OffsetDateTime),
    Exactly,
    Clock,
}

impl HtmlSafe for When {}

impl When {
    /// As seen from `now`: “3 h ago”, “in 2 days”, or the date when it is far off.
    pub fn relative(at: OffsetDateTime, now: OffsetDateTime) -> Self {
        Self { at: at.to_offset(UtcOffset::UTC), said: Said::Since(now) }
    }

    /// To the second, for trails and certificates.
    pub fn absolute(at: OffsetDateTime) -> Self {
        Self { at: at.to_offset(UtcOffset::UTC), said: Said::Exactly }
    }

    /// The hour alone, where the day stands elsewhere.
    pub fn time_of_day(at: OffsetDateTime) -> Self {
        Self { at: at.to_offset(UtcOffset::UTC), said: Said::Clock }
    }

    fn words(self) -> String {
        let now = match self.said {
            Said::Since(now) => now,
            Said::Exactly => return self.exact(),
            Said::Clock => return format!("{:02}:{:02}:{:02}", self.at.hour(), self.at.minute(), self.at.second()),
        };
        let seconds = (now - self.at).whole_seconds();
        let Some(span) = span(seconds.unsigned_abs()) else {
            return self.date(now);
        };
        match seconds {
            -59..=59 => "just now".into(),
            60.. => format!("{span} ago"),
            _ => format!("in {span}"),
        }
    }

    fn date(self, now: OffsetDateTime) -> String {
        let day = format!("{} {}", self.at.day(), month(self.at.month()));
        if self.at.year() == now.year() { day } else { format!("{day} {}", self.at.year()) }
    }

    fn exact(self) -> String {
        let (date, clock) = (self.at.date(), self.at.time());
        format!("{date} {:02}:{:02}:{:02} UTC", clock.hour(), clock.minute(), clock.second())
    }

    fn rfc3339(self) -> String {
        self.at.format(&Rfc3339).unwrap_or_default()
    }
}

fn span(seconds: u64) -> Option<String> {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (minutes, hours, days) {
        (_, 0, _) => Some(format!("{minutes} min")),
        (_, _, 0) => Some(format!("{hours} h")),
        (_, _, 1) => Some("1 day".into()),
        (_, _, 2..14) => Some(format!("{days} days")),
        _ => None,
    }
}

fn month(month: Month) -> &'static str {
    match month {
        Month::January => "Jan",
        Month::February => "Feb",
        Month::March => "Mar",
        Month::April => "Apr",
        Month::May => "May",
        Month::June => "Jun",
        Month::July => "Jul",
        Month::August => "Aug",
        Month::September => "Sep",
        Month::October => "Oct",
        Month::November => "Nov",
        Month::December => "Dec",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::{Duration, macros::datetime};

    #[test]
    fn a_moment_reads_as_a_person_would_say_it() {
        let now = datetime!(2026-11-16 12:00 UTC);
        let said = |ago: Duration| When::relative(now - ago, now).words();
        assert_eq!(said(Duration::seconds(20)), "just now");
        assert_eq!(said(Duration::minutes(59)), "59 min ago");
        assert_eq!(said(Duration::hours(23)), "23 h ago");
        assert_eq!(said(Duration::days(1)), "1 day ago");
        assert_eq!(said(Duration::days(-3)), "in 3 days");
        assert_eq!(said(Duration::days(30)), "17 Oct");
        assert_eq!(said(Duration::days(365)), "16 Nov 2025");
    }

    #[test]
    fn an_exact_moment_is_given_in_utc() {
        let at = datetime!(2026-11-16 01:02:03 +2);
        assert_eq!(When::absolute(at).words(), "2026-11-15 23:02:03 UTC");
    }
}
