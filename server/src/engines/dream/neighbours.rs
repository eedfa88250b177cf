//! Pairs of texts that share at least half of their words, without comparing all with all: such a pair must share one of
//! the rarer words of both, so that only those are looked up (a prefix filter, which misses no pair).

use super::{STRETCH, likeness::share, reading::Reading};
use crate::engines::cores::on_all_cores;
use rustc_hash::FxHashMap;

/// How much of all words of two both must have.
pub const NEAR: f32 = 0.5;
/// Of the texts with a word, so many are looked at, the last ones: a word in more of them tells little.
const LOOKED_AT: usize = 512;

#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Places in the run, the smaller first.
    pub one: usize,
    pub other: usize,
    /// The share of words that both have, signs left out.
    pub near: f32,
}

/// The pairs among these texts that `may` be of interest, for each text at most so many, the nearest; and whether it had more.
pub fn pairs(readings: &[Reading], among: &[usize], most: usize, may: impl Fn(usize, usize) -> bool + Sync) -> (Vec<Pair>, bool) {
    let sets = by_rarity(readings, among);
    // For each word, in which texts it is one of the rarer ones, in their order.
    let mut shelves: Vec<Vec<usize>> = vec![Vec::new(); sets.iter().flatten().max().map_or(0, |last| *last as usize + 1)];
    for (at, set) in sets.iter().enumerate() {
        for word in rarer(set) {
            shelves[*word as usize].push(at);
        }
    }
    let parts = on_all_cores(among.len(), STRETCH, |texts| {
        let (mut found, mut more) = (Vec::new(), false);
        let mut met: Vec<usize> = Vec::new();
        let mut marked = vec![usize::MAX; among.len()];
        for at in texts {
            let set = &sets[at];
            met.clear();
            for word in rarer(set) {
                let shelf = &shelves[*word as usize];
                let before = &shelf[..shelf.partition_point(|other| *other < at)];
                more |= before.len() > LOOKED_AT;
                for &other in before.iter().rev().take(LOOKED_AT) {
                    if marked[other] != at {
                        marked[other] = at;
                        met.push(other);
                    }
                }
            }
            let mut nearest: Vec<(f32, usize)> = met
                .iter()
                .filter(|before| fits(set.len(), sets[**before].len()) && may(among[**before], among[at]))
                .filter_map(|before| Some((overlap(set, &sets[*before])?, *before)))
                .collect();
            nearest.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
            more |= nearest.len() > most;
            found.extend(nearest.into_iter().take(most).map(|(near, before)| Pair { one: among[before], other: among[at], near }));
        }
        (found, more)
    });
    let more = parts.iter().any(|(_, more)| *more);
    (parts.into_iter().flat_map(|(found, _)| found).collect(), more)
}

/// Each text as its distinct words, the rarest first.
fn by_rarity(readings: &[Reading], among: &[usize]) -> Vec<Vec<u32>> {
    let mut count: FxHashMap<u64, u32> = FxHashMap::default();
    let mut sets: Vec<Vec<u64>> = Vec::with_capacity(among.len());
    for &at in among {
        let mut set: Vec<u64> = readings[at].words.iter().filter(|word| !word.sign).map(|word| word.hash).collect();
        // A text of signs alone is told by them.
        if set.is_empty() {
            set = readings[at].words.iter().map(|word| word.hash).collect();
        }
        set.sort_unstable();
        set.dedup();
        for word in &set {
            *count.entry(*word).or_default() += 1;
        }
        sets.push(set);
    }
    let mut words: Vec<(u32, u64)> = count.into_iter().map(|(word, count)| (count, word)).collect();
    words.sort_unstable();
    let rank: FxHashMap<u64, u32> = words.iter().zip(0..).map(|((_, word), rank)| (*word, rank)).collect();
    let ranked = |set: Vec<u64>| {
        let mut ranks: Vec<u32> = set.iter().map(|word| rank[word]).collect();
        ranks.sort_unstable();
        ranks
    };
    sets.into_iter().map(ranked).collect()
}

/// Two sets that share half of all they have share one of so many of their rarest words.
fn rarer(set: &[u32]) -> &[u32] {
    if set.is_empty() { set } else { &set[..=set.len() - set.len().div_ceil(2)] }
}

fn fits(one: usize, other: usize) -> bool {
    share(one.min(other), one.max(other)) >= NEAR
}

/// The share of words that both have, where it is as much as it has to be.
fn overlap(one: &[u32], other: &[u32]) -> Option<f32> {
    // Half of all is a third of both counted separately; who misses more words than are left over need not go on.
    let (all, mut missed) = (one.len() + other.len(), 0);
    let (mut a, mut b, mut common) = (0, 0, 0);
    while let (Some(left), Some(right)) = (one.get(a), other.get(b)) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => (a, missed) = (a + 1, missed + 1),
            std::cmp::Ordering::Greater => (b, missed) = (b + 1, missed + 1),
            std::cmp::Ordering::Equal => (a, b, common) = (a + 1, b + 1, common + 1),
        }
        if missed * 3 > all {
            return None;
        }
    }
    Some(share(common, all - common)).filter(|near| *near >= NEAR)
}
