//! One bit per dimension of every row: on which side of the middle it lies. An eighth of the memory traffic of the codes,
//! and good enough to choose the rows that are worth an exact look.
//!
//! Three things make one bit say more (131,000 sentences, 1,000 rows kept, how many of the true first 10 / 100 are among them):
//! plain signs 98.3 / 82.1 %, the mean direction of all texts taken off first 98.7 / 85.2 %, turned so that every dimension
//! weighs the same 99.6 / 91.0 %, and two bits instead of one for the question 99.9 / 96.6 %.

use super::{Vector, kernels};

/// Rows compared at a time.
const BLOCK: usize = 64;

/// Of so many blocks one is looked at first. Half as many again as that one promises are let through, which is enough but
/// where the rows of a few blocks are unlike all others.
const SAMPLED: usize = 16;

/// A middle of so many rows is good enough for any number more: taking it anew halts everything for 1 µs a row.
const ENOUGH_FOR_A_MIDDLE: usize = 50_000;

pub struct Signs {
    /// The mean of the rows when it was taken, and how many there were. Of a row that is removed later no more than its share
    /// in this stays, until the next compaction.
    middle: Vec<f32>,
    taken_at: usize,
    /// 1 or -1 for each dimension.
    flips: Vec<f32>,
    /// 64-bit words in a row.
    words: usize,
    bits: Vec<u64>,
}

impl Signs {
    pub fn of(dimension: usize, codes: &[i8], scales: &[f32]) -> Self {
        let words = dimension.next_power_of_two().div_ceil(64);
        let flips = (0..dimension).map(|place| if is_flipped(place) { -1.0 } else { 1.0 }).collect();
        let mut signs = Self { middle: middle(dimension, codes, scales), taken_at: scales.len(), flips, words, bits: Vec::new() };
        signs.extend(codes, scales);
        signs
    }

    /// Whether the middle was taken of so few rows that it is worth taking it anew.
    pub fn outgrown(&self, rows: usize) -> bool {
        self.taken_at < ENOUGH_FOR_A_MIDDLE && rows >= self.taken_at * 2
    }

    /// Adds the rows that were appended since.
    pub fn extend(&mut self, codes: &[i8], scales: &[f32]) {
        let (known, needed) = (self.bits.len() / self.words, scales.len() * self.words);
        if needed > self.bits.capacity() {
            self.bits.reserve_exact((needed - self.bits.len()).max(self.bits.len() / 8));
        }
        let mut turned = Vec::new();
        for (row, scale) in codes[known * self.middle.len()..].chunks_exact(self.middle.len()).zip(&scales[known..]) {
            self.turn(row, *scale, &mut turned);
            self.bits.extend(turned.chunks(64).map(|values| kernels::bits_above(values, 0.0)));
        }
    }

    /// Forgets a row; the place stays.
    pub fn clear(&mut self, row: usize) {
        self.bits[row * self.words..(row + 1) * self.words].fill(0);
    }

    pub fn bytes(&self) -> usize {
        self.bits.capacity() * size_of::<u64>() + (self.middle.capacity() + self.flips.capacity()) * size_of::<f32>()
    }

    /// The rows whose signs agree best with a question, `kept` of them at most and only those that count, in the order of rows.
    pub fn nearest(&self, query: &Vector, kept: usize, counts: impl Fn(usize) -> bool) -> Vec<usize> {
        let question = self.question(query);
        // Who knows about how far the nearest lie need not collect all those that come before them.
        let mut sample = Nearest::of(kept.div_ceil(SAMPLED) * 3 / 2, self.words * 64);
        self.look(&question, SAMPLED, &counts, &mut sample);
        let mut nearest = Nearest { limit: sample.reach(), ..Nearest::of(kept, self.words * 64) };
        self.look(&question, 1, &counts, &mut nearest);
        if nearest.found.len() < kept && nearest.limit < u32::MAX {
            nearest = Nearest::of(kept, self.words * 64);
            self.look(&question, 1, &counts, &mut nearest);
        }
        nearest.rows()
    }

    /// Looks at every so manieth block of rows.
    fn look(&self, (signs, strong): &(Vec<u64>, Vec<u64>), step: usize, counts: &impl Fn(usize) -> bool, nearest: &mut Nearest) {
        let mut distances = [0; BLOCK];
        for (block, bits) in self.bits.chunks(BLOCK * self.words).enumerate().step_by(step) {
            let rows = bits.len() / self.words;
            let mut below = kernels::distances(signs, strong, bits, &mut distances[..rows], nearest.limit);
            while below > 0 {
                let place = below.trailing_zeros() as usize;
                below &= below - 1;
                if distances[place] < nearest.limit && counts(block * BLOCK + place) {
                    nearest.push(block * BLOCK + place, distances[place]);
                }
            }
        }
    }

    /// The same among rows that were chosen before.
    pub fn nearest_among(&self, rows: impl Iterator<Item = usize>, query: &Vector, kept: usize) -> Vec<usize> {
        let (signs, strong) = self.question(query);
        let mut nearest = Nearest::of(kept, self.words * 64);
        for row in rows {
            let mut distance = [0];
            if kernels::distances(&signs, &strong, &self.bits[row * self.words..(row + 1) * self.words], &mut distance, nearest.limit) > 0 {
                nearest.push(row, distance[0]);
            }
        }
        nearest.rows()
    }

    /// A question's signs, and in which places it is far from the middle: there a row on the other side is three times as wrong.
    fn question(&self, query: &Vector) -> (Vec<u64>, Vec<u64>) {
        let mut turned = Vec::new();
        self.turn(&query.codes, query.scale, &mut turned);
        let signs = turned.chunks(64).map(|values| kernels::bits_above(values, 0.0)).collect();
        #[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
        let usual = (turned.iter().map(|value| value * value).sum::<f32>() / turned.len() as f32).sqrt();
        let strength: Vec<f32> = turned.iter().map(|value| value.abs()).collect();
        (signs, strength.chunks(64).map(|values| kernels::bits_above(values, usual)).collect())
    }

    /// A row seen from the middle, turned by a fixed rotation: random signs, then a Walsh-Hadamard transform.
    fn turn(&self, codes: &[i8], scale: f32, turned: &mut Vec<f32>) {
        turned.clear();
        let values = codes.iter().zip(&self.middle).zip(&self.flips);
        turned.extend(values.map(|((code, middle), flip)| (f32::from(*code) * scale - middle) * flip));
        turned.resize(codes.len().next_power_of_two(), 0.0);
        kernels::hadamard(turned);
    }
}

/// The nearest rows so far. Distances are few whole numbers, so that counting them replaces sorting.
struct Nearest {
    kept: usize,
    found: Vec<(u32, usize)>,
    /// How many of the found rows there are at each distance.
    counts: Vec<usize>,
    /// Rows as far as this need not come any more.
    limit: u32,
}

impl Nearest {
    fn of(kept: usize, dimension: usize) -> Self {
        // The farthest is wrong in every place, and strongly.
        Self { kept, found: Vec::new(), counts: vec![0; 3 * dimension + 1], limit: u32::MAX }
    }

    fn push(&mut self, row: usize, distance: u32) {
        self.found.push((distance, row));
        self.counts[distance as usize] += 1;
        if self.found.len() >= self.kept.saturating_mul(2) {
            self.prune();
        }
    }

    /// Lets go of the farthest, and of those at the last distance that fits, the latest.
    fn prune(&mut self) {
        let mut nearer = 0;
        let reaches = |count: &usize| {
            nearer += count;
            nearer >= self.kept
        };
        let Some(last) = self.counts.iter().position(reaches) else { return };
        nearer -= self.counts[last];
        self.counts[last..].fill(0);
        self.counts[last] = self.kept - nearer;
        let mut room = self.kept - nearer;
        self.found.retain(|(distance, _)| {
            let (distance, fits) = (*distance as usize, room > 0);
            room -= usize::from(fits && distance == last);
            distance < last || (distance == last && fits)
        });
        self.limit = u32::try_from(last).unwrap_or(u32::MAX);
    }

    /// No row is worth a look from here on, as far as so many were found.
    fn reach(mut self) -> u32 {
        let enough = self.found.len() >= self.kept;
        self.prune();
        if enough { self.limit.saturating_add(1) } else { u32::MAX }
    }

    fn rows(mut self) -> Vec<usize> {
        self.prune();
        self.found.into_iter().map(|(_, row)| row).collect()
    }
}

/// A coin for each dimension, the same on every machine.
fn is_flipped(place: usize) -> bool {
    (place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_mul(place as u64 | 1).count_ones() % 2 == 1
}

fn middle(dimension: usize, codes: &[i8], scales: &[f32]) -> Vec<f32> {
    let mut middle = vec![0.0; dimension];
    for (row, scale) in codes.chunks_exact(dimension).zip(scales) {
        for (middle, code) in middle.iter_mut().zip(row) {
            *middle += f32::from(*code) * scale;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
    let count = scales.iter().filter(|scale| **scale > 0.0).count().max(1) as f32;
    middle.into_iter().map(|sum: f32| sum / count).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Model;
    use super::*;

    /// 4,096 sentences that are near to each other, in one house's words.
    fn sentences() -> Vec<Vector> {
        let who = "team engineer server database pipeline customer agent lawyer nurse editor window router budget garden train recipe";
        let does = "deploys reviews deletes restores measures forgets schedules encrypts paints delays refuses explains copies trusts moves closes";
        let what =
            "release contract backup password invoice schema picture meeting index ticket bridge certificate lunch queue novel holiday";
        let words = |list: &'static str| list.split(' ');
        words(who)
            .flat_map(|who| words(does).map(move |does| (who, does)))
            .flat_map(|(who, does)| words(what).map(move |what| format!("the {who} {does} the {what}")))
            .filter_map(|sentence| Model::builtin().embed(&sentence))
            .collect()
    }

    #[test]
    fn signs_lose_hardly_any_of_the_nearest() {
        let rows = sentences();
        let codes: Vec<i8> = rows.iter().flat_map(|row| row.codes.iter().copied()).collect();
        let scales: Vec<f32> = rows.iter().map(|row| row.scale).collect();
        let signs = Signs::of(256, &codes, &scales);
        let questions =
            ["who reviews contracts?", "restoring a backup", "password encryption", "when is lunch", "delays on the bridge", "index"];
        let (mut found, mut of) = (0, 0);
        for question in questions.iter().filter_map(|question| Model::builtin().embed(question)) {
            let mut nearest: Vec<(f32, usize)> = rows.iter().map(|row| row.cosine(&question)).zip(0..).collect();
            nearest.sort_by(|a, b| b.0.total_cmp(&a.0));
            let kept = signs.nearest(&question, 200, |_| true);
            assert_eq!(kept.len(), 200);
            found += nearest[..10].iter().filter(|(_, row)| kept.contains(row)).count();
            of += 10;
        }
        assert!(found * 100 >= of * 98, "{found} of {of}");
    }

    #[test]
    fn a_sample_that_promises_too_much_takes_nothing_away() {
        let question = Model::builtin().embed("who reviews contracts?").expect("has words");
        let mut rows = sentences();
        // All that is near lies in the first block, which is one of those looked at first.
        rows.sort_by(|a, b| b.cosine(&question).total_cmp(&a.cosine(&question)));
        let codes: Vec<i8> = rows.iter().flat_map(|row| row.codes.iter().copied()).collect();
        let scales: Vec<f32> = rows.iter().map(|row| row.scale).collect();
        let signs = Signs::of(256, &codes, &scales);
        let even = |row: usize| row.is_multiple_of(2);
        let mut all = Nearest::of(200, 256);
        signs.look(&signs.question(&question), 1, &even, &mut all);
        assert_eq!(signs.nearest(&question, 200, even), all.rows());
    }

    #[test]
    fn the_nearest_are_kept_in_the_order_of_rows_whatever_came_first() {
        let mut nearest = Nearest::of(3, 64);
        for (row, distance) in [9, 9, 9, 2, 9, 5, 2, 5, 5, 1, 9].into_iter().enumerate() {
            if distance < nearest.limit {
                nearest.push(row, distance);
            }
        }
        assert_eq!(nearest.rows(), [3, 6, 9]);
        let mut ties = Nearest::of(3, 64);
        (0..5).for_each(|row| ties.push(row, 7));
        assert_eq!(ties.rows(), [0, 1, 2]);
    }
}
