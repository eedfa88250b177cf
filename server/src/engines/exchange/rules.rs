//! Rules for agents (`CLAUDE.md`, `AGENTS.md`, `.cursor/rules/*.mdc`): each bullet and each paragraph is a thing to know, and
//! the headings above say what sort.

use super::{
    draft::{self, Draft},
    front_matter, kinds,
};
use crate::{
    engines::checkpoint::blocks::{Block, Shape, blocks},
    model::{
        exchange::{Format, Found, Passed, Skipped},
        text,
    },
};

/// What marks a line as made from a memory.
pub const MARK: &str = "<!-- cairn:";
/// What the client writes into such a file of its own stands between these.
const BLOCK: (&str, &str) = ("<!-- cairn:begin -->", "<!-- cairn:end -->");
/// What is said in fewer words than these needs its heading to be understood.
const FEW: usize = 4;

pub fn read(name: Option<&str>, text: &str) -> Vec<Found> {
    let file = name.unwrap_or("the file");
    let mut reader = Reader { name: name.unwrap_or("rules"), scope: scope_of(text), above: Vec::new(), lead: None, parts: Vec::new() };
    let (text, ours) = without_ours(text);
    for block in &blocks(&text) {
        reader.take(block);
    }
    let parts = std::mem::take(&mut reader.parts);
    let mut found: Vec<(u32, Found)> = parts.into_iter().map(|part| (part.line, reader.found(file, part))).collect();
    found.extend(ours.into_iter().map(|line| {
        let skipped = Skipped::new(Passed::Generated, "It was written here by `cairn install`, and tells how to use the memory.");
        (line, Found { place: format!("{file}, line {line}"), item: Err(skipped) })
    }));
    found.sort_by_key(|(line, _)| *line);
    if found.is_empty() {
        return vec![Found { place: file.to_owned(), item: Err(Skipped::new(Passed::NothingSaid, "There is no rule in it.")) }];
    }
    found.into_iter().map(|(_, found)| found).collect()
}

/// Without the blocks of our own, whose first lines are named; every other line keeps its number.
fn without_ours(text: &str) -> (String, Vec<u32>) {
    let (begin, end) = BLOCK;
    let (mut kept, mut ours, mut line, mut left) = (String::with_capacity(text.len()), Vec::new(), 1, text);
    let breaks = |text: &str| u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
    while let Some((before, rest)) = left.split_once(begin)
        && let Some((block, after)) = rest.split_once(end)
    {
        line += breaks(before);
        ours.push(line);
        kept.push_str(before);
        kept.extend(block.matches('\n'));
        (line, left) = (line + breaks(block), after);
    }
    kept.push_str(left);
    (kept, ours)
}

/// Which files a Cursor rule is for.
fn scope_of(text: &str) -> Vec<String> {
    let Some(Ok((members, _))) = front_matter::split(text) else { return Vec::new() };
    draft::words(&members, "globs")
}

struct Reader<'a> {
    name: &'a str,
    scope: Vec<String>,
    above: Vec<(usize, String)>,
    /// A line that ends in a colon, for the bullets below it.
    lead: Option<String>,
    parts: Vec<Part>,
}

struct Part {
    line: u32,
    text: String,
    headings: Vec<String>,
    lead: Option<String>,
    /// What is indented deeper belongs to it.
    indent: Option<usize>,
}

impl Reader<'_> {
    fn take(&mut self, block: &Block) {
        let body = || block.lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n").trim().to_owned();
        match block.shape {
            Shape::Heading(level) => {
                self.above.retain(|(rank, _)| *rank < level);
                self.above.push((level, block.first().to_owned()));
                self.lead = None;
            }
            Shape::Bullet | Shape::Numbered => {
                let nested = self.parts.last().and_then(|part| part.indent).is_some_and(|indent| block.indent > indent);
                match self.parts.last_mut().filter(|_| nested) {
                    Some(part) => part.text = format!("{}\n{}- {}", part.text, " ".repeat(block.indent.min(12)), body()),
                    None => self.part(block, body(), Some(block.indent)),
                }
            }
            Shape::Row => {
                let same = self.parts.last().is_some_and(|part| part.text.starts_with('|') && part.headings == self.headings());
                match self.parts.last_mut().filter(|_| same) {
                    Some(part) => part.text = format!("{}\n{}", part.text, body()),
                    None => self.part(block, body(), None),
                }
            }
            Shape::Text => {
                let text = body();
                if text.ends_with(':') && !text.contains("```") {
                    self.lead = Some(text.trim_end_matches(':').to_owned());
                } else {
                    self.lead = None;
                    self.part(block, text, None);
                }
            }
        }
    }

    fn part(&mut self, block: &Block, text: String, indent: Option<usize>) {
        let (headings, lead) = (self.headings(), self.lead.clone());
        self.parts.push(Part { line: block.line(), text, headings, lead, indent });
    }

    /// The nearest first.
    fn headings(&self) -> Vec<String> {
        self.above.iter().rev().map(|(_, heading)| heading.clone()).collect()
    }

    fn found(&self, file: &str, part: Part) -> Found {
        let place = format!("{file}, line {}", part.line);
        if part.text.contains(MARK) {
            let skipped = Skipped::new(Passed::Generated, "It was made from a memory; change that one.");
            return Found { place, item: Err(skipped) };
        }
        if !part.text.chars().any(char::is_alphanumeric) {
            return Found { place, item: Err(Skipped::new(Passed::NothingSaid, "There are no words in it.")) };
        }
        let context: Vec<&str> = part.lead.iter().chain(&part.headings).map(String::as_str).collect();
        let short = part.text.split_whitespace().count() < FEW;
        let text = match context.first() {
            Some(above) if short || part.text.starts_with("```") || part.text.starts_with('|') => {
                format!("{above}: {}", joined(&part.text))
            }
            _ => part.text.clone(),
        };
        let mut draft = Draft::new(text::hex(&text::sha256(&format!("{}\n{text}", self.name))), text, kinds::of_rule(&context, &part.text));
        draft.title = bold(&part.text);
        // The top heading names the file, not the matter.
        draft.tags = part.headings.iter().rev().skip(1).filter_map(|heading| tag(heading)).collect();
        draft.tags.extend(self.scope.iter().map(|glob| format!("files:{glob}")));
        draft.reference = Some(format!("{}:{}", self.name, part.line));
        draft.found(Format::Rules, place)
    }
}

fn joined(text: &str) -> String {
    if text.contains('\n') { format!("\n{text}") } else { text.to_owned() }
}

/// "**Retries**: at most three" is called "Retries".
fn bold(text: &str) -> Option<String> {
    let (lead, rest) = text.strip_prefix("**")?.split_once("**")?;
    let named = lead.ends_with(':') || rest.trim_start().starts_with([':', '-', '–', '—']);
    (named && lead.len() < 100).then(|| lead.trim_end_matches(':').to_owned())
}

fn tag(heading: &str) -> Option<String> {
    let words: Vec<String> =
        heading.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    Some(words.join("-")).filter(|tag| (1..=40).contains(&tag.chars().count()))
}
