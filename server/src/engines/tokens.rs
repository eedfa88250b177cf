//! What a text costs a reader, in tokens of a real tokeniser (o200k).

use std::sync::LazyLock;
use tiktoken_rs::CoreBPE;

/// A quarter of a second to load, so the server does it before the first request.
static O200K: LazyLock<Option<CoreBPE>> = LazyLock::new(|| tiktoken_rs::o200k_base().ok());

pub fn warm() {
    LazyLock::force(&O200K);
}

pub fn count(text: &str) -> u32 {
    // The vocabulary is part of the program; should it ever not load, four letters to a token is the usual guess.
    let tokens = O200K.as_ref().map_or_else(|| text.chars().count().div_ceil(4), |bpe| bpe.encode_ordinary(text).len());
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn tokens_are_counted_as_models_count_them() {
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert_eq!(count("fn main() {}"), 4);
    }

    #[test]
    fn a_text_made_to_be_slow_is_counted_all_the_same() {
        assert_eq!(count(&"x".repeat(102_400)), 12_800);
    }
}
