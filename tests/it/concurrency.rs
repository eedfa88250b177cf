//! Many at once: what holds for one after another holds for all at the same moment.

use cairn_tests::{Agent, House, Reply, Role, at, until};
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::{Value, json};
use std::collections::HashSet;
use tokio::task::JoinSet;

/// The same request sixteen times at once.
async fn all_at_once(agent: &Agent, ask: impl Fn(&Agent, usize) -> cairn_tests::Ask) -> Vec<Reply> {
    let mut running = JoinSet::new();
    for n in 0..16 {
        running.spawn(ask(agent, n).send());
    }
    running.join_all().await
}

fn with_status(replies: &[Reply], status: u16) -> usize {
    replies.iter().filter(|reply| reply.status == status).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_text_at_once_makes_one_memory() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for round in 0..3 {
        let replies =
            all_at_once(&agent, |agent, _| agent.ask("POST", "memories").json(&json!({"content": format!("said at once {round}")}))).await;
        assert_eq!((with_status(&replies, 201), with_status(&replies, 200)), (1, 15), "{replies:?}");
        assert_eq!(replies.iter().map(|reply| reply.body["id"].to_string()).collect::<HashSet<_>>().len(), 1);
    }
    assert_eq!(house.count("select count(*) from memories").await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn different_texts_under_one_title_all_find_a_place() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let replies = all_at_once(&agent, |agent, n| {
        agent.ask("POST", "memories").json(&json!({"content": format!("text {n}"), "title": "The same title"}))
    })
    .await;
    assert_eq!(with_status(&replies, 201), 16, "{replies:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_have_seen_the_same_version_one_wins() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers("first").await;
    let replies = all_at_once(&agent, |agent, n| {
        agent.ask("PATCH", &at(&memory)).header("If-Match", "\"1\"").json(&json!({"content": format!("mine {n}")}))
    })
    .await;
    assert_eq!((with_status(&replies, 200), with_status(&replies, 412)), (1, 15), "{replies:?}");
    let winner = replies.iter().find(|reply| reply.status == 200).unwrap();
    assert_eq!(agent.reads(&memory).await, winner.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_precondition_every_change_gets_a_version() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers("first").await;
    let replies = all_at_once(&agent, |agent, n| agent.ask("PATCH", &at(&memory)).json(&json!({"content": format!("mine {n}")}))).await;
    assert_eq!(with_status(&replies, 200), 16, "{replies:?}");
    let versions: HashSet<_> = replies.iter().map(|reply| reply.body["version"].as_i64().unwrap()).collect();
    assert_eq!(versions, (2..=17).collect());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_and_its_ancestor_are_never_both_taken() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for round in 0..4 {
        let paths = [format!("/r{round}/a"), format!("/r{round}/a/b"), format!("/r{round}/a/b/c"), format!("/r{round}")];
        let replies = all_at_once(&agent, |agent, n| {
            agent.ask("POST", "memories").json(&json!({"content": format!("{round} {n}"), "path": paths[n % 4]}))
        })
        .await;
        assert_eq!((with_status(&replies, 201), with_status(&replies, 409)), (1, 15), "{replies:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_idempotency_key_at_once_has_one_effect() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let body = json!({"content": "once", "path": "/once.md"});
    let replies = all_at_once(&agent, |agent, _| agent.ask("POST", "memories").header("Idempotency-Key", "one").json(&body)).await;
    assert_eq!(with_status(&replies, 201), 16, "{replies:?}");
    assert!(replies.iter().all(|reply| reply.bytes == replies[0].bytes && reply.header("etag") == "\"1\""));
    assert_eq!(house.count("select count(*) from memory_versions").await, 1);
    assert_eq!(house.count("select count(*) from audit_entries where action = 'memory.remembered'").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_who_leaves_does_not_hold_up_the_others() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let mut holding = house.owner().begin().await.unwrap();
    sqlx::query("lock table memories in exclusive mode").execute(&mut *holding).await.unwrap();
    let writes = |n: usize, path: Option<&str>| {
        let (agent, body) = (agent.clone(), json!({"content": format!("text {n}"), "path": path}));
        tokio::spawn(async move { agent.post("memories", body).await })
    };
    let leaver = writes(0, Some("/held"));
    let waiting = "select count(*) from pg_locks where relation = 'memories'::regclass and not granted";
    until("the first one waits", async || house.count(waiting).await == 1).await;
    let others: Vec<_> = (1..9).map(|n| writes(n, None)).collect();
    leaver.abort();
    assert!(leaver.await.unwrap_err().is_cancelled());
    holding.rollback().await.unwrap();
    for other in others {
        other.await.unwrap().expect(201);
    }
    // Whether or not the one who left was written, it was whole or not at all.
    let again = writes(0, Some("/held")).await.unwrap();
    assert!(matches!(again.status, 201 | 409), "{again:?}");
}

/// One thing that somebody does to a memory.
#[derive(Clone, Debug)]
enum Step {
    Content(u8),
    Tags(u8),
    Archive,
    Restore,
    Verify,
    Revert(u8),
    Supersede,
}

fn histories() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..3_u8).prop_map(Step::Content),
        2 => (0..3_u8).prop_map(Step::Tags),
        2 => Just(Step::Archive),
        2 => Just(Step::Restore),
        1 => Just(Step::Verify),
        2 => (1..6_u8).prop_map(Step::Revert),
        1 => Just(Step::Supersede),
    ];
    prop::collection::vec(step, 1..10)
}

async fn take(agent: &Agent, memory: &Value, step: &Step) -> Reply {
    let at = at(memory);
    match step {
        Step::Content(n) => agent.patch(&at, json!({"content": format!("content {n} of {at}")})).await,
        Step::Tags(n) => agent.patch(&at, json!({"tags": [format!("tag {n}")]})).await,
        Step::Archive => agent.delete(&at).await,
        Step::Restore => agent.ask("POST", &format!("{at}/restore")).send().await,
        Step::Verify => agent.ask("POST", &format!("{at}/verify")).send().await,
        Step::Revert(n) => agent.post(&format!("{at}/revert"), json!({"version": n})).await,
        Step::Supersede => agent.post(&format!("{at}/supersede"), json!({"content": format!("after {at}")})).await,
    }
}

#[test]
fn whatever_happens_to_a_memory_its_history_adds_up() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (house, agent) = runtime.block_on(async {
        let house = House::open().await;
        let agent = house.agent("coding", Role::Admin).await;
        (house, agent)
    });
    let mut runner = TestRunner::new(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() });
    runner.run(&histories(), |steps| runtime.block_on(adds_up(&house, &agent, &steps))).unwrap();
}

async fn adds_up(house: &House, agent: &Agent, steps: &[Step]) -> Result<(), TestCaseError> {
    let memory = agent.remembers(&format!("born {}", cairn_tests::nobody())).await;
    for step in steps {
        let reply = take(agent, &memory, step).await;
        prop_assert!(matches!(reply.status, 200 | 201 | 404 | 409), "{step:?}: {reply:?}");
    }
    let mut versions = agent.lists(&format!("{}/versions?limit=3", at(&memory))).await;
    versions.reverse();
    let numbers: Vec<_> = versions.iter().map(|version| version["version"].as_u64().unwrap_or_default()).collect();
    prop_assert_eq!(&numbers, &(1..=numbers.len() as u64).collect::<Vec<_>>());
    for version in &versions {
        let moment = version["updated_at"].as_str().unwrap_or_default();
        let then = agent.get(&format!("{}?as_of={moment}", at(&memory))).await;
        prop_assert_eq!((&then.body["version"], &then.body["content"]), (&version["version"], &version["content"]));
    }
    let id = memory["id"].as_str().unwrap_or_default();
    let entries = agent.trail_of(id).await;
    let told: Vec<_> = entries.iter().map(|entry| entry["version"].as_u64().unwrap_or_default()).collect();
    prop_assert_eq!(numbers, told);
    let unlike = format!(
        "select count(*) from memory_versions v full join audit_entries e on e.workspace_id = v.workspace_id and e.id = v.audit_id and e.digest = v.digest and e.version = v.version
         where (v.memory_id = '{id}' or e.target_id = '{id}') and (v.memory_id is null or e.target_id is null)"
    );
    prop_assert_eq!(house.count(&unlike).await, 0);
    Ok(())
}
