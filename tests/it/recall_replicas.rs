//! Several servers on one database: what one of them was told is in the next answer of every other.

use cairn_tests::{Actor, Agent, House, Program, Reply, Role, at, items, texts, until};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::task::JoinSet;

/// One agent as two servers on one database know it.
struct Twins {
    house: House,
    other: House,
    here: Agent,
    there: Actor,
}

/// A second server on the same database.
async fn beside(house: &House) -> House {
    let key = house.folder().join("master.key");
    let other = House::on_database(house.postgres().clone(), house.database().to_owned(), |given| given.master_key_file = Some(key)).await;
    other.expect("a second server opens")
}

async fn twins() -> Twins {
    let house = House::open().await;
    let other = beside(&house).await;
    let here = house.agent("coding", Role::Writer).await;
    let there = here.living_at(&other.url);
    // Both have an index before anything happens.
    here.recalls("anything").await;
    there.recalls("anything").await;
    Twins { house, other, here, there }
}

#[tokio::test]
async fn a_write_at_one_server_is_in_the_next_answer_of_the_other() {
    let Twins { house, other: _other, here, there } = twins().await;
    let reviewer = house.person("coding", Role::Reviewer).await;
    for round in 0..5 {
        let (writer, reader): (&Actor, &Actor) = if round % 2 == 0 { (&here, &there) } else { (&there, &here) };
        let word = format!("marmalade{round}");
        let memory = writer.remembers(&format!("{word} is for breakfast")).await;
        assert_eq!(reader.recalls(&word).await[0], format!("{word} is for breakfast"));
        writer.revises(&memory, json!({"content": format!("{word} is for supper")})).await;
        assert_eq!(reader.recalls(&word).await[0], format!("{word} is for supper"));
        writer.delete(&at(&memory)).await.expect(200);
        assert!(!reader.recalls(&word).await.iter().any(|text| text.contains(&word)));
        writer.ask("POST", &format!("{}/restore", at(&memory))).send().await.expect(200);
        assert_eq!(reader.recalls(&word).await[0], format!("{word} is for supper"));
        let answer = reader.asks(json!({ "query": word })).await;
        writer.judges(&answer, &memory, "wrong").await.expect(204);
        assert_eq!(items(&reader.asks(json!({ "query": word })).await)[0]["freshness"]["state"], "suspect");
        let request = writer.asks_to_erase(&[&memory], "a wish").await;
        reviewer.approves(&request).await.expect(200);
        reviewer.executes(&request).await.expect(200);
        let answer = reader.asks(json!({"query": word, "limit": 100, "states": ["active", "archived"]})).await;
        assert!(texts(&answer).iter().all(|text| !text.contains(&word)), "{answer}");
    }
}

#[tokio::test]
async fn a_server_that_nobody_asks_forgets_what_was_erased_elsewhere() {
    let Twins { house, other, here, there: _ } = twins().await;
    let reviewer = house.person("coding", Role::Reviewer).await;
    let memory = here.remembers("marmalade is for breakfast").await;
    let id: uuid::Uuid = memory["id"].as_str().unwrap().parse().unwrap();
    let knows = || cairn_server::acts::recall::is_indexed(other.app(), cairn_server::model::MemoryId(id));
    until("it is heard of without anybody asking", async || knows()).await;
    reviewer.lets_go(&here.asks_to_erase(&[&memory], "a wish").await).await;
    until("it is forgotten without anybody asking", async || !knows()).await;
}

#[tokio::test]
async fn an_empty_file_that_was_erased_is_forgotten_everywhere() {
    let Twins { house, other, here, there: _ } = twins().await;
    let reviewer = house.person("coding", Role::Reviewer).await;
    let create = json!({"command": "create", "path": "/memories/marmalade", "file_text": " \n"});
    assert_eq!(here.post("memory-tool", create).await.expect(200)["is_error"], false);
    let memory = here.lists("memories?path_prefix=/marmalade").await.remove(0);
    let id = cairn_server::model::MemoryId(memory["id"].as_str().unwrap().parse().unwrap());
    let knows = |of: &House| cairn_server::acts::recall::is_indexed(of.app(), id);
    for server in [&house, &other] {
        until("its name is heard of", async || knows(server)).await;
    }
    reviewer.lets_go(&here.asks_to_erase(&[&memory], "a wish").await).await;
    for server in [&house, &other] {
        until("it is forgotten without anybody asking", async || !knows(server)).await;
    }
}

#[tokio::test]
async fn a_server_that_starts_has_its_indexes_before_anybody_asks() {
    let house = House::open().await;
    let memory = house.agent("coding", Role::Writer).await.remembers("marmalade is for breakfast").await;
    let id: uuid::Uuid = memory["id"].as_str().unwrap().parse().unwrap();
    let other = beside(&house).await;
    until("the index is built", async || cairn_server::acts::recall::is_indexed(other.app(), cairn_server::model::MemoryId(id))).await;
}

#[tokio::test]
async fn a_transaction_that_stays_open_hides_nothing() {
    let Twins { house, other: _other, here, there } = twins().await;
    let mut held = house.owner().begin().await.unwrap();
    sqlx::query("select pg_current_xact_id()").execute(&mut *held).await.unwrap();
    let mut made = Vec::new();
    for round in 0..6 {
        let word = format!("marmalade{round}");
        let memory = here.remembers(&format!("{word} is for breakfast")).await;
        assert_eq!(there.recalls(&word).await[0], format!("{word} is for breakfast"));
        made.push((word, memory));
    }
    there.delete(&at(&made[0].1)).await.expect(200);
    let gone = |told: Vec<String>| told.iter().all(|text| !text.contains("marmalade0"));
    assert!(gone(here.recalls("marmalade0").await) && gone(there.recalls("marmalade0").await));
    held.rollback().await.unwrap();
    for (word, _) in &made[1..] {
        for reader in [&here.actor, &there] {
            assert_eq!(reader.recalls(word).await[0], format!("{word} is for breakfast"));
        }
    }
    assert!(gone(here.recalls("marmalade0").await) && gone(there.recalls("marmalade0").await));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_began_early_and_was_committed_late_is_seen() {
    let Twins { house, other: _other, here, there } = twins().await;
    let memory = here.remembers("marmalade is for breakfast").await;
    assert_eq!(there.recalls("marmalade").await.len(), 1);
    // Somebody holds the row, so that the archive has begun and waits while others overtake it.
    let mut held = house.owner().begin().await.unwrap();
    sqlx::query("select 1 from memories for update").execute(&mut *held).await.unwrap();
    let (archiver, place) = (here.actor.clone(), at(&memory));
    let archiving = tokio::spawn(async move { archiver.delete(&place).await });
    until("the archive waits", async || {
        house.count("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()").await > 0
    })
    .await;
    for n in 0..4 {
        there.remembers(&format!("toast number {n}")).await;
        for reader in [&here.actor, &there] {
            let told = reader.recalls("marmalade or toast").await;
            assert!(told.contains(&format!("toast number {n}")) && told.contains(&"marmalade is for breakfast".to_owned()), "{told:?}");
        }
    }
    held.rollback().await.unwrap();
    archiving.await.unwrap().expect(200);
    for reader in [&here.actor, &there] {
        let told = reader.recalls("marmalade or toast").await;
        assert_eq!(told.len(), 4, "{told:?}");
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stands {
    Active,
    Archived,
    Erased,
}

/// What is known for certain of one memory: where it stands, and how often somebody has begun or ended to change that.
struct Fact {
    word: String,
    id: Value,
    /// None while a change is under way.
    stands: Option<Stands>,
    turns: usize,
}

#[derive(Clone, Default)]
struct Facts(Arc<Mutex<Vec<Fact>>>);

impl Facts {
    fn lock(&self) -> MutexGuard<'_, Vec<Fact>> {
        self.0.lock().expect("nobody failed with it in hand")
    }

    fn add(&self, word: String, id: Value) {
        self.lock().push(Fact { word, id, stands: Some(Stands::Active), turns: 0 });
    }

    fn set(&self, id: &Value, stands: Option<Stands>) {
        let mut facts = self.lock();
        let fact = facts.iter_mut().rev().find(|fact| fact.id == *id).expect("it was added");
        (fact.stands, fact.turns) = (stands, fact.turns + 1);
    }

    /// Nothing is known of it while it is being changed, nor afterwards when that was not acknowledged.
    async fn changes(&self, id: &Value, stands: Stands, change: impl Future<Output = Reply>) -> bool {
        self.set(id, None);
        let done = acknowledged(change.await).is_some();
        if done {
            self.set(id, Some(stands));
        }
        done
    }

    /// One of them: every second time one of the newest.
    fn pick(&self, n: usize) -> Option<(usize, String, Value, Stands, usize)> {
        let facts = self.lock();
        let place = if n.is_multiple_of(2) { facts.len().checked_sub(1 + n / 2 % 8)? } else { n * 7919 % facts.len().max(1) };
        let fact = facts.get(place)?;
        Some((place, fact.word.clone(), fact.id.clone(), fact.stands?, fact.turns))
    }

    fn turns(&self, place: usize) -> usize {
        self.lock()[place].turns
    }
}

/// A word that is like no other, and that no stemming shortens.
fn word(writer: usize, turn: usize) -> String {
    const SYLLABLES: [&str; 10] = ["ba", "ko", "du", "lo", "ma", "nu", "ro", "ta", "vu", "zo"];
    let digits = format!("{writer:02}{turn:05}");
    digits.bytes().map(|digit| SYLLABLES[usize::from(digit - b'0')]).chain(["k"]).collect()
}

/// The body, or nothing where the server was too busy: then nobody knows what was done, and nothing was promised.
fn acknowledged(reply: Reply) -> Option<Value> {
    assert!(reply.status < 300 || reply.status == 503, "{reply:?}");
    (reply.status < 300).then_some(reply.body)
}

/// Remembers one thing after another; every second time an older one is archived, and half of those are restored; every
/// eighth time one is erased.
async fn writes_on(actor: Actor, reviewer: Actor, writer: usize, facts: Facts, stop: Arc<AtomicBool>) {
    let mut own: Vec<Value> = Vec::new();
    for turn in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let word = word(writer, turn);
        let memory = json!({"content": format!("{word} is what writer {writer} says"), "tags": [word]});
        if let Some(memory) = acknowledged(actor.post("memories", memory).await) {
            facts.add(word, memory["id"].clone());
            own.push(memory);
        }
        if turn % 2 == 1 && !own.is_empty() {
            let old = own.swap_remove(turn * 31 % own.len());
            if turn % 8 == 5 {
                erases(&actor, &reviewer, &old["id"], &facts).await;
                continue;
            }
            let changed = facts.changes(&old["id"], Stands::Archived, actor.delete(&at(&old))).await;
            if changed && turn % 4 == 3 {
                let restoring = actor.ask("POST", &format!("{}/restore", at(&old))).send();
                if facts.changes(&old["id"], Stands::Active, restoring).await {
                    own.push(old);
                }
            }
        }
    }
}

/// Asked, approved and executed; where the server was too busy on the way, it is left as it is.
async fn erases(actor: &Actor, reviewer: &Actor, id: &Value, facts: &Facts) {
    let Some(request) = acknowledged(actor.post("deletion-requests", json!({"memory_ids": [id], "reason": "a wish"})).await) else {
        return;
    };
    if acknowledged(reviewer.approves(&request).await).is_some() {
        facts.changes(id, Stands::Erased, reviewer.executes(&request)).await;
    }
}

async fn reads_on(servers: [Actor; 2], reader: usize, facts: Facts, stop: Arc<AtomicBool>, counts: Arc<[AtomicUsize; 3]>) {
    for n in reader.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let Some((place, word, id, stands, turns)) = facts.pick(n) else {
            tokio::time::sleep(Duration::from_millis(1)).await;
            continue;
        };
        let question = if n % 3 == 0 { json!({"query": "", "tags": [word]}) } else { json!({ "query": word }) };
        let Some(answer) = acknowledged(servers[n % 2].post("recall", question.clone()).await) else { continue };
        if facts.turns(place) != turns {
            continue;
        }
        let found = items(&answer).iter().any(|item| item["memory_id"] == id);
        let active = stands == Stands::Active;
        assert!(found || !active, "missed what was written before it was asked: {question} {answer}");
        assert!(!found || active, "told what was {stands:?} before it was asked: {question} {answer}");
        assert!(stands != Stands::Erased || !answer.to_string().contains(&format!("{word} is what")), "told an erased text: {answer}");
        counts[stands as usize].fetch_add(1, Ordering::Relaxed);
    }
}

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|said| said.parse().ok()).unwrap_or(default)
}

/// `CAIRN_TEST_SECONDS` and `CAIRN_TEST_WRITERS` make it longer and wider; there are as many readers as writers.
#[tokio::test(flavor = "multi_thread")]
async fn no_answer_misses_what_was_written_or_tells_what_was_archived_or_erased_before_it() {
    let (seconds, actors) = (setting("CAIRN_TEST_SECONDS", 5), setting("CAIRN_TEST_WRITERS", 4));
    let house = House::furnished(|given| given.database_connections = Some("20".to_owned())).await;
    let (agent, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let (app, owner) = (house.postgres().login_url(house.database()), house.postgres().owner_url(house.database()));
    // Behind one address, as far as tokens are concerned.
    let settings =
        [("CAIRN_DATABASE_URL", app.as_str()), ("CAIRN_MIGRATION_DATABASE_URL", &owner), ("CAIRN_PUBLIC_URL", house.url.as_str())];
    let program = Program::serve(Program::free_port(), house.folder(), &settings).await;
    let servers = [agent.actor.clone(), agent.living_at(&program.url)];
    let (facts, stop, counts) = (Facts::default(), Arc::new(AtomicBool::new(false)), Arc::new([0, 0, 0].map(AtomicUsize::new)));
    let mut running = JoinSet::new();
    for n in 0..actors {
        // Who erases does so at the other server.
        let eraser = reviewer.living_at(if n % 2 == 0 { &program.url } else { &house.url });
        let writer = servers[n % 2].clone();
        running.spawn(writes_on(writer, eraser, n, facts.clone(), stop.clone()));
        running.spawn(reads_on(servers.clone(), n, facts.clone(), stop.clone(), counts.clone()));
    }
    let proven = || [20, 5, 5].iter().zip(counts.iter()).all(|(least, count)| count.load(Ordering::Relaxed) > *least);
    // On a busy machine it goes on until there is enough to prove something; whoever fails ends it.
    let failed = tokio::select! {
        () = async {
            tokio::time::sleep(Duration::from_secs(seconds as u64)).await;
            until("enough is asked", async || proven()).await;
        } => None,
        ended = running.join_next() => ended,
    };
    stop.store(true, Ordering::Relaxed);
    assert!(failed.is_none_or(|ended| ended.is_ok()), "somebody got a wrong answer");
    running.join_all().await;
    let [active, archived, erased] = [0, 1, 2].map(|which: usize| counts[which].load(Ordering::Relaxed));
    println!("{active} answers about active memories, {archived} about archived and {erased} about erased ones, all right");
    program.kill().await;
}
