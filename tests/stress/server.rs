//! The server itself: without file descriptors, and with clients that never come to an end.

use super::{alone, everything_holds, number, serve};
use cairn_tests::{House, Postgres, Role, until};
use serde_json::json;
use std::{process::Command, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

fn address(url: &str) -> String {
    url.trim_start_matches("http://").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_may_have_no_file_descriptor_left() {
    let _alone = alone().await;
    let mut house = House::on(Postgres::shared().await, |_| {}).await;
    let agent = house.agent("coding", Role::Writer).await;
    house.shut().await;
    let server = serve(&house, &[]).await;
    let agent = agent.living_at(&server.url);
    agent.remembers("there is room").await;
    let open = std::fs::read_dir(format!("/proc/{}/fd", server.pid())).expect("descriptors").count();
    let limit = format!("--nofile={}", open + 30);
    let set = Command::new("prlimit").args(["--pid", &server.pid().to_string(), &limit]).status().expect("prlimit, of util-linux");
    assert!(set.success());
    let mut held = Vec::new();
    for _ in 0..100 {
        held.push(TcpStream::connect(address(&server.url)).await.expect("the kernel takes it"));
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    // Somebody new comes in as soon as others go, and the server has not ended.
    drop(held);
    let newcomer = cairn_tests::Actor::stranger_at(&server.url);
    until("somebody new is answered", async || newcomer.ask("GET", "/healthz").try_send().await.is_ok_and(|reply| reply.status == 200))
        .await;
    until("writes are taken", async || {
        agent
            .ask("POST", "memories")
            .json(&json!({"content": "there is room again"}))
            .try_send()
            .await
            .is_ok_and(|reply| reply.status < 300)
    })
    .await;
    everything_holds(&house).await;
    println!("out of file descriptors: 100 connections at {} descriptors, then served again", open + 30);
    server.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_may_send_one_byte_a_second() {
    let _alone = alone().await;
    let mut house = House::on(Postgres::shared().await, |_| {}).await;
    let agent = house.agent("coding", Role::Writer).await;
    house.shut().await;
    let server = serve(&house, &[]).await;
    let agent = agent.living_at(&server.url);
    // Some never finish their headers, and some their body.
    let head = format!("GET /healthz HTTP/1.1\r\nHost: here\r\nX-Slow: {}", "x".repeat(600));
    let body = format!(
        "POST /v1/auth/login HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 600\r\n\r\n{}",
        " ".repeat(600)
    );
    let in_body = body.len() - 600;
    let most = number("CAIRN_SLOW_SECONDS", 5);
    let mut slow = tokio::task::JoinSet::new();
    for n in 0..40 {
        let (text, at_once, place) =
            if n % 2 == 0 { (head.clone(), 20, address(&server.url)) } else { (body.clone(), in_body, address(&server.url)) };
        slow.spawn(async move {
            let (mut from, mut to) = TcpStream::connect(place).await.expect("comes in").into_split();
            to.write_all(&text.as_bytes()[..at_once]).await.expect("begins");
            let reading = tokio::spawn(async move {
                let mut said = Vec::new();
                let _ = from.read_to_end(&mut said).await;
                said
            });
            let mut seconds = 0;
            for byte in &text.as_bytes()[at_once..] {
                if reading.is_finished() || seconds >= most || to.write_all(&[*byte]).await.is_err() {
                    break;
                }
                seconds += 1;
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            (seconds < most, seconds)
        });
    }
    let mut answered = 0;
    while slow.try_join_next().is_none() {
        agent.remembers(&format!("meanwhile {answered}")).await;
        answered += 1;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let rest = slow.join_all().await;
    let longest = rest.iter().map(|(_, seconds)| *seconds).max().unwrap_or_default();
    assert!(answered > 0, "nobody else was answered");
    // As long as a request may take, and some more: then nobody is waited for.
    assert!(most < 90 || rest.iter().all(|(cut_off, _)| *cut_off), "some were still waited for after {longest} s");
    println!("one byte a second: 40 clients for {longest} s at most, {answered} others answered meanwhile");
    server.kill().await;
}
