//! Finds many keywords in one pass over a text, upper and lower case alike, with a table made at compile time.

/// Three letters in a row, five bits each: case falls away with the upper bits.
const GRAMS: usize = 1 << 15;

/// Keywords by their first three letters. Each carries a number that says whose it is.
pub(crate) struct Keywords<const N: usize> {
    /// One bit for each three letters that begin a keyword; small enough to stay in the nearest cache.
    begins: [u64; GRAMS / 64],
    /// The first keyword that begins so, counted from 1.
    first: [u8; GRAMS],
    /// The next one that begins alike, counted from 1.
    next: [u8; N],
    words: [(&'static str, u8); N],
}

impl<const N: usize> Keywords<N> {
    #[expect(clippy::large_stack_arrays, reason = "made at compile time only")]
    pub(crate) const fn new(words: [(&'static str, u8); N]) -> Self {
        assert!(N < 255, "a keyword's number fits into a byte");
        let mut made = Self { begins: [0; GRAMS / 64], first: [0; GRAMS], next: [0; N], words };
        let mut at = N;
        while at > 0 {
            at -= 1;
            let word = words[at].0.as_bytes();
            assert!(word.len() >= 3 && words[at].0.is_ascii(), "a keyword has three ASCII letters or more");
            let gram = gram(gram(gram(0, word[0]), word[1]), word[2]);
            made.begins[gram / 64] |= 1 << (gram % 64);
            made.next[at] = made.first[gram];
            #[expect(clippy::cast_possible_truncation, reason = "fewer than 255, asserted above")]
            {
                made.first[gram] = at as u8 + 1;
            }
        }
        made
    }

    /// Calls back with the position and the number of every keyword, from left to right.
    pub(crate) fn each(&self, text: &str, mut found: impl FnMut(usize, u8)) {
        let text = text.as_bytes();
        let mut rolling = 0;
        for (end, &byte) in text.iter().enumerate() {
            rolling = gram(rolling, byte);
            if self.begins[rolling / 64] & (1 << (rolling % 64)) != 0 && end >= 2 {
                self.those_at(text, end - 2, rolling, &mut found);
            }
        }
    }

    #[cold]
    fn those_at(&self, text: &[u8], at: usize, gram: usize, found: &mut impl FnMut(usize, u8)) {
        let mut next = self.first[gram];
        while next > 0 {
            let (word, whose) = self.words[usize::from(next) - 1];
            if text.get(at..at + word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes())) {
                found(at, whose);
            }
            next = self.next[usize::from(next) - 1];
        }
    }
}

const fn gram(before: usize, byte: u8) -> usize {
    ((before << 5) | (byte & 31) as usize) & (GRAMS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_is_found_in_any_case() {
        static WORDS: Keywords<3> = Keywords::new([("token", 1), ("tok-", 2), ("://", 3)]);
        let mut found = Vec::new();
        WORDS.each("a ToKeN, TOK- x://y tok", |at, whose| found.push((at, whose)));
        assert_eq!(found, [(2, 1), (9, 2), (15, 3)]);
    }
}
