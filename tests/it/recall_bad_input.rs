//! Odd questions get a sensible answer or are told what is wrong with them; none breaks anything.

use cairn_tests::{Agent, House, Role, items, nobody};
use serde_json::{Value, json};

async fn asked() -> (House, Agent) {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for text in ["Deploys are frozen on Fridays", "السفن تنتظر في الميناء", "🦀 is the crab of the team", "100% of 'quotes' -- are; fine"]
    {
        agent.remembers(text).await;
    }
    (house, agent)
}

#[tokio::test]
async fn any_words_are_a_question() {
    let (_house, agent) = asked().await;
    let long = "deploys frozen fridays ".repeat(102_400 / 23);
    let wide = "\u{1f980}".repeat(25_600);
    for query in [
        "",
        " ",
        "\n\t\r",
        "a",
        "F",
        "?",
        "the and of is a to in",
        "🦀",
        "👨‍👩‍👧",
        "'; drop table memories; --",
        "\" or 1=1 --",
        "%_\\%",
        "a & b | !c <-> d:*",
        ".*+?^${}()|[]\\",
        "(?i)(a+)+$",
        "{{7*7}} ${x} %s",
        "السفن تنتظر",
        "\u{202e}snepo eht",
        "e\u{301}\u{301}\u{301}",
        "\u{feff}",
        "\u{fffe}\u{ffff}\u{10ffff}",
        "\u{1}\u{7f}\u{9f}",
        "-----",
        "::::////",
        "part1.part2.part3/part4::part5#part6",
        "ＦＵＬＬＷＩＤＴＨ",
        "İstanbul ß ﬀ",
        &long,
        &wide,
        &"x".repeat(102_400),
        &"漢".repeat(30_000),
    ] {
        for detail in ["full", "excerpt", "index"] {
            let reply = agent.post("recall", json!({"query": query, "detail": detail})).await;
            assert_eq!(reply.status, 200, "{:?}: {reply:?}", query.chars().take(60).collect::<String>());
            let receipt = agent.looks_up(&reply.body).await;
            assert_eq!(receipt["query"], query);
        }
    }
    assert_eq!(agent.recalls("السفن").await[0], "السفن تنتظر في الميناء");
}

#[tokio::test]
async fn a_question_of_very_many_words_is_answered() {
    let (_house, agent) = asked().await;
    let mut query = (0..11_000).map(|n| format!("w{n:x}")).collect::<Vec<_>>().join(" ");
    query.insert_str(0, "frozen fridays ");
    assert!(query.len() > 50_000 && query.len() < 102_400);
    let answer = agent.asks(json!({ "query": query })).await;
    let frozen = items(&answer).iter().find(|item| item["content"] == "Deploys are frozen on Fridays").unwrap();
    assert_eq!(frozen["why"]["keyword"], 1.0, "{answer}");
}

#[tokio::test]
async fn a_question_that_is_wrong_is_told_why() {
    let (house, agent) = asked().await;
    let before = house.census().await;
    let (long, far) = ("x".repeat(2000), "y".repeat(102_401));
    for (field, wrong) in [
        ("query", vec![json!(null), json!(1), json!(["x"]), json!({}), json!(far), json!("nul \u{0}")]),
        ("limit", vec![json!(0), json!(-1), json!(101), json!(10_000), json!("many"), json!(1.5), json!(i64::MAX)]),
        ("token_budget", vec![json!(0), json!(-1), json!("much"), json!(i64::MAX), json!(0.5)]),
        ("kinds[0]", vec![json!(["rumour"]), json!([1]), json!(["Fact"]), json!([null])]),
        ("kinds", vec![json!("fact"), json!(vec!["fact"; 21])]),
        ("states[0]", vec![json!(["gone"])]),
        ("freshness", vec![json!(["rotten"]), json!("rotten"), json!(1), json!(vec!["fresh"; 21])]),
        ("tags", vec![json!("a"), json!(vec!["x"; 65])]),
        ("tags[0]", vec![json!([1])]),
        ("project", vec![json!(""), json!(1), json!("a\u{7}b"), json!(long)]),
        ("path_prefix", vec![json!(1), json!(long), json!("/a\nb")]),
        ("author", vec![json!("me"), json!(1)]),
        ("session_id", vec![json!("x"), json!(1)]),
        ("branch", vec![json!(1), json!(long)]),
        ("anchors", vec![json!("a"), json!(vec![json!({"path": "x"}); 33])]),
        ("anchors[0].path", vec![json!([{}]), json!([{"path": 1}]), json!([{"path": "nul\u{0}"}])]),
        ("anchors.path", vec![json!([{"path": ""}]), json!([{"path": long}])]),
        ("anchors[0].line", vec![json!([{"path": "x", "line": 3}])]),
        ("as_of", vec![json!("then"), json!(1), json!("2026-13-01T00:00:00Z")]),
        ("detail", vec![json!("all"), json!(1)]),
        ("include_stale", vec![json!("yes")]),
        ("explain", vec![json!(1)]),
        ("colour", vec![json!("red")]),
    ] {
        for value in wrong {
            let top = field.split(['.', '[']).next().unwrap();
            let mut body = json!({"query": "fine"});
            body[top] = value;
            let reply = agent.post("recall", body.clone()).await;
            let shown = body.to_string().chars().take(200).collect::<String>();
            assert_eq!((reply.status, reply.wrong_fields()), (422, vec![field]), "{shown}: {reply:?}");
        }
    }
    assert_eq!(agent.post("recall", json!({})).await.refuses(422, "invalid").wrong_fields(), ["query"]);
    assert_eq!(house.census().await, before, "what was refused leaves nothing behind");
}

#[tokio::test]
async fn a_nul_in_a_filter_is_refused_or_finds_nothing() {
    let (_house, agent) = asked().await;
    for body in [
        json!({"query": "x", "tags": ["nul\u{0}"]}),
        json!({"query": "x", "path_prefix": "/\u{0}"}),
        json!({"query": "x", "branch": "\u{0}x"}),
    ] {
        let reply = agent.post("recall", body.clone()).await;
        assert!(matches!(reply.status, 200 | 422), "{body}: {reply:?}");
        assert!(reply.status == 422 || items(&reply.body).is_empty(), "{body}: {reply:?}");
    }
}

#[tokio::test]
async fn extreme_times_can_be_asked_about_or_are_refused() {
    let (_house, agent) = asked().await;
    for time in [
        "0000-01-01T00:00:00Z",
        "0000-01-01T00:00:00+23:59",
        "1969-12-31T23:59:59Z",
        "9999-12-31T23:59:59.999999999Z",
        "9999-12-31T23:59:59-23:59",
    ] {
        let reply = agent.post("recall", json!({"query": "frozen", "as_of": time})).await;
        assert!(matches!(reply.status, 200 | 422), "{time}: {reply:?}");
        if reply.status == 200 {
            agent.looks_up(&reply.body).await;
        }
    }
}

#[tokio::test]
async fn a_workspace_without_memories_answers_with_none() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Reader).await;
    for question in [
        json!({"query": "anything"}),
        json!({"query": ""}),
        json!({"query": "x", "as_of": "2020-01-01T00:00:00Z"}),
        json!({"query": "x", "anchors": [{"path": "a.rs"}], "author": nobody(), "project": "p", "tags": ["t"]}),
        json!({"query": "x", "token_budget": 1, "limit": 100, "detail": "excerpt"}),
    ] {
        let answer = agent.asks(question.clone()).await;
        assert_eq!((items(&answer), &answer["omitted"], &answer["tokens"]), (&[] as &[Value], &json!(0), &json!(0)), "{question}");
    }
}

#[tokio::test]
async fn the_largest_memories_can_be_recalled() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for (n, filler) in ["x", "word ", "漢字"].iter().enumerate() {
        let text = format!("marker{n} {}", filler.repeat((102_400 - 16) / filler.len()));
        agent.remembers(&text).await;
        for detail in ["full", "excerpt", "index"] {
            let answer = agent.asks(json!({"query": format!("marker{n}"), "detail": detail, "limit": 1})).await;
            assert_eq!(items(&answer).len(), 1, "{filler:?}");
            assert_eq!(agent.looks_up(&answer).await["items"][0]["text"]["content"], items(&answer)[0]["content"], "{filler:?} {detail}");
        }
    }
}
