//! What was measured, side by side with what a plain script reaches, and the bars.

use super::{ask::Summary, engine::VARIANTS};
use crate::{
    figures::float,
    table::{self, rate},
};

/// hit@10 of a plain script on these sets: BM25 and static vectors, normalised and added half and half.
const REFERENCES: [(&str, f64); 5] =
    [("longmemeval", 0.69), ("anthropic_codebase", 0.92), ("anthropic_docs", 0.96), ("memoria_pool", 0.77), ("devbench", 1.0)];
const HAYSTACK_REFERENCE: f64 = 0.976;

/// No set may fall further below its reference than this many questions.
const QUESTIONS_BELOW: f64 = 2.0;
/// All questions together, at least this far above the references.
const POINTS_ABOVE: f64 = 0.02;
const HAYSTACK_BAR: f64 = 0.98;
/// Questions in which something forbidden stands above what answers.
const FORBIDDEN_ABOVE: f64 = 0.01;

/// One set, all its questions.
pub struct Line {
    pub set: String,
    pub states: bool,
    pub summary: Summary,
    pub without_vectors: Option<usize>,
    pub engine: Option<[usize; VARIANTS.len()]>,
}

/// One set, each question in its own haystack.
pub struct Stack {
    pub set: String,
    pub questions: usize,
    pub hits: usize,
}

/// True when every bar that applies is held.
pub fn print(lines: &[Line], stacks: &[Stack]) -> bool {
    let mut held = true;
    let mut bar = |what: String, holds: bool| {
        println!("bar: {what}: {}", if holds { "held" } else { "MISSED" });
        held &= holds;
    };
    print_hits(lines);
    println!();
    for stack in stacks {
        let found = part(stack.hits, stack.questions);
        println!(
            "{} haystack: {} of {} questions find a right session among the first five: {found:.3} [{HAYSTACK_REFERENCE}]",
            stack.set, stack.hits, stack.questions
        );
        bar(format!("{} haystack at least {HAYSTACK_BAR}", stack.set), found >= HAYSTACK_BAR);
    }
    for Line { set, summary, .. } in lines.iter().filter(|line| line.states) {
        println!(
            "{set}, with its states: {} of {} questions are told something forbidden without a mark; above a right one in {} ({:.1} %); recall@10 {:.3}",
            summary.unmarked,
            summary.questions,
            summary.above,
            part(summary.above, summary.questions) * 100.0,
            summary.recall
        );
        bar(format!("{set}: nothing forbidden is told unmarked"), summary.unmarked == 0);
        bar(
            format!("{set}: forbidden above right in under {:.0} %", FORBIDDEN_ABOVE * 100.0),
            part(summary.above, summary.questions) < FORBIDDEN_ABOVE,
        );
    }
    let known: Vec<(&Line, f64)> = lines.iter().filter_map(|line| Some((line, reference(&line.set)?))).collect();
    if !known.is_empty() {
        let below: Vec<&str> = known
            .iter()
            .filter(|(line, reference)| above(&line.summary, *reference) < -QUESTIONS_BELOW)
            .map(|(line, _)| line.set.as_str())
            .collect();
        bar(
            format!(
                "no set more than {QUESTIONS_BELOW} questions below its reference{}",
                if below.is_empty() { String::new() } else { format!(" ({})", below.join(", ")) }
            ),
            below.is_empty(),
        );
        let (ours, theirs) = pooled(&known);
        bar(
            format!(
                "pooled over all questions {:.1} points above the references (at least {:.0})",
                (ours - theirs) * 100.0,
                POINTS_ABOVE * 100.0
            ),
            ours - theirs >= POINTS_ABOVE,
        );
    }
    held
}

fn print_hits(lines: &[Line]) {
    let known: Vec<(&Line, f64)> = lines.iter().filter_map(|line| Some((line, reference(&line.set)?))).collect();
    let mut rows: Vec<Vec<String>> = lines.iter().map(row).collect();
    if !known.is_empty() {
        rows.push(pooled_row(&known));
    }
    let engine = VARIANTS.map(|(name, _)| format!("engine: {name}"));
    let mut header =
        vec!["set", "questions", "hit@10", "[reference]", "± questions", "MRR", "NDCG@10", "recall@10", "ms p50", "folded", "no vectors"];
    header.extend(engine.iter().map(String::as_str));
    println!();
    table::print(&header, &rows);
    println!(
        "\nhit@10: a right memory among the first ten, through HTTP. folded: misses whose right memory was folded into one that says the same.\n\
         no vectors: through HTTP with CAIRN_EMBEDDINGS=off. engine: in-process, on the memories as the API shows them; \"all\" leaves nothing out."
    );
}

fn row(line: &Line) -> Vec<String> {
    let (summary, reference) = (&line.summary, reference(&line.set));
    let mut row = vec![line.set.clone(), summary.questions.to_string(), rate(Some(part(summary.hits, summary.questions)))];
    row.push(reference.map_or_else(|| "–".to_owned(), |reference| format!("[{reference:.2}]")));
    row.push(reference.map_or_else(|| "–".to_owned(), |reference| format!("{:+.1}", above(summary, reference))));
    row.extend([summary.reciprocal, summary.ndcg, summary.recall].map(|value| rate(Some(value))));
    row.extend([format!("{:.2}", summary.millis), summary.folded.to_string()]);
    let hits = [line.without_vectors].into_iter().chain((0..VARIANTS.len()).map(|n| line.engine.map(|hits| hits[n])));
    row.extend(hits.map(|hits| rate(hits.map(|hits| part(hits, summary.questions)))));
    row
}

fn pooled_row(known: &[(&Line, f64)]) -> Vec<String> {
    let (ours, theirs) = pooled(known);
    let questions: usize = known.iter().map(|(line, _)| line.summary.questions).sum();
    let mut row = vec!["pooled".to_owned(), questions.to_string(), rate(Some(ours)), format!("[{theirs:.3}]")];
    row.push(format!("{:+.1}", (ours - theirs) * float(questions)));
    row.extend((0..5).map(|_| String::new()));
    let all = |hits: &dyn Fn(&Line) -> Option<usize>| {
        let sum: Option<usize> = known.iter().map(|(line, _)| hits(line)).sum();
        rate(sum.map(|sum| part(sum, questions)))
    };
    row.push(all(&|line| line.without_vectors));
    row.extend((0..VARIANTS.len()).map(|n| all(&|line: &Line| line.engine.map(|hits| hits[n]))));
    row
}

fn reference(set: &str) -> Option<f64> {
    REFERENCES.iter().find(|(name, _)| *name == set).map(|(_, reference)| *reference)
}

/// In questions.
fn above(summary: &Summary, reference: f64) -> f64 {
    float(summary.hits) - reference * float(summary.questions)
}

fn pooled(known: &[(&Line, f64)]) -> (f64, f64) {
    let questions: usize = known.iter().map(|(line, _)| line.summary.questions).sum();
    let hits: usize = known.iter().map(|(line, _)| line.summary.hits).sum();
    let theirs: f64 = known.iter().map(|(line, reference)| reference * float(line.summary.questions)).sum();
    (part(hits, questions), theirs / float(questions))
}

fn part(some: usize, all: usize) -> f64 {
    float(some) / float(all.max(1))
}
