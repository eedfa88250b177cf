//! Mixed load for a long while: memory stays flat, answers do not slow down, no connection is left behind, and everything holds.

use super::{Shared, alone, everything_holds, number, serve};
use cairn_tests::{Actor, House, Person, Postgres, Role, at};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// How a piece of the time went.
#[derive(Debug)]
struct Window {
    requests: usize,
    median_ms: f64,
    slow_ms: f64,
    resident_mb: u64,
    connections: i64,
}

/// One who works as agents do: writes, asks, revises, keeps a log, and lets go.
async fn work(agent: Actor, reviewer: Option<Person>, who: usize, stop: Arc<AtomicBool>, took: Shared<Vec<f64>>) {
    let timed = async |ask: cairn_tests::Ask| -> Value {
        let began = Instant::now();
        let reply = ask.send().await;
        took.lock().expect("not poisoned").push(began.elapsed().as_secs_f64() * 1000.0);
        assert!(reply.status < 300 || reply.status == 409, "{reply:?}");
        reply.body
    };
    // As many as a busy project keeps, so that what is measured is time and not growth.
    let mut kept: Vec<Value> = Vec::new();
    for turn in 0_usize.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let words = format!("worker {who} found in turn {turn} that module {} needs flag {}", turn % 17, turn % 23);
        kept.push(
            timed(
                agent
                    .ask("POST", "memories")
                    .json(&json!({"content": words, "tags": ["soak"], "anchors": [{"path": format!("src/{}.rs", turn % 17)}]})),
            )
            .await,
        );
        timed(agent.ask("POST", "recall").json(&json!({"query": format!("which flag does module {} need?", turn % 17)}))).await;
        timed(agent.ask("GET", "memories?limit=20&tag=soak")).await;
        if turn % 5 == 0 {
            let run = timed(agent.ask("POST", "sessions").json(&json!({"agent_tool": "codex", "task": format!("task-{who}")}))).await;
            let place = format!("sessions/{}", run["id"].as_str().expect("an id"));
            let event = |n: usize| json!({"id": n.to_string(), "type": "command", "at": "2026-05-04T10:00:00Z", "command": format!("make {n}"), "exit_code": 0});
            timed(agent.ask("POST", &format!("{place}/events")).json(&json!({"events": (0..20).map(event).collect::<Vec<_>>()}))).await;
            timed(agent.ask("POST", &format!("{place}/checkpoints")).json(&json!({"text": format!("[x] turn {turn}\nNEXT: go on")}))).await;
            timed(agent.ask("POST", "context").json(&json!({"task": format!("task-{who}")}))).await;
            timed(agent.ask("POST", &format!("{place}/end")).json(&json!({}))).await;
        }
        if turn % 3 == 0 {
            let some = &kept[turn % kept.len()];
            timed(agent.ask("PATCH", &at(some)).json(&json!({"content": format!("{words}, and was told otherwise")}))).await;
        }
        if kept.len() > 40 {
            let old = kept.remove(0);
            match &reviewer {
                Some(reviewer) if turn % 50 == 0 => {
                    // Tokens live minutes, and the day is longer.
                    let reviewer = reviewer.signs_in_where(&agent).await;
                    reviewer.lets_go(&agent.asks_to_erase(&[&old], "a wish").await).await;
                }
                _ => {
                    timed(agent.ask("DELETE", &at(&old))).await;
                }
            }
        }
    }
}

fn resident_mb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find(|line| line.starts_with("VmRSS")).expect("is there");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).expect("a number") / 1024
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_day_leaves_nothing_behind() {
    let _alone = alone().await;
    let seconds = number("CAIRN_SOAK_SECONDS", 9);
    let mut house = House::on(Postgres::shared().await, |_| {}).await;
    let mut workers = Vec::new();
    for _ in 0..4 {
        workers.push(house.agent("coding", Role::Writer).await);
    }
    let reviewer: Person = house.person("coding", Role::Reviewer).await;
    let admin = house.admin().await.looking_at("coding");
    admin.patch("/v1/workspaces/coding", json!({"settings": {"capture_policy": "off"}})).await.expect(200);
    house.shut().await;
    let server = serve(&house, &[("CAIRN_DATABASE_CONNECTIONS", "8")]).await;
    let (stop, took): (Arc<AtomicBool>, Shared<Vec<f64>>) = Default::default();
    let mut running = tokio::task::JoinSet::new();
    for (n, agent) in workers.iter().enumerate() {
        let decides = (n == 0).then(|| reviewer.clone());
        running.spawn(work(agent.living_at(&server.url), decides, n, stop.clone(), took.clone()));
    }
    let mut windows = Vec::new();
    for _ in 0..9 {
        tokio::time::sleep(Duration::from_secs_f64(f64::from(u32::try_from(seconds).expect("short")) / 9.0)).await;
        cairn_tests::until("something is answered", async || !took.lock().expect("not poisoned").is_empty()).await;
        let mut times = std::mem::take(&mut *took.lock().expect("not poisoned"));
        times.sort_by(f64::total_cmp);
        let connections =
            house.count("select count(*) from pg_stat_activity where application_name = 'cairn' and datname = current_database()").await;
        windows.push(Window {
            requests: times.len(),
            median_ms: times[times.len() / 2],
            slow_ms: times[times.len() * 99 / 100],
            resident_mb: resident_mb(server.pid()),
            connections,
        });
    }
    for window in &windows {
        println!(
            "soak: {} requests, p50 {:.1} ms, p99 {:.1} ms, {} MB, {} connections",
            window.requests, window.median_ms, window.slow_ms, window.resident_mb, window.connections
        );
    }
    stop.store(true, Ordering::Relaxed);
    running.join_all().await;
    let requests: usize = windows.iter().map(|window| window.requests).sum();
    let median = |of: &[Window], what: fn(&Window) -> f64| {
        let mut all: Vec<f64> = of.iter().map(what).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    // Eight for tenants, four at the gate, and one for each kind of work that one server does at a time.
    assert!(windows.iter().all(|window| window.connections <= 8 + 4 + 8), "connections pile up: {windows:?}");
    if seconds >= 60 {
        let (first, last) = (&windows[3..6], &windows[6..]);
        #[expect(clippy::cast_precision_loss, reason = "megabytes")]
        let memory = |of| median(of, |window: &Window| window.resident_mb as f64);
        assert!(memory(last) <= memory(first) * 1.25 + 32.0, "memory grows: {windows:?}");
        assert!(
            median(last, |window| window.median_ms) <= median(first, |window| window.median_ms) * 2.0 + 5.0,
            "answers slow down: {windows:?}"
        );
    }
    everything_holds(&house).await;
    println!("soak: {requests} requests in {seconds} s, {} MB at the end, everything holds", windows[8].resident_mb);
    server.stop().await;
    // Postgres notices that its caller is gone a moment after the caller is.
    cairn_tests::until("no connection is left behind", async || {
        house.count("select count(*) from pg_stat_activity where application_name = 'cairn' and datname = current_database()").await == 0
    })
    .await;
}
