//! Numbers for people: groups of three, and short forms where only the size matters.

use std::borrow::Borrow;

/// `1,234,567`
pub fn number(n: impl Borrow<u64>) -> String {
    let digits = n.borrow().to_string();
    let mut said = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            said.push(',');
        }
        said.push(digit);
    }
    said
}

/// `1.2 M`, where the size matters and not the last digit.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub fn about(n: u64) -> String {
    let scale = [(1_000_000_000_000, "T"), (1_000_000_000, "G"), (1_000_000, "M"), (10_000, "k")];
    let Some((unit, sign)) = scale.into_iter().find(|(unit, _)| n >= *unit) else { return number(n) };
    let unit = if sign == "k" { 1_000 } else { unit };
    let size = n as f64 / unit as f64;
    if size < 10.0 { format!("{size:.1} {sign}") } else { format!("{size:.0} {sign}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_shortened() {
        assert_eq!([number(0_u64), number(999_u64), number(1000_u64), number(1_234_567_u64)], ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([about(9_999), about(12_345), about(1_240_000), about(31_000_000)], ["9,999", "12 k", "1.2 M", "31 M"]);
    }
}
