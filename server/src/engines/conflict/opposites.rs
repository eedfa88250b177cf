//! Words that exclude each other when they are said of the same thing: optional and required, one for all and each its own.

use super::{
    clash::{Clash, MOST, better, clash},
    lexicon,
    text::Reading,
};
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
    verbose quiet; explicit implicit; imperative declarative; nullable mandatory; tabs spaces; remote local; remote office";

static PAIRS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let pairs = OPPOSITES.split(';').map(|pair| lexicon::stems(pair).collect::<Vec<_>>());
    pairs.filter_map(|pair| <[String; 2]>::try_from(pair).ok()).map(|[left, right]| (left, right)).collect()
});

/// "in separate commits", "don't mix them": a denied opposite is agreement.
pub fn agreements(old: &Reading, new: &Reading) -> usize {
    let says = |reading: &Reading, stem: &str, denied: bool| reading.words.iter().any(|word| word.stem == stem && word.denied == denied);
    let both = |a: &str, b: &str| (says(old, a, false) && says(new, b, true)) || (says(old, b, true) && says(new, a, false));
    PAIRS.iter().filter(|(left, right)| both(left, right) || both(right, left)).count()
}

/// "as often as you like" against "only once": one side knows no bound, the other has one.
fn bounded(old: &Reading, new: &Reading) -> Option<Clash> {
    let free = |reading: &Reading| {
        reading.words.iter().enumerate().position(|(at, word)| {
            let next = reading.words.get(at + 1).map(|word| word.low.as_str()).unwrap_or_default();
            match word.low.as_str() {
                "unlimited" | "forever" | "freely" | "unbounded" => !word.denied,
                "as" => matches!(next, "often" | "many" | "much"),
                "any" => next == "number",
                "no" => matches!(next, "limit" | "limits" | "maximum" | "expiry" | "end"),
                _ => false,
            }
        })
    };
    let bound = |reading: &Reading| {
        reading.words.iter().position(|word| {
            matches!(word.low.as_str(), "only" | "once" | "most" | "limit" | "limited" | "maximum" | "max" | "expire" | "expires")
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

/// "one repository" against "its own repository": the same thing shared and not.
fn together(old: &Reading, new: &Reading) -> Option<Clash> {
    let with = |reading: &Reading, marks: &[&str], stem: &str| {
        (0..reading.words.len()).find(|at| {
            let before = reading.words[at.saturating_sub(3)..*at].iter();
            reading.words[*at].stem == stem
                && !reading.words[*at].denied
                && before.into_iter().any(|word| word.clause == reading.words[*at].clause && marks.contains(&word.low.as_str()))
        })
    };
    const SHARED: &[&str] = &["one", "single", "shared", "common", "central", "same"];
    const SEPARATE: &[&str] = &["own", "separate", "individual", "dedicated"];
    for word in old.telling().take(MOST).filter(|word| new.has_stem(&word.stem) && !lexicon::is_generic(&word.stem)) {
        for (left, right) in [(SHARED, SEPARATE), (SEPARATE, SHARED)] {
            if let (Some(one), Some(other)) = (with(old, left, &word.stem), with(new, right, &word.stem)) {
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
    for (left, right) in PAIRS.iter() {
        for (a, b) in [(left, right), (right, left)] {
            let find =
                |reading: &'_ Reading, stem: &str| reading.words.iter().position(|word| word.stem == stem && !word.denied && !word.part);
            let (Some(one), Some(other)) = (find(old, a), find(new, b)) else { continue };
            if old.has_stem(b) || new.has_stem(a) {
                continue;
            }
            let (one, other) = (&old.words[one], &new.words[other]);
            better(&mut best, clash(old, one, new, other, one.raw.clone(), other.raw.clone()));
        }
    }
    best
}
