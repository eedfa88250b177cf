//! The server's clock jumps, forwards and back: versions stay in order, and nothing is lost.

use super::{alone, everything_holds, leave_out, serve};
use cairn_tests::{House, Postgres, Role, at, until};
use serde_json::json;
use std::path::Path;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Where distributions put libfaketime; where it is not installed nobody can be fooled.
const LIBRARY: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib64/faketime/libfaketimeMT.so.1",
    "/usr/lib/faketime/libfaketimeMT.so.1",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_may_jump() {
    let _alone = alone().await;
    let Some(library) = LIBRARY.iter().find(|path| Path::new(path).exists()) else {
        return leave_out("clock jumps", "libfaketime is not installed (`scripts/install.sh test` installs it)");
    };
    let mut house = House::on(Postgres::shared().await, |_| {}).await;
    let agent = house.agent("coding", Role::Writer).await;
    house.shut().await;
    let file = house.folder().join("clock");
    let jump = |by: &str| std::fs::write(&file, format!("{by}\n")).expect("a clock");
    jump("+0");
    let path = file.to_str().expect("a path");
    let fooled =
        [("LD_PRELOAD", *library), ("FAKETIME_TIMESTAMP_FILE", path), ("FAKETIME_NO_CACHE", "1"), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")];
    let server = serve(&house, &fooled).await;
    let agent = agent.living_at(&server.url);
    let memory = agent.remembers("written at noon").await;
    let mut times = Vec::new();
    for (n, by) in ["+1h", "-1h", "+30d", "-400d", "+0"].into_iter().enumerate() {
        jump(by);
        let revised = agent.revises(&memory, json!({"content": format!("revised at {n}")})).await;
        let at = revised["updated_at"].as_str().expect("a time");
        times.push(OffsetDateTime::parse(at, &Rfc3339).expect("a time"));
        assert_eq!(agent.recalls("revised").await.first(), Some(&format!("revised at {n}")), "after {by}");
        let new = agent.remembers(&format!("jumped{n} by {by}")).await;
        assert_eq!(agent.reads(&new).await["content"], format!("jumped{n} by {by}"));
        assert!(agent.recalls(&format!("jumped{n}")).await.contains(&format!("jumped{n} by {by}")));
    }
    assert!(times.is_sorted(), "versions are in order whatever the clock says: {times:?}");
    assert!(times[2] - times[0] > time::Duration::days(20), "it was fooled: {times:?}");
    let versions = agent.lists(&format!("{}/versions", at(&memory))).await;
    assert_eq!(versions.len(), 6);
    until("everything is sealed", async || {
        house.count("select count(*) from audit_entries e where not exists (select 1 from audit_leaves l where l.workspace_id = e.workspace_id and l.entry_id = e.id)").await == 0
    })
    .await;
    everything_holds(&house).await;
    println!("clock jumps: 5, from 400 days back to 30 days ahead, 6 versions in order");
    server.kill().await;
}
