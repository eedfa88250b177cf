//! A thousand ways to change a trail behind our back, in an export or in the database: with the public key and an
//! earlier checkpoint each one is found, and an untouched trail holds.

use super::sealing::{checkpoint_of, seal, unsealed, vkeys};
use cairn_server::{
    engines::seal::{
        Checkpoint, Edge, Hash,
        export::{LastLine, entry_line},
        note::{self, Signer},
        record_hash,
        verify::verify,
    },
    model::text,
};
use cairn_tests::{Actor, House, Role};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use sqlx::{AssertSqlSafe, Executor};
use uuid::Uuid;

const IN_FILES: usize = 920;
const IN_THE_DATABASE: usize = 80;

/// A trail that was sealed in several steps, and what an auditor has of it.
struct Known {
    house: House,
    auditor: Actor,
    workspace: Uuid,
    vkey: String,
    /// Kept by the auditor.
    earlier: String,
    /// Genuine exports, the last one of today; those before are older than what the auditor kept.
    exports: Vec<String>,
    sizes: Vec<u64>,
}

async fn known() -> Known {
    let house = unsealed().await;
    let (writer, auditor) = (house.agent("coding", Role::Reviewer).await, house.agent("coding", Role::Auditor).await);
    let (mut exports, mut sizes, mut earlier) = (Vec::new(), Vec::new(), String::new());
    for step in 0..5 {
        for n in 0..12 {
            let memory = writer.remembers(&format!("stone {step} {n}")).await;
            if n % 3 == 0 {
                writer.revises(&memory, serde_json::json!({"content": format!("heavier {step} {n}")})).await;
            }
        }
        seal(&house).await;
        earlier = if step == 3 { checkpoint_of(&auditor).await } else { earlier };
        let checkpoint = Checkpoint::read(&checkpoint_of(&auditor).await, &vkeys(&house).await).expect("signed");
        sizes.push(checkpoint.size);
        exports.push(auditor.get("audit/export").await.text());
    }
    let (vkey, workspace) = (vkeys(&house).await.remove(0), house.workspace("coding").await);
    Known { auditor: (*auditor).clone(), house, workspace, vkey, earlier, exports, sizes }
}

impl Known {
    fn holds(&self, export: &[u8]) -> bool {
        verify(export, &[&self.vkey], Some(&self.earlier)).is_ok()
    }

    fn only_the_key_is_wrong(&self, export: &[u8]) -> bool {
        verify(export, &[forger(&self.vkey).1], None).is_ok()
    }

    fn today(&self) -> &str {
        self.exports.last().expect("an export")
    }
}

/// The same name, another key.
fn forger(vkey: &str) -> (Signer, String) {
    let key = ed25519_dalek::SigningKey::from_bytes(&[66; 32]);
    let (name, public) = (vkey.split('+').next().expect("a name"), key.verifying_key().to_bytes());
    (Signer::new(name, key.to_bytes(), public).expect("a key"), note::vkey(name, public))
}

/// Everything made to fit, with a key that is not ours.
fn forged(export: &str, vkey: &str, change: impl Fn(usize, &str) -> String) -> String {
    let (mut edge, mut text) = (Edge::default(), String::new());
    let lines: Vec<&str> = export.lines().collect();
    for (n, line) in lines[..lines.len() - 1].iter().enumerate() {
        let leaf = line.strip_prefix("{\"entry\":").and_then(|rest| rest.rsplit_once(",\"leaf_hash\"")).expect("an entry").0;
        let leaf = change(n, leaf);
        let hash = record_hash(leaf.as_bytes());
        edge.push(hash, |_, _| ());
        text += &entry_line(&leaf, hash, None);
    }
    let origin = serde_json::from_str::<LastLine>(lines[lines.len() - 1]).expect("a checkpoint").checkpoint;
    let origin = origin.lines().next().expect("an origin").to_owned();
    let checkpoint = Checkpoint { origin, size: edge.size(), root: edge.root() };
    text + &LastLine { checkpoint: forger(vkey).0.sign(&checkpoint.text()).expect("signs"), complete: true }.text().expect("a line")
}

/// One change of an export, at random.
fn tampered(known: &Known, rng: &mut StdRng) -> (&'static str, Vec<u8>) {
    let today = known.today();
    let lines: Vec<&str> = today.split_inclusive('\n').collect();
    let (entries, checkpoint) = lines.split_at(lines.len() - 1);
    let (some, other) = (rng.random_range(0..entries.len()), rng.random_range(0..entries.len()));
    let older = rng.random_range(0..3);
    let mut bytes = today.as_bytes().to_vec();
    match rng.random_range(0..10) {
        0..3 => {
            let place = rng.random_range(0..bytes.len());
            bytes[place] ^= rng.random_range(1..=255_u8);
            ("a byte changed", bytes)
        }
        3 => ("an entry dropped", [&entries[..some], &entries[some + 1..], checkpoint].concat().concat().into_bytes()),
        4 => {
            let mut swapped = lines.clone();
            swapped.swap(some, if some == other { (some + 1) % entries.len() } else { other });
            ("two entries swapped", swapped.concat().into_bytes())
        }
        5 => {
            let copy = [entries[other]];
            ("an entry inserted", [&entries[..some], &copy[..], &entries[some..], checkpoint].concat().concat().into_bytes())
        }
        6 => {
            bytes.truncate(rng.random_range(0..bytes.len()));
            ("bytes cut off", bytes)
        }
        7 => ("the end cut off, with a genuine older checkpoint", known.exports[older].clone().into_bytes()),
        8 => {
            let replaced = known.exports[older].lines().last().expect("a checkpoint");
            ("the checkpoint replaced by an older one", format!("{}{replaced}\n", entries.concat()).into_bytes())
        }
        _ => {
            let forged = forged(today, &known.vkey, |n, leaf| if n == some { as_if_nothing_happened(leaf) } else { leaf.to_owned() });
            (FORGED, forged.into_bytes())
        }
    }
}

/// One change of the database, at random: SQL that its owner runs, and its name.
fn behind_our_back(known: &Known, rng: &mut StdRng) -> (&'static str, String) {
    let size = *known.sizes.last().expect("a size");
    let (some, other) = (rng.random_range(0..size), rng.random_range(0..size));
    let other = if some == other { (some + 1) % size } else { other };
    let entry = format!(
        "workspace_id = '{0}' and id = (select entry_id from audit_leaves where workspace_id = '{0}' and index = {some})",
        known.workspace
    );
    let leaf = |index: u64| format!("workspace_id = '{}' and index = {index}", known.workspace);
    let checkpoint = format!("workspace_id = '{}' and size = {size}", known.workspace);
    let changes = [
        "action = action || 'x'",
        "actor_id = gen_random_uuid()",
        "at = at + interval '1 microsecond'",
        "role = case role when 'admin' then 'reader' else 'admin' end",
        "request_id = request_id || '-'",
        "target_id = gen_random_uuid(), target_type = 'memory'",
        "version = coalesce(version, 0) + 1",
        "digest = sha256(coalesce(digest, ''))",
        "details = coalesce(details, '{}') || '{\"more\": 1}'",
        "session_id = gen_random_uuid()",
        "actor_type = case actor_type when 'agent' then 'person' else 'agent' end",
    ];
    match rng.random_range(0..12) {
        0..4 => ("an entry changed", format!("update audit_entries set {} where {entry}", changes.choose(rng).expect("some"))),
        4 => ("an entry deleted", format!("delete from audit_entries where {entry}")),
        5 => (
            "an entry and its leaf deleted",
            format!("delete from audit_entries where {entry}; delete from audit_leaves where {}", leaf(some)),
        ),
        6 => ("a leaf deleted", format!("delete from audit_leaves where {}", leaf(some))),
        7 => {
            let park = |from: i64, to: i64| {
                format!("update audit_leaves set index = {to} where workspace_id = '{}' and index = {from};", known.workspace)
            };
            let (some, other, away) = (some.cast_signed(), other.cast_signed(), 1_000_000);
            ("two leaves swapped", [park(some, away), park(other, some), park(away, other)].concat())
        }
        8 => {
            let ws = known.workspace;
            let insert = format!(
                "update audit_leaves set index = index + 1000000 where workspace_id = '{ws}' and index >= {some};
                 update audit_leaves set index = index - 999999 where workspace_id = '{ws}' and index >= 1000000;
                 insert into audit_entries (workspace_id, id, actor_type, actor_id, action, request_id)
                 values ('{ws}', '00000000-0000-7000-8000-000000000001', 'system', '{ws}', 'memory.remembered', 'r');
                 insert into audit_leaves values ('{ws}', {some}, '00000000-0000-7000-8000-000000000001', sha256('x'))"
            );
            ("an entry inserted", insert)
        }
        9 => {
            let kept = known.sizes[rng.random_range(0..3)];
            let ws = known.workspace;
            (
                "the end cut off",
                format!(
                    "delete from audit_leaves where workspace_id = '{ws}' and index >= {kept}; delete from audit_checkpoints where workspace_id = '{ws}' and size > {kept}"
                ),
            )
        }
        10 => {
            let older = known.sizes[rng.random_range(0..3)];
            let replace = format!(
                "update audit_checkpoints set note = (select note from audit_checkpoints where workspace_id = '{}' and size = {older}) where {checkpoint}",
                known.workspace
            );
            ("the checkpoint replaced by an older one", replace)
        }
        _ => (FORGED, forged_behind_our_back(known, some, [&entry, &leaf(some), &checkpoint])),
    }
}

/// An entry, its leaf and the checkpoint made to fit each other, and signed with another key.
fn forged_behind_our_back(known: &Known, some: u64, [entry, leaf, checkpoint]: [&str; 3]) -> String {
    let forged =
        forged(known.today(), &known.vkey, |n, leaf| if n as u64 == some { as_if_nothing_happened(leaf) } else { leaf.to_owned() });
    let note = serde_json::from_str::<LastLine>(forged.lines().last().expect("a line")).expect("a checkpoint").checkpoint;
    let line = forged.lines().nth(usize::try_from(some).expect("small")).expect("a line");
    let hash = line.rsplit_once("\"leaf_hash\":\"").expect("a hash").1.trim_end_matches("\"}");
    let hash = text::hex(&Hash::parse_hash(hash).expect("a hash").0);
    format!(
        "update audit_leaves set hash = '\\x{hash}' where {leaf};
         update audit_entries set action = '{NOTHING}' where {entry};
         update audit_checkpoints set note = '{note}' where {checkpoint}"
    )
}

const FORGED: &str = "forged with another key";
const NOTHING: &str = "nothing.happened";

fn as_if_nothing_happened(leaf: &str) -> String {
    let (before, rest) = leaf.split_once("\"action\":\"").expect("an action");
    let (_, after) = rest.split_once('"').expect("its end");
    format!("{before}\"action\":\"{NOTHING}\"{after}")
}

const TABLES: [&str; 3] = ["audit_entries", "audit_leaves", "audit_checkpoints"];

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_ways_to_tamper_are_all_found() {
    let (known, mut rng) = (known().await, StdRng::seed_from_u64(20_261_116));
    assert!(known.holds(known.today().as_bytes()), "the untouched trail holds");
    for n in 0..IN_FILES {
        let (how, changed) = tampered(&known, &mut rng);
        assert_ne!(changed, known.today().as_bytes(), "{n}: {how} changed nothing");
        assert!(!known.holds(&changed), "{n}: {how}, and it was not found");
        assert!(how != FORGED || known.only_the_key_is_wrong(&changed), "{n}: a clumsy forgery");
    }

    // Whoever owns the database can put keys and triggers aside, and put everything back.
    let run =
        async |sql: String| known.house.owner().execute(AssertSqlSafe(sql.clone())).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
    run("do $$ declare c record; begin
            for c in select conname, conrelid::regclass as t from pg_constraint where confrelid = 'audit_entries'::regclass loop
                execute format('alter table %s drop constraint %I', c.t, c.conname);
            end loop;
        end $$"
        .to_owned())
    .await;
    for table in TABLES {
        run(format!("create table kept_{table} as select * from {table}")).await;
    }
    for n in 0..IN_THE_DATABASE {
        let (how, sql) = behind_our_back(&known, &mut rng);
        run(format!("begin; {sql}; commit")).await;
        let export = known.auditor.get("audit/export").await;
        assert!(export.status != 200 || !known.holds(&export.bytes), "{n}: {how}, and it was not found: {sql}");
        assert!(how != FORGED || known.only_the_key_is_wrong(&export.bytes), "{n}: a clumsy forgery: {sql}");
        for table in TABLES {
            run(format!("truncate {table}; insert into {table} select * from kept_{table}")).await;
        }
    }
    let untouched = known.auditor.get("audit/export").await;
    assert!(known.holds(&untouched.bytes), "put back as it was, it holds again");
}
