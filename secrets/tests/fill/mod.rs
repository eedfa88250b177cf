//! Fills the cases in. They hold no secrets, only their parts: `⟦gh|p_{alnum:36}⟧` becomes a token made on the spot,
//! and where it stands is remembered. `{+}` is nothing, and parts what a scanner would take for a secret.

use std::ops::Range;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

pub struct Case {
    pub text: String,
    /// Where the secrets stand.
    pub secrets: Vec<Range<usize>>,
}

/// The same noise for the same seed, everywhere.
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits fit") % most
    }

    fn of(&mut self, letters: &str, length: usize) -> String {
        let letters: Vec<char> = letters.chars().collect();
        (0..length).map(|_| letters[self.below(letters.len())]).collect()
    }

    fn kind(&mut self, kind: &str, length: usize) -> Option<String> {
        let letters = match kind {
            "hex" => "0123456789abcdef".to_owned(),
            "HEX" => "0123456789ABCDEF".to_owned(),
            "digits" => DIGITS.to_owned(),
            "lower" => [LOWER, DIGITS].concat(),
            "upper" => [UPPER, DIGITS].concat(),
            "base32" => [UPPER, "234567"].concat(),
            "alpha" => [LOWER, UPPER].concat(),
            "alnum" => [LOWER, UPPER, DIGITS].concat(),
            "b64" => [LOWER, UPPER, DIGITS, "+/"].concat(),
            "b64url" => [LOWER, UPPER, DIGITS, "-_"].concat(),
            _ => return None,
        };
        let mut made = self.of(&letters, length);
        // A token that ends in a dash is rare enough to be taken for punctuation.
        while made.ends_with(['-', '_', '+', '/']) {
            made = self.of(&letters, length);
        }
        Some(made)
    }

    fn piece(&mut self, inside: &str) -> Option<String> {
        if inside == "+" {
            return Some(String::new());
        }
        if inside == "uuid" {
            return Some([8, 4, 4, 4, 12].map(|length| self.of("0123456789abcdef", length)).join("-"));
        }
        let (kind, length) = inside.split_once(':')?;
        self.kind(kind, length.parse().ok()?)
    }
}

pub fn fill(case: &str, noise: &mut Noise) -> Case {
    let (mut text, mut secrets, mut opened) = (String::new(), Vec::new(), None);
    let mut rest = case;
    while let Some(next) = rest.chars().next() {
        let mut taken = next.len_utf8();
        match next {
            '⟦' => opened = Some(text.len()),
            '⟧' => secrets.extend(opened.take().map(|start| start..text.len())),
            '|' if opened.is_some() => {}
            '{' => match rest.find('}').and_then(|end| noise.piece(&rest[1..end]).map(|piece| (end, piece))) {
                Some((end, piece)) => {
                    text.push_str(&piece);
                    taken = end + 1;
                }
                None => text.push(next),
            },
            _ => text.push(next),
        }
        rest = &rest[taken..];
    }
    assert!(opened.is_none(), "⟦ is never closed in {case}");
    Case { text, secrets }
}
