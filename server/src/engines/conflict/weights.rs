//! How much each sign weighs for or against a contradiction, and what all of them together come to.

use super::{clash::Clash, signs::Signs};

/// Above this a pair is worth a look; below it the judge says nothing.
pub const POSSIBLE: f32 = 0.45;
/// Above this, with a strong sign and nothing that speaks of another scope, it is certain.
pub const CERTAIN: f32 = 0.7;

/// Fitted by logistic regression on the open pairs and on pairs of our own, with each sign held to the side its meaning says.
const WEIGHTS: [(&str, f32); TERMS] = [
    ("always", 1.38),
    ("share of the shorter text that stands in both", 0.00),
    ("how much stands in both", 0.17),
    ("another choice", 0.45),
    ("another value", 0.31),
    ("another owner", 0.00),
    ("another cause", 0.18),
    ("a word turned", 0.22),
    ("more words turned", 0.20),
    ("both deny the same", -1.45),
    ("a name given up", 0.40),
    ("two sides of one line", -2.33),
    ("the past", -0.20),
    ("titles that part", -1.68),
    ("only here and not there", -0.80),
    ("the old one speaks of all", 0.90),
    ("several signs", 0.22),
    ("a strong sign and nothing against it", 1.97),
    ("words that narrow the new subject", -0.22),
    ("the new one holds in one case", -1.23),
    ("turned words said of other things", -0.49),
    ("one names the only one, the other all", 0.02),
    ("opposites", 0.20),
    ("subjects part", -0.11),
    ("several too", 1.67),
    ("they begin with different things", -1.81),
];
const TERMS: usize = 26;

/// What the signs come to before they are weighed.
pub struct Evidence {
    /// The strongest single disagreement, 0 to 1.
    pub strong: f32,
    /// Words turned from yes to no, less those that both deny.
    pub turned: f32,
    /// Something says that they speak of different cases.
    pub guarded: bool,
    signs: u8,
    narrowing: usize,
}

impl Evidence {
    pub fn of(signs: &Signs) -> Self {
        let firm = [&signs.choice, &signs.value, &signs.name, &signs.owner];
        let strong = firm.into_iter().map(strength).fold(0.0, f32::max);
        let net = signs.flips.weight - few(signs.flips.denied);
        // One turned word is no subject: two words must be shared, or the word stand in both titles.
        let turned = if net < 1.0 || (signs.shared < 2.0 && signs.overlap < 0.5 && !signs.flips.titled) { 0.0 } else { net };
        let opposite = strength(&signs.opposite) > 0.0 || (signs.restricted && (signs.shared >= 2.0 || signs.overlap >= 0.5));
        let of_others = signs.of_others && strong == 0.0;
        let nearest = firm.into_iter().flatten().max_by(|a, b| a.near.total_cmp(&b.near)).filter(|_| strong > 0.0);
        Self {
            strong,
            turned,
            guarded: signs.siblings > 0 || signs.titles_part || signs.exceptions > 0 || signs.past > 0 || signs.narrowed || of_others,
            signs: [strong > 0.0, turned >= 1.0, opposite, !signs.retired.is_empty()].into_iter().map(u8::from).sum(),
            narrowing: nearest.map_or(0, |clash| clash.extra.1.min(2)),
        }
    }

    /// Whether anything at all speaks for a contradiction.
    pub fn is_any(&self, signs: &Signs) -> bool {
        self.signs > 0 || strength(&signs.cause) > 0.0
    }
}

/// From 0 to 1, how likely the two contradict each other.
pub fn score(signs: &Signs, evidence: &Evidence) -> f32 {
    let sum: f32 = terms(signs, evidence).iter().zip(WEIGHTS).map(|(term, (_, weight))| term * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

pub fn terms(signs: &Signs, evidence: &Evidence) -> [f32; TERMS] {
    let is = |yes: bool| f32::from(u8::from(yes));
    let only_and_not = (signs.exclusive.0 && signs.denials.1) || (signs.exclusive.1 && signs.denials.0);
    [
        1.0,
        signs.overlap,
        signs.shared.min(6.0) / 6.0,
        strength(&signs.choice),
        strength(&signs.value),
        strength(&signs.owner),
        strength(&signs.cause),
        evidence.turned.min(1.0),
        (evidence.turned - 1.0).clamp(0.0, 2.0),
        is(signs.flips.denied > 0),
        is(!signs.retired.is_empty()),
        is(signs.siblings > 0),
        is(signs.past > 0),
        is(signs.titles_part),
        is(only_and_not),
        is(signs.universal),
        is(evidence.signs > 1 && !evidence.guarded),
        if evidence.guarded { 0.0 } else { evidence.strong.max(evidence.turned.min(1.0) * 0.7) },
        few(evidence.narrowing),
        is(signs.narrowed),
        is(signs.of_others && evidence.strong == 0.0),
        is(signs.restricted),
        strength(&signs.opposite),
        if clash_both(signs) { 1.0 } else { 0.0 },
        is(evidence.signs > 1),
        is(signs.heads_differ),
    ]
}

/// How far a disagreement is about the same thing.
fn strength(clash: &Option<Clash>) -> f32 {
    let shared = clash.as_ref().filter(|clash| clash.shared > 0);
    shared.map_or(0.0, |clash| (0.4 + 0.6 * clash.near) * if clash.shared > 1 { 1.0 } else { 0.7 })
}

fn few(count: usize) -> f32 {
    f32::from(u8::try_from(count).unwrap_or(u8::MAX))
}

fn clash_both(signs: &Signs) -> bool {
    let firm = [&signs.choice, &signs.value, &signs.name, &signs.owner];
    firm.into_iter().flatten().max_by(|a, b| a.near.total_cmp(&b.near)).is_some_and(|clash| clash.extra.0 > 0 && clash.extra.1 > 0)
}
