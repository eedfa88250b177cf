//! One file or symbol: what is in it, what is known about it, and what goes together with it.

use super::{Chosen, Ropes, Tally, place, split, way};
use crate::{Chrome, memories::Row};
use askama::Template;

#[derive(Clone, Debug, Template)]
#[template(path = "code/show.html")]
pub struct Show {
    pub chrome: Chrome,
    pub chosen: Chosen,
    pub path: String,
    /// The symbol that is looked at, by its whole name; empty for the file.
    pub symbol: String,
    /// In the order of lines; `None` where the snapshot does not have the file.
    pub symbols: Option<Vec<Symbol>>,
    /// How many there are; more than are shown on one page.
    pub symbol_count: usize,
    /// The first symbol shown, from 0.
    pub from: usize,
    /// Those that hang here, judged on this branch; those on the symbol first.
    pub memories: Vec<Row>,
    /// How many hang on the file; `None` while the workspace is being counted for the first time.
    pub all: Option<Tally>,
    pub ropes: Ropes,
    /// Other places that the same memories hang on: path, symbol, how many memories.
    pub named_with: Vec<(String, Option<String>, usize)>,
}

#[derive(Clone, Debug)]
pub struct Symbol {
    /// With what it lies in: `Session.open`.
    pub name: String,
    pub kind: String,
    pub start: u32,
    pub end: u32,
    pub tally: Tally,
}

impl Show {
    fn way(&self) -> Vec<(String, String)> {
        way(&self.path)
    }

    /// Another branch is opened at the same place.
    fn stays(&self) -> [(&'static str, &str); 2] {
        [("path", &self.path), ("symbol", &self.symbol)]
    }

    fn file(&self) -> &str {
        split(&self.path).1
    }

    fn title(&self) -> &str {
        if self.symbol.is_empty() { self.file() } else { &self.symbol }
    }

    fn shown(&self) -> Option<&Symbol> {
        self.symbols.as_ref()?.iter().find(|one| one.name == self.symbol)
    }

    fn count(&self) -> String {
        match self.symbol_count {
            1 => "1 symbol".to_owned(),
            n => format!("{} symbols", crate::number(n as u64)),
        }
    }

    fn to_file(&self) -> String {
        place(&self.chrome, &self.chosen.picture, &self.path, "")
    }

    fn to_symbol(&self, name: &str) -> String {
        place(&self.chrome, &self.chosen.picture, &self.path, name)
    }

    fn to(&self, path: &str, symbol: Option<&String>) -> String {
        place(&self.chrome, &self.chosen.picture, path, symbol.map_or("", String::as_str))
    }

    fn page(&self, from: usize) -> String {
        let base = self.to_symbol(&self.symbol);
        if from == 0 { base } else { format!("{base}&from={from}") }
    }

    fn next(&self) -> Option<String> {
        let end = self.from + self.symbols.as_ref().map_or(0, Vec::len);
        (end < self.symbol_count).then(|| self.page(end))
    }

    fn first(&self) -> Option<String> {
        (self.from > 0).then(|| self.page(0))
    }
}

impl Symbol {
    /// Its own name, and that of what it lies in.
    fn leaf(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// How deep it lies, as far as the page moves it in.
    fn depth(&self) -> usize {
        self.name.matches('.').count().min(3)
    }

    fn lines(&self) -> String {
        if self.start == self.end { format!("line {}", self.start) } else { format!("lines {}–{}", self.start, self.end) }
    }
}
