//! The sentence that tells a person what two memories disagree on.

use super::{clash::Clash, likely::Findings, signs::Signs, synonyms, text::Reading};

const LONGEST: usize = 60;

pub fn sentence(signs: &Signs, findings: &Findings, old: &Reading, new: &Reading) -> String {
    by_rules(signs, old, new).unwrap_or_else(|| by_findings(signs, findings, old, new))
}

/// What the plain rules found: they know best which words it is about.
fn by_rules(signs: &Signs, old: &Reading, new: &Reading) -> Option<String> {
    let firm = [&signs.choice, &signs.value, &signs.owner, &signs.name].into_iter().flatten().filter(|clash| clash.shared > 0);
    if let Some(clash) = firm.max_by(|a, b| a.weight().total_cmp(&b.weight())) {
        return Some(differs(clash, new));
    }
    if let Some(name) = signs.retired.first() {
        return Some(given_up(&written(name, old)));
    }
    if signs.flips.weight >= 1.0 {
        let words: Vec<String> = signs.flips.words.iter().take(3).map(|stem| written(stem, new)).collect();
        let said = if signs.flips.denied_here { "yes there, no here" } else { "no there, yes here" };
        return Some(format!("Both speak of {}: {said}.", words.join(", ")));
    }
    let rest = [&signs.opposite, &signs.filler, &signs.cause].into_iter().flatten().find(|clash| clash.shared > 0);
    rest.map(|clash| differs(clash, new))
}

fn by_findings(signs: &Signs, findings: &Findings, old: &Reading, new: &Reading) -> String {
    if signs.restricted {
        return "One says that only one does it, the other that all do.".to_owned();
    }
    if let Some(name) = &findings.given_up {
        return given_up(&shortened(name));
    }
    let about = common(old, new);
    if let Some((there, here)) = findings.rivals.as_ref().or(findings.opposed.as_ref()) {
        return format!("{about}{} there, {} here.", shortened(there), shortened(here));
    }
    if findings.reversed { format!("{about}another order there than here.") } else { format!("{about}they may not hold at the same time.") }
}

fn given_up(name: &str) -> String {
    format!("Both speak of {name}: in use there, given up here.")
}

/// What both speak of, to begin a sentence with.
fn common(old: &Reading, new: &Reading) -> String {
    let mut stems: Vec<&str> =
        new.telling().filter(|word| !word.part && !synonyms::is_generic(&word.stem)).map(|word| word.stem.as_str()).collect();
    stems.retain(|stem| old.has_stem(stem));
    let first = |at: &usize| !stems[..*at].contains(&stems[*at]);
    let words: Vec<String> = (0..stems.len()).filter(first).take(4).map(|at| written(stems[at], new)).collect();
    if words.is_empty() { "Both speak of the same: ".to_owned() } else { format!("Both speak of {}: ", words.join(", ")) }
}

fn differs(clash: &Clash, new: &Reading) -> String {
    let slot: Vec<String> = in_order(&clash.slot, new).take(4).collect();
    format!("Both speak of {}: {} there, {} here.", slot.join(", "), shortened(&clash.there), shortened(&clash.here))
}

/// The words as the new text has them, in its order.
fn in_order<'a>(stems: &'a [String], new: &'a Reading) -> impl Iterator<Item = String> + 'a {
    let mut rest: Vec<&String> = stems.iter().collect();
    rest.sort_by_key(|stem| new.words.iter().position(|word| word.stem == **stem));
    rest.into_iter().map(|stem| written(stem, new))
}

fn written(stem: &str, reading: &Reading) -> String {
    let word = reading.words.iter().filter(|word| word.stem == stem);
    let shown = word.min_by_key(|word| word.first).map_or(stem, |word| word.raw.as_str());
    shortened(shown)
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
