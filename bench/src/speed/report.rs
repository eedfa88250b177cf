//! What was measured, and the bars.

use super::{CLIENTS, measure::Measured};
use crate::{figures::float, table};
use std::time::Duration;

/// Where the two bars of speed are measured, and between which sizes the third.
const AT: u64 = 100_000;
const FROM: u64 = 10_000;
const TO: u64 = 1_000_000;
const TIMES_FULL_TEXT: f64 = 10.0;
const TIMES_STATEMENT: f64 = 8.0;
const GROWTH: f64 = 12.0;

pub struct Size {
    pub memories: u64,
    /// From the server's start to its first answer.
    pub build: Duration,
    pub bytes: f64,
    pub recall: Measured,
    pub full_text: Measured,
    pub alive: Measured,
    pub ready: Measured,
    pub crowd: Measured,
    pub crowd_full_text: Measured,
    pub crowd_ready: Measured,
}

impl Size {
    /// `/readyz` is a request with two bare statements and `/healthz` one with none: half-way lies one with one.
    fn statement(&self) -> f64 {
        f64::midpoint(self.alive.p50, self.ready.p50)
    }
}

/// True when every bar that applies is held.
pub fn print(sizes: &[Size]) -> bool {
    println!("\none client, milliseconds:");
    let header = [
        "memories",
        "recall p50",
        "p99",
        "full-text p50",
        "p99",
        "times",
        "select 1 p50",
        "times",
        "healthz p50",
        "readyz p50",
        "first answer after s",
        "bytes/memory",
        "questions",
    ];
    let rows: Vec<Vec<String>> = sizes.iter().map(alone).collect();
    table::print(&header, &rows);
    println!("\n{CLIENTS} clients, milliseconds:");
    let header = ["memories", "recall p50", "p99", "a second", "full-text p50", "p99", "a second", "readyz p50", "p99", "a second"];
    let rows: Vec<Vec<String>> = sizes.iter().map(crowd).collect();
    table::print(&header, &rows);
    println!(
        "\nfull-text: GIN, english, OR of the question's words, ts_rank, limit 10, as the owner. select 1: half-way between /healthz (no statement)\n\
         and /readyz (two bare statements over the server's pools). first answer: from the server's start, the index built on the way.\n"
    );
    bars(sizes)
}

fn alone(size: &Size) -> Vec<String> {
    let Size { recall, full_text, .. } = size;
    let figures = [
        format!("{:.2}", recall.p50),
        format!("{:.2}", recall.p99),
        format!("{:.2}", full_text.p50),
        format!("{:.2}", full_text.p99),
        format!("{:.1}", full_text.p50 / recall.p50),
        format!("{:.3}", size.statement()),
        format!("{:.1}", recall.p50 / size.statement()),
        format!("{:.3}", size.alive.p50),
        format!("{:.3}", size.ready.p50),
        format!("{:.2}", size.build.as_secs_f64()),
        format!("{:.0}", size.bytes / count(size.memories)),
        format!("{} / {}", recall.count, full_text.count),
    ];
    [size.memories.to_string()].into_iter().chain(figures).collect()
}

fn crowd(size: &Size) -> Vec<String> {
    let figures = [&size.crowd, &size.crowd_full_text, &size.crowd_ready]
        .into_iter()
        .flat_map(|measured| [format!("{:.2}", measured.p50), format!("{:.2}", measured.p99), format!("{:.0}", measured.rate)]);
    [size.memories.to_string()].into_iter().chain(figures).collect()
}

fn bars(sizes: &[Size]) -> bool {
    let mut held = true;
    let mut bar = |what: String, holds: bool| {
        println!("bar: {what}: {}", if holds { "held" } else { "MISSED" });
        held &= holds;
    };
    let of = |memories| sizes.iter().find(|size| size.memories == memories);
    if let Some(size) = of(AT) {
        let (faster, slower) = (size.full_text.p50 / size.recall.p50, size.recall.p50 / size.statement());
        bar(format!("at {AT} memories {faster:.1} times as fast as full-text (at least {TIMES_FULL_TEXT})"), faster >= TIMES_FULL_TEXT);
        bar(format!("at {AT} memories {slower:.1} times a bare statement (at most {TIMES_STATEMENT})"), slower <= TIMES_STATEMENT);
    }
    if let (Some(from), Some(to)) = (of(FROM), of(TO)) {
        let growth = to.recall.p50 / from.recall.p50;
        bar(format!("from {FROM} to {TO} memories p50 grows {growth:.1} times (less than {GROWTH})"), growth < GROWTH);
    }
    held
}

fn count(memories: u64) -> f64 {
    float(usize::try_from(memories).unwrap_or(usize::MAX))
}
