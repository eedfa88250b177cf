//! How quickly every page of the dashboard is there, and how heavy it is on the wire, in a workspace that has been lived in:
//! 100,000 memories and a million entries in the trail, unless said otherwise, and a repository of 100,000 symbols with 10,000 more
//! memories on them.

mod fill;
mod governed;

use crate::{
    Failure,
    figures::{millis, percentile},
    house::{House, WORKSPACE},
    speed::texts::Texts,
    table,
};
use cairn_server::{acts, auth::cookies, model::LoginId};
use sqlx::{Connection, PgConnection};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// Asked for each page, after a few that do not count.
const TIMES: usize = 60;
const FIRST: usize = 5;
/// The bars: 95 of 100 are there by then, and none is heavier.
const BAR_MS: f64 = 30.0;
const BAR_BYTES: usize = 100 * 1024;

/// With a number, so many memories, and ten times as many entries; with words after it, only pages whose name has one of them.
pub async fn run(arguments: &[String]) -> Result<bool, Failure> {
    let memories: u64 = arguments.first().map_or(Ok(100_000), |said| said.parse())?;
    let mut house = House::open().await?;
    // Whoever has one workspace only is led there.
    house.workspace("beside").await?;
    let mut owner = PgConnection::connect(&house.postgres.owner_url("postgres")).await?;
    let started = Instant::now();
    let lived = fill::fill(&house.postgres, &mut owner, &Texts::new(), memories).await?;
    crate::code::live(&mut house.client(&house.key).await?).await?;
    acts::activity::count_up(house.app()).await.map_err(|problem| format!("{problem:?}"))?;
    println!("{memories} memories and {} entries, filled in {:.0} s\n", lived.entries, started.elapsed().as_secs_f64());

    let executed = governed::erased(&mut house).await?;
    calm(&mut owner).await?;
    // Whoever signs in last looks at the pages: the one who may see them all.
    house.admin().await?;
    let login: Uuid = sqlx::query_scalar("select id from logins order by created_at desc limit 1").fetch_one(&mut owner).await?;
    let cookie = format!("{}={}", cookies::NAME, cookies::value(house.app().keyring(), LoginId(login)));
    let mut visitor = house.client("").await?;
    let assets = assets(&mut visitor, &cookie).await?;
    let (mut rows, mut held) = (Vec::new(), true);
    let asked_for = |name: &str| arguments.len() < 2 || arguments[1..].iter().any(|word| name.contains(word.as_str()));
    for (name, path) in lived.pages(&executed).into_iter().filter(|(name, _)| asked_for(name)) {
        let (mut took, mut one, mut bytes) = (Vec::new(), Vec::new(), 0);
        wait_for(&mut visitor, &path, &cookie).await?;
        for time in 0..FIRST + TIMES {
            let begun = Instant::now();
            let (status, body) = visitor.visit(&path, &cookie).await?;
            let page = begun.elapsed();
            if status != 200 {
                return Err(format!("{path} was answered {status}").into());
            }
            let begun = Instant::now();
            sqlx::query("select 1").execute(&mut owner).await?;
            if time >= FIRST {
                took.push(millis(page));
                one.push(millis(begun.elapsed()));
            }
            bytes = body.len();
        }
        let late = percentile(took.iter().copied(), 95);
        held &= late < BAR_MS && bytes + assets <= BAR_BYTES;
        let row = [percentile(took.iter().copied(), 50), late, percentile(one.iter().copied(), 50)].map(|time| format!("{time:.2}"));
        let sizes = [bytes, bytes + assets].map(|bytes| format!("{:.1}", f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)) / 1024.0));
        rows.push([vec![name.to_owned()], row.to_vec(), sizes.to_vec()].concat());
    }
    table::print(&["page", "ms, p50", "ms, p95", "select 1", "KiB", "KiB, first visit"], &rows);
    println!(
        "\nbar: p95 under {BAR_MS} ms and at most {} KiB on a first visit: {}",
        BAR_BYTES / 1024,
        if held { "held" } else { "MISSED" }
    );
    house.close().await?;
    Ok(held)
}

/// What was written through the doors would be held against the rest behind them for minutes: that is another measurement,
/// and counts as done here.
async fn calm(owner: &mut PgConnection) -> Result<(), Failure> {
    const QUIET: Duration = Duration::from_secs(12);
    let (mut swept, mut since) = (None, Instant::now());
    while since.elapsed() < QUIET {
        let now: Option<time::OffsetDateTime> =
            sqlx::query_scalar("select max(swept_to) from conflict_sweeps").fetch_one(&mut *owner).await?;
        if now != swept {
            sqlx::raw_sql(
                "set session_replication_role = replica; update conflict_sweeps set swept_to = now(); reset session_replication_role",
            )
            .execute(&mut *owner)
            .await?;
            swept = sqlx::query_scalar("select max(swept_to) from conflict_sweeps").fetch_one(&mut *owner).await?;
            since = Instant::now();
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

/// A page that waits for an index waits once.
async fn wait_for(visitor: &mut crate::client::Client, path: &str, cookie: &str) -> Result<(), Failure> {
    for _ in 0..200 {
        let (status, body) = visitor.visit(path, cookie).await?;
        match status {
            200 if !body.is_empty() => return Ok(()),
            503 => {}
            _ => return Err(format!("{path} was answered {status}").into()),
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Err(format!("{path} never came").into())
}

/// What a first visit loads beside the page, as it goes over the wire.
async fn assets(visitor: &mut crate::client::Client, cookie: &str) -> Result<usize, Failure> {
    let mut bytes = 0;
    for name in ["cairn.css", "cairn.js", "htmx.js", "favicon.svg"] {
        let (status, page) = visitor.look(&format!("/w/{WORKSPACE}/memories"), cookie).await?;
        let page = String::from_utf8_lossy(&page).into_owned();
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let file = page
            .split('"')
            .find(|text| text.strip_prefix("/assets/").is_some_and(|file| file.starts_with(stem) && file.ends_with(ending)))
            .ok_or_else(|| format!("no page loads {name} ({status})"))?;
        bytes += visitor.visit(file, cookie).await?.1.len();
    }
    Ok(bytes)
}
