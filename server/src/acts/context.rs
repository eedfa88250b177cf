//! The brief that an agent starts with: the most binding first, within its budget, each line with its memory.

use super::memories;
use crate::{
    App,
    engines::{
        brief::{self, Section},
        freshness::{Freshness, Judgement},
        tokens,
    },
    model::{
        Kind, Memory, MemoryId, ReceiptId, clock,
        recall::{Detail, Recall, Receipt, Told, Why},
        sessions::{Progress, Which},
    },
    problem::Problem,
    store::{self, Permission, Scope, tasks::Of},
};
use std::{ops::Range, time::Instant};
use time::OffsetDateTime;

/// Said above every text that comes from memory: it is told, not commanded.
pub const DATA: &str = "What follows was kept by Cairn: notes of this team, to be weighed as such.";

pub struct Asked {
    pub project: Option<String>,
    pub task: Option<String>,
    pub budget: u32,
    /// The branch that is worked on: the code is judged there.
    pub branch: Option<String>,
}

pub struct Part {
    pub name: &'static str,
    pub heading: &'static str,
    pub lines: Vec<Line>,
}

pub struct Line {
    pub text: String,
    pub memory: Option<(MemoryId, i32)>,
    /// How much of the memory's text it says; nothing of one that is left out.
    pub passage: Option<(usize, usize)>,
    pub freshness: Option<Judgement>,
}

pub struct Context {
    pub receipt_id: ReceiptId,
    pub markdown: String,
    pub tokens: u32,
    pub omitted: usize,
    /// What the brief has, section by section.
    pub parts: Vec<Part>,
    /// Briefs that were kept before this moment may hold what was erased.
    pub last_erasure_at: Option<OffsetDateTime>,
}

/// Of each kind, how many are looked at.
const MOST: i64 = 60;

/// What a run should know before it begins.
pub async fn context<P: Permission>(app: &App, scope: &Scope<P>, asked: Asked) -> Result<Context, Problem> {
    if let Some(context) = told_once(app, scope, &asked).await? {
        return Ok(context);
    }
    told_once(app, scope, &asked).await?.ok_or_else(super::recall::erased_meanwhile)
}

/// Nothing if some of it is gone by the time it could be told.
async fn told_once<P: Permission>(app: &App, scope: &Scope<P>, asked: &Asked) -> Result<Option<Context>, Problem> {
    let started = Instant::now();
    let mut tx = app.db().read(scope).await?;
    // Before anything is read: what is erased meanwhile is then newer than this.
    let last_erasure_at = store::deletion::last_erasure(&mut tx, scope.project()).await?;
    let project = asked.project.as_deref().or(scope.project().map(crate::model::Project::as_str));
    let task = match &asked.task {
        Some(key) => {
            let found = store::tasks::find(&mut tx, Which { key, project }).await?;
            Some(found.ok_or_else(|| Problem::invalid("task", "there is no task with this key"))?)
        }
        None => store::tasks::last_active(&mut tx, project).await?,
    };
    let branch = asked.branch.as_deref();
    let plain = |text: String| Line { text, memory: None, passage: None, freshness: None };
    let (mut next, mut open) = (Vec::new(), Vec::new());
    if let Some(task) = &task {
        next.extend(task.next_step.as_deref().map(|step| plain(format!("{} (task {})", safe(step, 400), task.key))));
        let items = store::tasks::items(&mut tx, task.id).await?;
        for status in [Progress::InProgress, Progress::Pending] {
            let words = status.word().replace('_', " ");
            open.extend(items.iter().filter(|item| item.status == status).map(|item| plain(format!("{words}: {}", safe(&item.item, 240)))));
        }
    } else if let Some(last) = store::sessions::last_with_checkpoint(&mut tx, project).await?
        && let Some(kept) = store::tasks::checkpoints(&mut tx, Of::Session(last)).await?.pop()
    {
        next.extend(kept.next_step.as_deref().map(|step| plain(safe(step, 400))));
        let left = kept.progress.iter().filter(|item| item.status != Progress::Completed);
        open.extend(left.map(|item| plain(format!("{}: {}", item.status.word().replace('_', " "), safe(&item.item, 240)))));
    }
    let mut parts =
        vec![Part { name: "next_step", heading: "Next step", lines: next }, Part { name: "open", heading: "Open work", lines: open }];
    let mut doubtful = Vec::new();
    for (name, heading, kinds) in [
        ("decisions", "Decisions that bind", &[Kind::Decision][..]),
        ("conventions", "Conventions", &[Kind::Pattern, Kind::Procedure, Kind::Preference]),
        ("facts", "Known", &[Kind::Fact]),
        ("pitfalls", "Found out", &[Kind::Discovery]),
        ("episodes", "Recent runs", &[Kind::Episode]),
    ] {
        let mut lines = Vec::new();
        for memory in store::memories::most_binding(&mut tx, kinds, project, MOST).await? {
            let judged = memories::judge_on(scope, &memory, branch);
            let (text, passage) = told_in_a_line(scope, &memory, branch);
            let line = Line { text, memory: Some((memory.id, memory.version)), passage, freshness: Some(judged) };
            let fresh = line.freshness.as_ref().is_some_and(|judged| judged.state == Freshness::Fresh);
            if fresh || memory.kind == Kind::Decision { lines.push(line) } else { doubtful.push(line) }
        }
        parts.push(Part { name, heading, lines });
    }
    parts.push(Part { name: "stale", heading: "May no longer hold: check before you rely on it", lines: doubtful });
    drop(tx);
    let sections: Vec<Section> = parts
        .iter()
        .map(|part| Section { heading: part.heading, lines: part.lines.iter().map(|line| line.text.clone()).collect() })
        .collect();
    let brief = brief::brief(&format!("# What this team knows\n{DATA}"), &sections, 2, asked.budget, &tokens::count);
    for (part, given) in parts.iter_mut().zip(&brief.given) {
        part.lines.truncate(*given);
    }
    parts.retain(|part| !part.lines.is_empty());
    let markdown = if parts.is_empty() && brief.omitted == 0 {
        "# What this team knows\nNothing yet: this memory is empty. What you decide and find out is worth a checkpoint.\n".to_owned()
    } else {
        brief.markdown
    };
    let tokens = tokens::count(&markdown);
    let receipt = receipt(scope, asked, &parts, tokens, brief.omitted, started);
    let kept = app.db().keep_receipt(scope, &receipt).await?;
    Ok(kept.then_some(Context { receipt_id: receipt.id, markdown, tokens, omitted: brief.omitted, parts, last_erasure_at }))
}

/// A memory in a line: what it says, how far it can be trusted, and where to find the rest.
pub(super) fn line<P>(scope: &Scope<P>, memory: &Memory, branch: Option<&str>) -> String {
    told_in_a_line(scope, memory, branch).0
}

/// The same, and which part of its text that is.
fn told_in_a_line<P>(scope: &Scope<P>, memory: &Memory, branch: Option<&str>) -> (String, Option<(usize, usize)>) {
    let speaks = cairn_secrets::speaks_to_the_model(&memory.content).or_else(|| cairn_secrets::speaks_to_the_model(&memory.title));
    if let Some(reason) = speaks {
        return (format!("[left out: its text {reason}] ({})", memory.id), None);
    }
    let title = Some(memory.title.as_str()).filter(|title| !memory.content.trim().starts_with(title.trim_end_matches('…')));
    let (said, passage) = shortened(&memory.content, if title.is_some() { 240 } else { 280 });
    let text = title.map_or_else(|| said.clone(), |title| format!("{}: {said}", short(title, 120)));
    let judged = memories::judge_on(scope, memory, branch);
    let mark = match judged.state {
        Freshness::Fresh => String::new(),
        state => format!(" [{}: {}]", state.word(), doubts(&judged)),
    };
    (format!("{text}{mark} ({})", memory.id), Some((passage.start, passage.end)))
}

/// Why it is not fresh. Reasons name files and symbols, and those are what somebody called them.
pub fn doubts(judged: &Judgement) -> String {
    judged.reasons.iter().map(|reason| safe(reason, 400)).collect::<Vec<_>>().join("; ")
}

/// The same of words that are no memory's, unless they speak to the model.
pub fn safe(text: &str, most: usize) -> String {
    match cairn_secrets::speaks_to_the_model(text) {
        Some(reason) => format!("[left out: its text {reason}]"),
        None => short(text, most),
    }
}

/// One line, and no longer than that.
pub fn short(text: &str, most: usize) -> String {
    shortened(text, most).0
}

/// The same, and which part of the text it is.
fn shortened(text: &str, most: usize) -> (String, Range<usize>) {
    let mut line = String::new();
    let start = text.len() - text.trim_start().len();
    let mut end = start;
    for word in text.split_whitespace() {
        end = word.as_ptr().addr() - text.as_ptr().addr() + word.len();
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > most {
            let cut = line.floor_char_boundary(most);
            end = text.floor_char_boundary(end - (line.len() - cut));
            line.truncate(cut);
            line.push('…');
            break;
        }
    }
    (line, start..end)
}

fn receipt<P>(scope: &Scope<P>, asked: &Asked, parts: &[Part], tokens: u32, omitted: usize, started: Instant) -> Receipt {
    let of_line = |line: &Line| {
        let (memory_id, version) = line.memory?;
        let detail = if line.passage.is_some() { Detail::Excerpt } else { Detail::Index };
        let told = told(memory_id, version, line.freshness.as_ref(), tokens::count(&line.text), detail);
        Some(Told { passage: line.passage, ..told })
    };
    let items = parts.iter().flat_map(|part| &part.lines).filter_map(of_line).collect();
    let asked = Recall {
        project: asked.project.clone(),
        token_budget: Some(asked.budget),
        detail: Detail::Excerpt,
        branch: asked.branch.clone(),
        ..Recall::default()
    };
    Receipt { tokens, omitted: u32::try_from(omitted).unwrap_or(u32::MAX), ..receipt_of(scope, "context", asked, items, started) }
}

/// The receipt of a brief: nobody asked in words.
pub(super) fn receipt_of<P>(scope: &Scope<P>, surface: &str, asked: Recall, items: Vec<Told>, started: Instant) -> Receipt {
    Receipt {
        id: ReceiptId::new(),
        at: clock::now(),
        actor: scope.actor().clone(),
        session_id: scope.session(),
        surface: surface.to_owned(),
        query: Some(String::new()),
        asked,
        tokens: items.iter().map(|told| told.tokens).sum(),
        items,
        omitted: 0,
        took_ms: started.elapsed().as_secs_f32() * 1000.0,
    }
}

/// A memory that a brief told, as it was told.
pub(super) fn told(memory_id: MemoryId, version: i32, judged: Option<&Judgement>, tokens: u32, detail: Detail) -> Told {
    Told {
        memory_id,
        version,
        score: 1.0,
        why: Why::default(),
        freshness: judged.map_or(Freshness::Fresh, |judged| judged.state),
        tokens,
        detail,
        passage: None,
        folded: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_text_is_known_by_its_place() {
        for text in ["", " a  b ", "zwölf Äpfel\n\tund\u{3000}Birnen", "\u{3000}ab\u{3000}\u{3000}cdef"] {
            for most in 0..40 {
                let (line, place) = shortened(text, most);
                let said: String = text[place].split_whitespace().collect::<Vec<_>>().join(" ");
                assert_eq!(line.trim_end_matches('…').trim_end(), said, "{text:?} {most}");
            }
        }
    }
}
