//! What was sealed can be proven to others, with the notary's public keys and nothing else of ours.

use cairn_server::{
    acts::seal::Sealer,
    engines::seal::{Checkpoint, Hash, check_record, check_tree, note, record_hash, verify::verify},
};
use cairn_tests::{Actor, Ended, House, Postgres, Role};
use serde_json::{Value, json};
use sqlx::Executor;
use std::path::PathBuf;

async fn keys(house: &House) -> Vec<Value> {
    house.stranger().get("/.well-known/cairn-trail-keys.json").await.expect(200)["keys"].as_array().expect("keys").clone()
}

pub(crate) async fn vkeys(house: &House) -> Vec<String> {
    keys(house).await.iter().map(|key| key["vkey"].as_str().expect("a vkey").to_owned()).collect()
}

/// A house in which nothing is sealed but by `seal`.
pub(crate) async fn unsealed() -> House {
    House::furnished(|given| given.unsealed = true).await
}

pub(crate) async fn seal(house: &House) -> u64 {
    Sealer::default().round(house.app()).await.expect("seals")
}

pub(crate) async fn checkpoint_of(auditor: &Actor) -> String {
    let reply = auditor.get("audit/checkpoint").await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/plain; charset=utf-8"));
    reply.text()
}

fn hashes(proof: &Value) -> Vec<Hash> {
    proof.as_array().expect("a proof").iter().map(|hash| Hash::parse_hash(hash.as_str().expect("base64")).expect("a hash")).collect()
}

#[tokio::test]
async fn a_new_key_leaves_what_was_signed_before_verifiable() {
    let house = House::open().await;
    let notary = house.app().notary();
    let (before, old) = (keys(&house).await, notary.sign_note("before\n").unwrap());
    assert_eq!(before.len(), 1);
    assert!(before[0]["retired_at"].is_null());
    assert!(house.runs(&["rotate-keys"]).await.fine().contains(notary.name().unwrap().as_str()));
    notary.look_again(house.app().db()).await.unwrap();
    let (after, new) = (keys(&house).await, notary.sign_note("after\n").unwrap());
    assert_eq!(after.len(), 2, "none is forgotten");
    assert!(after[0]["retired_at"].is_null() && after[1]["retired_at"].is_string());
    assert_eq!(after[1]["vkey"], before[0]["vkey"]);
    let [newest, oldest] = [0, 1].map(|n| after[n]["vkey"].as_str().unwrap());
    assert_eq!(note::verify(&old, &[newest, oldest]).as_deref(), Ok("before\n"));
    assert_eq!(note::verify(&new, &[newest]).as_deref(), Ok("after\n"));
    assert_eq!(note::verify(&new, &[oldest]), Err(note::NoteProblem::Unknown));
    let name = |vkey: &str| vkey.split('+').next().unwrap().to_owned();
    assert_eq!(name(newest), name(oldest), "the name is handed on");
}

#[tokio::test]
async fn every_entry_is_sealed_by_itself_and_can_be_proven() {
    let house = House::open().await;
    let (writer, auditor) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Auditor).await);
    for n in 0..20 {
        writer.remembers(&format!("stone {n}")).await;
    }
    house.is_sealed().await;
    let then = Checkpoint::read(&checkpoint_of(&auditor).await, &vkeys(&house).await).expect("signed");
    writer.remembers("one more").await;
    house.is_sealed().await;
    let now = Checkpoint::read(&checkpoint_of(&auditor).await, &vkeys(&house).await).expect("signed");
    assert!(now.size > then.size && now.origin == then.origin);
    assert!(now.origin.ends_with(&format!("/trail/{}", house.workspace("coding").await)), "{}", now.origin);

    let mut indexes: Vec<u64> = auditor.lists("audit").await.iter().map(|entry| entry["index"].as_u64().expect("sealed")).collect();
    indexes.sort_unstable();
    assert_eq!(indexes, (0..now.size).collect::<Vec<_>>());
    for index in [0, 7, now.size - 1] {
        let proven = auditor.get(&format!("audit/proof/{index}")).await.expect(200);
        let leaf = record_hash(proven["leaf"].as_str().expect("a leaf").as_bytes());
        assert_eq!(proven["leaf_hash"], leaf.to_string());
        check_record(&hashes(&proven["proof"]), now.size, now.root, index, leaf).expect("is included");
    }
    let grown = auditor.get(&format!("audit/consistency?from={}", then.size)).await.expect(200);
    check_tree(&hashes(&grown["proof"]), now.size, now.root, then.size, then.root).expect("only grew");
    assert_eq!(grown["to"], now.size);

    auditor.get(&format!("audit/proof/{}", now.size)).await.refuses(404, "not_found");
    auditor.get("audit/proof/first").await.refuses(404, "not_found");
    assert_eq!(auditor.get("audit/consistency?from=0").await.refuses(422, "invalid").wrong_fields(), ["from"]);
    assert_eq!(auditor.get("audit/consistency?from=1&to=99999").await.refuses(422, "invalid").wrong_fields(), ["to"]);
    // The instance has a trail of its own.
    let admin = house.admin().await;
    let instance = Checkpoint::read(&admin.get("/v1/audit/checkpoint").await.text(), &vkeys(&house).await).expect("signed");
    assert!(instance.origin.ends_with("/00000000-0000-0000-0000-000000000000") && instance.size > 0);
    admin.get("/v1/audit/proof/0").await.expect(200);
    admin.get("/v1/audit/consistency?from=1").await.expect(200);
}

/// Runs `audit verify` on a text, as an auditor would on another machine.
async fn verified(house: &House, export: &str, arguments: &[&str]) -> Ended {
    let file: PathBuf = house.folder().join(format!("{}.jsonl", cairn_tests::nobody()));
    std::fs::write(&file, export).expect("a file");
    house.runs(&[&["audit", "verify", file.to_str().expect("UTF-8")], arguments].concat()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_verified_elsewhere() {
    let house = unsealed().await;
    let (writer, auditor) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Auditor).await);
    for n in 0..30 {
        writer.remembers(&format!("stone {n}")).await;
    }
    let nothing = auditor.get("audit/export").await;
    assert!(verified(&house, &nothing.text(), &[]).await.fine().contains("0 entries"), "nothing is sealed yet");
    assert!(seal(&house).await > 30);
    let earlier = house.folder().join("earlier");
    std::fs::write(&earlier, checkpoint_of(&auditor).await).unwrap();
    writer.remembers("one more").await;
    seal(&house).await;

    let key = vkeys(&house).await.remove(0);
    let reply = auditor.get("audit/export").await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/x-ndjson"));
    assert!(reply.header("content-disposition").contains("trail-coding-"), "{reply:?}");
    let export = reply.text();
    let trusting = verified(&house, &export, &[]).await.fine();
    assert_eq!(trusting.matches("NOT CHECKED").count(), 2, "{trusting}");
    let sure = verified(&house, &export, &["--key", &key, "--since", earlier.to_str().unwrap()]).await.fine();
    assert!(sure.contains("complete") && !sure.contains("NOT CHECKED"), "{sure}");
    let changed = verified(&house, &export.replacen("memory.remembered", "memory.recollected", 1), &["--key", &key]).await;
    assert_eq!(changed.code, Some(1));
    assert!(changed.err.contains("does not hold"), "{changed:?}");
    assert_eq!(verified(&house, &export[..export.len() / 2], &[]).await.code, Some(1));
    assert_eq!(verified(&house, "", &[]).await.code, Some(1));
    assert_eq!(house.runs(&["audit", "verify", "/not/there"]).await.code, Some(1));

    // Filtered: authentic, not complete.
    let by_writer = auditor.get(&format!("audit/export?actor={}&action=memory.remembered", writer.id)).await.text();
    let some = verified(&house, &by_writer, &["--key", &key]).await.fine();
    assert!(some.contains("31 entries") && some.contains("not complete"), "{some}");
    assert_eq!(verified(&house, &by_writer.replacen("\"agent\"", "\"person\"", 1), &[]).await.code, Some(1));
    let none = auditor.get("audit/export?action=nothing.happened").await.text();
    assert!(verified(&house, &none, &["--key", &key]).await.fine().contains("0 entries"));

    // Taking it out is in the trail too, and what was asked for is not.
    let taken = auditor.lists("audit?action=trail.exported").await;
    assert_eq!(taken.len(), 4);
    assert_eq!(taken[1]["details"]["filters"], json!(["actor", "action"]));
    assert_eq!(taken[1]["details"]["format"], "jsonl");
    let instance = house.admin().await.get("/v1/audit/export").await.text();
    assert!(verified(&house, &instance, &["--key", &key]).await.fine().contains("complete"));
}

#[tokio::test]
async fn a_spreadsheet_finds_no_formula_in_an_export() {
    let house = unsealed().await;
    let auditor = house.agent("coding", Role::Auditor).await;
    let evil = house.agent_like("coding", json!({"role": "writer"})).await;
    sqlx::query("update agents set name = $1 where id = $2")
        .bind("=cmd|' /C calc'!A0,\"x\"")
        .bind(evil.id)
        .execute(house.owner())
        .await
        .unwrap();
    evil.ask("POST", "memories").header("X-Request-Id", "-1-1").json(&json!({"content": "x"})).send().await.expect(201);
    seal(&house).await;
    let reply = auditor.get("audit/export?format=csv").await;
    assert!(reply.header("content-type").starts_with("text/csv"), "{reply:?}");
    let text = reply.text();
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert!(lines[0].starts_with("index,id,at,actor_type,actor_id,actor_name,"), "{}", lines[0]);
    assert!(text.contains(",\"'=cmd|' /C calc'!A0,\"\"x\"\"\","), "{text}");
    assert!(text.contains(",\"'-1-1\","), "{text}");
    for cell in text.split([',', '\n']) {
        assert!(!cell.trim_start_matches('"').starts_with(['=', '+', '-', '@']), "{cell}");
    }
    let note = checkpoint_of(&auditor).await;
    assert!(text.contains(&note), "it ends with the checkpoint");
    auditor.get("audit/export?format=xlsx").await.refuses(422, "invalid");
}

#[tokio::test]
async fn an_entry_that_is_committed_late_is_not_forgotten() {
    let house = unsealed().await;
    let (writer, auditor) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Auditor).await);
    let coding = house.workspace("coding").await;
    let mut sealer = Sealer::default();
    sealer.round(house.app()).await.unwrap();
    let mut late = house.standing_in(coding, None, None).await;
    let entry = format!(
        "insert into audit_entries (workspace_id, id, actor_type, actor_id, action, request_id) values ('{coding}', '{}', 'system', '{}', 'late.entry', 'late')",
        cairn_tests::nobody(),
        cairn_tests::nobody()
    );
    late.execute(sqlx::AssertSqlSafe(entry)).await.unwrap();
    for n in 0..3 {
        writer.remembers_all_of(json!({"content": format!("overtakes {n}"), "kind": "episode"})).await;
        assert_eq!(sealer.round(house.app()).await.unwrap(), 1);
    }
    late.execute("commit").await.unwrap();
    writer.remembers("comes after").await;
    assert_eq!(sealer.round(house.app()).await.unwrap(), 2, "in the round after its commit");
    assert!(auditor.lists("audit?action=late.entry").await[0]["index"].is_u64());
    assert_eq!(sealer.round(house.app()).await.unwrap(), 0);
    // And a server that starts anew goes on from there.
    writer.remembers("and another").await;
    assert_eq!(seal(&house).await, 1);
    let export = auditor.get("audit/export").await;
    verify(&export.bytes, &vkeys(&house).await, None).expect("holds");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_server_goes_on_sealing_where_one_ended() {
    let mut house = House::open().await;
    let (writer, auditor) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Auditor).await);
    writer.remembers("by the first").await;
    house.is_sealed().await;
    let earlier = checkpoint_of(&auditor).await;
    let key = house.folder().join("master.key");
    let other = House::on_database(Postgres::shared().await, house.database().to_owned(), |given| given.master_key_file = Some(key)).await;
    let other = other.expect("opens on the same database");
    let (writer, auditor) = (writer.living_at(&other.url), auditor.living_at(&other.url));
    writer.remembers("while both are there").await;
    house.is_sealed().await;
    house.shut().await;
    writer.remembers("by the second").await;
    house.is_sealed().await;
    let export = auditor.get("audit/export").await;
    let report = verify(&export.bytes, &vkeys(&other).await, Some(&earlier)).expect("one tree");
    assert!(report.entries > 3);
    other.close().await;
}

#[tokio::test]
async fn two_who_seal_at_once_make_one_tree() {
    let house = unsealed().await;
    let (writer, auditor) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Auditor).await);
    let (mut one, mut other) = (Sealer::default(), Sealer::default());
    seal(&house).await;
    for n in 0..5 {
        writer.remembers(&format!("stone {n}")).await;
        // Both know where the tree ends; the slower one is turned away and looks again.
        let (a, b) = tokio::join!(one.round(house.app()), other.round(house.app()));
        assert!(a.is_ok() || b.is_ok(), "{a:?} {b:?}");
    }
    while !(one.round(house.app()).await.is_ok_and(|left| left == 0)) {}
    let export = auditor.get("audit/export").await;
    verify(&export.bytes, &vkeys(&house).await, None).expect("holds");
}

#[tokio::test]
async fn what_was_changed_in_the_database_gets_no_signature() {
    let house = unsealed().await;
    let (writer, auditor) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Auditor).await);
    writer.remembers("before").await;
    seal(&house).await;
    let before = checkpoint_of(&auditor).await;
    // The last leaf is always part of the tree's edge.
    house
        .owner()
        .execute("update audit_leaves l set hash = sha256(hash) where index = (select max(index) from audit_leaves m where m.workspace_id = l.workspace_id)")
        .await
        .unwrap();
    writer.remembers("after").await;
    let mut sealer = Sealer::default();
    assert_eq!(sealer.round(house.app()).await.unwrap(), 0);
    assert!(sealer.is_stuck());
    assert_eq!(checkpoint_of(&auditor).await, before);
    // Others are not held up, and nothing is lost once it is put right.
    house.agent("support", Role::Writer).await.remembers("elsewhere").await;
    assert!(sealer.round(house.app()).await.unwrap() > 0);
}

#[tokio::test]
async fn a_trail_to_which_nothing_can_be_added_holds_up_no_other() {
    let house = unsealed().await;
    let mut all = Vec::new();
    for slug in ["coding", "support"] {
        let (writer, auditor) = (house.agent(slug, Role::Writer).await, house.agent(slug, Role::Auditor).await);
        all.push((house.workspace(slug).await, writer, auditor));
    }
    // The sealer goes by the ids: the first of them is the one that stands in the way.
    all.sort_by_key(|(workspace, ..)| *workspace);
    seal(&house).await;
    sqlx::query(
        "insert into audit_leaves (workspace_id, index, entry_id, hash)
         select workspace_id, max(index) + 1, gen_random_uuid(), sha256('not ours') from audit_leaves where workspace_id = $1 group by workspace_id",
    )
    .bind(all[0].0)
    .execute(house.owner())
    .await
    .expect("somebody adds a leaf");
    let mut sealer = Sealer::default();
    for round in 0..3 {
        for (_, writer, _) in &all {
            writer.remembers_all_of(json!({"content": format!("stone {round}"), "kind": "episode"})).await;
        }
        assert_eq!(sealer.round(house.app()).await.expect("goes on"), 1, "only that of the other");
    }
    assert!(sealer.is_stuck());
    let unsealed = async |auditor: &Actor| auditor.lists("audit").await.iter().filter(|entry| entry["index"].is_null()).count();
    assert_eq!((unsealed(&all[0].2).await, unsealed(&all[1].2).await), (3, 0));
    // Nothing is lost once it is put right, whoever seals then.
    sqlx::query("delete from audit_leaves where hash = sha256('not ours')").execute(house.owner()).await.expect("is put right");
    assert_eq!(seal(&house).await, 3);
    let export = all[0].2.get("audit/export").await;
    verify(&export.bytes, &vkeys(&house).await, None).expect("holds");
}

#[tokio::test]
async fn keys_may_change_and_the_trail_goes_on() {
    let house = unsealed().await;
    let (writer, auditor) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Auditor).await);
    writer.remembers("under the first key").await;
    seal(&house).await;
    let earlier = checkpoint_of(&auditor).await;
    house.app().notary().rotate(house.app().db()).await.unwrap();
    writer.remembers("under the second").await;
    seal(&house).await;
    let [newest, oldest] = <[String; 2]>::try_from(vkeys(&house).await).unwrap();
    let export = auditor.get("audit/export").await.bytes;
    verify(&export, &[&newest], None).expect("the newest checkpoint has the newest key");
    verify(&export, &[&oldest], None).expect_err("and no other");
    verify(&export, &[&newest, &oldest], Some(&earlier)).expect("goes on from what the old key signed");
}
