//! How quick recall is, beside Postgres full-text on the same rows and a bare statement through the same server, on one
//! database, at growing sizes.

pub mod fill;
pub mod full_text;
mod measure;
mod report;
pub mod texts;

use crate::{
    Failure,
    house::{House, WORKSPACE},
};
use cairn_server::{config::Given, store::cluster::ThrowAway};
use fill::Filler;
use hyper::Method;
use measure::{Asker, Measured, What, together};
use report::Size;
use std::time::{Duration, Instant};
use texts::{Chance, Texts};
use uuid::Uuid;

const SIZES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Questions of one client, and of several together.
const QUESTIONS: usize = 500;
const CLIENTS: usize = 16;
/// Asked in turn of each: so all meet the same weather.
const BLOCK: usize = 25;
const LONGEST: Duration = Duration::from_mins(1);
/// For both sides alike.
const SETTINGS: [&str; 5] = [
    "alter system set shared_buffers = '1GB'",
    "alter system set effective_cache_size = '4GB'",
    "alter system set work_mem = '64MB'",
    "alter system set maintenance_work_mem = '512MB'",
    "alter system set max_wal_size = '8GB'",
];

pub async fn run(arguments: &[String]) -> Result<bool, Failure> {
    let sizes = sizes(arguments)?;
    let postgres = tokio::task::spawn_blocking(tuned).await??;
    let url = postgres.owner_url("postgres");
    let mut house = House::on(postgres, Given { recall_cache_mb: Some("8192".to_owned()), ..Given::default() }).await?;
    let mut owner = full_text::connect(&url).await?;
    let texts = Texts::new();
    let mut filler = Filler::new(&mut owner, WORKSPACE).await?;
    let mut measured = Vec::new();
    for size in sizes {
        let started = Instant::now();
        filler.fill(&mut owner, &texts, size).await?;
        let writing = started.elapsed();
        full_text::prepare(&mut owner, filler.workspace()).await?;
        eprintln!(
            "{size} memories: written in {:.1} s, words indexed in {:.1} s",
            writing.as_secs_f64(),
            started.elapsed().saturating_sub(writing).as_secs_f64()
        );
        house = house.restart().await?;
        let (build, bytes) = built(&house).await?;
        eprintln!("{size} memories: first answer {:.2} s after the server's start", build.as_secs_f64());
        let questions = questions(&texts, size);
        let done = measure(&house, filler.workspace(), size, &questions, build, bytes).await?;
        eprintln!("{size} memories: recall p50 {:.2} ms, full-text p50 {:.2} ms", done.recall.p50, done.full_text.p50);
        measured.push(done);
    }
    house.close().await?;
    Ok(report::print(&measured))
}

async fn measure(house: &House, workspace: Uuid, size: u64, questions: &[String], build: Duration, bytes: f64) -> Result<Size, Failure> {
    let [recall, full_text, alive, ready] = alone(house, workspace, questions).await?;
    let many: Vec<String> = questions.iter().chain(questions).cloned().collect();
    let crowd = together(house, workspace, What::Recall, &many, CLIENTS, LONGEST).await?;
    let crowd_full_text = together(house, workspace, What::FullText, questions, CLIENTS, LONGEST / 3).await?;
    let crowd_ready = together(house, workspace, What::Ready, &many, CLIENTS, LONGEST).await?;
    Ok(Size { memories: size, build, bytes, recall, full_text, alive, ready, crowd, crowd_full_text, crowd_ready })
}

/// One client each, a block of questions at a time in turn.
async fn alone(house: &House, workspace: Uuid, questions: &[String]) -> Result<[Measured; 4], Failure> {
    const ALL: [What; 4] = [What::Recall, What::FullText, What::Alive, What::Ready];
    let mut askers = Vec::new();
    for what in ALL {
        askers.push(Asker::new(house, workspace, what).await?);
    }
    // Connections open, statements prepared.
    let (warm, counted) = questions.split_at(BLOCK.min(questions.len() / 2));
    for asker in &mut askers {
        asker.ask_all(warm, Instant::now() + LONGEST / 6).await?;
    }
    let mut took: [Vec<f64>; 4] = Default::default();
    let mut busy = [Duration::ZERO; 4];
    for block in counted.chunks(BLOCK) {
        for (n, asker) in askers.iter_mut().enumerate() {
            let begun = Instant::now();
            took[n].extend(asker.ask_all(block, begun + LONGEST.saturating_sub(busy[n])).await?);
            busy[n] += begun.elapsed();
        }
    }
    for asker in askers {
        asker.close().await?;
    }
    Ok(std::array::from_fn(|n| Measured::of(&took[n], busy[n])))
}

/// How long until the first answer, and how much memory the index takes then.
async fn built(house: &House) -> Result<(Duration, f64), Failure> {
    let started = house.since();
    let mut asker = Asker::new(house, Uuid::nil(), What::Recall).await?;
    // A request gives up before a large index is built; the building goes on.
    while let Err(failure) = asker.ask("is anybody there").await {
        if started.elapsed() > Duration::from_mins(15) {
            return Err(failure);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let took = started.elapsed();
    let (_, figures) = house.client(&house.key).await?.call(Method::GET, "/metrics", "").await?;
    let figures = String::from_utf8_lossy(&figures).into_owned();
    let bytes = figures.lines().find_map(|line| line.strip_prefix("cairn_recall_index_bytes ")?.parse().ok());
    Ok((took, bytes.unwrap_or(f64::NAN)))
}

fn questions(texts: &Texts, size: u64) -> Vec<String> {
    let mut chance = Chance::of(42);
    (0..QUESTIONS + BLOCK).map(|_| texts.question(chance.next() % size)).collect()
}

fn tuned() -> Result<ThrowAway, Failure> {
    let postgres = ThrowAway::start(true)?;
    for setting in SETTINGS {
        let mut psql = std::process::Command::new(postgres.binaries().path("psql"));
        if !psql.args(["-X", "-q", "-c", setting]).arg(postgres.owner_url("postgres")).status()?.success() {
            return Err(format!("psql could not do: {setting}").into());
        }
    }
    postgres.pg_ctl(&["restart", "-w", "-m", "fast"])?;
    Ok(postgres)
}

fn sizes(arguments: &[String]) -> Result<Vec<u64>, Failure> {
    let Some(said) = arguments.first().filter(|said| !said.is_empty()) else { return Ok(SIZES.to_vec()) };
    let sizes: Vec<u64> = said
        .split(',')
        .map(|size| size.trim().replace('_', "").parse())
        .collect::<Result<_, _>>()
        .map_err(|_| "sizes are numbers: 1000,10000")?;
    if sizes.is_empty() || !sizes.is_sorted() || sizes[0] == 0 || sizes.last().is_some_and(|most| *most > 5_000_000) {
        return Err("sizes must grow, from 1 to at most 5,000,000".into());
    }
    Ok(sizes)
}
