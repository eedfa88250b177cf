//! How much each sign weighs for or against a contradiction, and what all of them together come to.

use super::{clash::Clash, flips::Of, signs::Signs};

/// Above this, with a strong sign and nothing that speaks of another scope, it is certain.
const CERTAIN: f32 = 0.7;
/// Above this so much speaks for it that it is certain even so.
const PLAIN: f32 = 0.92;

/// Fitted by logistic regression on the open pairs and on pairs of our own, with each sign held to the side its meaning says.
const WEIGHTS: [(&str, f32); 17] = [
    ("some sign is there", 0.76),
    ("how much stands in both", 0.73),
    ("another choice", 0.40),
    ("another cause", 0.08),
    ("a word turned from yes to no", 0.34),
    ("a name given up", 0.67),
    ("the old one speaks of all", 1.15),
    ("several signs", 1.36),
    ("a firm sign and nothing against it", 2.59),
    ("both deny the same", -1.46),
    ("only here, not there", -1.11),
    ("two sides of one line", -2.33),
    ("the past", -0.30),
    ("titles that part", -1.30),
    ("another subject", -1.53),
    ("the new one holds in one case", -1.03),
    ("another filler of the same frame", 1.42),
];

/// What the signs come to before they are weighed.
pub struct Evidence {
    /// The firmest single disagreement, 0 to 1.
    pub firm: f32,
    /// Words turned from yes to no, less those that both deny.
    pub turned: f32,
    /// Something says that they speak of different cases.
    pub guarded: bool,
    /// What is turned is said of other things, and nothing firm is there.
    of_others: bool,
    /// How many kinds of signs there are.
    signs: u8,
    /// A sign that counts only when nothing else is there.
    faint: bool,
}

impl Evidence {
    pub fn of(signs: &Signs) -> Self {
        let firm =
            [&signs.choice, &signs.value, &signs.name, &signs.owner].into_iter().map(|clash| strength(clash.as_ref())).fold(0.0, f32::max);
        let short = signs.shared < 2.0 && signs.overlap < 0.5;
        let net = signs.flips.weight - few(signs.flips.denied);
        // One turned word is no subject: more must be shared, or the word stand in both titles.
        let turned = if net < 1.0 || (short && !signs.flips.titled) { 0.0 } else { net };
        let opposite = strength(signs.opposite.as_ref()) > 0.0 || (signs.restricted && !short);
        let of_others = signs.said_of == Of::Others && firm == 0.0;
        Self {
            firm,
            turned,
            guarded: signs.siblings || signs.titles_part || signs.excepted || signs.past || signs.narrowed || of_others,
            of_others,
            signs: [firm > 0.0, turned > 0.0, opposite, !signs.retired.is_empty()].into_iter().map(u8::from).sum(),
            faint: strength(signs.cause.as_ref()).max(strength(signs.filler.as_ref())) > 0.0,
        }
    }

    /// Whether anything at all speaks for a contradiction.
    pub fn is_any(&self) -> bool {
        self.signs > 0 || self.faint
    }

    /// Whether it is clear enough to be certain: said outright, and of the same case.
    pub fn is_certain(&self, score: f32) -> bool {
        let outright = self.firm >= 0.5 || self.turned >= 1.0;
        !self.of_others && (score >= PLAIN || (score >= CERTAIN && outright && !self.guarded))
    }
}

/// From 0 to 1, how likely the two contradict each other.
pub fn score(signs: &Signs, evidence: &Evidence) -> f32 {
    let sum: f32 = terms(signs, evidence).iter().zip(WEIGHTS).map(|(term, (_, weight))| term * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// In the order of the weights.
fn terms(signs: &Signs, evidence: &Evidence) -> [f32; WEIGHTS.len()] {
    let is = |yes: bool| f32::from(u8::from(yes));
    let only_and_not = (signs.exclusive.0 && signs.denials.1) || (signs.exclusive.1 && signs.denials.0);
    [
        1.0,
        signs.shared.min(6.0) / 6.0,
        strength(signs.choice.as_ref()),
        strength(signs.cause.as_ref()),
        evidence.turned.min(1.0),
        is(!signs.retired.is_empty()),
        is(signs.universal),
        is(evidence.signs > 1),
        if evidence.guarded { 0.0 } else { evidence.firm.max(evidence.turned.min(1.0) * 0.7) },
        is(signs.flips.denied > 0),
        is(only_and_not),
        is(signs.siblings),
        is(signs.past),
        is(signs.titles_part),
        is(signs.heads_differ && !signs.restricted),
        is(signs.narrowed),
        strength(signs.filler.as_ref()),
    ]
}

/// How far a disagreement is about the same thing.
pub fn strength(clash: Option<&Clash>) -> f32 {
    let shared = clash.filter(|clash| clash.shared > 0);
    shared.map_or(0.0, |clash| (0.4 + 0.6 * clash.near) * if clash.shared > 1 { 1.0 } else { 0.7 })
}

pub fn few(count: usize) -> f32 {
    f32::from(u8::try_from(count).unwrap_or(u8::MAX))
}
