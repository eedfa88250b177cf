//! The passage of a long text that speaks most of a question, cut where sentences or lines end.

use super::words::{Splitting, Words};
use hashbrown::{HashMap, HashSet};
use std::{borrow::Cow, ops::Range};

/// A text up to this long is its own excerpt.
const SHORT: usize = 120;
/// How long a passage may become, in words.
const LONGEST: usize = 100;
/// A sentence longer than this is cut between words.
const LONGEST_PIECE: usize = 40;
/// Of a very long text the beginning is read.
const READ: usize = 32 * 1024;

/// Looks for what one question asks, in any number of texts.
pub struct Seeker {
    asked: HashMap<String, usize>,
    words: Words,
}

impl Seeker {
    pub fn of(query: &str) -> Self {
        let mut asked: HashMap<String, usize> = HashMap::new();
        Words::of_questions(Splitting::Split).each(&query[..query.floor_char_boundary(4096)], &mut |term, _| {
            let next = asked.len();
            asked.entry_ref(term).or_insert(next);
        });
        Self { asked, words: Words::of_texts(Splitting::Split) }
    }

    /// Where in the text the best passage lies: at most some hundred words, and all of a short text.
    pub fn passage(&mut self, text: &str) -> Range<usize> {
        // Fewer signs than words are allowed: there is nothing to count.
        if text.len() <= SHORT {
            return 0..text.len();
        }
        let end = text.floor_char_boundary(READ);
        let pieces = pieces(&text[..end]);
        if end == text.len() && pieces.iter().map(|piece| piece.words).sum::<usize>() <= SHORT {
            return 0..text.len();
        }
        best(&pieces, &self.hits(text, &pieces))
    }

    /// Per piece the asked terms it says, with their worth: a term that is everywhere in the text tells no passage from another.
    fn hits(&mut self, text: &str, pieces: &[Piece]) -> Vec<Vec<(usize, f32)>> {
        let (asked, words) = (&self.asked, &mut self.words);
        let said: Vec<HashSet<usize>> = pieces
            .iter()
            .map(|piece| {
                let mut said = HashSet::new();
                words.each(&text[piece.place.clone()], &mut |term, _| said.extend(asked.get(term)));
                said
            })
            .collect();
        let mut spread = vec![0.0_f32; asked.len()];
        said.iter().flatten().for_each(|term| spread[*term] += 1.0);
        said.iter().map(|said| said.iter().map(|term| (*term, 1.0 / spread[*term].sqrt())).collect()).collect()
    }
}

/// The passage with dots where something was left out; nothing when the text has no such place.
pub fn cut(text: &str, place: Range<usize>) -> Cow<'_, str> {
    if place == (0..text.len()) {
        return text.into();
    }
    let Some(passage) = text.get(place.clone()).map(str::trim) else { return "".into() };
    let (before, after) = (!text[..place.start].trim().is_empty(), !text[place.end..].trim().is_empty());
    match (before, after) {
        (false, false) => passage.into(),
        (true, false) => format!("… {passage}").into(),
        (false, true) => format!("{passage} …").into(),
        (true, true) => format!("… {passage} …").into(),
    }
}

struct Piece {
    place: Range<usize>,
    words: usize,
}

/// Lines and sentences, long ones cut between words.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut start, mut words, mut signs, mut in_word) = (0, 0, 0, false);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        words += usize::from(!in_word && !c.is_whitespace());
        in_word = !c.is_whitespace();
        signs += 1;
        let next_is_space = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        // Six signs are a word where there are no spaces.
        let size = words.max(signs / 12);
        let ends = c == '\n' || matches!(c, '。' | '！' | '？') || (matches!(c, '.' | '!' | '?') && next_is_space);
        if ends || (size >= LONGEST_PIECE && (next_is_space || signs >= LONGEST_PIECE * 12)) {
            pieces.push(Piece { place: start..end, words: size });
            (start, words, signs, in_word) = (end, 0, 0, false);
        }
    }
    if start < text.len() {
        pieces.push(Piece { place: start..text.len(), words: words.max(signs / 12) });
    }
    pieces
}

/// The run of pieces that says most of what is asked; the first of equals, and the beginning when nothing is said.
fn best(pieces: &[Piece], hits: &[Vec<(usize, f32)>]) -> Range<usize> {
    let mut best = (0.0_f32, 0..0);
    for first in 0..pieces.len() {
        let (mut worth, mut words, mut last) = (0.0_f32, 0, first);
        let mut seen = HashSet::new();
        for at in first..pieces.len() {
            words += pieces[at].words;
            if words > LONGEST && at > first {
                break;
            }
            last = at;
            // Saying it again is worth something, but less.
            worth += hits[at].iter().map(|(term, value)| if seen.insert(*term) { *value } else { value / 4.0 }).sum::<f32>();
        }
        if worth > best.0 || best.1.is_empty() {
            best = (worth, pieces[first].place.start..pieces[last].place.end);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt<'t>(text: &'t str, query: &str) -> Cow<'t, str> {
        cut(text, Seeker::of(query).passage(text))
    }

    fn long() -> String {
        let mut text = "The service speaks to many others and nobody remembers why.\n".repeat(40);
        text.push_str("Tokens are signed with RS256, because the gateway has no shared secret.\n");
        text.push_str(&"After that the meeting went on about lunch and other plans. ".repeat(40));
        text
    }

    #[test]
    fn a_short_text_comes_whole() {
        assert_eq!(excerpt("Deploys are frozen on Fridays.", "when?"), "Deploys are frozen on Fridays.");
        assert_eq!(excerpt("", "when?"), "");
    }

    #[test]
    fn the_passage_that_answers_is_found() {
        let text = long();
        let passage = excerpt(&text, "which algorithm signs our tokens?");
        assert!(passage.contains("RS256"), "{passage}");
        assert!(passage.starts_with('…') && passage.ends_with('…'), "{passage}");
        assert!(passage.split_whitespace().count() <= LONGEST + 2, "{passage}");
    }

    #[test]
    fn without_a_match_it_is_the_beginning() {
        let text = long();
        assert!(excerpt(&text, "zebra").starts_with("The service speaks"));
    }

    #[test]
    fn text_without_spaces_or_sentences_is_cut_too() {
        let text = "漢".repeat(30_000);
        assert!(excerpt(&text, "漢字").chars().count() < 2000);
        let text = "x".repeat(100_000);
        assert!(excerpt(&text, "x").chars().count() < 2000);
    }
}
