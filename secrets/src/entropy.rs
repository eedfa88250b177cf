//! How random a text is.

/// Shannon entropy over bytes, in bits a byte.
#[expect(clippy::cast_precision_loss, reason = "values are a few hundred bytes")]
pub(crate) fn shannon(value: &str) -> f32 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let all = value.len() as f32;
    counts.iter().filter(|&&count| count > 0).map(|&count| count as f32 / all).map(|share| -share * share.log2()).sum()
}

/// How often the kind of character (lower, upper, digit) changes, a character. Words, and words joined by capitals or
/// by `-` and `_`, change seldom; what a machine made changes all the time, whatever its alphabet.
#[expect(clippy::cast_precision_loss, reason = "values are a few hundred bytes")]
pub(crate) fn jumble(value: &str) -> f32 {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'0'..=b'9' => Some(2),
        _ => None,
    };
    let kinds: Vec<u8> = value.bytes().filter_map(kind).collect();
    // A capital before small letters is how a word begins.
    let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1] && *pair != [1, 0]).count();
    changes as f32 / kinds.len().max(1) as f32
}

/// Whether capitals stand among small letters as if by chance: about as many, not only where a word begins.
pub(crate) fn capitals_by_chance(value: &str) -> bool {
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let capitals = value.bytes().filter(u8::is_ascii_uppercase).count();
    letters >= 10 && (letters * 3..=letters * 7).contains(&(capitals * 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_change_seldom_and_noise_often() {
        for words in ["getUserTokenFromHeader", "my-service-token-v2", "WILDCARD_EXAMPLE_TLS"] {
            assert!(jumble(words) < 0.2, "{words}");
        }
        for noise in ["k3f9x0q7d2m5", "9aF3kQz0LmP4", "d41d8cd98f00b204e9800998ecf8427e"] {
            assert!(jumble(noise) > 0.3, "{noise}");
        }
        assert!(shannon("aaaaaaaa") < 0.1 && shannon("abcdefgh") > 2.9);
    }
}
