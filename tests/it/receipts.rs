//! Receipts: what was told, to whom, when and why, can be read days and versions later.

use cairn_tests::{House, Role, at, items, nobody, receipt_at};
use serde_json::{Value, json};

#[tokio::test]
async fn every_recall_leaves_a_receipt() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    agent.remembers_all_of(json!({"content": "Deploys are frozen on Fridays", "kind": "decision", "tags": ["deploy"]})).await;
    let session = nobody();
    let question = json!({"query": "frozen deploys", "kinds": ["decision"], "tags": ["deploy"], "limit": 7, "token_budget": 500,
        "detail": "excerpt", "include_stale": false, "session_id": session, "anchors": [{"path": "deploy.sh"}], "branch": "main"});
    let answer = agent.asks(question).await;
    let receipt = agent.get(&receipt_at(&answer)).await.expect(200);
    assert_eq!((&receipt["id"], &receipt["query"], &receipt["surface"]), (&answer["receipt_id"], &json!("frozen deploys"), &json!("rest")));
    assert_eq!((&receipt["actor"]["id"], &receipt["actor"]["type"]), (&json!(agent.id), &json!("agent")));
    assert_eq!((&receipt["session_id"], &receipt["tokens"], &receipt["omitted"]), (&json!(session), &answer["tokens"], &answer["omitted"]));
    assert_eq!(
        receipt["filters"],
        json!({"kinds": ["decision"], "tags": ["deploy"], "limit": 7, "token_budget": 500, "detail": "excerpt", "include_stale": false,
            "anchors": [{"path": "deploy.sh"}], "branch": "main"})
    );
    let (told, item) = (&receipt["items"][0], &items(&answer)[0]);
    assert_eq!((&told["rank"], &told["detail"], &told["freshness"]), (&json!(1), &json!("excerpt"), &json!("fresh")));
    for same in ["memory_id", "version", "score", "why", "tokens"] {
        assert_eq!(told[same], item[same], "{same}");
    }
    assert_eq!((&receipt["feedback"], told.get("text")), (&json!([]), None));
    assert!(receipt["took_ms"].as_f64().is_some_and(|took| took > 0.0) && receipt["at"].is_string(), "{receipt}");
}

#[tokio::test]
async fn an_answer_without_anything_has_a_receipt_too() {
    let house = House::open().await;
    let reader = house.person("coding", Role::Reader).await;
    let answer = reader.asks(json!({"query": "is anybody there?"})).await;
    assert_eq!((items(&answer).len(), &answer["tokens"], &answer["omitted"]), (0, &json!(0), &json!(0)));
    let receipt = reader.looks_up(&answer).await;
    assert_eq!((&receipt["items"], &receipt["actor"]["type"]), (&json!([]), &json!("person")));
}

#[tokio::test]
async fn a_receipt_shows_the_texts_as_they_were_told() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let long = "Nothing of note was said in the morning. ".repeat(60)
        + "The ferry to the island leaves at six. "
        + &"The evening was quiet. ".repeat(60);
    let short = agent.remembers_all_of(json!({"content": "The ferry is blue", "title": "Ferry"})).await;
    let diary = agent.remembers(&long).await;
    let mut answers = Vec::new();
    for detail in ["full", "excerpt", "index"] {
        answers.push(agent.asks(json!({"query": "when does the ferry leave?", "detail": detail})).await);
    }
    agent.revises(&short, json!({"content": "The ferry is green", "title": "Colours", "path": "/moved.md"})).await;
    agent.revises(&diary, json!({"content": "Burnt."})).await;
    agent.delete(&at(&diary)).await.expect(200);
    for answer in &answers {
        let receipt = agent.looks_up(answer).await;
        assert_eq!(items(&receipt).len(), 2, "{receipt}");
        for (told, item) in items(&receipt).iter().zip(items(answer)) {
            assert_eq!(told["memory_id"], item["memory_id"]);
            let as_told = json!({"erased": false, "title": item["title"], "path": item["path"], "content": item["content"]});
            assert_eq!(told["text"], as_told);
        }
    }
    let excerpt = items(&answers[1]).iter().find(|item| item["memory_id"] == diary["id"]).unwrap();
    assert!(excerpt["content"].as_str().unwrap().contains("leaves at six") && excerpt["content"] != json!(long), "{excerpt}");
}

#[tokio::test]
async fn a_receipt_says_what_was_erased() {
    let house = House::open().await;
    let (writer, reviewer) = (house.agent("coding", Role::Writer).await, house.person("coding", Role::Reviewer).await);
    let doomed = writer.remembers_all_of(json!({"content": "canaryone content", "title": "canarytwo", "path": "/canarythree.md"})).await;
    let kept = writer.remembers("The other content").await;
    let answer = writer.asks(json!({"query": "is there canaryone content?"})).await;
    assert_eq!(items(&answer).len(), 2);
    let request = writer.asks_to_erase(&[&doomed], "a wish").await;
    reviewer.approves(&request).await.expect(200);
    reviewer.executes(&request).await.expect(200);
    let receipt = writer.looks_up(&answer).await;
    assert!(!receipt.to_string().contains("canary"), "{receipt}");
    assert_eq!(receipt["query"], Value::Null, "the words of the question went with what they named");
    for told in items(&receipt) {
        let erased = told["memory_id"] == doomed["id"];
        assert_eq!(told["text"]["erased"], erased);
        assert_eq!(told["text"]["content"], if erased { Value::Null } else { kept["content"].clone() });
    }
    assert_eq!(
        writer.lists(&format!("receipts?memory_id={}", doomed["id"].as_str().unwrap())).await.len(),
        1,
        "that it was told stays known"
    );
}

#[tokio::test]
async fn who_was_told_what_can_be_asked() {
    let house = House::open().await;
    let (ada, bob) = (house.agent("coding", Role::Writer).await, house.agent("coding", Role::Reader).await);
    let deploys = ada.remembers_all_of(json!({"content": "Deploys are frozen on Fridays", "tags": ["deploy"]})).await;
    let soup = ada.remembers_all_of(json!({"content": "The soup is served at noon", "tags": ["soup"]})).await;
    let session = nobody();
    let mut asked = Vec::new();
    for (agent, tag, session) in [(&ada, "deploy", None), (&bob, "deploy", Some(session)), (&bob, "soup", None), (&ada, "nothing", None)] {
        asked.push(agent.asks(json!({"query": "what?", "tags": [tag], "session_id": session})).await["receipt_id"].clone());
    }
    let found = async |filter: String| -> Vec<Value> {
        let mut found: Vec<Value> = ada.lists(&format!("receipts{filter}")).await.iter().map(|receipt| receipt["id"].clone()).collect();
        found.reverse();
        found
    };
    let id = |memory: &Value| memory["id"].as_str().unwrap().to_owned();
    assert_eq!(found(String::new()).await, asked);
    assert_eq!(found(format!("?memory_id={}", id(&deploys))).await, asked[..2]);
    assert_eq!(found(format!("?memory_id={}&actor={}", id(&deploys), bob.id)).await, asked[1..2]);
    assert_eq!(found(format!("?memory_id={}", id(&soup))).await, asked[2..3]);
    assert_eq!(found(format!("?memory_id={}", nobody())).await, [] as [Value; 0]);
    assert_eq!(found(format!("?actor={}", ada.id)).await, [asked[0].clone(), asked[3].clone()]);
    assert_eq!(found(format!("?session_id={session}")).await, asked[1..2]);
    let at = |place: usize| format!("receipts/{}", asked[place].as_str().unwrap());
    let second = ada.get(&at(1)).await.expect(200)["at"].as_str().unwrap().to_owned();
    assert_eq!(found(format!("?from={second}")).await, asked[1..]);
    assert_eq!(found(format!("?to={second}")).await, asked[..1]);
    assert_eq!(found(format!("?from={second}&to={second}")).await, [] as [Value; 0]);
}

#[tokio::test]
async fn receipts_come_page_by_page_newest_first() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reader).await;
    let mut asked = Vec::new();
    for n in 0..7 {
        asked.push(agent.asks(json!({"query": format!("question {n}")})).await["receipt_id"].clone());
    }
    asked.reverse();
    let paged: Vec<Value> = agent.lists("receipts?limit=3").await.iter().map(|receipt| receipt["id"].clone()).collect();
    assert_eq!(paged, asked);
    assert_eq!(agent.get("receipts?limit=3").await.data().len(), 3);
    assert_eq!(agent.lists("receipts").await[0]["query"], "question 6");
}

#[tokio::test]
async fn a_receipt_that_is_not_there_is_not_there() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for id in [nobody().to_string(), "x".to_owned(), "%00".to_owned()] {
        agent.get(&format!("receipts/{id}")).await.refuses(404, "not_found");
        agent.post(&format!("receipts/{id}/feedback"), json!({"memory_id": nobody(), "verdict": "used"})).await.refuses(404, "not_found");
    }
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("memory_id=x", "memory_id"),
        ("actor=x", "actor"),
        ("from=then", "from"),
        ("to=then", "to"),
        ("session_id=1", "session_id"),
        ("cursor=x", "cursor"),
        ("colour=red", "colour"),
    ] {
        assert_eq!(agent.get(&format!("receipts?{query}")).await.refuses(422, "invalid").wrong_fields(), [field], "{query}");
    }
    let answer = agent.asks(json!({"query": "x"})).await;
    assert_eq!(agent.get(&format!("{}?texts=maybe", receipt_at(&answer))).await.refuses(422, "invalid").wrong_fields(), ["texts"]);
}

#[tokio::test]
async fn an_idempotency_key_keeps_no_answer_of_a_recall() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let memory = agent.remembers("Deploys are frozen on Fridays").await;
    let ask =
        async || agent.ask("POST", "recall").header("Idempotency-Key", "k").json(&json!({"query": "frozen"})).send().await.expect(200);
    let first = ask().await;
    agent.delete(&at(&memory)).await.expect(200);
    let second = ask().await;
    assert_eq!((items(&first).len(), items(&second).len()), (1, 0), "what was archived is not told again");
    assert_eq!(house.count("select count(*) from idempotency_keys").await, 0);
}
