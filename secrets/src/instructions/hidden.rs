//! Text that a model reads and a person does not see.

const REASON: &str = "hides text in invisible characters";

/// So many in a row are no accident of typing, and no emoji.
const RUN: usize = 8;
/// No letter or emoji takes more than two selectors.
const SELECTORS: usize = 4;

pub(super) fn in_invisible_characters(text: &str) -> Option<&'static str> {
    if text.is_ascii() {
        return None;
    }
    let (mut run, mut selectors, mut tags, mut flag) = (0, 0, 0, false);
    let (mut turned, mut right_to_left) = (false, false);
    for letter in text.chars() {
        run = if invisible(letter) { run + 1 } else { 0 };
        selectors = if selector(letter) { selectors + 1 } else { 0 };
        // The flags of England, Scotland and Wales are a black flag and up to six tags.
        (flag, tags) = match letter {
            '\u{1F3F4}' => (true, 0),
            '\u{E0000}'..='\u{E007F}' => (flag, tags + 1),
            _ => (false, 0),
        };
        let overrides = matches!(letter, '\u{202D}' | '\u{202E}');
        turned |= matches!(letter, '\u{202A}' | '\u{202B}' | '\u{2066}'..='\u{2068}');
        right_to_left |= matches!(letter, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}');
        if overrides || run >= RUN || selectors >= SELECTORS || tags > if flag { 6 } else { 0 } {
            return Some(REASON);
        }
    }
    (turned && !right_to_left).then_some(REASON)
}

pub(super) fn invisible(letter: char) -> bool {
    matches!(letter, '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}')
}

fn selector(letter: char) -> bool {
    matches!(letter, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}
