//! What comes first and what after: "migrate before the rollout" against "roll out, then migrate".

use super::{
    meaning::Pair,
    synonyms,
    text::{Reading, Role, Word},
};
use std::collections::BTreeMap;

/// From here two words are taken for the same thing.
const SAME: f32 = 0.5;
const CLAUSE: i32 = 50;
const SIDE: i32 = 20;

/// Each telling word with its turn.
pub type Turns = BTreeMap<String, i32>;

/// Whether both texts tell an order, and most pairs of shared things are turned round.
pub fn is_reversed(there: Option<&Turns>, here: Option<&Turns>, pair: &Pair<'_>) -> bool {
    let Some((there, here)) = there.zip(here) else { return false };
    // Each word is looked for once: texts of a hundred words are held against each other by the thousand.
    let columns: Vec<(usize, i32)> = here.iter().filter_map(|(stem, turn)| Some((pair.column(stem)?, *turn))).collect();
    let shared: Vec<(i32, i32)> = there
        .iter()
        .filter_map(|(stem, turn)| {
            let row = pair.row(stem)?;
            let same = columns.iter().map(|(column, turn)| (pair.near(row, *column), *turn)).filter(|(near, _)| *near >= SAME);
            same.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, other)| (*turn, other))
        })
        .collect();
    let pairs = shared.iter().enumerate().flat_map(|(at, one)| shared[at + 1..].iter().map(move |other| (one, other)));
    pairs.map(|(one, other)| (one.0 - other.0).signum() * (one.1 - other.1).signum()).sum::<i32>() < 0
}

/// The turns of a text's words, where it speaks of an order at all.
pub fn turns(reading: &Reading) -> Option<Turns> {
    let words = reading.words.get(reading.title..).unwrap_or_default();
    let steps = words.iter().filter(|word| word.first && word.role == Role::Number).count() > 1;
    let told = words.iter().any(|word| is_before(&word.low) || is_after(&word.low) || is_first(&word.low) || is_then(&word.low));
    if !told && !steps {
        return None;
    }
    let mut turns = Turns::new();
    for (sentence, base) in words.chunk_by(|one, next| one.sentence == next.sentence).zip((0..).step_by(100)) {
        for (at, word) in sentence.iter().enumerate() {
            if matches!(word.role, Role::Content | Role::Name) && !synonyms::is_generic(&word.stem) {
                turns.entry(word.stem.clone()).or_insert_with(|| base + turn(sentence, at));
            }
        }
    }
    Some(turns)
}

/// The turn of a word within its sentence.
fn turn(sentence: &[Word], at: usize) -> i32 {
    let word = &sentence[at];
    let pivot = sentence.iter().position(|word| is_before(&word.low) || is_after(&word.low));
    let side = pivot.map_or(0, |pivot| {
        // "After the upload, strip it": what stands with the small word ends with its clause.
        let with_it = if pivot == 0 { word.clause == sentence[0].clause } else { at > pivot };
        if with_it == is_after(&sentence[pivot].low) { 0 } else { SIDE }
    });
    let clause = || sentence.iter().filter(|other| other.clause == word.clause);
    let first = if clause().any(|word| is_first(&word.low)) { -CLAUSE } else { 0 };
    let then = if clause().any(|word| is_then(&word.low)) { CLAUSE } else { 0 };
    side + first + then
}

fn is_before(low: &str) -> bool {
    matches!(low, "before" | "prior" | "ahead" | "precedes" | "until" | "bevor" | "vor" | "avant" | "antes")
}

fn is_after(low: &str) -> bool {
    matches!(low, "after" | "once" | "when" | "whenever" | "following" | "follows" | "nach" | "nachdem" | "apres" | "despues")
}

fn is_first(low: &str) -> bool {
    matches!(low, "first" | "zuerst" | "d'abord" | "primero")
}

fn is_then(low: &str) -> bool {
    matches!(
        low,
        "then"
            | "afterwards"
            | "afterward"
            | "later"
            | "last"
            | "finally"
            | "next"
            | "subsequently"
            | "second"
            | "dann"
            | "danach"
            | "puis"
            | "luego"
    )
}
