//! Fills a budget of tokens with the best memories, none cut in half, near-duplicates folded into the better one.

use super::{
    excerpt::{self, Seeker},
    stop_words::is_stop_word,
    words::{Role, Splitting, Words},
};
use crate::model::{MemoryId, recall::Detail};
use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use std::{hash::BuildHasher, ops::Range};

/// A memory that was found, with its text in the version that was ranked.
#[derive(Clone, Copy, Debug)]
pub struct Ranked<'a> {
    pub id: MemoryId,
    pub title: &'a str,
    pub content: &'a str,
    /// What the content costs, counted when it was written.
    pub tokens: u32,
    /// How well its words and its meaning fit the question.
    pub fits: (f32, f32),
}

impl Ranked<'_> {
    /// Two texts that say the same are about as long and fit about as well: only then are they worth a closer look.
    fn may_be(&self, other: &Self) -> bool {
        self.tokens.abs_diff(other.tokens) * 5 <= self.tokens.max(other.tokens)
            && (self.fits.0 - other.fits.0).abs() <= 0.2
            && (self.fits.1 - other.fits.1).abs() <= 0.2
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Given {
    /// Its place among those that were ranked.
    pub place: usize,
    /// None for `Detail::Index`.
    pub text: Option<String>,
    /// Of an excerpt: where in the text it lies.
    pub passage: Option<Range<usize>>,
    pub tokens: u32,
    /// Those that say the same.
    pub folded: Vec<MemoryId>,
}

#[derive(Clone, PartialEq, Default, Debug)]
pub struct Packed {
    pub given: Vec<Given>,
    pub tokens: u32,
    /// How many did not fit, and what they would have cost.
    pub omitted: u32,
    pub omitted_tokens: u32,
}

pub struct Request<'a> {
    pub query: &'a str,
    pub detail: Detail,
    pub limit: usize,
    /// None: as much as `limit` allows.
    pub budget: Option<u32>,
}

/// Best first; what does not fit is passed over for the next that does. `count` counts the tokens of what was never counted.
pub fn pack(ranked: &[Ranked<'_>], request: &Request<'_>, count: &dyn Fn(&str) -> u32) -> Packed {
    let mut packed = Packed::default();
    let (mut roughly, mut prints): (HashMap<usize, Rough>, HashMap<usize, Print>) = (HashMap::new(), HashMap::new());
    let (mut words, mut seeker) = (Words::of_texts(Splitting::Split), Seeker::of(request.query));
    let hasher = DefaultHashBuilder::default();
    for (place, one) in ranked.iter().enumerate() {
        if packed.given.len() >= request.limit {
            break;
        }
        let mut print = None;
        let same = packed.given.iter().position(|better| {
            let other = &ranked[better.place];
            if !one.may_be(other) {
                return false;
            }
            for at in [place, better.place] {
                roughly.entry(at).or_insert_with(|| Rough::of(ranked[at].content, &hasher));
            }
            if !roughly[&place].is_near(&roughly[&better.place]) {
                return false;
            }
            let print = print.get_or_insert_with(|| Print::of(one.content, &mut words, &hasher));
            let known = prints.entry(better.place).or_insert_with(|| Print::of(other.content, &mut words, &hasher));
            known.says_the_same(print)
        });
        if let Some(same) = same {
            packed.given[same].folded.push(one.id);
            continue;
        }
        let (text, passage, tokens) = cut(one, request.detail, &mut seeker, count);
        if request.budget.is_some_and(|budget| packed.tokens.saturating_add(tokens) > budget) {
            packed.omitted += 1;
            packed.omitted_tokens = packed.omitted_tokens.saturating_add(tokens);
            continue;
        }
        packed.tokens = packed.tokens.saturating_add(tokens);
        packed.given.push(Given { place, text, passage, tokens, folded: Vec::new() });
        if let Some(print) = print {
            prints.insert(place, print);
        }
    }
    packed
}

fn cut(one: &Ranked<'_>, detail: Detail, seeker: &mut Seeker, count: &dyn Fn(&str) -> u32) -> (Option<String>, Option<Range<usize>>, u32) {
    match detail {
        Detail::Index => (None, None, count(one.title)),
        Detail::Full => (Some(one.content.to_owned()), None, one.tokens),
        Detail::Excerpt => {
            let place = seeker.passage(one.content);
            let passage = excerpt::cut(one.content, place.clone());
            let tokens = if *passage == *one.content { one.tokens } else { count(&passage) };
            (Some(passage.into_owned()), Some(place), tokens)
        }
    }
}

/// The words of a text, read in a fraction of the time that it takes to understand them.
struct Rough {
    words: Vec<u64>,
    /// Of letters that have no accents: then words are known by how they begin, whatever their endings.
    plain: bool,
}

impl Rough {
    fn of(text: &str, hasher: &DefaultHashBuilder) -> Self {
        let text = &text[..text.floor_char_boundary(LONGEST)];
        let plain = text.is_ascii();
        let mut lower = String::new();
        let mut known_by = |word: &str| {
            if !plain {
                return Some(hasher.hash_one(word));
            }
            word.clone_into(&mut lower);
            lower.make_ascii_lowercase();
            if is_stop_word(&lower) {
                return None;
            }
            let end = if lower.bytes().all(|b| b.is_ascii_lowercase()) { lower.len().min(BEGINNING) } else { lower.len() };
            Some(hasher.hash_one(&lower[..end]))
        };
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut words: Vec<u64> = words.filter_map(&mut known_by).collect();
        words.sort_unstable();
        words.dedup();
        Self { words, plain }
    }

    /// Enough of the words are the same: less cannot say the same. Of a few words, as of a script without spaces, this
    /// says nothing.
    fn is_near(&self, other: &Self) -> bool {
        const FEW: usize = 12;
        let most = self.words.len().max(other.words.len());
        if most <= FEW || self.plain != other.plain {
            return true;
        }
        let both = self.words.iter().filter(|word| other.words.binary_search(word).is_ok()).count();
        // Of thirty words not one may be another. That leaves room for stems that begin otherwise than their words, and
        // where accents may be there or not, for half of them.
        if self.plain { both * 5 >= most * 4 } else { both * 2 >= most }
    }
}

/// Letters by which a word is told from others.
const BEGINNING: usize = 4;

/// What must be alike in two texts that say the same.
struct Print<'t> {
    text: &'t str,
    words: HashSet<u64>,
    runs: HashSet<u64>,
    /// Numbers, identifiers, and small words that turn a sentence round, in their order.
    particulars: Vec<u64>,
}

/// Longer texts are the same only to the letter.
const LONGEST: usize = 8 * 1024;
/// Three words in a row.
const RUN: usize = 3;

impl<'t> Print<'t> {
    fn of(text: &'t str, words: &mut Words, hasher: &DefaultHashBuilder) -> Self {
        let mut print = Self { text, words: HashSet::new(), runs: HashSet::new(), particulars: Vec::new() };
        if text.len() > LONGEST {
            return print;
        }
        let mut said = Vec::new();
        words.each(text, &mut |term, role| {
            let hash = hasher.hash_one(term);
            if role != Role::Whole {
                said.push(hash);
            }
            if !term.chars().all(char::is_alphabetic) {
                print.particulars.push(hash);
            }
        });
        let turns = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').filter(|word| turns_round(word));
        print.particulars.extend(turns.map(|word| hasher.hash_one(word.to_lowercase())));
        let run = RUN.min(said.len()).max(1);
        print.runs = said.windows(run).map(|run| hasher.hash_one(run)).collect();
        print.words = said.into_iter().collect();
        print
    }

    fn says_the_same(&self, other: &Self) -> bool {
        if self.text == other.text {
            return true;
        }
        if self.words.is_empty() || self.particulars != other.particulars {
            return false;
        }
        // Nine of ten runs, and of thirty words not one other.
        let (both, all) = (self.runs.intersection(&other.runs).count(), self.runs.union(&other.runs).count());
        let (different, words) = (self.words.symmetric_difference(&other.words).count(), self.words.union(&other.words).count());
        both * 10 >= all * 9 && different * 30 <= words
    }
}

/// Small words that a search passes over and a reader must not.
fn turns_round(word: &str) -> bool {
    const WORDS: [&str; 22] = [
        "no", "not", "nor", "never", "none", "without", "cannot", "before", "after", "above", "below", "under", "over", "off", "only",
        "until", "except", "unless", "from", "to", "all", "any",
    ];
    WORDS.iter().any(|turn| turn.eq_ignore_ascii_case(word)) || word.to_lowercase().ends_with("n't") || word.to_lowercase().ends_with("n’t")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn ranked<'a>(texts: &[&'a str]) -> Vec<Ranked<'a>> {
        (1..)
            .zip(texts)
            .map(|(id, text)| Ranked {
                id: MemoryId(Uuid::from_u128(id)),
                title: text,
                content: text,
                tokens: words(text),
                fits: (0.5, 0.5),
            })
            .collect()
    }

    fn words(text: &str) -> u32 {
        u32::try_from(text.split_whitespace().count()).unwrap()
    }

    fn places(packed: &Packed) -> Vec<usize> {
        packed.given.iter().map(|given| given.place).collect()
    }

    fn full(limit: usize, budget: Option<u32>) -> Request<'static> {
        Request { query: "q", detail: Detail::Full, limit, budget }
    }

    #[test]
    fn what_does_not_fit_is_passed_over_and_accounted_for() {
        let found = ranked(&["one two three four five six seven", "alpha beta", "gamma delta epsilon"]);
        let packed = pack(&found, &full(10, Some(4)), &words);
        assert_eq!((places(&packed), packed.tokens, packed.omitted, packed.omitted_tokens), (vec![1], 2, 2, 10));
        let packed = pack(&found, &full(10, Some(1)), &words);
        assert_eq!((places(&packed), packed.tokens, packed.omitted, packed.omitted_tokens), (vec![], 0, 3, 12));
    }

    #[test]
    fn what_says_the_same_is_folded_into_the_better_one() {
        let found = ranked(&["Deploys are frozen on Fridays.", "deploys are frozen on friday", "Deploys were thawed on Mondays"]);
        let packed = pack(&found, &full(10, None), &words);
        assert_eq!(places(&packed), [0, 2]);
        assert_eq!(packed.given[0].folded, [found[1].id]);
        assert_eq!((packed.omitted, packed.omitted_tokens), (0, 0));
    }

    #[test]
    fn another_number_name_or_negation_is_never_folded() {
        for (one, other) in [
            ("The service listens on port 8080", "The service listens on port 8081"),
            ("Call `retry_all` on failure", "Call `retry_one` on failure"),
            ("Do rotate the keys on Mondays", "Do not rotate the keys on Mondays"),
            ("We can deploy on Fridays", "We can't deploy on Fridays"),
            ("Run the linter before the tests", "Run the linter after the tests"),
            ("Alice owns billing", "Bob owns billing"),
            ("Copy from staging to production", "Copy from production to staging"),
            ("Upgrade to v1.2.3", "Upgrade to v1.2.4"),
        ] {
            let packed = pack(&ranked(&[one, other]), &full(10, None), &words);
            assert_eq!(places(&packed), [0, 1], "{one}");
        }
    }

    #[test]
    fn an_index_costs_titles_and_an_excerpt_its_passage() {
        let long = "Nothing happened here today. ".repeat(100) + "The port is 8080. " + &"And more of it came later. ".repeat(100);
        let found = [Ranked { id: MemoryId(Uuid::from_u128(1)), title: "A title", content: &long, tokens: 900, fits: (1.0, 1.0) }];
        let index = pack(&found, &Request { query: "port", detail: Detail::Index, limit: 5, budget: Some(10) }, &words);
        assert_eq!((index.tokens, &index.given[0].text), (2, &None));
        let passage = pack(&found, &Request { query: "which port", detail: Detail::Excerpt, limit: 5, budget: Some(200) }, &words);
        assert!(passage.given[0].text.as_deref().unwrap().contains("8080"));
        assert!(passage.tokens <= 102);
    }

    proptest! {
        #[test]
        fn the_budget_is_never_exceeded_and_nothing_is_lost(texts in prop::collection::vec("[a-d]( [a-z0-9]{1,3}){0,12}", 0..20), budget in 0_u32..60, limit in 0_usize..12) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let found = ranked(&texts);
            let packed = pack(&found, &full(limit, Some(budget)), &words);
            prop_assert!(packed.tokens <= budget);
            prop_assert_eq!(packed.tokens, packed.given.iter().map(|given| given.tokens).sum::<u32>());
            prop_assert!(packed.given.len() <= limit);
            prop_assert!(packed.given.is_sorted_by_key(|given| given.place));
            for given in &packed.given {
                prop_assert_eq!(given.text.as_deref(), Some(texts[given.place]));
            }
            if packed.given.len() < limit {
                let folded: usize = packed.given.iter().map(|given| given.folded.len()).sum();
                prop_assert_eq!(packed.given.len() + folded + packed.omitted as usize, texts.len());
            }
        }
    }
}
