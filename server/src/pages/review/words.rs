//! Proposals in the words of the pages.

use super::{
    super::{memories::words::freshness, written::tags_in_a_line},
    decided,
};
use crate::{
    acts::proposals::Shown,
    model::{Memory, MemoryId, proposals::Change},
    store::Scope,
};
use cairn_web::{
    memories::{Segment, Typed},
    review::{Beside, Edit, Proposal},
};
use similar::{ChangeTag, TextDiff};

/// As much of a text as is held against another word by word, on a page of its own and in a list.
pub const COMPARED: usize = 8000;
pub const LISTED: usize = 1500;
const EXCERPT: usize = 280;

pub fn proposal(one: &Shown) -> Proposal {
    let (said, memory) = (&one.proposal, one.memory.as_ref());
    Proposal {
        id: said.id.to_string(),
        state: said.state.word().to_owned(),
        origin: said.origin.word().to_owned(),
        reason: said.reason.clone(),
        memory_id: said.memory_id.to_string(),
        title: memory.map(|memory| memory.title.clone()),
        kind: memory.map(|memory| memory.kind.word().to_owned()),
        project: said.project.clone(),
        excerpt: memory.map(|memory| cut(memory.content.trim(), EXCERPT)).unwrap_or_default(),
        confidence: said.confidence,
        runs: said.sightings.len(),
        change: said.change.as_ref().and_then(change),
        created_at: said.created_at,
        assigned_to: said.assigned_to.as_ref().map(super::shown),
        decided: decided(said.decided_by.as_ref(), said.decided_at, said.note.as_ref()),
    }
}

/// What approving does beyond making a memory known.
fn change(change: &Change) -> Option<String> {
    let memories = |ids: &[MemoryId]| if ids.len() == 1 { "1 memory".to_owned() } else { format!("{} memories", ids.len()) };
    match change {
        Change::Remember { instead_of } if instead_of.is_empty() => None,
        Change::Remember { instead_of } => Some(format!("takes the place of {}", memories(instead_of))),
        Change::Archive { memories: ids } => Some(format!("puts {} away", memories(ids))),
        Change::Merge { away, .. } => Some(format!("merges {} into this one", memories(away))),
        Change::Verify { memories: ids } => Some(format!("marks {} as still true", memories(ids))),
    }
}

/// What would become of one of those it would change.
pub fn becomes(change: &Change, id: MemoryId) -> String {
    match change {
        Change::Merge { keep, .. } if *keep == id => "stays",
        Change::Merge { .. } | Change::Remember { .. } => "makes room",
        Change::Archive { .. } => "is put away",
        Change::Verify { .. } => "is verified",
    }
    .to_owned()
}

pub fn beside<P>(scope: &Scope<P>, memory: &Memory, other: Option<&str>, near: Option<f32>, becomes: Option<String>) -> Beside {
    Beside {
        id: memory.id.to_string(),
        title: memory.title.clone(),
        kind: memory.kind.word().to_owned(),
        state: memory.state.word().to_owned(),
        freshness: freshness(scope, memory),
        text: marked(other, &memory.content, COMPARED),
        score: near,
        becomes,
    }
}

pub fn edit(memory: &Memory) -> Edit {
    Edit {
        title: memory.title.clone(),
        content: memory.content.clone(),
        kind: memory.kind.word().to_owned(),
        tags: tags_in_a_line(memory),
        reason: String::new(),
        open: false,
        decision: memory.kind == crate::model::Kind::Decision,
    }
}

/// What was typed, for the form that it was typed into.
pub fn typed(memory: &Memory, typed: Typed) -> Edit {
    let Typed { title, content, kind, tags, reason, .. } = typed;
    Edit { title, content, kind, tags, reason, open: true, ..edit(memory) }
}

/// A text, with the words that are not in the other marked. Texts that have little in common are not marked at all.
pub fn marked(other: Option<&str>, text: &str, most: usize) -> Vec<Segment> {
    let text = cut(text, most);
    let plain = |text: String| vec![Segment { text, emphasised: false }];
    let Some(other) = other else { return plain(text) };
    let other = cut(other, most);
    let diff = TextDiff::configure().timeout(std::time::Duration::from_millis(20)).diff_words(other.as_str(), text.as_str());
    // By words alone: the spaces between them are the same in any two texts.
    let words = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag && !change.value().trim().is_empty()).count();
    let (same, gone, new) = (words(ChangeTag::Equal), words(ChangeTag::Delete), words(ChangeTag::Insert));
    if 2 * same < gone + new {
        return plain(text);
    }
    let mut segments: Vec<Segment> = Vec::new();
    for change in diff.iter_all_changes().filter(|change| change.tag() != ChangeTag::Delete) {
        let emphasised = change.tag() == ChangeTag::Insert && !change.value().trim().is_empty();
        match segments.last_mut().filter(|last| last.emphasised == emphasised) {
            Some(last) => last.text.push_str(change.value()),
            None => segments.push(Segment { text: change.value().to_owned(), emphasised }),
        }
    }
    segments
}

/// The beginning, and a sign where there is more.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// As much of one of many texts as a page shows, unless all of it is wanted; and whether there is more.
pub fn shortened(text: String, whole: bool) -> (String, bool) {
    const MOST: usize = 2000;
    match text.char_indices().nth(MOST) {
        Some(_) if !whole => (cut(&text, MOST), true),
        _ => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_marked_and_nothing_is_lost() {
        let parts = marked(Some("deploys run on friday at noon"), "deploys run on monday at noon", COMPARED);
        assert_eq!(parts.iter().map(|part| part.text.as_str()).collect::<String>(), "deploys run on monday at noon");
        let loud: Vec<_> = parts.iter().filter(|part| part.emphasised).map(|part| part.text.trim()).collect();
        assert_eq!(loud, ["monday"]);
        assert!(marked(Some("nothing of this is alike"), "x y z", COMPARED).iter().all(|part| !part.emphasised));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(cut("größer", 3), "grö…");
        assert_eq!(cut("größer", 6), "größer");
    }
}
