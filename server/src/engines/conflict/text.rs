//! How a text is read before it is judged: words with their stems, in clauses and sentences, with what each denies.

use super::{
    alternatives::{self, Membership},
    denials,
    lexicon::{self, Language},
    opposites::{self, Pole},
    polarity,
    scope::{self, Side},
    shapes, synonyms, units,
    values::{self, Quantity},
};
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// What a memory says stands at its beginning; the rest would only cost time.
const READ_OF_TITLE: usize = 256;
const READ_OF_CONTENT: usize = 4096;
const LONGEST_CODE: usize = 80;
/// The denial in a word, told from the article of other languages.
pub const UN: &str = "un-";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Grammar: articles, pronouns, auxiliaries.
    Stop,
    Content,
    /// Something with a name of its own: an identifier, a path, a host, a product, a person.
    Name,
    Number,
}

#[derive(Clone, Debug)]
pub struct Word {
    pub raw: String,
    /// Lower case, without accents.
    pub low: String,
    pub stem: String,
    pub role: Role,
    pub sentence: usize,
    pub clause: usize,
    /// A part of the name or compound before it.
    pub part: bool,
    /// The first of its sentence, where a capital says nothing.
    pub first: bool,
    /// Stands under an odd number of denials.
    pub denied: bool,
    /// The subject of a denied verb: neither affirmed nor denied itself.
    pub unsure: bool,
    /// Stands in a clause that gives a reason, not the claim.
    pub reason: bool,
}

#[derive(Default, Debug)]
pub struct Reading {
    pub words: Vec<Word>,
    /// How many of the words are the title's.
    pub title: usize,
    pub language: Language,
    /// What the text claims is the reason itself, as a discovery does.
    pub explains: bool,
    pub quantities: Vec<Quantity>,
    pub poles: Vec<Pole>,
    /// Things of which one is chosen.
    pub members: Vec<Membership>,
    /// On which sides of dividing lines it sets out.
    pub opening: Vec<Side>,
    /// The marks of all stems, and whether the content has them: they are asked for far more often than read.
    stems: FxHashMap<u64, bool>,
}

impl Reading {
    pub fn of(title: &str, content: &str, explains: bool) -> Self {
        let (title, content) = (head(title, READ_OF_TITLE), head(content, READ_OF_CONTENT));
        let language = lexicon::language(title, content);
        let mut reader = Reader::new(language);
        reader.read(title);
        reader.end_sentence();
        let of_title = reader.words.len();
        reader.read(content);
        let mut words = reader.words;
        polarity::mark(&mut words);
        let (quantities, poles, members) = (values::quantities(&words), opposites::poles(&words), alternatives::members(&words));
        let mut stems = FxHashMap::default();
        for (at, word) in words.iter().enumerate() {
            *stems.entry(mark(&word.stem)).or_default() |= at >= of_title;
        }
        let opening = scope::opening(&words, of_title);
        Self { words, title: of_title, language, explains, quantities, poles, members, opening, stems }
    }

    /// Words that carry meaning: neither grammar nor numbers.
    pub fn telling(&self) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(|word| matches!(word.role, Role::Content | Role::Name))
    }

    /// Whether the content says it, not only the title.
    pub fn has_claim(&self, stem: &str) -> bool {
        self.stems.get(&mark(stem)) == Some(&true)
    }

    pub fn has_stem(&self, stem: &str) -> bool {
        self.stems.contains_key(&mark(stem))
    }
}

/// A number for a stem, so that two are compared at once.
pub fn mark(stem: &str) -> u64 {
    FxBuildHasher.hash_one(stem)
}

pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect()
}

fn head(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

struct Reader {
    words: Vec<Word>,
    stemmer: Stemmer,
    language: Language,
    sentence: usize,
    clause: usize,
    fresh: bool,
    conditional: bool,
}

impl Reader {
    fn new(language: Language) -> Self {
        let algorithm = match language {
            Language::English => Algorithm::English,
            Language::German => Algorithm::German,
            Language::French => Algorithm::French,
            Language::Spanish => Algorithm::Spanish,
        };
        Self { words: Vec::new(), stemmer: Stemmer::create(algorithm), language, sentence: 0, clause: 0, fresh: true, conditional: false }
    }

    fn read(&mut self, text: &str) {
        for line in text.lines() {
            let mut rest = line;
            while let Some(open) = rest.find('`') {
                let after = &rest[open + 1..];
                self.prose(&rest[..open]);
                match after.find('`').filter(|end| (1..=LONGEST_CODE).contains(end)) {
                    Some(end) => {
                        self.code(&after[..end]);
                        rest = &after[end + 1..];
                    }
                    None => rest = after,
                }
            }
            self.prose(rest);
            self.end_sentence();
        }
    }

    fn prose(&mut self, text: &str) {
        let mut chunks = text.split_whitespace().peekable();
        while let Some(chunk) = chunks.next() {
            // 5 000: one number.
            let joined = chunks.peek().filter(|next| shapes::is_thousands(chunk, next)).map(|next| format!("{chunk}{next}"));
            if let Some(joined) = joined {
                chunks.next();
                self.chunk(&joined, false);
                continue;
            }
            let ordinal = self.language == Language::German
                && shapes::is_ordinal(chunk)
                && chunks.peek().is_some_and(|next| shapes::starts_upper(next));
            self.chunk(chunk, ordinal);
        }
    }

    fn chunk(&mut self, chunk: &str, ordinal: bool) {
        let body = chunk.trim_start_matches(|c: char| !c.is_alphanumeric() && !"/-.<$€£@_%#".contains(c));
        if chunk.len() > body.len() && chunk.starts_with(['(', '–', '—', '[']) {
            self.clause += 1;
        }
        let mut word = body.trim_end_matches(|c: char| !c.is_alphanumeric() && !"%€$£>+#/_".contains(c));
        // now(): a call, not a bracket.
        if body[word.len()..].starts_with("()") {
            word = &body[..word.len() + 2];
        }
        if word.chars().any(|c| c.is_alphanumeric() || "%€$£".contains(c)) {
            self.word(word);
        }
        let tail = &body[word.len()..];
        if !ordinal && tail.contains(['.', '!', '?', ';']) {
            self.end_sentence();
        } else if tail.contains([',', ':', ')', ']', '–', '—']) || (word.is_empty() && chunk.starts_with(['-', '–', '—'])) {
            self.clause += 1;
        }
    }

    fn word(&mut self, word: &str) {
        let low = fold(word);
        if let Some((verb, denial)) = lexicon::contraction(&low) {
            self.push(word, verb.to_owned(), Role::Stop, false);
            self.push(word, denial.to_owned(), Role::Stop, true);
            return;
        }
        // unsigned, unencrypted: a denial and a word.
        if let Some(rest) = low.strip_prefix("un").filter(|rest| rest.len() > 4 && rest.ends_with("ed")) {
            self.push("un", UN.to_owned(), Role::Stop, false);
            self.push(word, rest.to_owned(), Role::Content, false);
            return;
        }
        let (word, low) = shapes::elision(word, low.trim_end_matches("'s"));
        let number = low.starts_with(|c: char| c.is_ascii_digit()) && !low.starts_with("0x");
        if number || low.starts_with(['$', '€', '£', '%']) || lexicon::number(low).is_some() {
            self.push(word, low.to_owned(), Role::Number, false);
        } else if shapes::is_compound(word) && !alternatives::is_member(low) && !(word.contains('-') && self.names_next()) {
            for part in word.split(['-', '/']).filter(|part| !part.is_empty()) {
                let part_low = fold(part);
                self.plain(part, &part_low, denials::is_any(&part_low));
            }
        } else if shapes::is_identifier(word) {
            self.push(word, low.to_owned(), Role::Name, false);
            for part in low.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() > 2 && part.len() < low.len()) {
                let stem = self.stem(part);
                self.push_stemmed(part, part.to_owned(), stem, Role::Content, true);
            }
        } else {
            self.plain(word, low, false);
        }
    }

    /// "the queue push-out": after such a noun joined words are a name.
    fn names_next(&self) -> bool {
        self.words.last().is_some_and(|last| last.clause == self.clause && lexicon::is_named_kind(&last.low))
    }

    fn plain(&mut self, word: &str, low: &str, part: bool) {
        self.turn(low);
        let capital = shapes::starts_upper(word);
        let shouted = word.chars().count() > 1 && word.chars().all(|c| c.is_uppercase() || c.is_ascii_digit());
        let role = if lexicon::is_stop(low, self.language) && !shouted {
            Role::Stop
        } else if units::weekday(low).is_some() || (units::month(low).is_some() && !shouted) {
            Role::Content
        } else if shouted || (capital && !self.fresh && self.language != Language::German) {
            Role::Name
        } else {
            Role::Content
        };
        let counts = self.words.last().is_some_and(|last| last.role == Role::Number && last.clause == self.clause);
        let role = if counts && units::is_unit(low) { Role::Stop } else { role };
        self.push(word, low.to_owned(), role, part);
    }

    /// A new clause begins at a conjunction, and where the consequence follows a condition.
    fn turn(&mut self, low: &str) {
        let starts = self.words.last().is_none_or(|last| last.clause != self.clause);
        let joined =
            denials::is_denial(low) && self.words.last().is_some_and(|last| matches!(last.low.as_str(), "and" | "or" | "und" | "et" | "y"));
        let since = low == "since" && !starts;
        if joined || since || lexicon::breaks_clause(low) || (self.conditional && !starts && lexicon::is_subject(low)) {
            self.clause += 1;
            self.conditional = lexicon::is_condition(low);
        } else if starts {
            self.conditional = lexicon::is_condition(low);
        }
    }

    fn code(&mut self, code: &str) {
        let low = fold(code);
        if low.contains(' ') {
            self.push_stemmed(code, low.clone(), low.clone(), Role::Name, false);
            for piece in low.split_whitespace().filter(|piece| piece.chars().any(char::is_alphanumeric)) {
                self.push_stemmed(piece, piece.to_owned(), piece.to_owned(), Role::Name, true);
            }
        } else {
            self.push_stemmed(code, low.clone(), low, Role::Name, false);
        }
    }

    fn push(&mut self, raw: &str, low: String, role: Role, part: bool) {
        let stem = self.stem(&low);
        self.push_stemmed(raw, low, stem, role, part);
    }

    fn push_stemmed(&mut self, raw: &str, low: String, stem: String, role: Role, part: bool) {
        let (sentence, clause, first) = (self.sentence, self.clause, self.fresh);
        self.words.push(Word {
            raw: raw.to_owned(),
            low,
            stem,
            role,
            sentence,
            clause,
            part,
            first,
            denied: false,
            unsure: false,
            reason: false,
        });
        self.fresh = false;
    }

    fn stem(&self, low: &str) -> String {
        synonyms::stem(&self.stemmer, low)
    }

    fn end_sentence(&mut self) {
        self.sentence += 1;
        self.clause += 1;
        self.fresh = true;
    }
}
