//! How a text becomes terms: stemmed words, identifiers whole and split, bigrams where words have no spaces. Names no index.

use super::{irregular::plain_form, stop_words::is_stop_word};
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Longer ones are keys, hashes and noise: nobody asks for them, and each would be a term of its own.
const LONGEST_TERM: usize = 64;
/// A minified file is one word to a walker by spaces.
const LONGEST_SPAN: usize = 512;

/// What a term is to the text it was found in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A word, a number, an identifier that has no parts.
    Word,
    /// A part of an identifier, a path or a compound.
    Part,
    /// An identifier, a path or a compound as it was written, beside its parts: it adds nothing to the length.
    Whole,
}

/// Whether identifiers are split too; without it they stand as they are written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Splitting {
    #[default]
    Split,
    Off,
}

/// Walks a text and hands out its terms, folded and stemmed, without stop words.
pub struct Words {
    stemmer: Stemmer,
    splitting: Splitting,
    /// A question asks for one sign only when it has only one; a text answers to both.
    asking: bool,
    lower: String,
}

impl Words {
    pub fn of_texts(splitting: Splitting) -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), splitting, asking: false, lower: String::new() }
    }

    pub fn of_questions(splitting: Splitting) -> Self {
        Self { asking: true, ..Self::of_texts(splitting) }
    }

    pub fn each(&mut self, text: &str, found: &mut dyn FnMut(&str, Role)) {
        let mut rest = text;
        while let Some(start) = rest.find(begins) {
            rest = &rest[start..];
            let end = span(rest);
            let (raw, after) = rest.split_at(end);
            // C++, C#, F#: the sign is the name.
            if raw.len() <= 2 && raw.bytes().all(|b| b.is_ascii_alphabetic()) {
                let sign = if after.starts_with("++") { 2 } else { usize::from(after.starts_with('#')) };
                if sign > 0 && !after[sign..].starts_with(begins) {
                    let name = rest[..end + sign].to_ascii_lowercase();
                    found(&name, Role::Word);
                    rest = &after[sign..];
                    continue;
                }
            }
            rest = contraction(after);
            if raw.len() <= LONGEST_SPAN {
                self.span(raw, found);
            }
        }
    }

    fn span(&mut self, raw: &str, found: &mut dyn FnMut(&str, Role)) {
        if raw.is_ascii() {
            return self.spaced(raw, found);
        }
        let folded = fold(raw);
        let mut rest = folded.as_ref();
        while let Some(first) = rest.chars().next() {
            let unspaced = is_unspaced(first);
            let end = rest.find(|c| is_unspaced(c) != unspaced && !is_combining_mark(c)).unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            if unspaced {
                self.grams(run, found);
            } else if is_picture(first) {
                run.chars().filter(|c| is_picture(*c)).for_each(|c| found(c.encode_utf8(&mut [0; 4]), Role::Word));
            } else {
                self.spaced(run.trim_matches(is_connector), found);
            }
            rest = after;
        }
    }

    /// Signs of a script without spaces, two by two.
    fn grams(&self, run: &str, found: &mut dyn FnMut(&str, Role)) {
        let ends: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
        if !self.asking || ends.len() == 2 {
            let role = if ends.len() == 2 { Role::Word } else { Role::Whole };
            ends.windows(2).for_each(|at| found(&run[at[0]..at[1]], role));
        }
        ends.windows(3).for_each(|at| found(&run[at[0]..at[2]], Role::Word));
    }

    /// One run of letters, digits and what binds them: a word, or something that a programmer would call a name.
    fn spaced(&mut self, text: &str, found: &mut dyn FnMut(&str, Role)) {
        let mut segments = text.split(is_connector).filter(|segment| !segment.is_empty());
        let (Some(first), second) = (segments.next(), segments.next()) else { return };
        if second.is_none() {
            return self.name(first, Role::Word, found);
        }
        let numeric = text.chars().all(|c| !c.is_alphabetic());
        if numeric && text.chars().all(|c| c == ',' || !is_connector(c)) {
            return self.whole(text, Role::Word, found);
        }
        if self.splitting == Splitting::Split || numeric {
            self.wholes(text, if numeric { Role::Word } else { Role::Whole }, found);
        }
        if numeric {
            // 2026-10-03, 192.168.0.1, 8080:80: what is long enough to be asked for alone.
            return text.split(is_connector).filter(|part| part.len() >= 3).for_each(|part| self.plain(part, Role::Part, found));
        }
        for segment in text.split(is_connector).filter(|segment| !segment.is_empty()) {
            self.name(segment, Role::Part, found);
        }
    }

    /// A compound as it was written; without the line after a file's name; and the file's name without its folders.
    fn wholes(&mut self, text: &str, role: Role, found: &mut dyn FnMut(&str, Role)) {
        let file = match text.rsplit_once(':') {
            Some((file, line)) if file.contains(['/', '.']) && line.bytes().all(|b| b.is_ascii_digit()) => file.trim_end_matches(':'),
            _ => text,
        };
        let file = file.split_once("://").map_or(file, |(_, after)| after);
        self.whole(file, role, found);
        if let Some((_, name)) = file.rsplit_once(['/', '\\'])
            && name.contains(is_connector)
        {
            self.whole(name, Role::Whole, found);
        }
        if let Some(version) = file.strip_prefix(['v', 'V'])
            && version.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        {
            self.whole(version, Role::Whole, found);
        }
    }

    fn whole(&mut self, text: &str, role: Role, found: &mut dyn FnMut(&str, Role)) {
        if text.len() <= LONGEST_TERM {
            lower_into(&mut self.lower, text);
            found(&self.lower, role);
        }
    }

    /// What has no connectors: `word`, `snake_case`, `RetryPolicy`, `E0277`.
    fn name(&mut self, text: &str, role: Role, found: &mut dyn FnMut(&str, Role)) {
        let text = text.trim_matches('_');
        if is_plain(text) || self.splitting == Splitting::Off {
            return self.plain(text, role, found);
        }
        let mut parts = 0;
        humps(text, &mut |part| {
            parts += 1;
            self.plain(part, Role::Part, found);
        });
        self.plain(text, if parts > 0 { Role::Whole } else { role }, found);
    }

    fn plain(&mut self, text: &str, role: Role, found: &mut dyn FnMut(&str, Role)) {
        if text.is_empty() || text.len() > LONGEST_TERM {
            return;
        }
        lower_into(&mut self.lower, text);
        if is_stop_word(&self.lower) {
            return;
        }
        if self.lower.bytes().all(|b| b.is_ascii_lowercase()) {
            found(&self.stemmer.stem(plain_form(&self.lower)), role);
        } else {
            found(&self.lower, role);
        }
    }
}

/// Where the run that starts here ends, in bytes.
fn span(text: &str) -> usize {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if continues(c) {
            end = at + c.len_utf8();
            continue;
        }
        let after = &text[at + c.len_utf8()..];
        let bound = match c {
            ':' if after.starts_with("//") => 3,
            ':' if after.starts_with(':') => 2,
            ',' => {
                // 1,000 is a number; a list without spaces is not.
                let digits = after.bytes().take_while(u8::is_ascii_digit).count();
                usize::from(digits == 3 && text[..at].ends_with(|c: char| c.is_ascii_digit()))
            }
            c => usize::from(is_connector(c)),
        };
        if bound == 0 || !text[at + bound..].starts_with(begins) {
            break;
        }
        for _ in 1..bound {
            chars.next();
        }
    }
    end
}

/// What follows a word in English and carries nothing: `'s`, `'t`, `'ll`.
fn contraction(after: &str) -> &str {
    let Some(suffix) = after.strip_prefix(['\'', '’']) else { return after };
    let end = suffix.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(suffix.len());
    let known = ["s", "t", "re", "ve", "ll", "d", "m"].iter().any(|known| suffix[..end].eq_ignore_ascii_case(known));
    if known && !suffix[end..].starts_with(continues) { &suffix[end..] } else { after }
}

fn begins(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_picture(c)
}

fn continues(c: char) -> bool {
    begins(c) || (!c.is_ascii() && is_combining_mark(c))
}

fn is_connector(c: char) -> bool {
    matches!(c, '.' | '-' | '/' | ':' | '@' | '\\' | ',')
}

/// Scripts that are written without spaces between the words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{2fdf}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3100}'..='\u{318f}' | '\u{31a0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_picture(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{1f300}'..='\u{1faff}')
}

/// Letters of one case pattern, or digits alone: nothing to split. `APIs` is a plural, not a hump.
fn is_plain(text: &str) -> bool {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return true;
    }
    let letters = text.strip_suffix('s').filter(|rest| rest.len() > 1 && rest.chars().all(char::is_uppercase)).unwrap_or(text);
    letters.chars().all(|c| c.is_alphabetic() || is_combining_mark(c))
        && (letters.chars().skip(1).all(|c| !c.is_uppercase()) || letters.chars().all(|c| !c.is_lowercase()))
}

/// The parts of `authenticate_user`, `RetryPolicy`, `HTTPServer`, `python3`; none for `E0277`, which is one name.
fn humps(text: &str, part: &mut dyn FnMut(&str)) {
    for piece in text.split('_').filter(|piece| !piece.is_empty()) {
        let alone = piece.len() == text.len();
        let chars: Vec<(usize, char)> = piece.char_indices().collect();
        let mut start = 0;
        let mut cut = Vec::new();
        for (i, pair) in chars.windows(2).enumerate() {
            let (before, c) = (pair[0].1, pair[1].1);
            let next_is_lower = chars.get(i + 2).is_some_and(|(_, next)| next.is_lowercase());
            let hump = (c.is_uppercase() && (!before.is_uppercase() || next_is_lower) && before.is_alphabetic())
                || (c.is_alphabetic() != before.is_alphabetic() && !is_combining_mark(c));
            if hump {
                cut.push(&piece[start..pair[1].0]);
                start = pair[1].0;
            }
        }
        cut.push(&piece[start..]);
        let worth = |cut: &&str| if cut.starts_with(char::is_alphabetic) { cut.len() >= 2 } else { true };
        let short_name = cut.iter().any(|cut| !cut.starts_with(char::is_alphabetic))
            && cut.iter().filter(|cut| cut.starts_with(char::is_alphabetic)).all(|cut| cut.len() < 3);
        if cut.len() == 1 || short_name {
            if !alone {
                part(piece);
            }
        } else {
            cut.into_iter().filter(worth).for_each(&mut *part);
        }
    }
}

fn lower_into(lower: &mut String, text: &str) {
    lower.clear();
    if text.is_ascii() {
        lower.push_str(text);
        lower.make_ascii_lowercase();
        if lower.contains(',') {
            lower.retain(|c| c != ',');
        }
    } else {
        lower.extend(text.chars().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c }));
    }
}

/// One form for what people type differently: compatibility forms, accents of Latin, Greek and Cyrillic letters, ligatures.
fn fold(text: &str) -> Cow<'_, str> {
    let plain = text
        .chars()
        .all(|c| c.is_ascii() || (is_unspaced(c) && !('\u{ac00}'..='\u{d7ff}').contains(&c) && !('\u{f900}'..='\u{faff}').contains(&c)));
    if plain && !text.chars().any(is_combining_mark) {
        return text.into();
    }
    let bare = text.nfkd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).nfc();
    let mut folded = String::with_capacity(text.len());
    for c in bare {
        match c {
            'ß' | 'ẞ' => folded.push_str("ss"),
            'æ' | 'Æ' => folded.push_str("ae"),
            'œ' | 'Œ' => folded.push_str("oe"),
            'ø' | 'Ø' => folded.push('o'),
            'ł' | 'Ł' => folded.push('l'),
            'đ' | 'Đ' | 'ð' | 'Ð' => folded.push('d'),
            'þ' | 'Þ' => folded.push_str("th"),
            'ı' => folded.push('i'),
            c => folded.push(c),
        }
    }
    folded.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        Words::of_texts(Splitting::Split).each(text, &mut |term, _| terms.push(term.to_owned()));
        terms
    }

    fn asked(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        Words::of_questions(Splitting::Split).each(text, &mut |term, _| terms.push(term.to_owned()));
        terms
    }

    #[test]
    fn words_are_stemmed_and_stop_words_left_out() {
        assert_eq!(terms("The users' deployments don't fail; what's failing?"), ["user", "deploy", "fail", "fail"]);
    }

    #[test]
    fn identifiers_are_found_whole_and_split() {
        assert_eq!(terms("authenticate_user"), ["authent", "user", "authenticate_user"]);
        assert_eq!(terms("RetryPolicy"), ["retri", "polici", "retrypolici"]);
        assert_eq!(terms("HTTPServer"), ["http", "server", "httpserver"]);
        assert_eq!(terms("std::vec::Vec"), ["std::vec::vec", "std", "vec", "vec"]);
        assert_eq!(terms("python3"), ["python", "3", "python3"]);
        assert_eq!(terms("APIs"), ["api"]);
    }

    #[test]
    fn codes_versions_and_flags_stay_whole() {
        assert_eq!(terms("E0277"), ["e0277"]);
        assert_eq!(terms("v1.2.3"), ["v1.2.3", "1.2.3", "v1", "2", "3"]);
        assert_eq!(terms("1.2.3"), ["1.2.3"]);
        assert_eq!(terms("--dry-run"), ["dry-run", "dri", "run"]);
        assert_eq!(terms("C++ and C#, f#"), ["c++", "c#", "f#"]);
        assert_eq!(terms("costs 1,000 or 1,2"), ["cost", "1000", "1", "2"]);
    }

    #[test]
    fn a_path_is_found_by_itself_its_file_and_its_words() {
        assert_eq!(terms("auth/service.py:42"), ["auth/service.py", "service.py", "auth", "servic", "py", "42"]);
    }

    #[test]
    fn what_is_split_in_a_text_is_found_by_the_same_words_in_a_question() {
        for (text, question) in
            [("authenticateUser", "authenticate_user"), ("SQLite-Vec", "sqlite-vec"), ("SQLite", "sqlite"), ("Café", "cafe")]
        {
            let (text, question) = (terms(text), asked(question));
            assert!(question.iter().any(|term| text.contains(term)), "{text:?} {question:?}");
        }
    }

    #[test]
    fn accents_and_widths_are_folded_but_letters_of_other_scripts_stay() {
        assert_eq!(terms("Crème Straße ｆｕｌｌ"), ["creme", "strass", "full"]);
        assert_eq!(terms("नमस्ते दुनिया"), ["नमस्ते", "दुनिया"]);
        assert_eq!(terms("שלום עולם"), ["שלום", "עולם"]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_in_pairs() {
        assert_eq!(asked("東京都"), ["東京", "京都"]);
        assert_eq!(asked("猫"), ["猫"]);
        assert!(terms("黒猫です").contains(&"猫".to_owned()));
        assert_eq!(asked("APIの設計"), ["api", "の設", "設計"]);
    }

    #[test]
    fn pictures_are_words_and_noise_is_none() {
        assert_eq!(terms("🚀 launch 🎉"), ["🚀", "launch", "🎉"]);
        assert_eq!(terms(&"x".repeat(100)), [""; 0]);
        assert_eq!(terms("'; -- (.*)+ [^a]"), [""; 0]);
    }
}
