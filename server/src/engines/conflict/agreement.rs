//! What both texts say alike: the same numbers, the same denials.

use super::{
    denials, figures,
    text::Reading,
    values::{Measure, Quantity},
};

/// How the numbers of two texts stand to each other.
#[derive(Default, Debug)]
pub struct Numbers {
    /// Numbers that stand in both, in whichever unit.
    pub shared: usize,
    /// Numbers that only the new one has.
    pub ours: usize,
}

pub fn numbers(old: &Reading, new: &Reading) -> Numbers {
    let has = |list: &[Quantity], one: &Quantity| list.iter().any(|other| is_same(one, other));
    let ours = new.quantities.iter().filter(|one| !has(&old.quantities, one)).count();
    Numbers { shared: new.quantities.len() - ours, ours }
}

/// "50 items" and "fifty records" are the same number, whatever is counted.
fn is_same(one: &Quantity, other: &Quantity) -> bool {
    let bare = |quantity: &Quantity| matches!(quantity.measure, Measure::Version(_) | Measure::Plain(_) | Measure::Count(_));
    if bare(one) && bare(other) {
        (one.value - other.value).abs() < 1e-6
    } else {
        figures::same_measure(one, other) && figures::same_value(one, other)
    }
}

/// Whether a text denies anything at all.
pub fn denies(reading: &Reading) -> bool {
    reading.words.iter().any(|word| denials::is_any(&word.low))
}
