//! Texts made comparable: lower case, straight apostrophes, words between single spaces; and phrases to look for in them.

use super::Class;
use std::collections::HashMap;

/// Lower case with straight apostrophes.
pub fn lowered(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|sign| if matches!(sign, '’' | '‘' | '`') { '\'' } else { sign }).collect()
}

pub use crate::engines::phrases::{begins, says, spaced};

/// Lists of phrases, found by their first word; an earlier list comes before a later one.
pub struct Phrases(HashMap<&'static str, Vec<(usize, Class, &'static str)>>);

impl Phrases {
    pub fn of(lists: &'static [(Class, &'static str)]) -> Self {
        let mut phrases = Self(HashMap::new());
        for (place, (class, list)) in lists.iter().enumerate() {
            for phrase in list.split(", ") {
                let first = phrase.split(' ').next().unwrap_or(phrase);
                phrases.0.entry(first).or_default().push((place, *class, phrase));
            }
        }
        phrases
    }

    /// The first list with a phrase at the start of spaced words.
    pub fn here(&self, said: &str) -> Option<(usize, Class)> {
        let word = said.get(1..)?.split(' ').next()?;
        let fits = self.0.get(word)?.iter().filter(|(_, _, phrase)| begins(said, phrase));
        fits.map(|(place, class, _)| (*place, *class)).min_by_key(|(place, _)| *place)
    }

    /// The first list with a phrase anywhere in spaced words.
    pub fn anywhere(&self, said: &str) -> Option<Class> {
        said.match_indices(' ').filter_map(|(at, _)| self.here(&said[at..])).min_by_key(|(place, _)| *place).map(|(_, class)| class)
    }
}
