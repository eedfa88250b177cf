//! What is looked at when the work is done: receipts, provenance, the state after a rollback, and what an erasure leaves.

use super::{
    ledger::{Evidence, Ledger},
    machine::{Machine, bytes_in, occurrences},
    replay::{REVIEWER, Replayed, all, text},
    task::Task,
};
use crate::{Failure, client::Client, house::House};
use cairn_server::store::cluster::ThrowAway;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row};
use std::collections::BTreeSet;

/// How often a quiet time is waited for.
const QUIET: usize = 6;
const STATES: [&str; 4] = ["active", "proposed", "superseded", "archived"];

/// Every recall, brief and resumption left a receipt that names what was told.
pub async fn receipts(house: &mut House, replayed: &mut Replayed) -> Result<(), Failure> {
    let mut person = house.sign_in(REVIEWER).await?;
    let (mut known, mut briefs) = (BTreeSet::new(), Vec::new());
    for slug in &replayed.workspaces {
        let mut receipts = all(&mut person, &format!("/v1/workspaces/{slug}/receipts")).await?;
        receipts.reverse();
        for receipt in receipts {
            let id = text(&receipt["id"]).unwrap_or_default();
            if receipt["surface"] == "context" {
                briefs.push((receipt["at"].as_str().unwrap_or_default().to_owned(), id.clone()));
            }
            known.insert(id);
        }
    }
    // A hook prints no id: the receipts of briefs are told apart by their order.
    briefs.sort();
    let mut briefs = briefs.into_iter().map(|(_, id)| id);
    let ledger = &mut replayed.ledger;
    ledger.none("asked_without_receipt");
    for at in 0..ledger.trace.len() {
        let line = &mut ledger.trace[at];
        let receipt = match line.what {
            "brief" => {
                line.receipt = briefs.next();
                line.receipt.clone()
            }
            "recall" | "resume" => line.receipt.clone(),
            _ => continue,
        };
        let n = line.n;
        ledger.at("asked", n);
        match receipt.filter(|id| known.contains(id)) {
            Some(id) => ledger.record("receipts", 1, "receipt", &id, format!("line {n}")),
            None => ledger.at("asked_without_receipt", n),
        }
    }
    Ok(())
}

/// Every memory says who wrote it and out of which run or source, and has its entry in the trail.
pub async fn provenance(house: &mut House, replayed: &mut Replayed) -> Result<(), Failure> {
    for slug in replayed.workspaces.clone() {
        let base = format!("/v1/workspaces/{slug}");
        let admin = house.admin().await?;
        let entries = all(admin, &format!("{base}/audit")).await?;
        let ledger = &mut replayed.ledger;
        ledger.none("memories_without_provenance");
        ledger.none("memories_without_audit_entry");
        for memory in memories(admin, &base).await? {
            let id = text(&memory["id"]).unwrap_or_default();
            ledger.record("memories", 1, "memory", &id, title(&memory));
            let author = memory["created_by"]["id"].is_string();
            if !author || (memory["session_id"].is_null() && memory["source"].is_null()) {
                ledger.record("memories_without_provenance", 1, "memory", &id, title(&memory));
            }
            match entries.iter().find(|entry| entry["target"]["id"] == memory["id"]) {
                Some(entry) => {
                    let action = entry["action"].as_str().unwrap_or_default();
                    ledger.record("audit_entries", 1, "audit", &text(&entry["id"]).unwrap_or_default(), format!("{action} {id}"));
                }
                None => ledger.record("memories_without_audit_entry", 1, "memory", &id, title(&memory)),
            }
        }
    }
    Ok(())
}

/// Everything that is known, in words that do not depend on when and where it was written.
pub async fn states(person: &mut Client, workspaces: &BTreeSet<String>) -> Result<Vec<(String, String)>, Failure> {
    let mut states = Vec::new();
    for slug in workspaces {
        for memory in memories(person, &format!("/v1/workspaces/{slug}")).await? {
            if memory["state"] != "archived" {
                states.push((said(&memory), text(&memory["id"]).unwrap_or_default()));
            }
        }
    }
    states.sort();
    Ok(states)
}

/// What was known after a rollback, beside a workspace in which the run that was rolled back never was.
pub fn rollback(replayed: &mut Replayed, without: &Replayed) {
    let (after, mut never) = (std::mem::take(&mut replayed.stood), without.stood.clone());
    let ledger = &mut replayed.ledger;
    ledger.none("rollback_differences");
    for (state, id) in &after {
        let same = never.iter().position(|(other, _)| other == state).map(|at| never.remove(at));
        let name = if same.is_some() { "rollback_compared" } else { "rollback_differences" };
        let note = same.map_or_else(|| format!("only after the rollback: {state}"), |(_, other)| format!("as {other}"));
        ledger.record(name, 1, "memory", id, note);
    }
    for (state, id) in never {
        ledger.record("rollback_differences", 1, "memory", &id, format!("only without the run: {state}"));
    }
}

fn said(memory: &Value) -> String {
    let anchors: Vec<Value> = memory["anchors"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|anchor| json!([anchor["repo"], anchor["path"], anchor["symbol"], anchor["state"]]))
        .collect();
    let members = ["kind", "title", "content", "state", "path", "tags", "project", "confidence"].map(|name| memory[name].clone());
    json!([members, memory["freshness"]["state"], memory["supersedes"].is_null(), memory["verified_at"].is_null(), anchors]).to_string()
}

/// The customer asks to be forgotten: asked by an agent, approved and executed by another person, and then looked for everywhere.
pub async fn erasure(house: &mut House, task: &Task, replayed: &mut Replayed) -> Result<(), Failure> {
    let slug = replayed.workspaces.iter().find(|slug| slug.ends_with("support")).cloned().ok_or("a workspace of support")?;
    let base = format!("/v1/workspaces/{slug}");
    let key = house.agent(&slug, "office", "writer").await?;
    let (mut office, mut person) = (house.client(&key).await?, house.sign_in(REVIEWER).await?);
    let mut owner = PgConnection::connect(&house.postgres.owner_url("postgres")).await?;
    let texts: Vec<Value> = memories(&mut person, &base).await?;
    let texts: Vec<Value> =
        texts.into_iter().filter(|memory| occurrences(memory["content"].to_string().as_bytes(), &task.customer) > 0).collect();
    let before = occurrences(dump(&mut owner).await?.as_bytes(), &task.customer);
    replayed.ledger.record("bytes_before_erasure", before, "workspace", &slug, "in a dump of every table");
    for word in &task.customer {
        let asked = json!({"subject": word, "reason": "The customer asked to be forgotten."});
        let (status, answer) = office.post(&format!("{base}/deletion-requests"), asked.to_string()).await?;
        // What an earlier request took with it fits nothing any more.
        if status == 422 {
            continue;
        }
        let answer: Value = serde_json::from_slice(&answer)?;
        let request = text(&answer["id"]).ok_or_else(|| format!("the request was answered {status}: {answer}"))?;
        person.make(&format!("{base}/deletion-requests/{request}/approve"), json!({})).await?;
        person.make(&format!("{base}/deletion-requests/{request}/execute"), json!({})).await?;
        let certificate = person.get(&format!("{base}/deletion-requests/{request}/certificate")).await?;
        let counts = certificate["counts"].to_string();
        replayed.ledger.record("deletion_requests", 1, "deletion_request", &request, format!("executed, certified: {counts}"));
    }
    let left = dump(&mut owner).await?;
    let ledger = &mut replayed.ledger;
    ledger.none("bytes_left");
    for line in left.lines() {
        let found = occurrences(line.as_bytes(), &task.customer);
        if found > 0 {
            ledger.record("bytes_left", found, "row", line.split(':').next().unwrap_or_default(), "in a dump of every table");
        }
    }
    ledger.none("came_back");
    for memory in texts {
        let again = json!({"content": memory["content"], "kind": memory["kind"]});
        let (status, answer) = office.post(&format!("{base}/memories"), again.to_string()).await?;
        let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
        ledger.record("sent_again", 1, "memory", &text(&memory["id"]).unwrap_or_default(), format!("{status} {}", answer["code"]));
        if status < 400 {
            ledger.record("came_back", 1, "memory", &text(&memory["id"]).unwrap_or_default(), status.to_string());
        }
    }
    let mut on_machines = 0;
    for ((workspace, agent), machine) in &mut replayed.machines {
        if *workspace == slug {
            // The machine hears of it with whatever it tells the server next.
            contact(machine)?;
            let (bytes, places) = bytes_in(&machine.home().join(".local/state/cairn"), &task.customer)?;
            on_machines += bytes;
            for place in places {
                let name = place.strip_prefix(machine.home()).unwrap_or(&place).display().to_string();
                ledger.record("bytes_left_on_machines", 0, "file", &name, agent.clone());
            }
        }
    }
    ledger.none("bytes_left_on_machines");
    if let Some(count) = ledger.counts.get_mut("bytes_left_on_machines") {
        count.value = on_machines;
    }
    Ok(())
}

/// A run begins, in which nothing happens.
fn contact(machine: &mut Machine) -> Result<(), Failure> {
    let folder = machine.home().to_owned();
    let told = json!({"hook_event_name": "UserPromptSubmit", "session_id": "afterwards", "cwd": folder, "prompt": "Good morning."});
    machine.hook(&folder, &told)?;
    machine.deliver(&folder)
}

/// Where SQL does not reach: the tables rewritten at a quiet time, as `docs/deletion.md` advises, then their files themselves.
pub async fn table_files(postgres: &ThrowAway, task: &Task, ledger: &mut Ledger) -> Result<(), Failure> {
    let mut owner = PgConnection::connect(&postgres.owner_url("postgres")).await?;
    let data: String = sqlx::query_scalar("show data_directory").fetch_one(&mut owner).await?;
    let (mut in_files, mut places) = (0, Vec::new());
    for _ in 0..QUIET {
        owner.execute("vacuum (full)").await?;
        owner.execute("checkpoint").await?;
        (in_files, places) = bytes_in(&std::path::Path::new(&data).join("base"), &task.customer)?;
        if in_files == 0 {
            break;
        }
        // Rows that an open transaction might still see are kept, be it that of an autovacuum.
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    }
    ledger.none("bytes_left_in_table_files");
    for place in places {
        ledger.record("bytes_left_in_table_files", 0, "file", &place.file_name().unwrap_or_default().to_string_lossy(), "");
    }
    ledger.count(
        "bytes_left_in_table_files",
        in_files,
        Evidence::Record { kind: "folder", id: "base".to_owned(), note: "after vacuum full".to_owned() },
    );
    Ok(())
}

pub async fn memories(client: &mut Client, base: &str) -> Result<Vec<Value>, Failure> {
    let mut found = Vec::new();
    for state in STATES {
        found.extend(all(client, &format!("{base}/memories?state={state}")).await?);
    }
    Ok(found)
}

fn title(memory: &Value) -> String {
    memory["title"].as_str().unwrap_or_default().to_owned()
}

/// Every row of every table as text, bytes as text too: what a dump would show.
async fn dump(owner: &mut PgConnection) -> Result<String, Failure> {
    let tables: Vec<(String, String)> = sqlx::query_as(
        "select table_name::text, string_agg(case when data_type = 'bytea' then format('coalesce(encode(%I, ''escape''), '''')', column_name)
             else format('coalesce(%I::text, '''')', column_name) end, ', ')
         from information_schema.columns
         where table_schema = 'public'
         group by 1
         order by 1",
    )
    .fetch_all(&mut *owner)
    .await?;
    let mut dump = String::new();
    for (table, columns) in tables {
        let rows = sqlx::query(AssertSqlSafe(format!("select concat_ws(' | ', {columns}) from {table}"))).fetch_all(&mut *owner).await?;
        for row in rows {
            dump.extend([&table, ": ", &row.get::<String, _>(0).replace('\n', " "), "\n"]);
        }
    }
    Ok(dump)
}
