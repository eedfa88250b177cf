//! A dream over many memories among which some are planted: what it finds, what it takes by mistake, how long it takes, and
//! whether a rollback brings back every byte.

mod check;
mod plant;

use crate::{
    Failure,
    client::Client,
    figures::float,
    house::{House, WORKSPACE},
    speed::{
        fill::{Filler, Item},
        full_text,
        texts::Texts,
    },
    table,
};
use check::Picture;
use plant::Planted;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashSet},
    time::{Duration, Instant},
};
use uuid::Uuid;

const SIZE: usize = 50_000;
const AT_ONCE: usize = 5000;
const LONGEST: Duration = Duration::from_mins(1);
/// Of what is planted so much has to be found.
const BAR_SAME: f64 = 0.99;
const BAR_ALIKE: f64 = 0.95;
const BAR_CLASH: f64 = 0.70;

pub async fn run(arguments: &[String]) -> Result<bool, Failure> {
    let size = match arguments.first().filter(|said| !said.is_empty()) {
        Some(said) => said.replace('_', "").parse().map_err(|_| "the size is a number, such as 50000")?,
        None => SIZE,
    };
    let mut house = House::open().await?;
    house.settle(WORKSPACE, json!({"default_stale_after_days": null})).await?;
    let mut owner = full_text::connect(&house.postgres.owner_url("postgres")).await?;
    let (items, planted) = plant::plant(&Texts::new(), size);
    let mut filler = Filler::new(&mut owner, WORKSPACE).await?;
    let mut ids = Vec::with_capacity(items.len());
    for some in items.chunks(AT_ONCE) {
        ids.extend(filler.put(&mut owner, some).await?);
    }
    sqlx::query("analyze").execute(&mut owner).await?;
    let workspace = filler.workspace();
    let before = check::picture(&mut owner, workspace).await?;
    let key = house.reviewer(WORKSPACE).await?;
    let mut reviewer = house.client(&key).await?;
    println!("{} memories, dreamt of in auto mode through HTTP.\n", items.len());

    let begun = Instant::now();
    let dream = dream(&mut reviewer).await?;
    let took = begun.elapsed();
    let after = check::picture(&mut owner, workspace).await?;
    let (flagged, listed) = (check::conflicts(&mut owner, workspace).await?, check::listed(&mut owner, workspace).await?);
    let found = Found { items: &items, ids: &ids, planted: &planted, before: &before, after: &after, flagged: &flagged, listed: &listed };
    let held = report(&found);
    println!("\nreport: {}", dream["report"]);
    println!("dream: {:.1} s (at most {} s)", took.as_secs_f64(), LONGEST.as_secs());

    let begun = Instant::now();
    let undone = reviewer.make(&format!("/v1/workspaces/{WORKSPACE}/rollbacks"), json!({"dream_id": dream["id"]})).await?;
    let (changed, new) = check::differing(&before, &check::picture(&mut owner, workspace).await?);
    println!("rollback: {:.1} s, {}", begun.elapsed().as_secs_f64(), undone["counts"]);
    let id = undone["id"].as_str().ok_or("a rollback has an id")?;
    let left = reviewer.get(&format!("/v1/workspaces/{WORKSPACE}/rollbacks/{id}/memories?outcome=left&limit=200")).await?;
    let mut why: BTreeMap<String, usize> = BTreeMap::new();
    for item in left["data"].as_array().into_iter().flatten() {
        *why.entry(item["reason"].to_string()).or_default() += 1;
    }
    if !why.is_empty() {
        println!("left as they are: {why:?}, such as {}", left["data"][0]);
    }
    println!("afterwards: {changed} of {} memories are not as they were, {new} are new and still known", before.len());
    house.close().await?;
    let held = held && took <= LONGEST && (changed, new) == (0, 0);
    println!("\nbars: {}", if held { "held" } else { "MISSED" });
    Ok(held)
}

/// From its beginning to its end.
async fn dream(reviewer: &mut Client) -> Result<Value, Failure> {
    let path = format!("/v1/workspaces/{WORKSPACE}/dreams");
    let begun = reviewer.make(&path, json!({"mode": "auto"})).await?;
    let path = format!("{path}/{}", begun["id"].as_str().ok_or("a dream has an id")?);
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let dream = reviewer.get(&path).await?;
        match dream["state"].as_str() {
            Some("running") => {}
            Some("done") => return Ok(dream),
            _ => return Err(format!("the dream failed: {dream}").into()),
        }
    }
}

struct Found<'a> {
    items: &'a [Item],
    ids: &'a [Uuid],
    planted: &'a Planted,
    before: &'a Picture,
    after: &'a Picture,
    flagged: &'a HashSet<(Uuid, Uuid)>,
    listed: &'a HashSet<Uuid>,
}

impl Found<'_> {
    fn merged(&self, [one, other]: [usize; 2]) -> bool {
        let (one, other) = (self.ids[one], self.ids[other]);
        self.after[&one].superseded_by == Some(other) || self.after[&other].superseded_by == Some(one)
    }

    fn clashes(&self, [one, other]: [usize; 2]) -> bool {
        let (one, other) = (self.ids[one], self.ids[other]);
        self.flagged.contains(&(one.min(other), one.max(other)))
    }

    fn gone(&self, at: usize) -> bool {
        self.after[&self.ids[at]].state != "active"
    }

    /// Changed, and nobody planted anything there.
    fn touched(&self) -> Vec<usize> {
        let planted = self.planted;
        let pairs = planted.same.iter().chain(&planted.alike).flatten();
        let rest = planted.forgotten.iter().chain(&planted.episodes).chain(planted.found.iter().flatten());
        let may: HashSet<usize> = pairs.chain(rest).copied().collect();
        let changed = |at: &usize| self.after[&self.ids[*at]].version != self.before[&self.ids[*at]].version;
        (0..self.ids.len()).filter(|at| !may.contains(at) && changed(at)).collect()
    }

    /// What it says, and what stands in its place.
    fn told(&self, at: usize) -> String {
        let stands = self.after[&self.ids[at]].superseded_by.and_then(|by| self.ids.iter().position(|id| *id == by));
        let place = stands.map_or_else(|| "nothing".to_owned(), |by| format!("{:?}", self.items[by].text));
        format!("{:?}\n    in its place {place}", self.items[at].text)
    }
}

fn report(found: &Found) -> bool {
    let planted = found.planted;
    let count = |hits: usize, of: usize| (hits, of);
    let same = count(planted.same.iter().filter(|pair| found.merged(**pair)).count(), planted.same.len());
    let alike = count(planted.alike.iter().filter(|pair| found.merged(**pair)).count(), planted.alike.len());
    let clash = count(planted.clashes.iter().filter(|pair| found.clashes(**pair)).count(), planted.clashes.len());
    let stale = count(planted.stale.iter().filter(|at| found.listed.contains(&found.ids[**at])).count(), planted.stale.len());
    let forgotten = count(planted.forgotten.iter().filter(|at| found.gone(**at)).count(), planted.forgotten.len());
    let episodes = count(planted.episodes.iter().filter(|at| found.gone(**at)).count(), planted.episodes.len());
    let promoted = count(planted.found.iter().filter(|three| three.iter().all(|at| found.gone(*at))).count(), planted.found.len());
    let rows: Vec<Vec<String>> = [
        ("the same text", same),
        ("the same statement", alike),
        ("contradictions", clash),
        ("stale", stale),
        ("never recalled", forgotten),
        ("old episodes", episodes),
        ("findings of three runs", promoted),
    ]
    .into_iter()
    .map(|(what, (hits, of))| vec![what.to_owned(), of.to_string(), hits.to_string(), table::rate(Some(float(hits) / float(of.max(1))))])
    .collect();
    table::print(&["planted", "how many", "found", "part"], &rows);
    let tricked = planted.traps.iter().filter(|pair| found.merged(**pair)).count();
    let traps = planted.traps.iter().filter(|pair| found.clashes(**pair)).count();
    let touched = found.touched();
    let others = found.flagged.len().saturating_sub(clash.0 + traps);
    println!(
        "\nfalse: {tricked} of {} near misses merged; {} memories changed where nothing was planted;",
        planted.traps.len(),
        touched.len()
    );
    println!("       {others} contradictions flagged where none was planted, and {traps} between near misses");
    for at in touched.iter().take(3) {
        println!("such as {}", found.told(*at));
    }
    let part = |(hits, of): (usize, usize)| float(hits) / float(of.max(1));
    let all = |(hits, of): (usize, usize)| hits == of;
    part(same) >= BAR_SAME
        && part(alike) >= BAR_ALIKE
        && part(clash) >= BAR_CLASH
        && [stale, forgotten, episodes, promoted].into_iter().all(all)
        && tricked == 0
        && touched.is_empty()
}
