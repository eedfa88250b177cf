//! Why a memory stands where it does in an answer: the parts of its score, each with its bar.

use crate::chart::Shares;
use askama::{Template, filters::HtmlSafe};

/// Printed in a template it is a disclosure with a bar for each part.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "parts/explained.html")]
pub struct Explained {
    /// 0 to 1, comparable within one answer only.
    pub score: f32,
    /// A name, what it says, and 0 to 1 before its weight.
    pub parts: Vec<(&'static str, &'static str, f32)>,
    pub open: bool,
}

impl HtmlSafe for Explained {}

/// A line of the explanation.
struct Part {
    name: &'static str,
    meaning: &'static str,
    said: String,
    bar: Shares,
}

impl Explained {
    fn said(&self) -> String {
        format!("{:.2}", self.score)
    }

    fn whole(&self) -> Shares {
        bar(self.score)
    }

    fn lines(&self) -> Vec<Part> {
        let line = |(name, meaning, value): &(&'static str, &'static str, f32)| Part {
            name,
            meaning,
            said: format!("{value:.2}"),
            bar: bar(*value),
        };
        self.parts.iter().map(line).collect()
    }
}

fn bar(value: f32) -> Shares {
    Shares { parts: vec![("part", thousandths(value))], whole: 1000 }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
fn thousandths(value: f32) -> u64 {
    (value.clamp(0.0, 1.0) * 1000.0).round() as u64
}
