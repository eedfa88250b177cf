//! Misspelt words: which known ones differ by a letter or two. Only for words that nobody wrote.
#![expect(clippy::inline_always, reason = "a loop takes the instruction set of the caller only if it is inlined into it")]

use fearless_simd::{Level, dispatch};

/// A set of letters in 26 bits and the length in the upper six; nought for what is no word of letters, which is never guessed at.
pub fn signature(term: &str) -> u32 {
    let mut letters = 0_u32;
    let mut length = 0_u32;
    for c in term.chars() {
        if !c.is_alphabetic() {
            return 0;
        }
        letters |= 1 << (u32::from(c) % 26);
        length += 1;
    }
    if (3..=63).contains(&length) { length << 26 | letters } else { 0 }
}

/// Too many would be a search for something else.
const MOST: usize = 3;

const BLOCK: usize = 64;

/// The nearest known words of those that are `said`: one letter off, two from eight letters on, two neighbours swapped counting as one.
pub fn near<'a>(word: &str, signatures: &[u32], text: &dyn Fn(u32) -> &'a str, said: &dyn Fn(u32) -> bool) -> Vec<(u32, usize)> {
    let wanted = signature(word);
    let letters: Vec<char> = word.chars().collect();
    if wanted == 0 || letters.len() < 4 {
        return Vec::new();
    }
    let most = if letters.len() >= 8 { 2 } else { 1 };
    let most_letters = if letters.len() >= 8 { 4 } else { 2 };
    let mut found: Vec<(u32, usize)> = alike(signatures, wanted, most, most_letters)
        .into_iter()
        .filter_map(|id| Some((id, distance(&letters, text(id), most as usize)?)))
        .filter(|(id, _)| said(*id))
        .collect();
    let least = found.iter().map(|(_, distance)| *distance).min().unwrap_or_default();
    found.retain(|(_, distance)| *distance == least);
    found.sort_unstable_by_key(|(id, _)| text(*id));
    found.truncate(MOST);
    found
}

/// Those whose length and letters are near enough. Counting bits is one instruction where the processor has it.
fn alike(signatures: &[u32], wanted: u32, most: u32, most_letters: u32) -> Vec<u32> {
    dispatch!(Level::new(), _ => all_alike(signatures, wanted, most, most_letters))
}

#[inline(always)]
fn all_alike(signatures: &[u32], wanted: u32, most: u32, most_letters: u32) -> Vec<u32> {
    let near = |signature: u32| {
        (signature != 0)
            & ((signature >> 26).abs_diff(wanted >> 26) <= most)
            & (((signature ^ wanted) & 0x03ff_ffff).count_ones() <= most_letters)
    };
    let mut found = Vec::new();
    for (block, first) in signatures.chunks(BLOCK).zip((0_u32..).step_by(BLOCK)) {
        // Most blocks have none, and counting without a branch is done many at a time.
        if block.iter().map(|&signature| u32::from(near(signature))).sum::<u32>() > 0 {
            found.extend((first..).zip(block).filter(|(_, signature)| near(**signature)).map(|(id, _)| id));
        }
    }
    found
}

/// Insertions, deletions, changes and swaps of neighbours from one word to the other, if there are no more than `most`.
fn distance(from: &[char], to: &str, most: usize) -> Option<usize> {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=from.len()).collect();
    let mut last = None;
    for (i, c) in to.chars().enumerate() {
        let mut next = vec![i + 1];
        for j in 0..from.len() {
            let mut cost = (row[j] + usize::from(from[j] != c)).min(row[j + 1] + 1).min(next[j] + 1);
            if j > 0 && i > 0 && last == Some(from[j]) && from[j - 1] == c {
                cost = cost.min(before[j - 1] + 1);
            }
            next.push(cost);
        }
        if next.iter().min().is_some_and(|least| *least > most) {
            return None;
        }
        before = std::mem::replace(&mut row, next);
        last = Some(c);
    }
    row.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near_to(word: &str, known: &[&'static str]) -> Vec<&'static str> {
        let signatures: Vec<u32> = known.iter().map(|word| signature(word)).collect();
        near(word, &signatures, &|id| known[id as usize], &|_| true).into_iter().map(|(id, _)| known[id as usize]).collect()
    }

    #[test]
    fn a_letter_too_many_too_few_wrong_or_swapped_is_forgiven() {
        for wrong in ["postgress", "postgrs", "postgros", "psotgres"] {
            assert_eq!(near_to(wrong, &["postgres", "progress", "mysql"]), ["postgres"], "{wrong}");
        }
    }

    #[test]
    fn two_letters_only_in_long_words() {
        assert_eq!(near_to("authentcaton", &["authentication"]), ["authentication"]);
        assert_eq!(near_to("rdys", &["redis"]), [""; 0]);
    }

    #[test]
    fn numbers_codes_and_short_words_are_never_guessed() {
        assert_eq!(near_to("8081", &["8080"]), [""; 0]);
        assert_eq!(near_to("e0277", &["e0278"]), [""; 0]);
        assert_eq!(near_to("cat", &["car"]), [""; 0]);
    }
}
