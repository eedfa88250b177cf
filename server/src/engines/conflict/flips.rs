//! What one text affirms and the other denies: "never retry a capture", "captures are retried".

use super::{
    clash,
    subject::{Said, Stances},
    synonyms,
    text::Reading,
};

/// Words that one side affirms and the other denies.
#[derive(Default, Debug)]
pub struct Flips {
    pub weight: f32,
    pub words: Vec<String>,
    /// One of them stands in both titles.
    pub titled: bool,
    /// It is the new text that denies.
    pub denied_here: bool,
    /// Words that both deny: they want the same.
    pub denied: usize,
}

/// Whether a turned word is said of other things: "the web app has a dark mode", "mails have no dark mode".
pub fn is_of_others(flips: &Flips, old: &Reading, new: &Reading) -> bool {
    let narrowed = |reading: &Reading, stem: &String, other: &Reading| {
        let said = reading.words.iter().enumerate().filter(|(at, word)| *at >= reading.title && word.stem == *stem);
        said.map(|(_, word)| clash::extra(reading, word, other)).min().is_some_and(|extra| extra > 0)
    };
    !flips.words.is_empty() && flips.words.iter().all(|stem| narrowed(old, stem, new) && narrowed(new, stem, old))
}

pub fn flips(old: &Stances<'_>, new: &Stances<'_>) -> Flips {
    let mut flips = Flips::default();
    for (stem, there) in old {
        let Some(here) = new.get(stem) else { continue };
        let weight = match (there.said(), here.said()) {
            _ if there.denied > 0 && here.denied > 0 => {
                flips.denied += 1;
                0.0
            }
            (Said::Yes, Said::No) | (Said::No, Said::Yes) => 1.0,
            (Said::Topic, Said::No) | (Said::No, Said::Topic) | (Said::Both, Said::Yes) | (Said::Yes, Said::Both) => 0.5,
            _ => 0.0,
        };
        let counts = there.claimed && here.claimed && !there.part && !here.part && !synonyms::is_generic(stem);
        if weight > 0.0 && counts {
            flips.weight += weight;
            flips.denied_here |= here.denied > 0;
            flips.titled |= there.titled && here.titled;
            flips.words.push((*stem).to_owned());
        }
    }
    flips
}

/// Names that are in use there and given up here.
pub fn retired(old: &Stances<'_>, new: &Stances<'_>) -> Vec<String> {
    let given_up =
        old.iter().filter(|(stem, there)| there.named && there.denied == 0 && new.get(*stem).is_some_and(|here| here.denied > 0));
    given_up.map(|(stem, _)| (*stem).to_owned()).collect()
}
