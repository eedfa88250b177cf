//! Fills a budget of tokens with the best memories, none cut in half, near-duplicates folded into the better one.

use super::{
    excerpt::{self, Seeker},
    question::Hit,
    words::{Role, Splitting, Words},
};
use crate::model::{MemoryId, recall::Detail};
use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use std::{hash::BuildHasher, ops::Range};

/// A memory that was found, with its text in the version that was ranked.
#[derive(Clone, Copy, Debug)]
pub struct Ranked<'a> {
    pub hit: &'a Hit,
    pub title: &'a str,
    pub content: &'a str,
}

/// Two texts that say the same are about as long, fit about as well, and have nearly the same words: only then are they worth a
/// closer look.
fn may_say_the_same(one: &Hit, other: &Hit) -> bool {
    one.tokens.abs_diff(other.tokens) * 5 <= one.tokens.max(other.tokens)
        && (one.why.keyword - other.why.keyword).abs() <= 0.2
        && (one.why.semantic - other.why.semantic).abs() <= 0.2
        && one.sketch.may_say_the_same(other.sketch)
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

/// What will be given, where that is known before the texts are: of whole texts whose like is not among them. Each text is still
/// missing.
pub fn foresee(hits: &[Hit], request: &Request<'_>) -> Option<Packed> {
    let mut packed = Packed::default();
    for (place, hit) in hits.iter().enumerate() {
        if packed.given.len() >= request.limit {
            break;
        }
        if request.detail != Detail::Full || packed.given.iter().any(|better| may_say_the_same(hit, &hits[better.place])) {
            return None;
        }
        packed.give(Given { place, text: None, passage: None, tokens: hit.tokens, folded: Vec::new() }, request.budget);
    }
    Some(packed)
}

/// Best first; what does not fit is passed over for the next that does. `count` counts the tokens of what was never counted.
pub fn pack(ranked: &[Ranked<'_>], request: &Request<'_>, count: &dyn Fn(&str) -> u32) -> Packed {
    let mut packed = Packed::default();
    let mut prints: HashMap<usize, Print> = HashMap::new();
    let (mut words, mut seeker) = (Words::of_texts(Splitting::Split), Seeker::of(request.query));
    let hasher = DefaultHashBuilder::default();
    for (place, one) in ranked.iter().enumerate() {
        if packed.given.len() >= request.limit {
            break;
        }
        let mut print = None;
        let same = packed.given.iter().position(|better| {
            let other = &ranked[better.place];
            if !may_say_the_same(one.hit, other.hit) {
                return false;
            }
            let print = print.get_or_insert_with(|| Print::of(one.content, &mut words, &hasher));
            let known = prints.entry(better.place).or_insert_with(|| Print::of(other.content, &mut words, &hasher));
            known.says_the_same(print)
        });
        if let Some(same) = same {
            packed.given[same].folded.push(one.hit.id);
            continue;
        }
        let (text, passage, tokens) = cut(one, request.detail, &mut seeker, count);
        let given = packed.give(Given { place, text, passage, tokens, folded: Vec::new() }, request.budget);
        if let Some(print) = print.filter(|_| given) {
            prints.insert(place, print);
        }
    }
    packed
}

impl Packed {
    /// Whether it fits; what does not is counted.
    fn give(&mut self, given: Given, budget: Option<u32>) -> bool {
        let fits = budget.is_none_or(|budget| self.tokens.saturating_add(given.tokens) <= budget);
        if fits {
            self.tokens = self.tokens.saturating_add(given.tokens);
            self.given.push(given);
        } else {
            self.omitted += 1;
            self.omitted_tokens = self.omitted_tokens.saturating_add(given.tokens);
        }
        fits
    }
}

fn cut(one: &Ranked<'_>, detail: Detail, seeker: &mut Seeker, count: &dyn Fn(&str) -> u32) -> (Option<String>, Option<Range<usize>>, u32) {
    match detail {
        Detail::Index => (None, None, count(one.title)),
        Detail::Full => (Some(one.content.to_owned()), None, one.hit.tokens),
        Detail::Excerpt => {
            let place = seeker.passage(one.content);
            let passage = excerpt::cut(one.content, place.clone());
            let tokens = if *passage == *one.content { one.hit.tokens } else { count(&passage) };
            (Some(passage.into_owned()), Some(place), tokens)
        }
    }
}

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
    use super::super::tests::hit;
    use super::*;
    use proptest::prelude::*;

    fn hits(texts: &[&str]) -> Vec<Hit> {
        (1..).zip(texts).map(|(id, text)| hit(id, text)).collect()
    }

    fn ranked<'a>(hits: &'a [Hit], texts: &[&'a str]) -> Vec<Ranked<'a>> {
        hits.iter().zip(texts).map(|(hit, text)| Ranked { hit, title: text, content: text }).collect()
    }

    fn packed(texts: &[&str], request: &Request<'_>) -> Packed {
        pack(&ranked(&hits(texts), texts), request, &words)
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
        let texts = ["one two three four five six seven", "alpha beta", "gamma delta epsilon"];
        let some = packed(&texts, &full(10, Some(4)));
        assert_eq!((places(&some), some.tokens, some.omitted, some.omitted_tokens), (vec![1], 2, 2, 10));
        let none = packed(&texts, &full(10, Some(1)));
        assert_eq!((places(&none), none.tokens, none.omitted, none.omitted_tokens), (vec![], 0, 3, 12));
    }

    #[test]
    fn what_says_the_same_is_folded_into_the_better_one() {
        let texts = ["Deploys are frozen on Fridays.", "deploys are frozen on friday", "Deploys were thawed on Mondays"];
        let packed = packed(&texts, &full(10, None));
        assert_eq!(places(&packed), [0, 2]);
        assert_eq!(packed.given[0].folded, [hits(&texts)[1].id]);
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
            assert_eq!(places(&packed(&[one, other], &full(10, None))), [0, 1], "{one}");
        }
    }

    #[test]
    fn an_index_costs_titles_and_an_excerpt_its_passage() {
        let long = "Nothing happened here today. ".repeat(100) + "The port is 8080. " + &"And more of it came later. ".repeat(100);
        let index = packed(&[&long], &Request { query: "port", detail: Detail::Index, limit: 5, budget: None });
        assert_eq!((index.tokens, &index.given[0].text), (words(&long), &None), "its title is its text");
        let passage = packed(&[&long], &Request { query: "which port", detail: Detail::Excerpt, limit: 5, budget: Some(200) });
        assert!(passage.given[0].text.as_deref().unwrap().contains("8080"));
        assert!(passage.tokens <= 102);
    }

    proptest! {
        #[test]
        fn the_budget_is_never_exceeded_and_nothing_is_lost(texts in prop::collection::vec("[a-d]( [a-z0-9]{1,3}){0,12}", 0..20), budget in 0_u32..60, limit in 0_usize..12) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let packed = packed(&texts, &full(limit, Some(budget)));
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

        #[test]
        fn what_is_foreseen_is_what_comes(texts in prop::collection::vec("[A-D][a-c]?(( |, )(not|over|[a-c]|RetryPolicy|8080|東京都|é)){0,40}\\.?", 0..8), budget in prop::option::of(0_u32..90), limit in 0_usize..8) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            if let Some(foreseen) = foresee(&hits(&texts), &full(limit, budget)) {
                let packed = packed(&texts, &full(limit, budget));
                prop_assert_eq!(places(&foreseen), places(&packed));
                prop_assert_eq!((foreseen.tokens, foreseen.omitted, foreseen.omitted_tokens), (packed.tokens, packed.omitted, packed.omitted_tokens));
                prop_assert!(packed.given.iter().all(|given| given.folded.is_empty()));
            }
        }

        #[test]
        fn what_says_the_same_has_sketches_that_allow_it(words in prop::collection::vec("[a-zA-Z0-9]{1,8}", 1..200), at in any::<prop::sample::Index>(), other in "[a-z]{1,8}") {
            let mut changed = words.clone();
            *at.get_mut(&mut changed) = other;
            let (one, changed) = (words.join(" "), changed.join(" "));
            let (mut reader, hasher) = (Words::of_texts(Splitting::Split), DefaultHashBuilder::default());
            let same = Print::of(&one, &mut reader, &hasher).says_the_same(&Print::of(&changed, &mut reader, &hasher));
            prop_assert!(!same || hit(1, &one).sketch.may_say_the_same(hit(2, &changed).sketch));
        }
    }
}
