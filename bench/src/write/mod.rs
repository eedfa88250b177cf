//! Memory writes through HTTP (memory, version and audit entry) against pgbench on the same cluster.

use crate::{
    Failure,
    client::Client,
    figures::{median, millis},
    house::{House, WORKSPACE},
    pgbench,
};
use cairn_server::store::cluster::ThrowAway;
use serde_json::{Value, json};
use std::{
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

const ROUNDS: usize = 3;
const SECONDS: u64 = 6;
const CLIENTS: [usize; 3] = [1, 8, 32];
const BATCH: usize = 100;
const BAR_AT_32: f64 = 0.40;
const BAR_OF_BATCH: f64 = 5.0;

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Of the length that notes of agents have.
const TEXT: &str = "The gateway retries idempotent requests three times with jitter, because the upstream drops idle connections after \
30 seconds and the first request on a dropped one fails. Writes are not retried: the caller sends an idempotency key instead. \
Measured on the staging cluster; the setting lies in gateway.toml under upstream.retry and was agreed on with the platform team.";

pub struct Measured {
    pub memories_per_second: f64,
    p50: Duration,
    p99: Duration,
}

struct Medians {
    rate: f64,
    p50: f64,
    p99: f64,
}

impl Medians {
    fn of(all: &[Measured]) -> Self {
        let of = |part: fn(&Measured) -> f64| median(all.iter().map(part));
        Self { rate: of(|one| one.memories_per_second), p50: of(|one| millis(one.p50)), p99: of(|one| millis(one.p99)) }
    }
}

pub async fn run() -> Result<bool, Failure> {
    let house = House::open().await?;
    let folder = std::env::temp_dir().join(format!("cairn-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    pgbench::prepare(&house.postgres).await?;
    println!("{ROUNDS} rounds of {SECONDS} s each, side by side on one cluster, synchronous_commit = on; medians.\n");
    warm_up(&house, &folder).await?;
    println!("clients | pgbench tx/s | memories/s |  ratio |  p50 ms |  p99 ms | in batches/s | times | p50 ms | p99 ms");
    let (mut at_32, mut least_times) = (0.0, f64::INFINITY);
    let only: Option<usize> = std::env::args().nth(2).and_then(|said| said.parse().ok());
    for clients in CLIENTS.into_iter().filter(|clients| only.is_none_or(|only| only == *clients)) {
        let (mut plain, mut ours, mut batches) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            plain.push(pgbench::run(&house.postgres, &folder, TEXT, clients, SECONDS).await?);
            ours.push(load(&house, clients, 1, SECONDS).await?);
            batches.push(load(&house, clients, BATCH, SECONDS).await?);
        }
        let ratio = median(plain.iter().zip(&ours).map(|(plain, ours)| ours.memories_per_second / plain));
        let times = median(batches.iter().zip(&ours).map(|(batch, ours)| batch.memories_per_second / ours.memories_per_second));
        let (single, batch) = (Medians::of(&ours), Medians::of(&batches));
        println!(
            "{clients:7} | {:12.0} | {:10.0} | {ratio:6.2} | {:7.2} | {:7.2} | {:12.0} | {times:5.1} | {:6.1} | {:6.1}",
            median(plain.iter().copied()),
            single.rate,
            single.p50,
            single.p99,
            batch.rate,
            batch.p50,
            batch.p99
        );
        least_times = least_times.min(times);
        if clients == 32 {
            at_32 = ratio;
        }
    }
    alone(&house.leave().await?, &folder).await?;
    let _ = std::fs::remove_dir_all(&folder);
    let held = at_32 >= BAR_AT_32 && least_times >= BAR_OF_BATCH;
    println!(
        "\nbars: {at_32:.2} of pgbench at 32 clients (at least {BAR_AT_32:.2}); batches of {BATCH} at least {least_times:.1} times the single rate of as many clients (at least {BAR_OF_BATCH:.0}): {}",
        if held { "held" } else { "MISSED" }
    );
    Ok(held)
}

/// What Postgres can do with nobody else on the machine: no batch that goes through HTTP can be quicker than this.
async fn alone(postgres: &ThrowAway, folder: &Path) -> Result<(), Failure> {
    pgbench::sql(postgres, include_str!("alone.sql")).await?;
    let batch = format!("call remember_alone({BATCH}, '{}');", pgbench::literal(TEXT));
    let (mut rows, mut memories) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        rows.push(pgbench::run(postgres, folder, TEXT, 32, SECONDS).await?);
        #[expect(clippy::cast_precision_loss, reason = "a hundred")]
        memories.push(BATCH as f64 * pgbench::repeat(postgres, folder, &batch, 2, SECONDS).await?);
    }
    let (rows, memories) = (median(rows.into_iter()), median(memories.into_iter()));
    println!(
        "\nPostgres alone, no server: {rows:.0} tx/s by 32 clients, {memories:.0} memories/s in batches of {BATCH} by the call that the server makes.\n\
         Both bars together are {:.0} memories/s in batches.",
        BAR_OF_BATCH * BAR_AT_32 * rows
    );
    Ok(())
}

/// A database in use for a minute: some thousand rows, and statistics of them, as autovacuum would have made.
async fn warm_up(house: &House, folder: &Path) -> Result<(), Failure> {
    pgbench::run(&house.postgres, folder, TEXT, 8, 1).await?;
    warm_up_writes(house).await
}

pub async fn warm_up_writes(house: &House) -> Result<(), Failure> {
    let mut client = Client::connect(house.address, Some(house.key.clone())).await?;
    for _ in 0..30 {
        let (status, answer) = client.post(&format!("/v1/workspaces/{WORKSPACE}/memories/batch"), body(BATCH)).await?;
        if status != 200 {
            return Err(format!("a write was answered {status}: {}", String::from_utf8_lossy(&answer)).into());
        }
    }
    pgbench::sql(&house.postgres, "vacuum analyze").await
}

/// Writers that send one after the other, each on its own connection, for a bounded time.
pub async fn load(house: &House, clients: usize, batch: usize, seconds: u64) -> Result<Measured, Failure> {
    let path =
        if batch == 1 { format!("/v1/workspaces/{WORKSPACE}/memories") } else { format!("/v1/workspaces/{WORKSPACE}/memories/batch") };
    let started = Instant::now();
    let end = started + Duration::from_secs(seconds);
    let mut writers = Vec::new();
    for _ in 0..clients {
        let mut client = Client::connect(house.address, Some(house.key.clone())).await?;
        let path = path.clone();
        writers.push(tokio::spawn(async move {
            let mut took = Vec::new();
            while Instant::now() < end {
                let sent = Instant::now();
                let (status, answer) = client.post(&path, body(batch)).await?;
                took.push(sent.elapsed());
                if !(200..300).contains(&status) {
                    return Err::<_, Failure>(format!("a write was answered {status}: {}", String::from_utf8_lossy(&answer)).into());
                }
            }
            Ok(took)
        }));
    }
    let mut took = Vec::new();
    for writer in writers {
        took.extend(writer.await??);
    }
    let elapsed = started.elapsed();
    took.sort_unstable();
    #[expect(clippy::cast_precision_loss, reason = "counts of a few seconds")]
    let memories_per_second = (took.len() * batch) as f64 / elapsed.as_secs_f64();
    Ok(Measured { memories_per_second, p50: took[took.len() / 2], p99: took[took.len() * 99 / 100] })
}

fn body(batch: usize) -> String {
    let one = || {
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        json!({"title": format!("Retries of upstream {n}"), "content": format!("Upstream {n}: {TEXT}"), "kind": "fact"})
    };
    if batch == 1 { one().to_string() } else { json!({"items": (0..batch).map(|_| one()).collect::<Vec<Value>>()}).to_string() }
}
