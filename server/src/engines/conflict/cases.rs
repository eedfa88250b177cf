//! Two texts that speak of the same sort of thing, each of another one: "access tokens" and "refresh tokens", "rev B" and "rev C".

use super::{
    cues, lexicon, scope, shapes,
    slots::{Slot, Sort},
    states, synonyms,
    text::{Reading, Role, Word},
};

/// Things of which one is told from the next by a number.
const NUMBERED: &[&str] = &[
    "rev", "revis", "board", "tier", "level", "phase", "zone", "vlan", "slot", "stage", "floor", "room", "build", "gate", "lane",
    "prioriti", "sev", "severiti", "lot", "site", "hall", "rack", "line", "season", "sprint", "wave", "class", "grade", "shift", "plan",
    "option", "variant", "model",
];

const OPENS: &[&str] =
    &["for", "in", "of", "on", "at", "to", "from", "with", "by", "during", "under", "as", "fur", "pour", "para", "bei", "von", "de", "en"];

const VERBS: &[&str] = &["is", "are", "was", "were", "has", "have", "must", "may", "can", "will"];

/// "Access tokens", "refresh tokens": another word before the same noun, on both sides.
pub fn other_kinds(old: &Reading, there: &[Slot], new: &Reading, here: &[Slot]) -> usize {
    let kinds = of_kinds(new, here, old);
    of_kinds(old, there, new).iter().filter(|noun| kinds.contains(noun)).count()
}

/// The shared nouns that have a word of their own before them.
fn of_kinds<'a>(reading: &'a Reading, slots: &[Slot], other: &Reading) -> Vec<&'a str> {
    let is_own = |at: usize| {
        let word = &reading.words[at];
        // In a title it is what all is about; in a sentence an answer or a state may stand there.
        let says = at < reading.title || !(states::is_state(&word.low) || slots.iter().any(|slot| slot.at == at));
        says && is_telling(word) && !other.has_stem(&word.stem) && tells(word) && !cues::is_cue(&word.low)
    };
    let is_noun = |at: usize| {
        let (before, word) = (&reading.words[at - 1], &reading.words[at]);
        word.clause == before.clause && word.role == Role::Content && !word.part && other.has_stem(&word.stem) && is_own(at - 1)
    };
    (1..reading.words.len()).filter(|at| is_noun(*at)).map(|at| reading.words[at].stem.as_str()).collect()
}

fn is_telling(word: &Word) -> bool {
    matches!(word.role, Role::Content | Role::Name) && !word.part
}

fn tells(word: &Word) -> bool {
    !synonyms::is_generic(&word.stem) && !scope::says_little(&word.stem)
}

/// "Salaries in Germany", "salaries in Poland": the same noun, in another case each.
pub fn other_places(old: &Reading, new: &Reading) -> usize {
    let places = of_places(new, old);
    of_places(old, new).iter().filter(|noun| places.contains(noun)).count()
}

/// The shared nouns after which a case follows that the other does not know, before the verb.
fn of_places<'a>(reading: &'a Reading, other: &Reading) -> Vec<&'a str> {
    let words = &reading.words;
    let noun = |at: usize| {
        let (noun, opens) = (&words[at - 1], &words[at]);
        let shared = noun.sentence == opens.sentence && noun.role != Role::Stop && other.has_stem(&noun.stem);
        let mut before = words[..at].iter().rev().take_while(|word| word.sentence == opens.sentence);
        let subject = at < reading.title || before.all(|word| !VERBS.contains(&word.low.as_str()));
        let mut case = words[at + 1..].iter().take(3).take_while(|word| word.clause == opens.clause);
        let case = case.find(|word| word.role != Role::Stop)?;
        let own = case.role != Role::Number && !other.has_stem(&case.stem) && !scope::says_little(&case.stem);
        (shared && subject && own).then_some(noun.stem.as_str())
    };
    (1..words.len()).filter(|at| OPENS.contains(&words[*at].low.as_str())).filter_map(noun).collect()
}

/// "rev B", "rev C"; "the 2023 pentest", "the 2024 pentest": told apart by a letter, a number or a year.
pub fn other_numbers(old: &Reading, new: &Reading) -> bool {
    let numbered = of_numbers(new, old);
    of_numbers(old, new).iter().any(|thing| numbered.contains(thing))
}

fn of_numbers<'a>(reading: &'a Reading, other: &Reading) -> Vec<&'a str> {
    // "season 4", "season four".
    let number = |low: &str| lexicon::number(low).or_else(|| low.parse().ok());
    let is_own = |word: &Word| {
        let known = number(&word.low).is_some();
        !other.words.iter().any(|theirs| theirs.low == word.low || (known && number(&theirs.low) == number(&word.low)))
    };
    let is_letter = |raw: &str| raw.len() == 1 && raw.starts_with(|c: char| c.is_ascii_uppercase());
    let things = reading.words.windows(2).filter(|two| {
        let numbered = two[1].role == Role::Number && NUMBERED.contains(&two[0].stem.as_str());
        (is_letter(&two[1].raw) || numbered) && is_own(&two[1]) && two[0].clause == two[1].clause && other.has_stem(&two[0].stem)
    });
    let is_year = |word: &Word| word.low.len() == 4 && word.low.parse().is_ok_and(|year: u32| (1990..2100).contains(&year));
    let years = reading.words.iter().enumerate().filter(|(at, word)| {
        let told = *at < reading.title || (*at > 0 && matches!(reading.words[at - 1].low.as_str(), "in" | "for" | "of" | "en"));
        told && is_year(word) && is_own(word)
    });
    things.map(|two| two[0].stem.as_str()).chain(years.map(|_| "year")).collect()
}

/// "No migration without …", "lacking a key it is refused": twice denied, so all have it.
pub fn denies_twice(reading: &Reading) -> bool {
    const LACKS: &[&str] =
        &["without", "lacking", "lacks", "unless", "until", "missing", "exempt", "only", "other", "else", "ohne", "sans", "sin"];
    const DENIES: &[&str] =
        &["no", "not", "never", "nobody", "nothing", "none", "refused", "rejected", "blocked", "kein", "keine", "aucun", "ningun"];
    reading.words.chunk_by(|one, next| one.sentence == next.sentence).any(|sentence| {
        let any = |list: &[&str]| sentence.iter().any(|word| list.contains(&word.low.as_str()));
        any(LACKS) && any(DENIES)
    })
}

/// Words that open a case in which something holds.
const CASES: &[&str] = &[
    "for", "in", "on", "at", "during", "after", "when", "if", "from", "with", "without", "unless", "between", "while", "of", "under",
    "outside", "inside", "above", "below", "beyond", "whenever", "once", "bei", "fur", "wenn", "im", "nach", "pour", "pendant", "en", "si",
    "para", "cuando",
];

/// Whether the title says in which case it holds, by a word the other text does not know: "battery in the cold".
pub fn titled(reading: &Reading, is_own: impl Fn(&Word) -> bool) -> bool {
    let title = &reading.words[..reading.title];
    (0..title.len()).any(|at| opens_case(title, at, &is_own))
}

/// Whether a sentence begins with such a case: "on dark backgrounds …".
pub fn fronted(reading: &Reading, is_own: impl Fn(&Word) -> bool) -> bool {
    let content = reading.words.get(reading.title..).unwrap_or_default();
    (0..content.len()).any(|at| content[at].first && opens_case(content, at, &is_own))
}

/// Whether a clause that is no answer says in which case it holds.
pub fn conditional(reading: &Reading, is_own: impl Fn(&Word) -> bool) -> bool {
    let content = reading.words.get(reading.title..).unwrap_or_default();
    (0..content.len()).any(|at| {
        matches!(content[at].low.as_str(), "when" | "if" | "unless" | "once" | "while" | "wenn" | "falls" | "si" | "quand" | "cuando")
            && opens_case(content, at, &is_own)
    })
}

fn opens_case(words: &[Word], at: usize, is_own: &impl Fn(&Word) -> bool) -> bool {
    let opens = &words[at];
    let mut told = words[at + 1..].iter().take(4).take_while(|word| word.sentence == opens.sentence).filter(|word| word.role != Role::Stop);
    CASES.contains(&opens.low.as_str()) && told.next().is_some_and(|word| word.role == Role::Number || is_own(word))
}

/// Words at the beginning that say what a text is about.
const HEAD: usize = 3;

/// Whether each begins with a name that the other does not know: "PLA needs …", "ASA wants …". Who or what is chosen is an answer, not a subject.
pub fn other_heads(old: &Reading, there: &[Slot], new: &Reading, here: &[Slot]) -> bool {
    has_own_head(old, there, new) && has_own_head(new, here, old)
}

fn has_own_head(reading: &Reading, slots: &[Slot], other: &Reading) -> bool {
    let telling = |at: &usize| is_telling(&reading.words[*at]);
    let title = (0..reading.title).filter(telling);
    let mut head = title.chain((reading.title..reading.words.len()).filter(telling).take(HEAD));
    head.any(|at| {
        let word = &reading.words[at];
        let named = word.role == Role::Name || (word.first && shapes::is_identifier(&word.raw));
        let answers = slots.iter().any(|slot| slot.at == at && matches!(slot.sort, Sort::Person | Sort::Tool | Sort::Team));
        named && !answers && !other.has_stem(&word.stem)
    })
}
