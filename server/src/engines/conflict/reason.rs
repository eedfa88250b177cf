//! The sentence that tells a person what two memories disagree on.

use super::{clash::Clash, signs::Signs, text::Reading};

const LONGEST: usize = 60;

pub fn sentence(signs: &Signs, old: &Reading, new: &Reading) -> String {
    let firm = [&signs.choice, &signs.value, &signs.owner, &signs.name].into_iter().flatten().filter(|clash| clash.shared > 0);
    if let Some(clash) = firm.max_by(|a, b| a.weight().total_cmp(&b.weight())) {
        return differs(clash, new);
    }
    if let Some(name) = signs.retired.first() {
        return format!("Both speak of {}: in use there, given up here.", written(name, old));
    }
    if signs.flips.weight >= 1.0 {
        let words: Vec<String> = signs.flips.words.iter().take(3).map(|stem| written(stem, new)).collect();
        let said = if signs.flips.denied_here { "yes there, no here" } else { "no there, yes here" };
        return format!("Both speak of {}: {said}.", words.join(", "));
    }
    let rest = [&signs.opposite, &signs.filler, &signs.cause].into_iter().flatten().find(|clash| clash.shared > 0);
    rest.map_or_else(|| "One says that only one does it, the other that all do.".to_owned(), |clash| differs(clash, new))
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
