//! What was sorted so far: within limits, each thing once, and the last one open for what belongs to it.

use super::{Class, Routed};
use crate::model::sessions::{Item, Line, Progress};
use std::collections::{HashMap, hash_map::Entry};

/// How many entries one checkpoint keeps, and how much text each.
pub const MOST: usize = 500;
pub const LONGEST: usize = 8 * 1024;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Drawer {
    Decisions,
    Progress,
    Discoveries,
    Next,
}

type Place = (Drawer, usize);

#[derive(Default)]
pub struct Tray {
    routed: Routed,
    seen: HashMap<(Drawer, String), usize>,
    last: Option<Place>,
    /// Whether the last entry was already cut.
    full: bool,
}

pub struct Entered<'a> {
    pub class: Class,
    pub title: Option<&'a str>,
    pub text: String,
    pub note: Option<String>,
    pub line: u32,
}

impl Tray {
    pub fn put(&mut self, mut new: Entered) {
        self.last = None;
        self.full = false;
        new.text.truncate(new.text.trim_end().len());
        if new.text.is_empty() {
            return;
        }
        let (drawer, status) = match new.class {
            Class::Decision => (Drawer::Decisions, None),
            Class::Next if self.routed.checkpoint.next_step.is_none() => (Drawer::Next, None),
            Class::Next | Class::Pending => (Drawer::Progress, Some(Progress::Pending)),
            Class::Completed => (Drawer::Progress, Some(Progress::Completed)),
            Class::InProgress | Class::Progress => (Drawer::Progress, Some(Progress::InProgress)),
            Class::Discovery | Class::Open | Class::Aside => (Drawer::Discoveries, None),
        };
        if new.text.len() > LONGEST {
            new.text.truncate(new.text.floor_char_boundary(LONGEST));
            self.shorten();
        }
        let (index, is_full) = (self.length(drawer), self.seen.len() >= MOST);
        match self.seen.entry((drawer, new.text.clone())) {
            Entry::Occupied(known) => {
                self.last = Some((drawer, *known.get()));
                self.advance(status);
                self.note(new.note);
                return;
            }
            Entry::Vacant(_) if is_full => {
                self.routed.left_out += 1;
                return;
            }
            Entry::Vacant(free) => free.insert(index),
        };
        self.last = Some((drawer, index));
        self.store(drawer, status, new);
    }

    fn store(&mut self, drawer: Drawer, status: Option<Progress>, new: Entered) {
        let (line, checkpoint) = (Some(new.line), &mut self.routed.checkpoint);
        if let Some(status) = status {
            checkpoint.progress.push(Item { item: new.text, status, note: None, line, reopen: false });
            return self.note(new.note);
        }
        let entry = Line { title: new.title.map(str::to_owned), text: new.text, line };
        match drawer {
            Drawer::Decisions => checkpoint.decisions.push(entry),
            Drawer::Next => checkpoint.next_step = Some(entry),
            Drawer::Progress | Drawer::Discoveries => checkpoint.discoveries.push(entry),
        }
        self.note(new.note);
    }

    /// What was said twice has come as far as the furthest of both.
    fn advance(&mut self, status: Option<Progress>) {
        if let Some((Drawer::Progress, index)) = self.last
            && let Some(item) = self.routed.checkpoint.progress.get_mut(index)
            && let Some(status) = status
            && rank(status) > rank(item.status)
        {
            item.status = status;
        }
    }

    fn note(&mut self, note: Option<String>) {
        if let Some(note) = note {
            self.append(&note, "\n");
        }
    }

    /// Adds to the last entry what belongs to it, unless it says that already.
    pub fn append(&mut self, more: &str, between: &str) {
        let Some((drawer, index)) = self.last else { return };
        let checkpoint = &mut self.routed.checkpoint;
        let text = match drawer {
            Drawer::Decisions => checkpoint.decisions.get_mut(index).map(|line| &mut line.text),
            Drawer::Discoveries => checkpoint.discoveries.get_mut(index).map(|line| &mut line.text),
            Drawer::Next => checkpoint.next_step.as_mut().map(|line| &mut line.text),
            Drawer::Progress => checkpoint.progress.get_mut(index).map(|item| item.note.get_or_insert_default()),
        };
        let Some(text) = text else { return };
        if self.full || text.contains(more) {
            return;
        }
        if !text.is_empty() {
            text.push_str(between);
        }
        text.push_str(more);
        if text.len() > LONGEST {
            text.truncate(text.floor_char_boundary(LONGEST));
            self.shorten();
        }
    }

    /// Whether the last thing put in can take more.
    pub fn is_open(&self) -> bool {
        self.last.is_some()
    }

    /// Whether the last thing put in is a sentence, not an item.
    pub fn holds_line(&self) -> bool {
        self.last.is_some_and(|(drawer, _)| drawer != Drawer::Progress)
    }

    pub fn close(&mut self) {
        self.last = None;
    }

    pub fn finish(self) -> Routed {
        self.routed
    }

    fn shorten(&mut self) {
        self.routed.shortened += usize::from(!self.full);
        self.full = true;
    }

    fn length(&self, drawer: Drawer) -> usize {
        let checkpoint = &self.routed.checkpoint;
        match drawer {
            Drawer::Decisions => checkpoint.decisions.len(),
            Drawer::Progress => checkpoint.progress.len(),
            Drawer::Discoveries => checkpoint.discoveries.len(),
            Drawer::Next => 0,
        }
    }
}

fn rank(status: Progress) -> u8 {
    match status {
        Progress::Pending => 0,
        Progress::InProgress => 1,
        Progress::Completed => 2,
    }
}
