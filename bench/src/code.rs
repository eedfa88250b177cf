//! A repository of 100,000 symbols and 10,000 memories that hang on it: how long a new picture takes, from the first byte sent
//! to the answer that says what became of each memory, and how much of that the judging is: from the last part on.

use crate::{
    Failure,
    client::Client,
    figures::millis,
    house::{House, WORKSPACE},
    speed::texts::Texts,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const FILES: usize = 5_000;
const IN_EACH: usize = 20;
const MEMORIES: usize = 10_000;
/// Parts of a picture: each fits a body.
const PARTS: usize = 12;
const BAR: Duration = Duration::from_secs(2);

/// How a picture differs from the first.
#[derive(Clone, Copy)]
struct Change {
    what: &'static str,
    /// Of every so many functions one has another body, and of every so many one another signature; 0 for none.
    bodies: usize,
    signatures: usize,
    /// Every file lies elsewhere.
    moved: bool,
    /// Only these files are sent, as the difference.
    only: Option<usize>,
}

const FIRST: Change = Change { what: "the first picture", bodies: 0, signatures: 0, moved: false, only: None };

pub async fn run() -> Result<bool, Failure> {
    let mut house = House::open().await?;
    let mut client = house.client(&house.key).await?;
    let mut base = None;
    println!("{} symbols in {FILES} files, {MEMORIES} memories on them, {PARTS} parts of a picture", FILES * IN_EACH);
    let (took, _) = sync(&mut client, "c0", FIRST, &mut base).await?;
    println!("{:<58} {:>8.0} ms in all   (nothing to judge yet)", FIRST.what, millis(took.all));
    fill(&mut client).await?;
    // A flood of writes is swept for contradictions afterwards: what is measured begins when that is over.
    house.sweep().await?;
    let (mut held, mut held_in_all) = (true, true);
    let none = Change { what: "the same again, complete", ..FIRST };
    let all = [
        none,
        Change { what: "one body in ten and one signature in fifty changed", bodies: 10, signatures: 50, ..FIRST },
        Change { what: "every body changed", bodies: 1, ..FIRST },
        Change { what: "as it was at first", ..FIRST },
        Change { what: "every file moved to another folder", moved: true, ..FIRST },
        Change { what: "and back", ..FIRST },
        Change { what: "a commit of ten files, as the difference", bodies: 2, only: Some(10), ..FIRST },
    ];
    for (n, change) in all.into_iter().enumerate() {
        let (took, answer) = sync(&mut client, &format!("c{}", n + 1), change, &mut base).await?;
        let counts = &answer["counts"];
        println!(
            "{:<58} {:>8.0} ms in all, judged in {:>5.0} ms   stale {}, suspect {}, moved {}, fresh again {}",
            change.what,
            millis(took.all),
            millis(took.judging),
            counts["stale"],
            counts["suspect"],
            counts["moved"],
            counts["fresh"]
        );
        held &= took.judging < BAR;
        held_in_all &= took.all < BAR;
    }
    let asked = Instant::now();
    client.make(&format!("/v1/workspaces/{WORKSPACE}/recall"), json!({"query": "how does function 7 of file 7 round?"})).await?;
    println!("{:<58} {:>8.0} ms", "the next recall, which reads all new verdicts", millis(asked.elapsed()));
    println!("peak memory of server and client together: {:.0} MB", peak()?);
    let is = |held: bool| if held { "held" } else { "MISSED" };
    println!("bar (each judged under {} s): {}; with all that is sent: {}", BAR.as_secs(), is(held), is(held_in_all));
    house.close().await?;
    Ok(held)
}

/// The repository and what hangs on it, of which one in ten no longer holds: for whoever measures something else beside it.
pub async fn live(client: &mut Client) -> Result<(), Failure> {
    let mut base = None;
    sync(client, "c0", FIRST, &mut base).await?;
    fill(client).await?;
    let later = Change { what: "later", bodies: 10, signatures: 50, ..FIRST };
    sync(client, "c1", later, &mut base).await.map(drop)
}

struct Took {
    all: Duration,
    /// From the last part on, with which everything is there.
    judging: Duration,
}

/// Sends a picture, and how long it took.
async fn sync(client: &mut Client, commit: &str, change: Change, base: &mut Option<String>) -> Result<(Took, Value), Failure> {
    let path = format!("/v1/workspaces/{WORKSPACE}/code/snapshots");
    let sent: Vec<Value> = match change.only {
        Some(files) => {
            let files: Vec<Value> = (0..files).map(|n| file(n, change)).collect();
            vec![json!({"repo": "big", "branch": "main", "commit": commit, "base": base, "files": files})]
        }
        None => (0..PARTS)
            .map(|part| {
                let files: Vec<Value> = (0..FILES).filter(|n| n % PARTS == part).map(|n| file(n, change)).collect();
                json!({"repo": "big", "branch": "main", "commit": commit, "files": files, "complete": true, "part": part + 1, "parts": PARTS})
            })
            .collect(),
    };
    let bodies: Vec<String> = sent.iter().map(Value::to_string).collect();
    drop(sent);
    let started = Instant::now();
    let (mut last, mut last_sent) = (Value::Null, started);
    for body in bodies {
        last_sent = Instant::now();
        let (status, answer) = client.post(&path, body).await?;
        if status != 200 {
            return Err(format!("a picture was answered {status}: {}", String::from_utf8_lossy(&answer)).into());
        }
        last = serde_json::from_slice(&answer)?;
    }
    *base = Some(commit.to_owned());
    Ok((Took { all: started.elapsed(), judging: last_sent.elapsed() }, last))
}

fn file(n: usize, change: Change) -> Value {
    let symbols: Vec<Value> = (0..IN_EACH)
        .map(|m| {
            let one = n * IN_EACH + m;
            let every = |of: usize| of > 0 && one.is_multiple_of(of);
            let seed = one as u64;
            let (signature, body) =
                (seed * 2 + u64::from(every(change.signatures)) * 1_000_003, seed * 3 + u64::from(every(change.bodies)) * 1_000_033);
            json!({"name": format!("function_{m}"), "kind": "function", "signature_hash": hash(signature), "body_hash": hash(body ^ 0xff00),
                "start_line": m * 10 + 1, "end_line": m * 10 + 9, "shingles": shingles(body)})
        })
        .collect();
    let digest = symbols
        .iter()
        .fold(n as u64, |sum, one| one.to_string().bytes().fold(sum, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)));
    json!({"path": path(n, change.moved), "sha256": format!("{digest:064x}"), "symbols": symbols})
}

/// As many as a function of ten lines has, which the scanner sends most of.
fn shingles(seed: u64) -> Vec<u32> {
    let mix = |n: u64| (seed * 64 + n).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (0..64).filter_map(|n| u32::try_from(mix(n)).ok()).collect()
}

fn path(n: usize, moved: bool) -> String {
    format!("{}/package_{}/file_{n}.py", if moved { "lib" } else { "src" }, n / 50)
}

fn hash(seed: u64) -> String {
    format!("{:016x}{seed:016x}", seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Memories on functions all over the repository.
async fn fill(client: &mut Client) -> Result<(), Failure> {
    let texts = Texts::new();
    for batch in 0..MEMORIES / 1000 {
        let items: Vec<Value> = (0..1000)
            .map(|n| {
                let one = (batch * 1000 + n) * (FILES * IN_EACH / MEMORIES);
                let (n, m) = (one / IN_EACH, one % IN_EACH);
                json!({"content": texts.text(one as u64), "kind": "fact",
                    "anchors": [{"repo": "big", "path": path(n, false), "symbol": format!("function_{m}")}]})
            })
            .collect();
        client.make(&format!("/v1/workspaces/{WORKSPACE}/memories/batch"), json!({ "items": items })).await?;
    }
    Ok(())
}

/// The most that this process ever held, in megabytes.
fn peak() -> Result<f64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1024.0)
}
