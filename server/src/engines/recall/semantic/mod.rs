//! Nearness in meaning: the model that ships with the server turns texts into vectors, and `Vectors` finds the nearest of them.
//! Any model's vectors will do, so those of an outside endpoint take the same way; nothing here reaches out for them.

mod chunks;
mod kernels;
mod model;
mod signs;
#[cfg(test)]
mod tests;
mod tokens;
mod vectors;

pub use chunks::windows;
pub(super) use kernels::bits_above;
pub use model::Model;
pub use vectors::Vectors;

/// A direction in meaning, quantised to int8: codes × scale is the vector, of length one.
#[derive(Clone, PartialEq, Debug)]
pub struct Vector {
    pub codes: Box<[i8]>,
    pub scale: f32,
}

impl Vector {
    /// The nearest vector of this kind, or nothing for one without a direction (empty, all zero, not a number).
    pub fn quantise(values: &[f32]) -> Option<Self> {
        let largest = values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        // `max` passes over NaN, the sum does not.
        if largest == 0.0 || !values.iter().map(|value| value / largest).sum::<f32>().is_finite() {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "|value / largest × 127| ≤ 127")]
        let codes: Box<[i8]> = values.iter().map(|value| (value / largest * 127.0).round() as i8).collect();
        // The length of the codes and not of the values: so a vector's cosine with itself is one, rounding or not.
        #[expect(clippy::cast_precision_loss, reason = "a length needs no more digits")]
        let length = (kernels::dot(&codes, &codes) as f32).sqrt();
        Some(Self { codes, scale: 1.0 / length })
    }

    /// From -1 (opposite) over 0 (unrelated, or of another model) to 1 (the same).
    pub fn cosine(&self, other: &Self) -> f32 {
        if self.codes.len() != other.codes.len() {
            return 0.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "a cosine needs no more digits")]
        let dot = kernels::dot(&self.codes, &other.codes) as f32;
        dot * self.scale * other.scale
    }
}
