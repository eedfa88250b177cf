//! Charts as SVG, drawn here: no script, no style of their own, a sentence for those who do not see them.

use crate::number;
use askama::{Template, filters::HtmlSafe};
use std::fmt::Write;
use time::Date;

/// A number a day, as columns.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "parts/columns.html")]
pub struct Columns {
    /// What is counted: “Writes”.
    pub label: &'static str,
    /// Oldest first.
    pub days: Vec<(Date, u64)>,
}

impl HtmlSafe for Columns {}

/// The drawing's own units.
const STEP: usize = 10;
const HEIGHT: u64 = 60;

impl Columns {
    pub fn total(&self) -> u64 {
        self.days.iter().map(|(_, count)| count).sum()
    }

    fn most(&self) -> u64 {
        self.days.iter().map(|(_, count)| *count).max().unwrap_or_default()
    }

    fn width(&self) -> usize {
        self.days.len() * STEP
    }

    /// One path for all columns; a day with anything at all is seen.
    fn path(&self) -> String {
        let most = self.most().max(1);
        let mut path = String::new();
        for (place, (_, count)) in self.days.iter().enumerate().filter(|(_, (_, count))| *count > 0) {
            let tall = (count * HEIGHT).div_ceil(most).max(2);
            let _ = write!(path, "M{} {HEIGHT}v-{tall}h{}v{tall}z", place * STEP + 1, STEP - 2);
        }
        path
    }

    fn said(&self) -> String {
        let Some((day, most)) = self.days.iter().max_by_key(|(_, count)| *count).filter(|(_, count)| *count > 0) else {
            return format!("{}: none in {} days", self.label, self.days.len());
        };
        format!("{}: {} in {} days, most on {}: {}", self.label, number(self.total()), self.days.len(), day_of(*day), number(*most))
    }

    fn first(&self) -> String {
        self.days.first().map(|(day, _)| day_of(*day)).unwrap_or_default()
    }
}

fn day_of(day: Date) -> String {
    let month = day.month().to_string();
    format!("{} {}", day.day(), month.get(..3).unwrap_or(&month))
}

/// Shares of a whole, as one bar; each has its class.
#[derive(Clone, Debug, Default, Template)]
#[template(
    source = r#"<svg class="shares" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">{% for (class, from, wide) in self.pieces() %}<rect class="{{ class }}" x="{{ from }}" y="0" width="{{ wide }}" height="6"/>{% endfor %}</svg>"#,
    ext = "html"
)]
pub struct Shares {
    pub parts: Vec<(&'static str, u64)>,
    /// What is a full bar.
    pub whole: u64,
}

impl HtmlSafe for Shares {}

impl Shares {
    #[expect(clippy::cast_precision_loss, reason = "a bar is a hundred units long")]
    fn pieces(&self) -> Vec<(&'static str, String, String)> {
        let whole = self.whole.max(1) as f64;
        let mut from = 0.0;
        let parts = self.parts.iter().filter(|(_, count)| *count > 0);
        parts
            .map(|(class, count)| {
                let wide = *count as f64 * 100.0 / whole;
                let piece = (*class, format!("{from:.2}"), format!("{wide:.2}"));
                from += wide;
                piece
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn the_tallest_column_is_full_and_the_smallest_is_seen() {
        let chart =
            Columns { label: "Writes", days: vec![(date!(2026 - 11 - 01), 1), (date!(2026 - 11 - 02), 0), (date!(2026 - 11 - 03), 6000)] };
        assert_eq!(chart.path(), "M1 60v-2h8v2zM21 60v-60h8v60z");
        assert_eq!(chart.said(), "Writes: 6,001 in 3 days, most on 3 Nov: 6,000");
        assert_eq!(Columns { label: "Writes", days: Vec::new() }.path(), "");
    }

    #[test]
    fn shares_lie_end_to_end() {
        let shares = Shares { parts: vec![("fresh", 1), ("stale", 0), ("suspect", 3)], whole: 4 };
        let pieces = shares.pieces();
        assert_eq!(pieces[0], ("fresh", "0.00".into(), "25.00".into()));
        assert_eq!(pieces[1], ("suspect", "25.00".into(), "75.00".into()));
    }
}
