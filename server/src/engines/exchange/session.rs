//! Notes of a session, sorted as a checkpoint is: decisions and discoveries become memories, how far it came an episode.

use super::draft::Draft;
use crate::{
    engines::checkpoint,
    model::{
        Kind,
        exchange::{Format, Found, Passed, Skipped},
        sessions::{Line, Progress},
        text,
    },
};
use std::fmt::Write;

pub fn read(name: Option<&str>, text: &str) -> Vec<Found> {
    let (file, named) = (name.unwrap_or("the file"), name.unwrap_or("session"));
    let routed = checkpoint::sort(text);
    let sorted = routed.checkpoint;
    let mut found = Vec::new();
    for (kind, lines) in [(Kind::Decision, &sorted.decisions), (Kind::Discovery, &sorted.discoveries)] {
        found.extend(lines.iter().map(|line| learned(file, named, kind, line)));
    }
    let mut told = String::new();
    for item in &sorted.progress {
        let ticked = if item.status == Progress::Completed { "x" } else { " " };
        let note = item.note.as_deref().map(|note| format!(" ({note})")).unwrap_or_default();
        let _ = writeln!(told, "- [{ticked}] {}{note}", item.item);
    }
    if let Some(next) = &sorted.next_step {
        let _ = writeln!(told, "\nNext step: {}", next.text);
    }
    if !told.is_empty() {
        let heading = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or("Session notes").trim();
        let told = format!("{heading}\n\n{}", told.trim());
        let mut draft = Draft::new(key(named, &told), told, Kind::Episode);
        draft.title = Some(heading.to_owned());
        draft.reference = Some(named.to_owned());
        found.push(draft.found(Format::Session, format!("{file}, progress")));
    }
    if routed.left_out > 0 {
        let skipped = Skipped::new(Passed::TooLong, format!("{} more entries: cut the notes in parts.", routed.left_out));
        found.push(Found { place: file.to_owned(), item: Err(skipped) });
    }
    if found.is_empty() {
        let skipped = Skipped::new(Passed::NothingSaid, "There is no decision, discovery or progress in it.");
        found.push(Found { place: file.to_owned(), item: Err(skipped) });
    }
    found
}

fn learned(file: &str, named: &str, kind: Kind, line: &Line) -> Found {
    let number = line.line.unwrap_or(1);
    let mut draft = Draft::new(key(named, &line.text), line.text.clone(), kind);
    draft.title.clone_from(&line.title);
    draft.reference = Some(format!("{named}:{number}"));
    draft.found(Format::Session, format!("{file}, line {number}"))
}

fn key(named: &str, told: &str) -> String {
    text::hex(&text::sha256(&format!("{named}\n{told}")))
}
