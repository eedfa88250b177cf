//! Medians and the like.

use std::time::Duration;

pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    percentile(values, 50)
}

pub fn percentile(values: impl Iterator<Item = f64>, percent: usize) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() * percent / 100).or(values.last()).copied().unwrap_or(f64::NAN)
}

pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "counts of one run")]
pub fn float(count: usize) -> f64 {
    count as f64
}

pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value;
        count += 1;
    }
    sum / float(count)
}
