//! A text cut into headings, bullets with what belongs to them, table rows and paragraphs, in one pass over its lines.

use super::{Class, marks, names, wording};
use crate::model::sessions::Progress;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Heading(usize),
    Bullet,
    /// A bullet with a number.
    Numbered,
    Row,
    Text,
}

#[derive(Clone, Debug)]
pub struct Block<'a> {
    pub shape: Shape,
    pub indent: usize,
    /// What its check box says.
    pub ticked: Option<Progress>,
    /// Its first line with bullet and box, as it stands in the text.
    pub raw: &'a str,
    /// Its lines and their numbers; the first one without bullet and box.
    pub lines: Vec<(u32, &'a str)>,
    /// How many of the lines come before the first blank line or fence.
    pub head: usize,
}

impl<'a> Block<'a> {
    pub fn line(&self) -> u32 {
        self.lines.first().map_or(1, |(line, _)| *line)
    }

    pub fn first(&self) -> &'a str {
        self.lines.first().map_or("", |(_, text)| text)
    }

    pub fn is_bullet(&self) -> bool {
        matches!(self.shape, Shape::Bullet | Shape::Numbered)
    }
}

pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut cutter = Cutter::default();
    for (number, line) in (1_u32..).zip(text.trim_start_matches('\u{feff}').split('\n')) {
        cutter.take(number, line.trim_end());
    }
    cutter.close();
    cutter.blocks
}

#[derive(Default)]
struct Cutter<'a> {
    blocks: Vec<Block<'a>>,
    open: Option<Block<'a>>,
    blank: bool,
    fence: Option<&'a str>,
    skipping: Option<&'static str>,
}

/// What is not said to a reader: it is passed over up to its end.
const HIDDEN: &[(&str, &str)] = &[("<!--", "-->"), ("<analysis>", "</analysis>"), ("<system-reminder>", "</system-reminder>")];

impl<'a> Cutter<'a> {
    fn take(&mut self, number: u32, written: &'a str) {
        if let Some(end) = self.fence {
            self.add(number, written);
            if written.trim_start().starts_with(end) {
                self.fence = None;
            }
            return;
        }
        if self.hidden(number, written) {
            return;
        }
        let line = unquoted(written);
        let bare = line.trim_start();
        if bare.is_empty() {
            self.blank = true;
        } else if bare.starts_with("```") || bare.starts_with("~~~") {
            self.open_fence(number, line, bare);
        } else if let Some(level) = heading_level(bare) {
            self.start(number, Shape::Heading(level), line, bare.trim_matches('#').trim());
            self.close();
        } else if bare.len() >= 3 && bare.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'*' | b'_' | b' ')) {
            self.underline(bare);
        } else if bare.starts_with('|') {
            self.start(number, Shape::Row, line, bare);
        } else if let Some((shape, rest)) = bullet(bare) {
            self.start(number, shape, line, rest);
        } else if !is_tag(bare) {
            self.prose(number, line, bare);
        }
    }

    fn hidden(&mut self, number: u32, line: &str) -> bool {
        let bare = line.trim_start();
        let end = match self.skipping {
            Some(end) => end,
            // Front matter speaks of the file, not of the work.
            None if number == 1 && bare == "---" => {
                self.skipping = Some("---");
                return true;
            }
            None => match HIDDEN.iter().find(|(start, _)| bare.starts_with(start)) {
                Some((_, end)) => end,
                None => return false,
            },
        };
        self.skipping = (!bare.contains(end)).then_some(end);
        true
    }

    fn open_fence(&mut self, number: u32, line: &'a str, bare: &'a str) {
        if self.open.is_none() {
            self.start(number, Shape::Text, line, "");
        }
        self.fence = Some(&bare[..3]);
        self.add(number, line);
    }

    fn underline(&mut self, bare: &str) {
        let level = if bare.starts_with('=') { 1 } else { 2 };
        let underlines = bare.starts_with(['=', '-']) && !bare.contains(' ');
        if let Some(open) = &mut self.open
            && open.shape == Shape::Text
            && open.lines.len() == 1
            && underlines
            && !self.blank
        {
            open.shape = Shape::Heading(level);
        }
        self.close();
    }

    fn prose(&mut self, number: u32, line: &'a str, bare: &'a str) {
        let goes_on = self.open.as_ref().is_some_and(|open| {
            let belongs = if self.blank { open.is_bullet() && indent(line) > open.indent } else { open.shape != Shape::Row };
            let inside = open.is_bullet() && indent(line) > open.indent;
            let before = open.lines.last().map_or("", |(_, text)| text);
            // What explains a bullet stays with it, whatever it is called.
            let anew = marks::anew(before, bare).is_some_and(|class| !(inside && matches!(class, Class::Discovery | Class::Aside)));
            // Who writes a mark a line ends it with the line; a longer one may be wrapped.
            let ended = open.shape == Shape::Text
                && before.len() < 60
                && !wording::goes_on(bare)
                && marks::mark(open.first()).is_some_and(|mark| mark.loud);
            belongs && !anew && !ended && !(open.lines.len() == 1 && (names::is_label(before) || marks::is_bold(before)))
        });
        if goes_on {
            self.add(number, line);
        } else {
            self.start(number, Shape::Text, line, bare);
        }
    }

    fn start(&mut self, number: u32, shape: Shape, line: &'a str, rest: &'a str) {
        self.close();
        let (ticked, rest) = marks::tick(rest);
        self.open = Some(Block { shape, indent: indent(line), ticked, raw: line, lines: vec![(number, rest)], head: 1 });
    }

    fn add(&mut self, number: u32, line: &'a str) {
        let Some(open) = &mut self.open else { return };
        // The lines of a paragraph lose their indent, those below them only what their bullet has.
        let whole = open.head == open.lines.len() && !self.blank && self.fence.is_none();
        if self.blank {
            open.lines.push((number.saturating_sub(1), ""));
        }
        let depth = open.indent + if open.is_bullet() { 2 } else { 0 };
        open.lines.push((number, if whole { line.trim_start() } else { dedented(line, depth) }));
        open.head += usize::from(whole);
        self.blank = false;
    }

    fn close(&mut self) {
        self.blocks.extend(self.open.take());
        self.blank = false;
    }
}

fn unquoted(mut line: &str) -> &str {
    while let Some(rest) = line.trim_start().strip_prefix('>') {
        line = rest.strip_prefix(' ').unwrap_or(rest);
    }
    line
}

fn heading_level(bare: &str) -> Option<usize> {
    let level = bare.bytes().take_while(|byte| *byte == b'#').count();
    ((1..=6).contains(&level) && bare[level..].starts_with([' ', '\t'])).then_some(level)
}

fn bullet(bare: &str) -> Option<(Shape, &str)> {
    let (shape, rest) = if let Some(rest) = bare.strip_prefix(['-', '*', '+', '•', '–', '·', '◦', '▪']) {
        (Shape::Bullet, rest)
    } else {
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        let letters = usize::from(digits == 0 && bare.starts_with(|sign: char| sign.is_ascii_lowercase()));
        let closed = match digits {
            0 => bare[letters..].strip_prefix(')').filter(|_| letters == 1)?,
            1..=4 => bare[digits..].strip_prefix(['.', ')'])?,
            _ => return None,
        };
        (Shape::Numbered, closed)
    };
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| (shape, rest.trim_start()))
}

/// A line that is one tag, such as `<summary>`.
fn is_tag(bare: &str) -> bool {
    bare.len() < 60 && bare.starts_with('<') && bare.ends_with('>') && !bare.contains(' ')
}

fn indent(line: &str) -> usize {
    let blank = line.len() - line.trim_start().len();
    line.as_bytes()[..blank].iter().map(|byte| if *byte == b'\t' { 4 } else { 1 }).sum()
}

fn dedented(line: &str, most: usize) -> &str {
    let cut = line.bytes().take(most).take_while(|byte| *byte == b' ').count();
    &line[cut..]
}
