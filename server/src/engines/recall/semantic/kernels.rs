//! The innermost loops. Each is plain Rust that the compiler turns into vector instructions, once per instruction set;
//! the best one that this processor has (AVX-512, AVX2, SSE, NEON) is picked when called, and the binary still runs everywhere.
#![expect(clippy::inline_always, reason = "a loop takes the instruction set of the caller only if it is inlined into it")]

use fearless_simd::{Level, dispatch};

/// The dot product of two vectors of equal length.
pub fn dot(a: &[i8], b: &[i8]) -> i32 {
    dispatch!(Level::new(), _ => one_dot(a, b))
}

/// The dot product of `query` with each row of `rows`, as many as `found` has places.
pub fn dots(query: &[i8], rows: &[i8], found: &mut [i32]) {
    dispatch!(Level::new(), _ => many_dots(query, rows, found));
}

/// In how many bits each row of `rows` differs from `signs`, those in `strong` counted three times; as many as `found` has places,
/// 64 at most. Answers with a bit for each that is below the limit.
pub fn distances(signs: &[u64], strong: &[u64], rows: &[u64], found: &mut [u32], limit: u32) -> u64 {
    dispatch!(Level::new(), _ => many_distances(signs, strong, rows, found, limit))
}

/// A bit for each of up to 64 values that is above the limit.
pub fn bits_above(values: &[f32], limit: f32) -> u64 {
    dispatch!(Level::new(), _ => all_bits_above(values, limit))
}

/// The Walsh-Hadamard transform of as many values as a power of two, in place, not scaled.
pub fn hadamard(values: &mut [f32]) {
    dispatch!(Level::new(), _ => butterflies(values));
}

/// Adds a stored vector (int8 codes kept as bytes, and their scale) to a sum.
pub fn add(sum: &mut [f32], codes: &[u8], scale: f32) {
    dispatch!(Level::new(), _ => add_codes(sum, codes, scale));
}

#[inline(always)]
fn one_dot(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

#[inline(always)]
fn many_dots(query: &[i8], rows: &[i8], found: &mut [i32]) {
    // The length known to the compiler is worth a third of the time.
    if let Ok(query) = <&[i8; 256]>::try_from(query) {
        for (row, found) in rows.as_chunks::<256>().0.iter().zip(found) {
            *found = one_dot(query, row);
        }
    } else {
        for (row, found) in rows.chunks_exact(query.len()).zip(found) {
            *found = one_dot(query, row);
        }
    }
}

#[inline(always)]
fn many_distances(signs: &[u64], strong: &[u64], rows: &[u64], found: &mut [u32], limit: u32) -> u64 {
    if let (Ok(signs), Ok(strong)) = (<&[u64; 4]>::try_from(signs), <&[u64; 4]>::try_from(strong)) {
        for (row, found) in rows.as_chunks::<4>().0.iter().zip(found.iter_mut()) {
            *found = one_distance(signs, strong, row);
        }
    } else {
        for (row, found) in rows.chunks_exact(signs.len()).zip(found.iter_mut()) {
            *found = one_distance(signs, strong, row);
        }
    }
    found.iter().zip(0_u32..).fold(0, |below, (distance, place)| below | u64::from(*distance < limit) << place)
}

#[inline(always)]
fn one_distance(signs: &[u64], strong: &[u64], row: &[u64]) -> u32 {
    let wrong = signs.iter().zip(row).map(|(sign, row)| sign ^ row);
    wrong.zip(strong).map(|(wrong, strong)| wrong.count_ones() + 2 * (wrong & strong).count_ones()).sum()
}

#[inline(always)]
fn all_bits_above(values: &[f32], limit: f32) -> u64 {
    values.iter().zip(0_u32..).fold(0, |bits, (value, place)| bits | u64::from(*value > limit) << place)
}

#[inline(always)]
fn butterflies(values: &mut [f32]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(half * 2) {
            let (left, right) = pair.split_at_mut(half);
            for (left, right) in left.iter_mut().zip(right) {
                (*left, *right) = (*left + *right, *left - *right);
            }
        }
        half *= 2;
    }
}

#[inline(always)]
fn add_codes(sum: &mut [f32], codes: &[u8], scale: f32) {
    for (sum, code) in sum.iter_mut().zip(codes) {
        *sum += f32::from(code.cast_signed()) * scale;
    }
}
