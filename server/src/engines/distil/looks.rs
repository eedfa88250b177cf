//! Commands that are reads, edits and searches by another name: `rg parse_config src`, `sed -n 1,80p a.rs`, `sed -i … a.rs`.

use super::{shell::Simple, text::each};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look<'a> {
    Search(&'a str),
    Read(&'a str),
    Edit(&'a str),
}

const SEARCHING: &str = "rg|grep|egrep|ag|ack";
const READING: &str = "cat|bat|head|tail|nl|less|more|sed";
/// Flags of these programs that take the next word with them.
const TAKING: &str = "-A|-B|-C|-m|-g|-t|-n|-c|--glob|--type|--include|--exclude|--context|--max-count|-T|--exclude-dir";

/// What a command looked at, if that is all it did.
pub fn look(parts: &[Simple]) -> Option<Look<'_>> {
    let mut parts = parts.iter().filter(|part| part.words.first().is_none_or(|program| program != "cd"));
    let words: Vec<&str> = parts.next()?.words.iter().map(String::as_str).collect();
    let (program, rest) = match words.as_slice() {
        ["git", "grep", rest @ ..] => ("grep", rest),
        [program, rest @ ..] => (*program, rest),
        [] => return None,
    };
    if each(SEARCHING).any(|name| name == program) {
        return positional(rest).map(Look::Search);
    }
    if !each(READING).any(|name| name == program) {
        return None;
    }
    let edits = program == "sed" && rest.iter().any(|word| word.starts_with("-i") || *word == "--in-place");
    // The script of `sed` comes first, and a pipe may feed it.
    let file = if program == "sed" { sed_file(rest)? } else { positional(rest)? };
    is_file(file).then_some(if edits { Look::Edit(file) } else { Look::Read(file) })
}

/// The first word that is no flag and belongs to none.
fn positional<'a>(words: &[&'a str]) -> Option<&'a str> {
    let taken = |index: usize| index > 0 && each(TAKING).any(|flag| flag == words[index - 1]);
    words.iter().enumerate().find(|(index, word)| !word.starts_with('-') && !taken(*index)).map(|(_, word)| *word)
}

/// The last word of `sed`, if there is one besides its script.
fn sed_file<'a>(words: &[&'a str]) -> Option<&'a str> {
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).collect();
    plain.last().copied().filter(|_| plain.len() > 1)
}

fn is_file(word: &str) -> bool {
    word.contains('.')
        && !word.ends_with('/')
        && !word.contains(['*', '$', '{'])
        && !word.starts_with("/dev/")
        && !word.starts_with("/tmp/")
}
