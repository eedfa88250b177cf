//! A day's work of several agents: how quickly its events are taken in, how long distilling them takes, how much is
//! proposed, and that the same day again proposes nothing new.

use crate::{
    Failure,
    client::Client,
    figures::{float, millis},
    house::{House, WORKSPACE},
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const RUNS: usize = 8;
const EVENTS: usize = 10_000;
const BATCH: usize = 500;
/// Distilling the whole day may take so long.
const LONGEST: Duration = Duration::from_secs(2);
/// More proposals than this are no handful.
const HANDFUL: usize = 25;

struct Day {
    ingest: Duration,
    distil: Duration,
    proposals: usize,
    slowest: Duration,
}

pub async fn run() -> Result<bool, Failure> {
    let house = House::open().await?;
    let mut client = house.client(&house.key).await?;
    let first = day(&mut client, 1).await?;
    let again = day(&mut client, 2).await?;
    house.close().await?;
    let rate = float(EVENTS) / first.ingest.as_secs_f64();
    println!("{EVENTS} events in {RUNS} runs, batches of {BATCH}: {rate:.0} events a second");
    println!(
        "distilled in {:.0} ms together, the longest run in {:.0} ms (at most {} ms together)",
        millis(first.distil),
        millis(first.slowest),
        LONGEST.as_millis()
    );
    println!("proposals after the day: {}; after the same day again: {}", first.proposals, again.proposals);
    let held = first.distil < LONGEST && (1..=HANDFUL).contains(&first.proposals) && again.proposals == first.proposals;
    println!("bar: {}", if held { "held" } else { "MISSED" });
    Ok(held)
}

async fn day(client: &mut Client, number: usize) -> Result<Day, Failure> {
    let base = format!("/v1/workspaces/{WORKSPACE}");
    let (mut ingest, mut distil, mut slowest) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for run in 0..RUNS {
        let new = json!({"agent_tool": "bench", "external_id": format!("day-{number}-run-{run}"), "project": "gateway"});
        let session = client.make(&format!("{base}/sessions"), new).await?;
        let at = format!("{base}/sessions/{}", session["id"].as_str().ok_or("a session has an id")?);
        let events = events_of(run);
        let started = Instant::now();
        for batch in events.chunks(BATCH) {
            client.make(&format!("{at}/events"), json!({"events": batch})).await?;
        }
        ingest += started.elapsed();
        let started = Instant::now();
        client.make(&format!("{at}/end"), json!({})).await?;
        distil += started.elapsed();
        slowest = slowest.max(started.elapsed());
    }
    let waiting = client.get(&format!("{base}/proposals?limit=200")).await?;
    Ok(Day { ingest, distil, proposals: waiting["data"].as_array().map_or(0, Vec::len), slowest })
}

/// What a coding agent does: asked something, it searches, reads, edits, tests, fails, mends and tests again.
fn events_of(run: usize) -> Vec<Value> {
    let mut log = Log { run, events: Vec::new() };
    let mut round = 0;
    while log.events.len() < EVENTS / RUNS {
        let (module, other) = ((run * 7 + round * 3) % 40, (run * 5 + round) % 40);
        if round % 12 == 0 {
            log.add(json!({"type": "prompt", "text": format!("Make the parser of module {module} accept empty lines")}));
        }
        if round % 60 == 30 {
            log.add(json!({"type": "prompt", "text": "No, use the house's own error type, never anyhow in the library."}));
        }
        log.add(json!({"type": "search", "text": format!("fn parse_{module}"), "output": format!("src/parse_{module}.rs:12")}));
        log.add(json!({"type": "file_read", "path": format!("src/parse_{module}.rs"), "output": "x".repeat(1500)}));
        log.add(json!({"type": "file_read", "path": format!("src/lex_{other}.rs"), "output": "y".repeat(900)}));
        log.add(json!({"type": "file_edit", "path": format!("src/parse_{module}.rs")}));
        let failure =
            format!("error[E0308]: mismatched types\n --> src/parse_{module}.rs:{round}:9\n{}", "note: expected `Line`\n".repeat(20));
        log.add(json!({"type": "command", "command": "cargo test", "exit_code": 101, "output": failure}));
        log.add(json!({"type": "file_edit", "path": format!("src/lex_{other}.rs")}));
        log.add(json!({"type": "command", "command": "cargo test", "exit_code": 0, "output": "test result: ok. 212 passed"}));
        log.add(json!({"type": "message", "text": format!("Module {module} now accepts empty lines; {other} needed the same change.")}));
        round += 1;
    }
    log.events.truncate(EVENTS / RUNS);
    log.events
}

struct Log {
    run: usize,
    events: Vec<Value>,
}

impl Log {
    fn add(&mut self, mut event: Value) {
        let n = self.events.len();
        event["id"] = json!(format!("{}-{n}", self.run));
        event["at"] = json!(format!("2026-05-04T{:02}:{:02}:{:02}Z", 8 + n / 3600, n / 60 % 60, n % 60));
        self.events.push(event);
    }
}
