//! Many models at once: 500 recalls over MCP together, round after round. None may fail, what they took must be given
//! back, and the protocol must cost little beside the same questions over REST.

use crate::{
    Failure,
    client::Client,
    figures::millis,
    house::{House, WORKSPACE},
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const AT_ONCE: usize = 500;
const ROUNDS: usize = 24;
/// After these the indexes, pools and buffers are as large as they get: each round is printed.
const WARM: usize = 12;
const MEMORIES: usize = 2_000;
/// What may be left behind after all rounds, in megabytes.
const LEFT_BEHIND: f64 = 16.0;

#[derive(Clone, Copy)]
enum Door {
    Mcp,
    Rest,
}

pub async fn run() -> Result<bool, Failure> {
    let house = House::open().await?;
    fill(&house).await?;
    let (mut by_mcp, mut by_rest, mut failed) = (Vec::new(), Vec::new(), 0);
    let mut held_in_memory = Vec::new();
    for _ in 0..ROUNDS {
        let (took, wrong) = ask_all(&house, Door::Mcp).await?;
        by_mcp.push(took);
        failed += wrong;
        by_rest.push(ask_all(&house, Door::Rest).await?.0);
        held_in_memory.push(resident()?);
    }
    let (warm, after) = (held_in_memory[WARM - 1], held_in_memory[ROUNDS - 1]);
    house.close().await?;
    let (mcp, rest) = (median(&mut by_mcp[WARM..]), median(&mut by_rest[WARM..]));
    println!("{AT_ONCE} recalls at once, {ROUNDS} rounds, {MEMORIES} memories: {failed} failed");
    println!(
        "a round over MCP {:.0} ms, over REST {:.0} ms: {:.2} times as long",
        millis(mcp),
        millis(rest),
        mcp.as_secs_f64() / rest.as_secs_f64()
    );
    println!(
        "resident memory after round {WARM}: {warm:.0} MB, after round {ROUNDS}: {after:.0} MB (clients included; at most {LEFT_BEHIND} MB more)"
    );
    println!("after each round: {}", held_in_memory.iter().map(|mb| format!("{mb:.0}")).collect::<Vec<_>>().join(" "));
    let held = failed == 0 && after - warm <= LEFT_BEHIND;
    println!("bar: {}", if held { "held" } else { "MISSED" });
    Ok(held)
}

async fn fill(house: &House) -> Result<(), Failure> {
    let mut client = house.client(&house.key).await?;
    for batch in 0..MEMORIES / 500 {
        let items: Vec<Value> = (0..500)
            .map(|n| json!({"content": format!("Service {} of team {batch} listens on port {} and is restarted at {}:00", n, 8000 + n, n % 24), "kind": "fact"}))
            .collect();
        client.make(&format!("/v1/workspaces/{WORKSPACE}/memories/batch"), json!({ "items": items })).await?;
    }
    Ok(())
}

/// Everybody asks at the same moment, on a connection of their own; how long it took until all were answered, and how many
/// were not.
async fn ask_all(house: &House, door: Door) -> Result<(Duration, usize), Failure> {
    let mut clients = Vec::with_capacity(AT_ONCE);
    for _ in 0..AT_ONCE {
        clients.push(house.client(&house.key).await?);
    }
    let started = Instant::now();
    let mut asked: JoinSet<bool> = JoinSet::new();
    for (n, mut client) in clients.into_iter().enumerate() {
        asked.spawn(async move { ask(&mut client, door, n).await.unwrap_or(false) });
    }
    let answers = asked.join_all().await;
    Ok((started.elapsed(), answers.iter().filter(|fine| !**fine).count()))
}

async fn ask(client: &mut Client, door: Door, n: usize) -> Result<bool, Failure> {
    let query = format!("on which port does service {n} listen?");
    let (path, message) = match door {
        Door::Mcp => (
            "/mcp".to_owned(),
            json!({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "recall", "arguments": {"query": query}}}),
        ),
        Door::Rest => (format!("/v1/workspaces/{WORKSPACE}/recall"), json!({"query": query, "detail": "index"})),
    };
    let (status, body) = client.post(&path, message.to_string()).await?;
    let answer: Value = serde_json::from_slice(&body)?;
    let items = match door {
        Door::Mcp => &answer["result"]["structuredContent"]["items"],
        Door::Rest => &answer["items"],
    };
    Ok(status == 200 && items.as_array().is_some_and(|items| !items.is_empty()))
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// What this process holds, in megabytes.
fn resident() -> Result<f64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1024.0)
}
