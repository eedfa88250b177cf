//! The tokens of a text as the model knows them: lower-casing BERT WordPiece, letter for letter as its makers cut them.

use rustc_hash::FxHashMap;
use unicode_normalization::char::decompose_canonical;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// A longer word is no word to the model.
const LONGEST_WORD: usize = 100;

/// Stands in the place of a word that the vocabulary cannot spell; it means nothing and is left out.
const UNKNOWN: &str = "[UNK]";

/// Every token with its number: those that begin a word and those that go on with it.
pub struct Vocabulary {
    beginning: FxHashMap<&'static str, u16>,
    continuing: FxHashMap<&'static str, u16>,
    longest: usize,
    count: usize,
}

impl Vocabulary {
    /// From a token per line in the order of their numbers, `##` before those that go on with a word.
    pub fn of(lines: &'static str) -> Option<Self> {
        let mut vocabulary = Self { beginning: FxHashMap::default(), continuing: FxHashMap::default(), longest: 0, count: 0 };
        for (number, token) in lines.split_terminator('\n').enumerate() {
            let number = u16::try_from(number).ok()?;
            match token.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => vocabulary.continuing.insert(rest, number),
                _ if token == UNKNOWN => None,
                _ => vocabulary.beginning.insert(token, number),
            };
            vocabulary.longest = vocabulary.longest.max(token.len());
            vocabulary.count += 1;
        }
        Some(vocabulary)
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// The known tokens of a text, in order, at most `most` of them.
    pub fn tokens(&self, text: &str, most: usize) -> Vec<u16> {
        let mut found = Found { vocabulary: self, tokens: Vec::with_capacity((text.len() / 4).min(most)), word: String::new(), letters: 0 };
        for letter in text.chars() {
            if found.tokens.len() >= most {
                break;
            }
            if letter.is_ascii() { found.ascii(letter) } else { found.letter(letter) }
        }
        found.end_of_word();
        found.tokens.truncate(most);
        found.tokens
    }
}

/// A text being read: what was found, and the word at hand.
struct Found<'a> {
    vocabulary: &'a Vocabulary,
    tokens: Vec<u16>,
    word: String,
    letters: usize,
}

impl Found<'_> {
    fn ascii(&mut self, letter: char) {
        match letter {
            'a'..='z' | '0'..='9' => self.push(letter),
            'A'..='Z' => self.push(letter.to_ascii_lowercase()),
            '\t' | '\n' | '\r' | ' ' => self.end_of_word(),
            _ if letter.is_ascii_control() => {}
            _ => self.alone(letter),
        }
    }

    /// Beyond ASCII: signs that nobody sees and accents are dropped, ideographs and punctuation stand alone.
    fn letter(&mut self, letter: char) {
        if is_invisible(letter) {
        } else if letter.is_whitespace() {
            self.end_of_word();
        } else if is_ideograph(letter) {
            self.end_of_word();
            self.parts(letter);
            self.end_of_word();
        } else {
            self.parts(letter);
        }
    }

    fn parts(&mut self, letter: char) {
        decompose_canonical(letter, |part| {
            if part.general_category() == GeneralCategory::NonspacingMark {
                return;
            }
            for part in part.to_lowercase() {
                if part.is_whitespace() {
                    self.end_of_word();
                } else if part.is_ascii_punctuation() || part.general_category_group() == GeneralCategoryGroup::Punctuation {
                    self.alone(part);
                } else {
                    self.push(part);
                }
            }
        });
    }

    fn alone(&mut self, letter: char) {
        self.end_of_word();
        self.push(letter);
        self.end_of_word();
    }

    fn push(&mut self, letter: char) {
        // Beyond the longest word only the count matters.
        if self.letters < LONGEST_WORD {
            self.word.push(letter);
        }
        self.letters += 1;
    }

    /// The fewest, longest pieces from the left; a word that cannot be spelled to its end leaves nothing.
    fn end_of_word(&mut self) {
        let known_before = self.tokens.len();
        let mut rest = if self.letters <= LONGEST_WORD { self.word.as_str() } else { "" };
        let mut pieces = &self.vocabulary.beginning;
        while !rest.is_empty() {
            let longest = rest.floor_char_boundary(self.vocabulary.longest);
            let piece = (1..=longest).rev().find_map(|end| Some((pieces.get(rest.get(..end)?)?, end)));
            let Some((token, end)) = piece else {
                self.tokens.truncate(known_before);
                break;
            };
            self.tokens.push(*token);
            rest = &rest[end..];
            pieces = &self.vocabulary.continuing;
        }
        self.word.clear();
        self.letters = 0;
    }
}

fn is_invisible(letter: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    letter == char::REPLACEMENT_CHARACTER || matches!(letter.general_category(), Control | Format | PrivateUse)
}

/// The blocks that the model's makers set apart; kana and Hangul are not among them.
fn is_ideograph(letter: char) -> bool {
    matches!(letter,
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B73F}' | '\u{2B740}'..='\u{2B81F}' | '\u{2B920}'..='\u{2CEAF}' | '\u{2F800}'..='\u{2FA1F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&'static str> {
        let lines = "[UNK]\n!\na\nde\n##ploy\n##p\n##loy\ndeploy\n##s\n字\ncafe\n[\ncls\n]";
        let vocabulary = Vocabulary::of(lines).unwrap();
        vocabulary.tokens(text, usize::MAX).into_iter().filter_map(|token| lines.lines().nth(token.into())).collect()
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces_from_the_left() {
        assert_eq!(pieces("Deploys a DEPLOY!"), ["deploy", "##s", "a", "deploy", "!"]);
    }

    #[test]
    fn a_word_that_cannot_be_spelled_leaves_nothing_of_itself() {
        assert_eq!(pieces("deployx a"), ["a"]);
        assert_eq!(pieces(&format!("{} a", "a".repeat(101))), ["a"]);
    }

    #[test]
    fn accents_and_what_nobody_sees_are_dropped() {
        assert_eq!(pieces("caf\u{e9} cafe\u{301} ca\u{200b}fe ca\u{0}fe"), ["cafe"; 4]);
    }

    #[test]
    fn ideographs_and_signs_stand_alone() {
        assert_eq!(pieces("a字a!!"), ["a", "字", "a", "!", "!"]);
    }

    #[test]
    fn a_text_cannot_name_the_special_tokens() {
        assert_eq!(pieces("[CLS]"), ["[", "cls", "]"]);
        assert!(pieces("[UNK]").iter().all(|piece| *piece != UNKNOWN));
    }

    #[test]
    fn no_more_tokens_than_asked_for() {
        let vocabulary = Vocabulary::of("a\nde\n##ploy").unwrap();
        assert_eq!(vocabulary.tokens("a deploy a", 2), [0, 1]);
        assert!(vocabulary.tokens("a deploy a", 0).is_empty());
    }
}
