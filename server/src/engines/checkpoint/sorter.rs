//! Goes through the blocks of a text with the headings above each in hand, and puts every part where it belongs.

use super::{
    Class, Routed,
    blocks::{Block, Shape},
    marks::{self, Mark},
    names,
    tray::{Entered, Tray},
    verdict::{as_written, bold_lead, far, joined, leads, resolved, status},
    wording,
};

/// Ranks of headings that do not look like one; a heading ends those of its rank and above.
const BOLD: usize = 7;
const LABEL: usize = 8;
const NUMBERED: usize = 9;
const BULLET: usize = 16;
/// An item longer than this is its first sentence, with the others as its note.
const LONG_ITEM: usize = 120;
const NOTHING: &[&str] = &["none", "n/a", "nothing", "none yet", "tbd", "none so far", "nothing yet", "keine", "nichts", "-", "…", "..."];

pub fn sort(blocks: &[Block]) -> Routed {
    let mut sorter = Sorter::default();
    for (index, block) in blocks.iter().enumerate() {
        sorter.take(block, blocks.get(index + 1));
    }
    sorter.tray.finish()
}

#[derive(Default)]
struct Sorter<'a> {
    tray: Tray,
    above: Vec<Frame<'a>>,
    /// Bullets as deep as this or deeper belong to the last entry.
    inside: Option<usize>,
    /// How deep the first of them is.
    depth: Option<usize>,
}

/// What a heading says of what stands below it.
struct Frame<'a> {
    rank: usize,
    class: Class,
    title: Option<&'a str>,
    /// Whether bullets have come, after which a paragraph no longer belongs to a label.
    listed: bool,
    /// Whether what stands below belongs to the entry that the heading itself is.
    told: bool,
}

impl<'a> Sorter<'a> {
    fn take(&mut self, block: &'a Block<'a>, next: Option<&Block>) {
        match block.shape {
            Shape::Heading(level) => self.heading(level, block),
            Shape::Row => self.row(block, next),
            Shape::Bullet | Shape::Numbered => self.bullet(block, next),
            Shape::Text => self.paragraph(block, next),
        }
    }

    fn heading(&mut self, level: usize, block: &'a Block) {
        let text = block.first();
        let inherited = self.end(level);
        if let Some(class) = names::exact(text) {
            // A file that is called "Project" or "Tests" is still read.
            let class = if class == Class::Aside && level == 1 { Class::Open } else { class };
            return self.begin(level, class, Some(text));
        }
        if let Some(mark) = marks::mark(text).filter(|mark| mark.loud && !mark.rest.is_empty()) {
            if matches!(mark.class, Class::Open | Class::Aside | Class::Progress) {
                return self.begin(level, names::heading(mark.rest).unwrap_or(Class::Open), None);
            }
            let title = Some(mark.rest).filter(|_| mark.class != Class::Next);
            self.put(mark.class, title, mark.rest.to_owned(), None, block.line());
            self.begin(level, mark.class, None);
            return self.above.iter_mut().for_each(|frame| frame.told |= frame.rank == level);
        }
        if let Some(ticked) = block.ticked {
            self.put(status(ticked), None, text.to_owned(), None, block.line());
            return self.begin(level, status(ticked), None);
        }
        match names::heading(text) {
            Some(class) => self.begin(level, class, Some(text)),
            None => self.above.push(Frame { rank: level, class: inherited.0, title: inherited.1, listed: false, told: false }),
        }
    }

    fn row(&mut self, block: &Block, next: Option<&Block>) {
        let separates = |row: &str| row.contains('-') && row.chars().all(|sign| matches!(sign, '|' | '-' | ':' | ' '));
        let row = block.first();
        if separates(row) || next.is_some_and(|next| next.shape == Shape::Row && separates(next.first())) {
            return;
        }
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let found = cells.iter().find_map(|cell| marks::status(cell));
        let named = |cell: &&&str| cell.chars().any(char::is_alphabetic) && marks::status(cell).is_none();
        if let Some(found) = found {
            let Some(item) = cells.iter().find(named) else { return };
            let others: Vec<&str> = cells.iter().filter(|cell| named(cell) && *cell != item).copied().collect();
            let note = (!others.is_empty()).then(|| others.join(" | "));
            self.put(status(found), None, (*item).to_owned(), note, block.line());
        } else if matches!(self.section().0, Class::Decision | Class::Discovery) {
            self.put(self.section().0, None, row.trim_matches(['|', ' ']).to_owned(), None, block.line());
        }
    }

    fn bullet(&mut self, block: &'a Block, next: Option<&Block>) {
        self.end(BULLET + block.indent);
        let text = joined(block, block.lines.len());
        let mark = marks::mark(&text);
        let own = block.ticked.is_some() || mark.is_some_and(|mark| mark.loud && leads(mark.class));
        let nested = self.inside.is_some_and(|depth| block.indent >= depth) || self.above.iter().any(|frame| frame.told);
        if nested && !own && self.tray.is_open() {
            let depth = *self.depth.get_or_insert(block.indent);
            return self.tray.append(&as_written(block, depth), "\n");
        }
        (self.inside, self.depth) = (None, None);
        self.tray.close();
        if self.label(block, next) {
            return;
        }
        if let Some(mark) = mark.filter(|_| block.shape == Shape::Numbered && self.above.last().is_some_and(|frame| frame.rank == NUMBERED))
        {
            self.end(NUMBERED);
            self.begin(NUMBERED, mark.class, None);
        }
        self.above.iter_mut().for_each(|frame| frame.listed = true);
        self.enter(block, &text, mark);
        if self.tray.is_open() {
            self.inside = Some(block.indent + 1);
        }
    }

    /// A bullet that only names what stands below it.
    fn label(&mut self, block: &'a Block, next: Option<&Block>) -> bool {
        let text = block.first();
        let looks =
            text.ends_with(':') || text.starts_with("**") || next.is_some_and(|next| next.is_bullet() && next.indent > block.indent);
        if block.lines.len() > 1 || block.ticked.is_some() || !looks {
            return false;
        }
        let numbered = block.shape == Shape::Numbered && block.indent == 0;
        let among = numbered && text.ends_with(':') && self.above.last().is_some_and(|frame| frame.rank == NUMBERED);
        let Some(class) = names::exact(text).or_else(|| among.then(|| names::heading(text).unwrap_or(Class::Open))) else { return false };
        let rank = if numbered { NUMBERED } else { BULLET + block.indent };
        self.end(rank);
        self.begin(rank, class, Some(text));
        true
    }

    fn paragraph(&mut self, block: &'a Block, next: Option<&Block>) {
        self.above.retain(|frame| frame.rank < BULLET && !(frame.rank == LABEL && frame.listed));
        (self.inside, self.depth) = (None, None);
        let (first, text) = (block.first(), joined(block, block.lines.len()));
        if block.lines.len() == 1 && self.named(first) {
            return;
        }
        let mark = marks::mark(&text);
        let told = self.above.iter().any(|frame| frame.told);
        if told && block.ticked.is_none() && !mark.is_some_and(|mark| mark.loud) && self.tray.is_open() {
            return self.tray.append(&text, "\n\n");
        }
        self.above.iter_mut().for_each(|frame| frame.told = false);
        self.tray.close();
        if first.is_empty() && !matches!(self.section().0, Class::Open | Class::Aside) {
            // A fence below a heading is what the heading names.
            return self.put(self.section().0, self.section().1, text, None, block.line());
        }
        let leads_in = text.ends_with(':') && next.is_some_and(Block::is_bullet);
        if leads_in && mark.is_none() {
            return self.lead_in(block, &text);
        }
        self.enter(block, &text, mark);
        if leads_in && self.tray.is_open() {
            self.inside = Some(0);
        }
    }

    /// "Next steps:" or "**Decisions**" on a line of its own.
    fn named(&mut self, line: &'a str) -> bool {
        let bold = marks::is_bold(line);
        let rank = if bold { BOLD } else { LABEL };
        match names::exact(line).or_else(|| names::heading(line).filter(|_| bold)) {
            Some(class) => {
                self.end(rank);
                self.begin(rank, class, Some(line.trim_matches(['*', '_', ':'])));
                true
            }
            // A bold line of its own begins something else.
            None if bold && marks::mark(line).is_none() => {
                self.end(rank);
                true
            }
            None => false,
        }
    }

    /// A sentence that ends in a colon says what the bullets below it are, or cannot be told from them.
    fn lead_in(&mut self, block: &Block, text: &str) {
        let section = self.section();
        let class = names::heading(text).or_else(|| wording::class(text));
        match class.filter(|_| section.0 != Class::Aside) {
            Some(class @ (Class::Decision | Class::Discovery)) if text.split_whitespace().count() > 4 => {
                self.put(class, section.1, text.to_owned(), None, block.line());
                self.inside = Some(0);
            }
            Some(class) => {
                self.end(LABEL);
                self.begin(LABEL, class, None);
            }
            None => {}
        }
    }

    /// Puts in what a bullet or a paragraph says, by box, mark, heading or wording, in this order.
    fn enter(&mut self, block: &Block, text: &str, mark: Option<Mark>) {
        let (section, title) = self.section();
        let (class, rest) = resolved(section, block.ticked, mark, text);
        match class {
            Class::Aside => {}
            Class::Open if block.shape == Shape::Text => self.sentences(block, rest),
            Class::Open => {
                let read = marks::suffix(rest).map(|(found, item)| (status(found), item)).or_else(|| Some((wording::class(rest)?, rest)));
                if let Some((class, rest)) = read.or_else(|| wording::states(rest).then_some((Class::Discovery, rest))) {
                    self.enter_as(class, title, block, rest);
                }
            }
            Class::Progress | Class::Completed | Class::InProgress | Class::Pending | Class::Next if block.ticked.is_none() => {
                let (class, rest) = far(class, rest);
                self.enter_as(class, title, block, rest);
            }
            class => self.enter_as(class, title, block, rest),
        }
    }

    fn enter_as(&mut self, class: Class, title: Option<&'a str>, block: &Block, text: &str) {
        if matches!(class, Class::Decision | Class::Discovery | Class::Next) {
            let bold = if class == Class::Next { None } else { bold_lead(text) };
            return self.put(class, bold.or(title), text.to_owned(), None, block.line());
        }
        // What is below the first paragraph of an item explains it.
        let below = block.lines[block.head.min(block.lines.len())..].iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n");
        let head = text.strip_suffix(below.as_str()).unwrap_or(text);
        let item = head.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        let parts = if item.len() > LONG_ITEM { wording::sentences(&item) } else { Vec::new() };
        let (item, rest) = match parts.get(1) {
            Some((at, _)) => (item[..*at].trim_end().to_owned(), item[*at..].to_owned()),
            None => (item, String::new()),
        };
        let note = [rest.trim(), below.trim_matches('\n')].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
        self.put(class, None, item.trim_end_matches(':').to_owned(), (!note.is_empty()).then_some(note), block.line());
    }

    /// Reads a paragraph sentence by sentence; what cannot stand alone stays with the one before it.
    fn sentences(&mut self, block: &Block, text: &str) {
        let below = block.lines[block.head.min(block.lines.len())..].iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n");
        let head = text.strip_suffix(below.as_str()).unwrap_or(text);
        let (mut plain, mut line, mut counted) = (false, block.line(), 0);
        for (at, sentence) in wording::sentences(head) {
            line += u32::try_from(head[counted..at].matches('\n').count()).unwrap_or(0);
            counted = at;
            let class = wording::class(sentence).filter(|_| !sentence.ends_with('?'));
            let states = wording::states(sentence);
            if class.is_none() && self.tray.holds_line() && (plain && wording::adds(sentence) || wording::goes_on(sentence)) {
                self.tray.append(sentence, " ");
                continue;
            }
            plain = class.is_none() && states;
            self.tray.close();
            if let Some(class) = class.or(states.then_some(Class::Discovery)) {
                self.put(class, None, sentence.to_owned(), None, line);
            }
        }
        if !below.is_empty() {
            self.tray.append(below.trim_matches('\n'), "\n");
        }
    }

    fn put(&mut self, class: Class, title: Option<&str>, text: String, note: Option<String>, line: u32) {
        let bare = text.trim_matches(|sign: char| sign.is_whitespace() || matches!(sign, '.' | '*' | '_' | '(' | ')'));
        if !NOTHING.iter().any(|nothing| bare.eq_ignore_ascii_case(nothing)) {
            self.tray.put(Entered { class, title, text, note, line });
        }
    }

    fn section(&self) -> (Class, Option<&'a str>) {
        self.above.last().map_or((Class::Open, None), |frame| (frame.class, frame.title))
    }

    /// Ends the headings of this rank and above; what the one below it says is inherited.
    fn end(&mut self, rank: usize) -> (Class, Option<&'a str>) {
        if rank < BULLET {
            (self.inside, self.depth) = (None, None);
            self.tray.close();
        }
        self.above.retain(|frame| frame.rank < rank);
        self.section()
    }

    fn begin(&mut self, rank: usize, class: Class, name: Option<&'a str>) {
        let title = name.filter(|name| names::forbids(name));
        self.above.push(Frame { rank, class, title, listed: false, told: false });
    }
}
