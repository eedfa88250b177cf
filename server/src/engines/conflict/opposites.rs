//! Words that exclude each other when they are said of the same thing: optional and required, one for all and each its own.

use super::{
    clash::{Clash, MOST, better, clash},
    scope, synonyms,
    text::{Reading, Role, Word},
    units,
};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Words that exclude each other when said of the same thing.
const OPPOSITES: &str = "\
    on off; enabled disabled; optional required; manual automatic; public private; open closed; allowed forbidden; always never; \
    synchronous asynchronous; sync async; push poll; push pull; lazy eager; fail continue; strict tolerant; strict lenient; \
    build buy; shared separate; mix separate; combine separate; together separate; match differ; equal differ; same differ; \
    pass fail; accept reject; encrypted plaintext; add remove; merge split; show hide; lock unlock; cold warm; \
    cheap expensive; simple complex; safe unsafe; known unknown; valid invalid; success failure; physical logical; \
    mutable immutable; stateful stateless; local utc; symbolic literal; plain encrypted; single multiple; opt-in opt-out; \
    disk memory; optimistic pessimistic; central decentral; cpu disk; cpu i/o; cpu network; increase decrease; better worse; \
    faster slower; stay leave; everyone nobody; shallow deep; hard soft; long short; ascending descending; static dynamic; \
    stable flaky; first last; inclusive exclusive; possible impossible; supported unsupported; monolith microservices; \
    grow flat; unlimited limited; everywhere nowhere; gross net; brutto netto; brut net; bruto neto; internal external; \
    full partial; full incremental; light dark; upper lower; uppercase lowercase; singular plural; absolute relative; \
    horizontal vertical; left right; top bottom; early late; internal public; included excluded; visible hidden; \
    permanent temporary; persistent ephemeral; batch streaming; thick thin; sequential parallel; serial parallel; \
    blocking non-blocking; centralised distributed; centralized distributed; offline online; in-house outsourced; paid free; \
    raw aggregated; anonymous authenticated; high low; big small; large small; more less; more fewer; verbose terse; \
    verbose quiet; explicit implicit; imperative declarative; nullable mandatory; tabs spaces; remote local; remote office; morning evening; hand automatically; day night; pluriel singulier; singular plural; manuell automatisch; offen geschlossen; \
    obligatoire facultatif; obligatorio opcional; pflicht optional; gemeinsam getrennt; ensemble separement; public prive";

/// On which pairs a word stands, as it is written or by its stem, and whether on their first side.
static POLES: LazyLock<FxHashMap<String, Vec<(usize, bool)>>> = LazyLock::new(|| {
    let mut poles: FxHashMap<String, Vec<(usize, bool)>> = FxHashMap::default();
    for (pair, words) in OPPOSITES.split(';').enumerate() {
        for (side, (word, stem)) in words.split_whitespace().zip(synonyms::stems(words)).enumerate() {
            for name in [word.to_owned(), stem] {
                let known = poles.entry(name).or_default();
                if !known.contains(&(pair, side == 0)) {
                    known.push((pair, side == 0));
                }
            }
        }
    }
    poles
});

/// A word of a pair where a text has it.
#[derive(Clone, Copy, Debug)]
pub struct Pole {
    at: usize,
    pair: usize,
    first: bool,
}

pub fn poles(words: &[Word]) -> Vec<Pole> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let (by_stem, by_word) = (POLES.get(&word.stem), POLES.get(&word.low));
        let also = by_word.filter(|_| word.low != word.stem).into_iter().flatten();
        let also = also.filter(|pole| by_stem.is_none_or(|known| !known.contains(pole)));
        found.extend(by_stem.into_iter().flatten().chain(also).map(|(pair, first)| Pole { at, pair: *pair, first: *first }));
    }
    found
}

/// "in separate commits", "don't mix them": a denied opposite is agreement.
pub fn agreements(old: &Reading, new: &Reading) -> usize {
    let agree = |one: &Pole, other: &Pole| {
        one.pair == other.pair && one.first != other.first && old.words[one.at].denied != new.words[other.at].denied
    };
    let mut pairs: Vec<usize> =
        old.poles.iter().filter(|one| new.poles.iter().any(|other| agree(one, other))).map(|one| one.pair).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.len()
}

/// "as often as you like" against "only once": one side knows no bound, the other has one.
fn bounded(old: &Reading, new: &Reading) -> Option<Clash> {
    let free = |reading: &Reading| {
        reading.words.iter().enumerate().position(|(at, word)| {
            let next = reading.words.get(at + 1).map(|word| word.low.as_str()).unwrap_or_default();
            match word.low.as_str() {
                "forever" | "freely" => !word.denied,
                "limited" | "bounded" | "expire" | "expires" => word.denied,
                "as" => matches!(next, "often" | "many" | "much"),
                "any" => next == "number",
                "no" => matches!(next, "limit" | "limits" | "maximum" | "expiry" | "end"),
                _ => false,
            }
        })
    };
    let bound = |reading: &Reading| {
        reading.words.iter().enumerate().position(|(at, word)| match word.low.as_str() {
            "only" | "once" | "most" | "limit" | "limited" | "maximum" | "max" | "expire" | "expires" => !word.denied,
            "out" => at > 0 && matches!(reading.words[at - 1].low.as_str(), "run" | "ran"),
            "valid" => reading.words[at..].iter().take(4).any(|word| units::is_unit(&word.low)),
            _ => false,
        })
    };
    let (one, other) = match (free(old), bound(new), bound(old), free(new)) {
        (Some(free), Some(bound), _, None) => (free, bound),
        (None, _, Some(bound), Some(free)) => (bound, free),
        _ => return None,
    };
    let (one, other) = (&old.words[one], &new.words[other]);
    Some(clash(old, one, new, other, one.raw.clone(), other.raw.clone())).filter(|clash| clash.shared > 1)
}

const SHARED: &[&str] = &["one", "single", "shared", "common", "central", "same", "among", "across", "between"];
const SEPARATE: &[&str] = &["own", "separate", "individual", "dedicated", "per"];

/// "one repository" against "its own repository": the same thing shared and not.
fn together(old: &Reading, new: &Reading) -> Option<Clash> {
    let with = |reading: &Reading, marks: &[&str], stem: &str| {
        (0..reading.words.len()).find(|at| {
            let before = reading.words[at.saturating_sub(3)..(at + 4).min(reading.words.len())].iter();
            reading.words[*at].stem == stem
                && !reading.words[*at].denied
                && before.into_iter().any(|word| word.clause == reading.words[*at].clause && marks.contains(&word.low.as_str()))
        })
    };
    let any = |reading: &Reading, marks: &[&str]| reading.words.iter().any(|word| marks.contains(&word.low.as_str()));
    let mut sides = vec![(SHARED, SEPARATE), (SEPARATE, SHARED)];
    sides.retain(|(left, right)| any(old, left) && any(new, right));
    if sides.is_empty() {
        return None;
    }
    for word in old.telling().take(MOST).filter(|word| new.has_stem(&word.stem) && !synonyms::is_generic(&word.stem)) {
        for (left, right) in sides.iter().copied() {
            let mixed = with(old, right, &word.stem).is_some() || with(new, left, &word.stem).is_some();
            if let (false, Some(one), Some(other)) = (mixed, with(old, left, &word.stem), with(new, right, &word.stem)) {
                let found =
                    clash(old, &old.words[one], new, &new.words[other], format!("one {}", word.raw), format!("separate {}", word.raw));
                return Some(Clash { near: found.near.max(0.6), shared: found.shared.max(1), ..found });
            }
        }
    }
    None
}

pub fn opposite(old: &Reading, new: &Reading) -> Option<Clash> {
    let mut best = bounded(old, new).or_else(|| together(old, new));
    let has = |poles: &[Pole], of: &Pole| poles.iter().any(|pole| pole.pair == of.pair && pole.first == of.first);
    let says = |reading: &Reading, pole: &Pole| !reading.words[pole.at].denied && !reading.words[pole.at].part;
    for one in old.poles.iter().filter(|pole| says(old, pole)) {
        let against = new.poles.iter().find(|other| says(new, other) && other.pair == one.pair && other.first != one.first);
        if let Some(other) = against.filter(|other| !has(&old.poles, other) && !has(&new.poles, one)) {
            let (one, other) = (&old.words[one.at], &new.words[other.at]);
            better(&mut best, clash(old, one, new, other, one.raw.clone(), other.raw.clone()));
        }
    }
    best
}

/// "Only leads may release" against "every engineer may": one side names the only one, the other all.
pub fn restricted(old: &Reading, new: &Reading) -> bool {
    let only_own = |reading: &Reading, other: &Reading| {
        reading.words.iter().enumerate().filter(|(_, word)| scope::is_only(&word.low)).any(|(at, word)| {
            let clause = |next: &&Word| next.clause == word.clause && matches!(next.role, Role::Content | Role::Name);
            let after = reading.words[at..].iter().find(clause);
            let named = after.or_else(|| reading.words[..at].iter().rev().find(clause));
            let told = reading.words.iter().filter(clause).any(|word| !synonyms::is_generic(&word.stem) && other.has_claim(&word.stem));
            told && named.is_some_and(|named| !other.has_stem(&named.stem))
        })
    };
    let all = |reading: &Reading| scope::universal(reading) && !scope::denials(reading);
    (only_own(old, new) && all(new)) || (only_own(new, old) && all(old))
}

/// Whether the opposites only tell two kinds of a thing apart: "a full build", "an incremental build".
pub fn are_kinds(clash: &Clash, old: &Reading, new: &Reading) -> bool {
    let head = |reading: &'_ Reading, stem: &str| {
        let at = reading.words.iter().position(|word| word.stem == stem)?;
        reading
            .words
            .get(at + 1)
            .filter(|next| next.clause == reading.words[at].clause && next.role == Role::Content)
            .map(|next| next.stem.clone())
    };
    head(old, &clash.own[0]).is_some_and(|one| head(new, &clash.own[1]) == Some(one))
}
