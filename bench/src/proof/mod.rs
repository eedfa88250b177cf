//! What memory is worth: recorded tasks on real packages, replayed without a memory and with one, through the real server, the
//! real hooks, scan and sync; and what the memory leaves behind. `docs/proof.md` says what each figure means.

mod agent;
mod bounds;
mod govern;
mod html;
mod ledger;
mod machine;
mod mind;
mod referee;
mod replay;
mod report;
mod repository;
mod task;
mod telling;
mod walls;

use crate::{Failure, house::House};
use bounds::Bounds;
use cairn_server::{config::Given, store::cluster::ThrowAway};
use replay::{REVIEWER, Replayed, Setting};
use std::{env, fs, path::PathBuf};
use task::Task;

struct Wanted {
    tasks: PathBuf,
    packages: PathBuf,
    out: PathBuf,
    program: PathBuf,
    only: Option<String>,
    seed: u64,
    synced: bool,
}

/// A task, replayed both ways.
pub struct Outcome {
    pub task: Task,
    pub cold: Replayed,
    pub warm: Replayed,
}

pub async fn run(arguments: &[String]) -> Result<bool, Failure> {
    let wanted = wanted(arguments)?;
    let tasks = Task::all(&wanted.tasks, wanted.only.as_deref())?;
    let bounds = Bounds::read(&wanted.tasks.join(bounds::FILE))?;
    let setting =
        Setting { tasks: wanted.tasks, packages: wanted.packages, program: wanted.program, seed: wanted.seed, synced: wanted.synced };
    // Nothing here pulls a plug, so nothing waits for the disk.
    let postgres = tokio::task::spawn_blocking(|| ThrowAway::start(false)).await??;
    let mut house = House::on(postgres, Given::default()).await?;
    house.account(REVIEWER).await?;
    let mut outcomes = Vec::new();
    for task in tasks {
        eprintln!("{} …", task.title);
        outcomes.push(measure(&mut house, &setting, task).await?);
    }
    let postgres = house.leave().await?;
    for outcome in outcomes.iter_mut().filter(|outcome| !outcome.task.customer.is_empty()) {
        govern::table_files(&postgres, &outcome.task, &mut outcome.warm.ledger).await?;
    }
    drop(postgres);
    let report = report::Report::new(outcomes, &bounds, wanted.seed, wanted.only.is_none());
    fs::create_dir_all(&wanted.out)?;
    let text = report.text();
    let places = ["proof.txt", "proof.json", "proof.html"].map(|name| wanted.out.join(name));
    fs::write(&places[0], &text)?;
    fs::write(&places[1], serde_json::to_string_pretty(&report.json())?)?;
    fs::write(&places[2], html::page(&report))?;
    print!("{text}");
    println!("\n{}", places.map(|place| place.display().to_string()).join("\n"));
    Ok(report.held())
}

async fn measure(house: &mut House, setting: &Setting, task: Task) -> Result<Outcome, Failure> {
    let cold = replay::cold(setting, &task).await?;
    let mut warm = replay::warm(setting, &task, house, &task.name, true).await?;
    govern::receipts(house, &mut warm).await?;
    govern::provenance(house, &mut warm).await?;
    if task.runs.iter().any(|run| run.bad) {
        let without = replay::warm(setting, &task, house, &format!("{}-without", task.name), false).await?;
        govern::rollback(&mut warm, &without);
    }
    if !task.customer.is_empty() {
        walls::walls(house, &task, &mut warm).await?;
        govern::erasure(house, &task, &mut warm).await?;
    }
    Ok(Outcome { task, cold, warm })
}

fn wanted(arguments: &[String]) -> Result<Wanted, Failure> {
    let beside = env::current_exe()?.with_file_name("cairn");
    let mut wanted = Wanted {
        tasks: "bench/proof/packages".into(),
        packages: "target/proof/packages".into(),
        out: "target/proof".into(),
        program: beside,
        only: None,
        seed: 1,
        synced: true,
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} wants a value"));
        match argument.as_str() {
            "--tasks" => wanted.tasks = value()?.into(),
            "--packages" => wanted.packages = value()?.into(),
            "--out" => wanted.out = value()?.into(),
            "--cairn" => wanted.program = value()?.into(),
            "--only" => wanted.only = Some(value()?.clone()),
            "--seed" => wanted.seed = value()?.parse()?,
            "--without-sync" => wanted.synced = false,
            other => {
                return Err(
                    format!("proof knows --tasks, --packages, --out, --cairn, --only, --seed and --without-sync, not {other}").into()
                );
            }
        }
    }
    if !wanted.program.exists() {
        return Err(format!("{} is not there: build it with `cargo build --bin cairn`, or say --cairn", wanted.program.display()).into());
    }
    Ok(wanted)
}
