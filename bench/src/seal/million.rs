//! A long trail: sealed from nothing, exported over HTTP into a file, and verified from there.

use crate::{
    Failure,
    house::{House, WORKSPACE},
    pgbench,
};
use cairn_server::{acts::seal::Sealer, commands, config::Given};
use std::time::{Duration, Instant};

const BAR: Duration = Duration::from_secs(10);

pub async fn run(entries: u64) -> Result<bool, Failure> {
    let mut house = House::with(Given { unsealed: true, ..Given::default() }).await?;
    pgbench::sql(&house.postgres, &fill(entries)).await?;
    let started = Instant::now();
    let sealed = Sealer::default().round(house.app()).await.map_err(|problem| format!("{problem:?}"))?;
    let sealing = started.elapsed();

    let folder = tempfile::tempdir()?;
    let file = folder.path().join("trail.jsonl");
    let started = Instant::now();
    let admin = house.admin().await?;
    let size = admin.download(&format!("/v1/workspaces/{WORKSPACE}/audit/export"), &file).await?;
    let exporting = started.elapsed();

    let key = admin.get("/.well-known/cairn-trail-keys.json").await?["keys"][0]["vkey"].as_str().unwrap_or_default().to_owned();
    let started = Instant::now();
    tokio::task::spawn_blocking(move || commands::verify(&file, &[key], None)).await??;
    let verifying = started.elapsed();
    house.close().await?;
    let held = verifying < BAR;
    println!(
        "{sealed} entries, {} MiB: sealed in {:.1} s, exported in {:.1} s, verified in {:.2} s\nbar: verified in under {} s: {}",
        size / 1024 / 1024,
        sealing.as_secs_f64(),
        exporting.as_secs_f64(),
        verifying.as_secs_f64(),
        BAR.as_secs(),
        if held { "held" } else { "MISSED" }
    );
    Ok(held)
}

/// Entries as a writer of memories leaves them.
fn fill(entries: u64) -> String {
    format!(
        "insert into audit_entries (workspace_id, id, at, actor_type, actor_id, role, action, target_type, target_id, version, request_id, session_id, digest)
         select w.id, gen_random_uuid(), now() + n * interval '1 millisecond', 'agent', gen_random_uuid(), 'writer', 'memory.remembered', 'memory',
                gen_random_uuid(), 1, gen_random_uuid()::text, gen_random_uuid(), sha256(n::text::bytea)
         from workspaces w, generate_series(1, {entries}) n
         where w.slug = '{WORKSPACE}'"
    )
}
