//! Texts as a team of engineers writes them, as many as one likes, the same in every run: sentences by templates, their
//! words drawn from a vocabulary whose frequencies fall as those of real words do (Zipf).

use std::{collections::HashSet, fmt::Write};

const NOUNS: &str = "service request response token session queue worker database index query cache cluster node pod gateway client server user account \
invoice payment order cart price tenant workspace project memory version audit entry policy role key secret certificate header cookie proxy \
balancer timeout retry deadline latency throughput metric trace span log alert incident rollback release deploy pipeline build test fixture \
migration schema table column row constraint trigger transaction lock deadlock snapshot replica failover backup restore partition shard \
message event topic consumer producer offset batch stream buffer chunk packet socket connection pool thread task future channel mutex \
parser lexer grammar template page form button widget layout theme locale calendar schedule job cron webhook callback endpoint route handler \
middleware limiter quota budget invoice ledger receipt report export import upload download archive bucket object store volume disk memory \
kernel process signal container image registry manifest chart module crate package dependency feature flag setting default override profile";
const VERBS: &str = "accept acquire add allocate append apply archive assign authenticate batch block build cache cancel check close collect commit compare \
compress compute configure connect convert copy count create decode decrypt defer delete deliver deploy detect disable dispatch drain drop \
emit enable encode encrypt enqueue evict execute expire export fail fetch filter flush fold format forward generate grant handle hash hold \
import index insert invalidate issue join keep limit link list load lock log map mark measure merge migrate mount move normalise notify open \
pack parse pause ping poll prepare propagate prune publish purge push queue read rebuild receive record refresh refuse register reject release \
reload remove rename render repair replay report reset resolve restart restore resume retry return revoke rewrite rotate route run sample save \
scale scan schedule seal search send serve shed shrink sign skip sort split start stop store stream strip submit swap sync tag throttle track \
trim truncate unlock update upgrade upload validate verify wait wake warm watch wrap write";
const PLAIN: &str = "slow quick stale fresh nightly weekly partial empty broken flaky internal external public private primary secondary large small old new \
temporary permanent idle busy cold warm shared global local remote single double first last missing unknown expired invalid duplicate parallel \
serial monthly customer supplier courier warehouse shipment refund voucher discount region zone holiday weekend morning evening engineer \
analyst manager reviewer owner team office contract promise ticket complaint question answer reason mistake workaround decision procedure";
const TEMPLATES: [&str; 18] = [
    "The * of the * is * because the * must not * before *.",
    "When * fails with *, * the * and look at *.",
    "We decided to * the * with * instead of *, since * was * at night.",
    "* calls * and then *; the * is kept for * minutes.",
    "Do not * the * while * is * : the * will * it again.",
    "In * the * is read once by *, and a wrong * stops the *.",
    "It took us a day to find that * held the * of * after the *.",
    "To * a *, open *, set * to * and wait for the *.",
    "* owns * and everything around the *.",
    "After the * of * the * was * for an hour; * is * since.",
    "The * returns * if the * has no *, so check * first.",
    "There are two kinds of *: those that * the *, and those that only * it.",
    "Measured on *: the * needs * per * and the * about twice that.",
    "If the * is *, ask * before you * the * in *.",
    "* and * share a *, which is why the * of one can * the other.",
    "The limit of * is in *; raise it only together with the * of *.",
    "Nobody should * by hand, the * does it every * through *.",
    "See * for the *, and * for why the * is *.",
];
const QUESTIONS: [&str; 8] = [
    "How do we * the * of *?",
    "what happens when * and * meet the *",
    "Why is the * of * * at all?",
    "who takes care of * and * for *",
    "Where is the * for * and *?",
    "is there a known problem with * in * or *",
    "When should I * the * instead of *, and what about *?",
    "how long does * wait for the * of *",
];
const SYLLABLES: [&str; 40] = [
    "ba", "cor", "del", "fi", "gan", "hel", "in", "jo", "kar", "lu", "mer", "nor", "ok", "pra", "qui", "ras", "sol", "tam", "ur", "vel",
    "wen", "xi", "yor", "zan", "bri", "clo", "dra", "eth", "flo", "gri", "hum", "lys", "mon", "nym", "pho", "rin", "ste", "tro", "ven",
    "wil",
];

pub const WORDS: usize = 36_000;

pub struct Texts {
    words: Vec<String>,
    /// Of each word: how much of all draws fall on it or on one before it.
    reach: Vec<f64>,
}

impl Texts {
    pub fn new() -> Self {
        let words = vocabulary();
        let mut sum = 0.0;
        let mut reach: Vec<f64> = (0..words.len())
            .map(|rank| {
                sum += 1.0 / (crate::figures::float(rank) + 2.7);
                sum
            })
            .collect();
        for reach in &mut reach {
            *reach /= sum;
        }
        Self { words, reach }
    }

    /// Text number `n`: 30 to 120 words.
    pub fn text(&self, n: u64) -> String {
        let (mut chance, mut text, mut words) = (Chance::of(n), String::new(), 0);
        let length = 30 + chance.below(85);
        while words < length {
            let template = TEMPLATES[chance.below(TEMPLATES.len())];
            if !text.is_empty() {
                text.push(' ');
            }
            let from = text.len();
            Self::fill(template, &mut text, &mut || self.word(&mut chance));
            words += text[from..].split(' ').count();
        }
        text
    }

    /// A plain question with three or four words of text number `n`.
    pub fn question(&self, n: u64) -> String {
        let mut chance = Chance::of(n ^ 0x5eed);
        let text = self.text(n);
        let common: HashSet<&str> = TEMPLATES.iter().flat_map(|template| template.split(' ')).collect();
        let told = text.split(' ').filter(|word| !common.contains(word)).map(|word| word.trim_end_matches(['.', ',', ';', ':']));
        let told: Vec<&str> = told.filter(|word| word.len() > 2 && !common.contains(word)).collect();
        let mut question = String::new();
        let template = QUESTIONS[chance.below(QUESTIONS.len())];
        Self::fill(template, &mut question, &mut || told[chance.below(told.len())]);
        question
    }

    fn fill<'a>(template: &str, text: &mut String, word: &mut dyn FnMut() -> &'a str) {
        for part in template.split_inclusive('*') {
            match part.strip_suffix('*') {
                Some(before) => {
                    text.push_str(before);
                    text.push_str(word());
                }
                None => text.push_str(part),
            }
        }
    }

    fn word(&self, chance: &mut Chance) -> &str {
        let drawn = chance.part();
        &self.words[self.reach.partition_point(|reach| *reach < drawn).min(self.words.len() - 1)]
    }
}

/// Plain words first, then names, identifiers, files and codes in turn, as rare as their place says.
fn vocabulary() -> Vec<String> {
    let (nouns, verbs): (Vec<&str>, Vec<&str>) = (NOUNS.split(' ').collect(), VERBS.split(' ').collect());
    let mut chance = Chance::of(7);
    let mut words: Vec<String> = nouns.iter().chain(&verbs).copied().chain(PLAIN.split(' ')).map(str::to_owned).collect();
    let mut seen = HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
    // Shuffled, so that nouns are not all more frequent than verbs.
    for at in (1..words.len()).rev() {
        words.swap(at, chance.below(at + 1));
    }
    while words.len() < WORDS {
        let (noun, other, verb) = (nouns[chance.below(nouns.len())], nouns[chance.below(nouns.len())], verbs[chance.below(verbs.len())]);
        let mut name = String::new();
        for _ in 0..2 + chance.below(3) {
            name.push_str(SYLLABLES[chance.below(SYLLABLES.len())]);
        }
        let word = match chance.below(10) {
            0..5 => name,
            5 | 6 => format!("{verb}_{noun}"),
            7 => format!("{}{}", capital(noun), capital(other)),
            8 => format!("{noun}/{verb}_{other}.rs"),
            _ => {
                let mut code = noun[..noun.len().min(3)].to_uppercase();
                let _ = write!(code, "-{}", 100 + chance.below(9900));
                code
            }
        };
        if seen.insert(word.clone()) {
            words.push(word);
        }
    }
    words
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

/// The same numbers in every run (splitmix64).
pub struct Chance(u64);

impl Chance {
    /// Begins somewhere else for each seed: two rows that began a step apart would be the same row.
    pub fn of(seed: u64) -> Self {
        let mut first = Self(seed);
        Self(first.next())
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap_or_default()
    }

    /// 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are chosen to fit")]
    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_again_and_of_the_right_length() {
        let (one, other) = (Texts::new(), Texts::new());
        for n in 0..200 {
            let text = one.text(n);
            assert_eq!(text, other.text(n));
            let words = text.split(' ').count();
            assert!((30..=135).contains(&words), "{words}: {text}");
            let end: Vec<&str> = text.split(' ').rev().take(8).collect();
            assert!(one.text(n + 1).split(' ').rev().zip(&end).any(|(word, theirs)| word != *theirs), "{n} ends as the next does: {text}");
            let question = one.question(n);
            assert!((5..=14).contains(&question.split(' ').count()), "{question}");
        }
        assert_eq!(one.words.len(), WORDS);
    }
}
