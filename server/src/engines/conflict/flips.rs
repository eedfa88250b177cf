//! What one text affirms and the other denies: "never retry a capture", "captures are retried".

use super::{
    subject::{Said, Stances},
    synonyms,
    text::{Reading, Role, Word},
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

/// What the turned words are said of.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Of {
    /// Their clauses share more than these words: they turn the same claim.
    Same,
    /// "the web app has a dark mode", "mails have no dark mode".
    Others,
    #[default]
    Unknown,
}

pub fn said_of(flips: &Flips, old: &Reading, new: &Reading) -> Of {
    if flips.words.is_empty() {
        return Of::Unknown;
    }
    let (there, here) = (around(flips, old), around(flips, new));
    let has_own = |one: &[&Word], other: &Reading| one.iter().any(|word| !other.has_stem(&word.stem));
    let common = there.iter().any(|word| here.iter().any(|other| other.stem == word.stem));
    match () {
        () if common => Of::Same,
        () if has_own(&there, new) && has_own(&here, old) => Of::Others,
        () if flips.words.len() > 1 => Of::Same,
        () => Of::Unknown,
    }
}

/// The other telling words of the clauses in which a text speaks of the turned words.
fn around<'a>(flips: &Flips, reading: &'a Reading) -> Vec<&'a Word> {
    let content = reading.words.get(reading.title..).unwrap_or_default();
    let turned = |word: &Word| flips.words.contains(&word.stem);
    let clauses: Vec<usize> = content.iter().filter(|word| turned(word)).map(|word| word.clause).collect();
    let telling = |word: &&Word| matches!(word.role, Role::Content | Role::Name) && !word.part && !synonyms::is_generic(&word.stem);
    content.iter().filter(|word| clauses.contains(&word.clause) && !turned(word)).filter(telling).collect()
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
