//! Grammar as data: languages and their small words, what begins a clause, numbers as words. Knows nothing of memories.

use super::denials::{self, Words, words};
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Language {
    #[default]
    English,
    German,
    French,
    Spanish,
}

const GERMAN: &str = "der die das den dem des ein eine einen einem einer und ist sind wird werden wurde nicht kein keine auf mit von im am zum zur \
    sich fur uber nur weil wenn bei aus als auch nach noch jede jeder alle wir man es er sie hat haben kann muss darf soll statt ohne vom ins uns";
const FRENCH: &str = "le la les un une des du de et est sont sur avec dans pour par au aux ne pas plus on nous vous que qui se sa son ses leur \
    ce cette toute tout tous toutes sans mais ou en il elle sous a jamais chaque aucun aucune";
const SPANISH: &str = "el la los las un una unos unas de del y es son en con por para se su sus lo al que no nunca cada ya sin pero como \
    nos todo toda todos todas ningun ninguna siempre esta este";
const ENGLISH: &str = "a an the and or of to in on at by for from with as is are was were be been being it its it's that this these those there \
    their they them he she his her we us our you your i me my do does did done has have had will would shall should can could may might must \
    not no nor so if then than when while where which who whom whose what how why all any each every both either some such only own same too \
    very just also even still yet but because since until unless about into over under again once more most other another per via out up down \
    off through during before after between against within without here now never always none nothing nobody cannot neither instead rather \
    ever already everything everyone everybody anything anyone anybody else itself themselves himself let lets get gets got go goes going \
    come comes make makes made want wants put puts take takes taken say says whatever whoever etc i.e e.g be's us one's much many few little onto upon toward towards across along around behind beside inside near outside past whether though although";

static STOPS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| ENGLISH.split_whitespace().collect());
static FOREIGN: LazyLock<[FxHashSet<&'static str>; 3]> =
    LazyLock::new(|| [GERMAN, FRENCH, SPANISH].map(|words| words.split_whitespace().collect()));

pub fn language(title: &str, content: &str) -> Language {
    let mut hits = [0_usize; 3];
    let mut english = 0_usize;
    for chunk in title.split_whitespace().chain(content.split_whitespace()).take(120) {
        let low = super::text::fold(chunk.trim_matches(|c: char| !c.is_alphanumeric()));
        english += usize::from(STOPS.contains(low.as_str()));
        for (hits, words) in hits.iter_mut().zip(FOREIGN.iter()) {
            *hits += usize::from(words.contains(low.as_str()));
        }
    }
    let best = hits.into_iter().max().unwrap_or(0);
    if best <= english || best < 2 {
        return Language::English;
    }
    [Language::German, Language::French, Language::Spanish][hits.iter().position(|hits| *hits == best).unwrap_or(0)]
}

pub fn is_stop(low: &str, language: Language) -> bool {
    let foreign = match language {
        Language::English => return STOPS.contains(low),
        Language::German => &FOREIGN[0],
        Language::French => &FOREIGN[1],
        Language::Spanish => &FOREIGN[2],
    };
    foreign.contains(low) || denials::is_denial(low)
}

/// don't, can't, isn't: the verb, and the denial in it.
pub fn contraction(low: &str) -> Option<(&str, &'static str)> {
    match low {
        "can't" | "cannot" => Some(("can", "not")),
        "won't" => Some(("will", "not")),
        "n't" => None,
        _ => low.strip_suffix("n't").map(|verb| (verb, "not")),
    }
}

static BREAKS: Words = words(|| {
    "but while before after bevor avant apres antes despues although though unless until whereas sondern aber mais pero sino"
        .split_whitespace()
        .collect()
});

pub fn breaks_clause(low: &str) -> bool {
    BREAKS.contains(low) || gives_reason(low)
}

static REASONS: Words = words(|| "because otherwise weil sonst denn car parce sinon porque".split_whitespace().collect());

/// What follows says why; it is not what is claimed.
pub fn gives_reason(low: &str) -> bool {
    REASONS.contains(low)
}

/// Nouns after which the name of one of them follows.
const KINDS: &str = "queue bucket topic branch host table cluster namespace channel label flag job index service database schema repo \
    repository server node region zone exchange stream group role user account network volume image tag package module crate \
    app project machine box runner pool profile command";

static NAMED_KINDS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| KINDS.split_whitespace().collect());

pub fn is_named_kind(low: &str) -> bool {
    NAMED_KINDS.contains(low)
}

static CONDITIONS: Words =
    words(|| "if when once whenever after before where wenn falls sobald si quand lorsque cuando".split_whitespace().collect());

pub fn is_condition(low: &str) -> bool {
    CONDITIONS.contains(low)
}

/// A pronoun that opens the main clause after a condition.
pub fn is_subject(low: &str) -> bool {
    ["we", "you", "they", "he", "she", "i", "then", "wir", "man", "nous", "vous"].contains(&low)
}

pub fn number(low: &str) -> Option<f64> {
    let value = match low {
        "zero" => 0.0,
        "one" | "once" | "single" | "einmal" | "una" | "seul" | "seule" | "einzige" | "einziger" | "ein" | "eine" => 1.0,
        "two" | "twice" | "zweimal" | "zwei" | "deux" | "dos" | "double" => 2.0,
        "three" | "thrice" | "drei" | "trois" | "tres" => 3.0,
        "four" | "vier" | "quatre" | "cuatro" => 4.0,
        "five" | "funf" | "cinq" | "cinco" => 5.0,
        "six" | "sechs" | "seis" => 6.0,
        "seven" | "sieben" | "sept" | "siete" => 7.0,
        "eight" | "acht" | "huit" | "ocho" => 8.0,
        "nine" | "neun" | "neuf" | "nueve" => 9.0,
        "ten" | "zehn" | "dix" | "diez" => 10.0,
        "eleven" => 11.0,
        "twelve" | "dozen" | "zwolf" | "douze" | "doce" => 12.0,
        "fourteen" | "vierzehn" | "quatorze" => 14.0,
        "fifteen" | "quinze" | "quince" => 15.0,
        "twenty" | "zwanzig" | "vingt" | "veinte" => 20.0,
        "thirty" | "dreissig" | "trente" | "treinta" => 30.0,
        "forty" => 40.0,
        "fifty" => 50.0,
        "sixty" => 60.0,
        "ninety" => 90.0,
        "hundred" | "hundert" | "cent" | "cien" => 100.0,
        "thousand" | "tausend" | "mille" | "mil" => 1000.0,
        _ => return None,
    };
    // ein, eine are articles far more often than numbers.
    (!matches!(low, "ein" | "eine")).then_some(value)
}
