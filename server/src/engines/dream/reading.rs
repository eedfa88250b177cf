//! A text as a row of words that say something: inflection and filling words gone, and what must not differ marked.

use rust_stemmers::{Algorithm, Stemmer};
use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::LazyLock,
};

/// Longer texts are read so far: two that differ only after that are not taken for the same.
const LONGEST: usize = 4000;

const FILLING: &str = "a an the this that these those there here it its is are be being am do does has have having of to in on at \
by for from with as and or but so then than into onto over under about through during we our us you your i my me he she they them their his her who \
whom which what also just really very simply basically actually currently now please note remember todo fyi get gets \
got use uses used using make makes made via per such own too again still well";
/// Whoever says one of these says something else.
const TURNING: &str = "not no never none nor neither cannot without unless except only until before after if when while instead always sometimes rarely \
often every all some any both each was were had did been first second third last next once twice more less fewer most least above below enabled disabled enable disable on off true false allow allowed \
forbid forbidden deny denied must \
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december";
const NUMBERS: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

static FILLERS: LazyLock<HashSet<&str>> = LazyLock::new(|| FILLING.split_whitespace().collect());
static TURNERS: LazyLock<HashSet<&str>> = LazyLock::new(|| TURNING.split_whitespace().collect());

/// One word that counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    pub hash: u64,
    /// A number, a name, an identifier, a negation: one more or less makes another statement.
    pub sign: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Reading {
    pub words: Vec<Word>,
    /// Of the text as it stands, but for case, spaces and marks.
    pub letters: u64,
    /// It was longer than is read.
    pub cut: bool,
}

#[derive(Clone, Copy)]
enum Shape {
    Nothing,
    Word(u64),
    Sign(u64),
    /// A name, unless it begins a sentence.
    Capital(u64),
}

/// Reads texts, and knows each word after the first time.
pub struct Reader {
    stemmer: Stemmer,
    seen: HashMap<String, Shape>,
}

impl Default for Reader {
    fn default() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), seen: HashMap::new() }
    }
}

impl Reader {
    pub fn read(&mut self, title: &str, content: &str) -> Reading {
        let mut reading = Reading::default();
        let mut letters = DefaultHasher::new();
        if !begins_with(content, title) {
            self.take_in(title, &mut reading, &mut letters);
        }
        self.take_in(content, &mut reading, &mut letters);
        reading.letters = letters.finish();
        reading
    }

    fn take_in(&mut self, text: &str, reading: &mut Reading, letters: &mut DefaultHasher) {
        for line in text.lines() {
            let mut begins = true;
            for raw in line.split_whitespace() {
                let word = bare(raw);
                for low in word.chars().flat_map(char::to_lowercase) {
                    low.hash(letters);
                }
                ' '.hash(letters);
                let shape = self.shape(word, raw);
                if reading.words.len() >= LONGEST {
                    reading.cut = true;
                    continue;
                }
                match shape {
                    Shape::Nothing => {}
                    Shape::Word(hash) => reading.words.push(Word { hash, sign: false }),
                    Shape::Sign(hash) => reading.words.push(Word { hash, sign: true }),
                    Shape::Capital(hash) => reading.words.push(Word { hash, sign: !begins }),
                }
                // A bullet or a number of a list begins nothing by itself.
                if !word.is_empty() {
                    begins = raw.ends_with(['.', '!', '?', ':']);
                }
            }
        }
    }

    fn shape(&mut self, word: &str, raw: &str) -> Shape {
        if word.is_empty() {
            // A row of marks: only those that compare or compute say something.
            let says = raw.chars().any(|c| "<>=+%&|~^≤≥≠→".contains(c)) && raw != ">";
            return if says { Shape::Sign(hash_of(raw)) } else { Shape::Nothing };
        }
        if let Some(shape) = self.seen.get(word) {
            return *shape;
        }
        let shape = self.first_seen(word);
        self.seen.insert(word.to_owned(), shape);
        shape
    }

    fn first_seen(&self, word: &str) -> Shape {
        let low = word.to_lowercase().replace('’', "'");
        if let Some(number) = NUMBERS.iter().position(|number| *number == low) {
            return Shape::Sign(hash_of(&number.to_string()));
        }
        if TURNERS.contains(low.as_str()) || low.ends_with("n't") {
            return Shape::Sign(hash_of(if low.ends_with("n't") { "not" } else { &low }));
        }
        if FILLERS.contains(low.as_str()) {
            return Shape::Nothing;
        }
        let letters = word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'));
        let mut capitals = word.chars().skip(1).filter(|c| c.is_uppercase());
        if !letters || (capitals.next().is_some() && word.chars().any(char::is_lowercase)) {
            return Shape::Sign(hash_of(word));
        }
        let stem = hash_of(&self.stemmer.stem(low.trim_end_matches("'s")));
        if word.chars().next().is_some_and(char::is_uppercase) { Shape::Capital(stem) } else { Shape::Word(stem) }
    }
}

/// A title that was made from the text says nothing beyond it.
fn begins_with(content: &str, title: &str) -> bool {
    fn inner(text: &str) -> &str {
        text.trim_start_matches(|c: char| c.is_whitespace() || "#*->`".contains(c))
    }
    let title = inner(title.trim_end_matches(|c: char| c == '…' || c.is_whitespace()));
    title.is_empty() || inner(content).starts_with(title)
}

/// Without the marks around it.
fn bare(raw: &str) -> &str {
    let left = raw.trim_start_matches(|c: char| ".,;:!?\"'`*_()[]{}<>#-–—“”‘’/\\|=~+&".contains(c));
    // -5 is not 5, and .env is not env.
    let kept = raw.len() - left.len();
    let signed = kept > 0 && left.starts_with(|c: char| c.is_alphanumeric()) && raw[..kept].ends_with(['-', '.', '/', '+', '~']);
    let left = if signed { &raw[raw[..kept].char_indices().next_back().map_or(0, |(at, _)| at)..] } else { left };
    let right = left.trim_end_matches(|c: char| ".,;:!?\"'`*_()[]{}<>-–—“”‘’\\|=~".contains(c));
    if right.chars().any(char::is_alphanumeric) { right } else { "" }
}

fn hash_of(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}
