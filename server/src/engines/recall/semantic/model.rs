//! The model that ships with the server: a vector per token, learned elsewhere; the vector of a text is their mean.
//! Where it comes from is written in `assets/potion-base-8M/README.md`.

use std::sync::LazyLock;

use super::{Vector, chunks, kernels, tokens::Vocabulary};

/// Tokens of a query that count; who asks longer has said it by then.
const LONGEST_QUERY: usize = 512;

static BUILTIN: LazyLock<Model> = LazyLock::new(|| {
    let vectors = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/potion-base-8M/vectors.int8"));
    let vocabulary = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/potion-base-8M/vocabulary.txt"));
    Model::of(vectors, vocabulary).expect("the shipped model is whole: a test reads it")
});

/// Token vectors and the vocabulary that numbers them.
pub struct Model {
    vocabulary: Vocabulary,
    dimension: usize,
    /// Each token's scale, and its row of int8 codes; codes × scale is its vector.
    scales: Vec<f32>,
    rows: &'static [u8],
}

impl Model {
    /// The one model that needs no network; it is read from the binary at first use.
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// The vector of a question, or nothing if no part of it is known.
    pub fn embed(&self, text: &str) -> Option<Vector> {
        self.mean(&self.vocabulary.tokens(text, LONGEST_QUERY))
    }

    /// The vector of one word, with how much it tells: the model gives rare words long vectors and common ones short ones.
    pub fn word(&self, word: &str) -> Option<(Vector, f32)> {
        let tokens = self.vocabulary.tokens(word, LONGEST_QUERY);
        if let [token] = tokens[..] {
            let at = usize::from(token);
            let codes: Box<[i8]> =
                self.rows[at * self.dimension..(at + 1) * self.dimension].iter().map(|code| code.cast_signed()).collect();
            #[expect(clippy::cast_precision_loss, reason = "a length needs no more digits")]
            let length = (kernels::dot(&codes, &codes) as f32).sqrt();
            return (length > 0.0).then(|| (Vector { codes, scale: 1.0 / length }, length * self.scales[at]));
        }
        let sum = self.sum(&tokens);
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        Vector::quantise(&sum).map(|vector| (vector, length))
    }

    /// The vectors of a text's overlapping windows, one for a text of usual length.
    pub fn embed_long(&self, text: &str) -> Vec<Vector> {
        let tokens = self.vocabulary.tokens(text, usize::MAX);
        chunks::spans(tokens.len()).filter_map(|window| self.mean(&tokens[window])).collect()
    }

    /// Reads `int8 rows=… dimensions=…` and a line break, a little-endian float32 scale per row, the rows; and a vocabulary, a token per line.
    fn of(vectors: &'static [u8], vocabulary: &'static str) -> Option<Self> {
        let line_break = vectors.iter().position(|byte| *byte == b'\n')?;
        let header = str::from_utf8(&vectors[..line_break]).ok()?.strip_prefix("int8 ")?;
        let field = |name: &str| header.split(' ').find_map(|field| field.strip_prefix(name)?.strip_prefix('=')?.parse::<usize>().ok());
        let (count, dimension) = (field("rows")?, field("dimensions")?);
        let (scales, rows) = vectors[line_break + 1..].split_at_checked(count * size_of::<f32>())?;
        let scales = scales.as_chunks().0.iter().copied().map(f32::from_le_bytes).collect();
        let vocabulary = Vocabulary::of(vocabulary)?;
        (rows.len() == count * dimension && vocabulary.len() == count).then_some(Self { vocabulary, dimension, scales, rows })
    }

    /// Not divided by the count: only the direction stays.
    fn mean(&self, tokens: &[u16]) -> Option<Vector> {
        Vector::quantise(&self.sum(tokens))
    }

    fn sum(&self, tokens: &[u16]) -> Vec<f32> {
        let mut sum = vec![0.0; self.dimension];
        for token in tokens.iter().copied().map(usize::from) {
            kernels::add(&mut sum, &self.rows[token * self.dimension..(token + 1) * self.dimension], self.scales[token]);
        }
        sum
    }
}
