//! A syntax tree into a stream of what counts, and the symbols found on the way. It goes with a cursor and a stack of its
//! own: the depth of a file is the file's choice.

use super::{
    Fingerprint, Kind, Language, Passed, Scanned, Symbol,
    languages::{Adjust, Found, Owner, Place, Rules, Text},
    literals,
    stream::Stream,
};
use std::{collections::HashMap, ops::Range};
use tree_sitter::{Node, Tree};

/// No person writes deeper than this.
const DEEPEST: usize = 5_000;
const LONGEST_NAME: usize = 400;
/// Of the bytes of a file, this part may be unreadable to its grammar.
const BROKEN: usize = 5;

pub fn walk(language: Language, tree: &Tree, text: &str) -> Result<Scanned, Passed> {
    let root = tree.root_node();
    if root.is_error() {
        return Err(Passed::HalfWritten);
    }
    let mut walker = Walker {
        rules: language.rules(),
        text,
        stream: Stream::default(),
        run: None,
        raw: false,
        frames: Vec::new(),
        open: Vec::new(),
        found: Vec::new(),
        functions: 0,
        unreadable: 0,
        torn: false,
    };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let mut inside = walker.enter(node, || cursor.field_name());
        if walker.frames.len() > DEEPEST {
            return Err(Passed::TooDeep);
        }
        if inside && !cursor.goto_first_child() {
            walker.leave();
            inside = false;
        }
        if inside {
            continue;
        }
        loop {
            if walker.frames.is_empty() {
                return walker.finish(language);
            }
            if cursor.goto_next_sibling() {
                break;
            }
            cursor.goto_parent();
            walker.leave();
        }
    }
}

struct Walker<'a> {
    rules: &'static Rules,
    text: &'a str,
    stream: Stream,
    /// Pieces of one string, until its end.
    run: Option<String>,
    /// The string we are in has no escapes.
    raw: bool,
    frames: Vec<Frame>,
    open: Vec<Open>,
    found: Vec<Piece>,
    /// Functions without a name that we are in, outside of every symbol.
    functions: usize,
    unreadable: usize,
    /// Where declarations are, something is missing or not understood: others may be lost with it.
    torn: bool,
}

/// A node that was entered.
struct Frame {
    kind: u16,
    at: usize,
    entered: bool,
    symbol: bool,
    role: Role,
    /// Attributes and decorators before whatever comes next.
    attributes: Option<Range<usize>>,
    /// Children whose order means nothing.
    sorted: Vec<u64>,
    starts: Vec<usize>,
    /// Children that count.
    children: usize,
    chain: Option<Chain>,
}

/// What an operator holds together that may be grouped in any way; in parentheses too.
#[derive(Clone, Copy)]
struct Chain {
    operator: u16,
    /// How often it stands there.
    links: usize,
    /// In this node itself, not only in what it begins with.
    own: bool,
    /// Its end is written already.
    closed: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Part,
    Name,
    Body,
}

/// A symbol that we are in.
struct Open {
    name: String,
    own: String,
    kind: Option<Kind>,
    owner: Owner,
    start: usize,
    name_id: usize,
    body_ids: [usize; 2],
    rest_is_body: bool,
    name_range: Range<usize>,
    body: Vec<Range<usize>>,
    lines: (u32, u32),
    /// Functions without a name between it and where we are.
    functions: usize,
    depth: usize,
}

/// One of those that may share a name.
struct Piece {
    name: String,
    kind: Kind,
    signature: Fingerprint,
    body: Fingerprint,
    shingles: Vec<u32>,
    lines: (u32, u32),
}

impl Walker<'_> {
    /// Whether to go inside.
    fn enter<'f>(&mut self, node: Node<'_>, field: impl FnOnce() -> Option<&'f str>) -> bool {
        let kind = node.kind_id();
        let rules = self.rules;
        let rule = rules.of(kind);
        if node.is_missing() {
            self.torn |= matches!(node.kind(), "}" | "end");
            return false;
        }
        if rule.skip {
            return false;
        }
        let parent = self.frames.last().map_or(0, |frame| frame.kind);
        if !node.is_named() {
            let mute = rule.punctuation || (rule.bar && rules.of(parent).mutes_bars);
            if !mute {
                self.plain_word(rule.word);
            }
            if rule.chains {
                self.links(kind);
            }
            return false;
        }
        if node.is_error() {
            self.unreadable += node.byte_range().len();
            self.torn |= self.open.last().is_none_or(|open| open.owner != Owner::Function);
        }
        let part = self.role(node.id());
        let mut through = rule.through;
        if rule.adjusted {
            let first = self.frames.last().is_none_or(|frame| frame.children == 0);
            match (rules.adjust)(node, field(), rules.name_of(parent), first, self.text) {
                Adjust::Nothing => {}
                Adjust::Skip => return false,
                Adjust::Through => through = true,
                Adjust::Words(words) => {
                    let at = self.here();
                    for word in words {
                        self.word(&word);
                    }
                    self.settle(rule.attribute, part, at);
                    return false;
                }
            }
        }
        if rule.text != Text::Leaves || node.child_count() == 0 {
            // The pieces of one string are one word, in however many quotes they are written.
            let piece = matches!(rule.text, Text::StartOfString | Text::PieceOfString);
            let at = if piece { self.stream.len() } else { self.here() };
            self.atom(rule.text, &self.text[node.byte_range()]);
            self.settle(rule.attribute, part, at);
            return false;
        }
        let flush = rule.text == Text::Leaves && !through;
        let at = if flush { self.here() } else { self.stream.len() };
        let symbol = rule.candidate && self.begins(node, at);
        if !through {
            self.stream.enter(rule.hash);
        }
        if rule.function && !symbol {
            *self.functions() += 1;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.starts.push(at);
        }
        self.frames.push(Frame {
            kind,
            at,
            entered: !through,
            symbol,
            role: part,
            attributes: None,
            sorted: Vec::new(),
            starts: Vec::new(),
            children: 0,
            chain: None,
        });
        true
    }

    fn leave(&mut self) {
        let Some(mut frame) = self.frames.pop() else { return };
        let rules = self.rules;
        let rule = rules.of(frame.kind);
        if frame.entered {
            self.flush();
        }
        if rule.orders && frame.starts.len() > 1 {
            let ends = frame.starts[1..].iter().copied().chain([self.stream.len()]);
            frame.sorted.extend(frame.starts.iter().zip(ends).map(|(start, end)| self.stream.folded(*start..end)));
            self.stream.cut(frame.starts[0]);
        }
        if !frame.sorted.is_empty() {
            frame.sorted.sort_unstable();
            for event in &frame.sorted {
                self.stream.raw(*event);
            }
        }
        if frame.entered {
            match self.stream.few(frame.at + 1) {
                0 if rule.drop_empty => self.stream.cut(frame.at),
                0 | 1 if rule.flat => self.stream.erase(frame.at),
                _ if rule.flat && self.frames.last().is_some_and(|parent| parent.kind == frame.kind) => self.stream.erase(frame.at),
                _ if frame.chain.is_some_and(|chain| chain.closed) => {}
                _ => self.stream.exit(),
            }
        }
        if let Some(chain) = frame.chain.filter(|chain| chain.own || !frame.entered) {
            self.hangs(chain, frame.at);
        }
        if rule.function && !frame.symbol {
            *self.functions() -= 1;
        }
        if frame.symbol {
            self.ends();
        }
        if rule.sorted && !frame.symbol && !self.frames.is_empty() {
            let before = self.frames.last_mut().and_then(|parent| parent.attributes.take());
            let from = before.map_or(frame.at, |range| range.start);
            let folded = self.stream.folded(from..self.stream.len());
            self.stream.cut(from);
            if let Some(parent) = self.frames.last_mut() {
                parent.sorted.push(folded);
                parent.starts.pop();
                parent.children += 1;
            }
            return;
        }
        self.settled(rule.attribute, frame.role, frame.at);
    }

    /// An operator stands between the sides of the node that we are in.
    fn links(&mut self, operator: u16) {
        let Some(frame) = self.frames.last_mut() else { return };
        let before = frame.chain.filter(|chain| chain.operator == operator).map_or(0, |chain| chain.links);
        frame.chain = Some(Chain { operator, links: before + 1, own: true, closed: false });
    }

    /// A chain is done that began here: it goes on in the node around it, or is its right side.
    fn hangs(&mut self, chain: Chain, at: usize) {
        let Some(frame) = self.frames.last_mut() else { return };
        match &mut frame.chain {
            Some(around) if around.own && around.operator == chain.operator => {
                around.links += chain.links;
                around.closed = true;
                self.stream.regroup(frame.at, at, chain.links);
            }
            Some(around) if around.own => {}
            carried => *carried = Some(Chain { own: !frame.entered && chain.own, closed: false, ..chain }),
        }
    }

    /// A child that is no frame is done: what it was for its parent and for its symbol.
    fn settle(&mut self, attribute: bool, role: Role, at: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.starts.push(at);
        }
        self.settled(attribute, role, at);
    }

    fn settled(&mut self, attribute: bool, role: Role, at: usize) {
        if role != Role::Part {
            self.flush();
        }
        let end = self.stream.len();
        if let Some(frame) = self.frames.last_mut() {
            frame.children += 1;
            frame.attributes = if attribute { Some(frame.attributes.take().map_or(at..end, |before| before.start..end)) } else { None };
        }
        let Some(open) = self.open.last_mut() else { return };
        match role {
            Role::Name => open.name_range = at..end,
            Role::Body => open.body.push(at..end),
            // Inside of a symbol's head, as in Java and C#.
            Role::Part if attribute && self.frames.iter().skip(open.depth + 1).all(|frame| frame.role != Role::Body) => {
                open.body.push(at..end);
            }
            Role::Part => {}
        }
    }

    fn role(&self, id: usize) -> Role {
        match self.open.last() {
            Some(open) if open.name_id == id => Role::Name,
            Some(open) if open.body_ids.contains(&id) => Role::Body,
            _ => Role::Part,
        }
    }

    fn functions(&mut self) -> &mut usize {
        self.open.last_mut().map_or(&mut self.functions, |open| &mut open.functions)
    }

    /// Whether a symbol begins here.
    fn begins(&mut self, node: Node<'_>, at: usize) -> bool {
        let last = self.open.last();
        let depth = self.frames.len();
        let place = Place {
            text: self.text,
            owner: last.map_or(Owner::Nobody, |open| open.owner),
            in_function: last.map_or(self.functions, |open| open.functions) > 0,
            direct: last.is_some_and(|open| depth == open.depth + 2),
        };
        let Some(Found { name, own, name_id, body_ids, rest_is_body, kind, owner }) = (self.rules.found)(node, &place) else {
            return false;
        };
        if name.is_empty() || name.len() > LONGEST_NAME || name.chars().any(unprintable) {
            return false;
        }
        let name = match last {
            Some(open) => format!("{}.{name}", open.name),
            None => name,
        };
        let attributes = self.frames.last_mut().and_then(|frame| frame.attributes.take());
        let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
        self.open.push(Open {
            name,
            own,
            kind,
            owner,
            start: at,
            name_id,
            body_ids,
            rest_is_body,
            name_range: at..at,
            body: attributes.into_iter().collect(),
            lines: (line(node.start_position().row), line(node.end_position().row)),
            functions: 0,
            depth,
        });
        true
    }

    fn ends(&mut self) {
        let Some(mut open) = self.open.pop() else { return };
        let Some(kind) = open.kind else { return };
        let end = self.stream.len();
        let (head, body) = if open.rest_is_body {
            (Vec::new(), without(open.start..end, std::slice::from_ref(&open.name_range)))
        } else {
            let mut taken: Vec<Range<usize>> = open.body.iter().filter(|range| range.start >= open.start).cloned().collect();
            taken.push(open.name_range.clone());
            (without(open.start..end, &taken), std::mem::take(&mut open.body))
        };
        if open.name.len() > LONGEST_NAME {
            return;
        }
        self.found.push(Piece {
            signature: self.stream.fingerprint(&head, &open.own),
            body: self.stream.fingerprint(&body, &open.own),
            shingles: if kind == Kind::Module { Vec::new() } else { self.stream.shingles(&body, &open.own) },
            name: open.name,
            kind,
            lines: open.lines,
        });
    }

    fn atom(&mut self, how: Text, text: &str) {
        match how {
            Text::Leaves if text.is_empty() => {}
            Text::Leaves => self.word(text),
            Text::Verbatim => self.word(&literals::verbatim(text)),
            Text::Quoted => self.word(&literals::quoted(text)),
            Text::Number => self.word(&literals::number(text)),
            Text::Float => self.word(&format!("{}f", literals::number(text))),
            Text::Collapsed => self.word(&literals::collapsed(text)),
            Text::Words => text.split_whitespace().for_each(|word| self.word(word)),
            Text::StartOfString => {
                let prefix = text.trim_end_matches(['"', '\'']).to_ascii_lowercase();
                self.raw = prefix.contains('r');
                if prefix.contains('b') {
                    self.word("b\"");
                }
            }
            Text::PieceOfString => {
                let piece = if self.raw { literals::verbatim(text).into_owned() } else { literals::cooked(text, true) };
                self.run.get_or_insert_default().push_str(&piece);
            }
        }
    }

    fn here(&mut self) -> usize {
        self.flush();
        self.stream.len()
    }

    fn word(&mut self, word: &str) {
        self.flush();
        self.stream.word(word);
    }

    fn plain_word(&mut self, word: u64) {
        self.flush();
        self.stream.raw(word);
    }

    fn flush(&mut self) {
        if let Some(run) = self.run.take() {
            self.stream.word(&literals::marked(&run));
        }
    }

    fn finish(self, language: Language) -> Result<Scanned, Passed> {
        // In C, a macro before a declaration is enough to be not understood.
        let torn = self.torn && !matches!(language, Language::C | Language::Cpp);
        if torn || self.unreadable * BROKEN > self.text.len() {
            return Err(Passed::HalfWritten);
        }
        let lines = u32::try_from(self.text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX);
        Ok(Scanned { digest: self.stream.digest(), symbols: merged(self.found), lines, passed: None })
    }
}

/// What no person sees is no part of a name that people use.
fn unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// What is left of a range.
fn without(range: Range<usize>, taken: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut taken: Vec<&Range<usize>> = taken.iter().filter(|taken| !taken.is_empty()).collect();
    taken.sort_unstable_by_key(|taken| taken.start);
    let mut left = Vec::new();
    let mut from = range.start;
    for taken in taken {
        if taken.start > from {
            left.push(from..taken.start.min(range.end));
        }
        from = from.max(taken.end);
    }
    if from < range.end {
        left.push(from..range.end);
    }
    left
}

/// One symbol per name, in the order of their lines.
fn merged(pieces: Vec<Piece>) -> Vec<Symbol> {
    let mut by_name: HashMap<String, Vec<Piece>> = HashMap::new();
    for piece in pieces {
        by_name.entry(piece.name.clone()).or_default().push(piece);
    }
    let mut symbols: Vec<Symbol> = by_name.into_iter().filter_map(|(name, pieces)| together(name, pieces)).collect();
    symbols.sort_unstable_by(|a, b| (a.start_line, &a.name).cmp(&(b.start_line, &b.name)));
    symbols
}

fn together(name: String, mut pieces: Vec<Piece>) -> Option<Symbol> {
    pieces.sort_by_key(|piece| piece.lines.0);
    let kind = pieces.first()?.kind;
    let signatures: Vec<Fingerprint> = pieces.iter().map(|piece| piece.signature).collect();
    let bodies: Vec<Fingerprint> = pieces.iter().map(|piece| piece.body).collect();
    let lines = (pieces.iter().map(|piece| piece.lines.0).min()?, pieces.iter().map(|piece| piece.lines.1).max()?);
    let mut shingles: Vec<u32> = pieces.into_iter().flat_map(|piece| piece.shingles).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles.truncate(64);
    Some(Symbol {
        name,
        kind,
        signature: Fingerprint::together(&signatures),
        body: Fingerprint::together(&bodies),
        shingles,
        start_line: lines.0,
        end_line: lines.1,
    })
}
