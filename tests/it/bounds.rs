//! What goes wrong within a request stays within it, and what is too much is told to come back.

use axum::{Router, routing::get};
use cairn_server::stack::{Bounds, surrounded};
use cairn_tests::{Actor, House};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

/// Routes that do no good, within the server's own stack.
async fn at(house: &House, bounds: Bounds, waits: Arc<Notify>) -> Actor {
    let entered = waits.clone();
    let routes = Router::new().route("/v1/fine", get(async || "fine")).route("/v1/breaks", get(breaks)).route(
        "/v1/waits",
        get(async move || {
            entered.notify_one();
            std::future::pending::<()>().await;
        }),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(axum::serve(listener, surrounded(house.app().clone(), routes, bounds)).into_future());
    Actor::stranger_at(&url)
}

async fn breaks() {
    panic!("a bug, as this test wants it");
}

#[tokio::test]
async fn a_panic_is_an_answer_with_a_request_id_and_the_next_request_is_served() {
    let house = House::open().await;
    let anyone = at(&house, Bounds::default(), Arc::default()).await;
    let broken = anyone.ask("GET", "/v1/breaks").header("X-Request-Id", "the-bug").send().await;
    assert_eq!(broken.refuses(500, "internal").header("x-request-id"), "the-bug");
    assert!(!broken.text().contains("as this test wants it"), "what broke is for the log: {broken:?}");
    assert_eq!(anyone.get("/v1/fine").await.status, 200);
}

#[tokio::test]
async fn more_at_once_than_there_is_room_for_are_told_to_come_back() {
    let house = House::open().await;
    let waits = Arc::new(Notify::new());
    let anyone = at(&house, Bounds { at_once: 1, ..Bounds::default() }, waits.clone()).await;
    let first = tokio::spawn(anyone.ask("GET", "/v1/waits").send());
    waits.notified().await;
    let told = anyone.get("/v1/fine").await;
    let wait: u64 = told.refuses(503, "unavailable").header("retry-after").parse().unwrap();
    assert!(wait >= 1);
    // Whoever hangs up leaves the place.
    first.abort();
    cairn_tests::until("there is room again", async || anyone.get("/v1/fine").await.status == 200).await;
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_answered() {
    let house = House::open().await;
    let anyone = at(&house, Bounds { timeout: Duration::from_millis(50), ..Bounds::default() }, Arc::default()).await;
    let told = anyone.get("/v1/waits").await;
    assert!(!told.refuses(503, "timeout").header("retry-after").is_empty());
    assert_eq!(anyone.get("/v1/fine").await.status, 200);
}

#[tokio::test]
async fn whoever_asks_before_sending_much_hears_no_at_once() {
    let house = House::open().await;
    let anyone = at(&house, Bounds::default(), Arc::default()).await;
    let mut line = TcpStream::connect(anyone.address("/").trim_start_matches("http://").trim_end_matches('/')).await.expect("connects");
    let asked = "POST /v1/fine HTTP/1.1\r\nHost: cairn\r\nExpect: 100-continue\r\nContent-Length: 11000000\r\n\r\n";
    line.write_all(asked.as_bytes()).await.expect("asks");
    let mut told = [0; 12];
    line.read_exact(&mut told).await.expect("hears");
    assert_eq!(String::from_utf8_lossy(&told), "HTTP/1.1 413");
}
