//! How good an answer is, by the memories that are known to answer.

use crate::figures::float;
use std::collections::HashSet;
use uuid::Uuid;

pub const DEPTH: usize = 10;

/// Of one question.
#[derive(Clone, Copy, Default)]
pub struct Score {
    /// Any of the right ones among the first ten.
    pub hit: bool,
    /// One over the place of the first right one.
    pub reciprocal: f64,
    pub ndcg: f64,
    /// The part of the right ones that is among the first ten.
    pub recall: f64,
}

/// `unknown` right ones were never loaded, and so are missed.
pub fn score(answer: &[Uuid], right: &HashSet<Uuid>, unknown: usize) -> Score {
    let wanted = right.len() + unknown;
    let mut score = Score::default();
    let (mut gain, mut found) = (0.0, 0);
    for (place, _) in answer.iter().take(DEPTH).enumerate().filter(|(_, id)| right.contains(*id)) {
        if found == 0 {
            score.hit = true;
            score.reciprocal = 1.0 / float(place + 1);
        }
        found += 1;
        gain += discount(place);
    }
    let ideal: f64 = (0..wanted.min(DEPTH)).map(discount).sum();
    if wanted > 0 {
        score.ndcg = gain / ideal;
        score.recall = float(found) / float(wanted);
    }
    score
}

fn discount(place: usize) -> f64 {
    1.0 / float(place + 2).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_as_they_should() {
        let id = |n| Uuid::from_u128(n);
        let right = HashSet::from([id(1), id(2)]);
        let one = score(&[id(9), id(1)], &right, 0);
        assert!(one.hit);
        assert!((one.reciprocal - 0.5).abs() < 1e-9 && (one.recall - 0.5).abs() < 1e-9);
        assert!((one.ndcg - (1.0 / 3.0_f64.log2()) / (1.0 + 1.0 / 3.0_f64.log2())).abs() < 1e-9);
        assert!((score(&[id(1), id(2)], &right, 0).ndcg - 1.0).abs() < 1e-9);
        let late: Vec<Uuid> = (10..20).map(id).chain([id(1)]).collect();
        assert!(!score(&late, &right, 0).hit);
    }
}
