//! Code that a text speaks of: paths, places in stack traces and names in back-ticks, held against what a repository has.
//! Only what can be one thing becomes an anchor.

#[cfg(test)]
mod tests;

use crate::model::code::{File, Symbol, leaf};
use std::collections::{BTreeSet, HashMap};

/// Of a long text the beginning says what it is about.
const LONGEST: usize = 20_000;
const MOST_MENTIONS: usize = 24;
/// A memory that hangs on everything hangs on nothing.
pub const MOST: usize = 6;

/// Something in a text that may be code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mention {
    /// `auth/service.py`, `src/lib.rs:42`, `File "/srv/app/auth/service.py", line 42`.
    Place { path: String, line: Option<u32> },
    /// `Session.open()`, with dots between its parts.
    Name(String),
}

/// A file, and a symbol in it where one is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    pub path: String,
    pub symbol: Option<String>,
}

pub fn mentions(text: &str) -> Vec<Mention> {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let mut found: Vec<Mention> = Vec::new();
    let mut add = |mention: Mention| {
        if found.len() < MOST_MENTIONS && !found.contains(&mention) {
            found.push(mention);
        }
    };
    for (n, piece) in text.split('`').enumerate() {
        if n % 2 == 1
            && !piece.contains('\n')
            && let Some(name) = name(piece)
        {
            add(Mention::Name(name));
        }
    }
    for line in text.lines() {
        // Python puts the line behind a comma.
        let behind = line.split_once("\", line ").and_then(|(_, rest)| number(rest));
        for word in line.split(|c: char| c.is_whitespace() || "`\"'()[]{}<>,;|".contains(c)) {
            if let Some((path, at)) = path(word) {
                add(Mention::Place { path, line: at.or(behind) });
            }
        }
    }
    found
}

/// What the files must be found by: ends of paths, and last parts of names.
pub fn sought(mentions: &[Mention]) -> (Vec<String>, Vec<String>) {
    let (mut paths, mut names) = (Vec::new(), Vec::new());
    for mention in mentions {
        match mention {
            Mention::Place { path, .. } => paths.push(path.clone()),
            Mention::Name(name) => names.push(leaf(name).to_owned()),
        }
    }
    (paths, names)
}

/// Whether a path that somebody wrote means this file: the same, its end, or with more in front of it.
pub fn means(written: &str, file: &str) -> bool {
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|before| before.ends_with('/'));
    written == file || ends(file, written) || ends(written, file)
}

/// Files that many texts may speak of, by the names in them.
pub struct Likely<'a> {
    files: Vec<&'a File>,
    by_name: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Likely<'a> {
    pub fn of(files: impl Iterator<Item = &'a File>) -> Self {
        let files: Vec<&File> = files.collect();
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (n, file) in files.iter().enumerate() {
            let mut names: Vec<&str> = file.symbols.iter().map(Symbol::leaf).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                by_name.entry(name).or_default().push(n);
            }
        }
        Self { files, by_name }
    }

    /// Those that one of the mentions may be, or something in them; by their places among all.
    pub fn to(&self, mentions: &[Mention]) -> BTreeSet<usize> {
        let mut places = BTreeSet::new();
        for mention in mentions {
            match mention {
                Mention::Name(name) => places.extend(self.by_name.get(leaf(name)).into_iter().flatten()),
                Mention::Place { path, .. } => {
                    places.extend(self.files.iter().enumerate().filter(|(_, file)| means(path, &file.path)).map(|(n, _)| n));
                }
            }
        }
        places
    }
}

/// The mentions that can mean one thing only, in the order of the text; a symbol rather than its file.
pub fn resolve(mentions: &[Mention], files: &[&File]) -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    for mention in mentions {
        let one = match mention {
            Mention::Place { path, line } => {
                only(files.iter().filter(|file| means(path, &file.path)), |file| file.path == *path).map(|file| Named {
                    path: file.path.clone(),
                    symbol: line.and_then(|line| file.at_line(line)).map(|one| one.name.clone()),
                })
            }
            Mention::Name(name) => {
                let fits = |own: &str| own == name || own.strip_suffix(name.as_str()).is_some_and(|before| before.ends_with('.'));
                let all = files.iter().flat_map(|file| file.symbols.iter().filter(|one| fits(&one.name)).map(move |one| (file, one)));
                only(all, |_| false).map(|(file, one)| Named { path: file.path.clone(), symbol: Some(one.name.clone()) })
            }
        };
        named.extend(one.filter(|one| !named.contains(one)));
    }
    let of_symbols: Vec<String> = named.iter().filter(|one| one.symbol.is_some()).map(|one| one.path.clone()).collect();
    named.retain(|one| one.symbol.is_some() || !of_symbols.contains(&one.path));
    named.truncate(MOST);
    named
}

fn only<T: Copy>(found: impl Iterator<Item = T>, exactly: impl Fn(T) -> bool) -> Option<T> {
    let all: Vec<T> = found.take(50).collect();
    match all[..] {
        [one] => Some(one),
        _ => all.into_iter().find(|one| exactly(*one)),
    }
}

/// A word that looks like a file, and the line behind it.
fn path(word: &str) -> Option<(String, Option<u32>)> {
    let word = word.trim_matches(|c: char| ".:!?*".contains(c) && c != '.').trim_end_matches('.');
    if word.len() > 400 || word.contains("://") {
        return None;
    }
    let (path, line) = match word.split_once(':').or_else(|| word.split_once("#L")) {
        Some((path, rest)) => (path, number(rest)),
        None => (word, None),
    };
    let path = path.trim_start_matches("./").replace('\\', "/");
    let (stem, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
    let fits = !stem.is_empty()
        && (1..=6).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
        && stem.chars().all(|c| c.is_alphanumeric() || "-_.@+".contains(c));
    // A bare `service.py` may be a file, `e.g` is none.
    let telling = path.contains('/') || line.is_some() || (stem.len() > 2 && !stem.contains('.'));
    (fits && telling).then_some((path, line))
}

/// What stands in back-ticks and looks like a symbol that somebody would look for.
fn name(piece: &str) -> Option<String> {
    let piece = piece.trim();
    let (bare, called) = match piece.split_once('(') {
        Some((bare, rest)) if rest.ends_with(')') => (bare, true),
        Some(_) => return None,
        None => (piece, false),
    };
    let name = bare.trim_end_matches('!').replace("::", ".").replace("->", ".").replace('#', ".");
    let word = |part: &str| {
        part.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    if name.len() > 200 || !name.split('.').all(word) {
        return None;
    }
    let own = leaf(&name);
    let telling = called || name.contains('.') || own.contains('_') || own.chars().skip(1).any(char::is_uppercase) || own.len() >= 8;
    (own.len() >= 3 && telling).then_some(name)
}

fn number(text: &str) -> Option<u32> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|line| *line > 0)
}
