//! Bad input: told what is wrong with it, in the same words every time, and nothing is written.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use cairn_tests::{Agent, House, Reply, Role, at, nobody};
use serde_json::{Value, json};

/// A house, somebody in it, and what was there before; at the end it must all be as before.
struct Calm {
    house: House,
    agent: Agent,
    memory: Value,
    before: std::collections::BTreeMap<String, i64>,
}

async fn calm() -> Calm {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Admin).await;
    let memory = agent.remembers("here before").await;
    let before = house.census().await;
    Calm { house, agent, memory, before }
}

impl Calm {
    async fn is_undisturbed(&self) {
        assert_eq!(self.house.census().await, self.before);
    }

    async fn refuses_field(&self, body: Value, field: &str) {
        for reply in [
            self.agent.post("memories", body.clone()).await,
            self.agent.post(&format!("{}/supersede", at(&self.memory)), body.clone()).await,
        ] {
            let shown = format!("{field}: {}", body.to_string().chars().take(300).collect::<String>());
            assert_eq!(reply.refuses(422, "invalid").wrong_fields(), [field], "{shown}");
        }
    }

    async fn raw(&self, kind: &str, body: impl Into<Vec<u8>>) -> Reply {
        self.agent.ask("POST", "memories").bytes(kind, body).send().await
    }
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let calm = calm().await;
    let long = "x".repeat(400);
    for (field, wrong) in [
        (
            "content",
            vec![
                json!(1),
                json!(null),
                json!(["x"]),
                json!({}),
                json!(""),
                json!(" \n\t"),
                json!("x".repeat(102_401)),
                json!("\u{e4}".repeat(51_201)),
                json!("nul \u{0}"),
            ],
        ),
        ("kind", vec![json!("rumour"), json!(1), json!("Fact")]),
        (
            "path",
            vec![
                json!("no-slash"),
                json!("/"),
                json!("/a//b"),
                json!("/a/../b"),
                json!("/a/./b"),
                json!("/a/"),
                json!("/a\nb"),
                json!("/a\u{202e}b"),
                json!(format!("/{}", "x".repeat(1024))),
                json!("/x".repeat(21)),
                json!("/nul\u{0}"),
            ],
        ),
        ("title", vec![json!(1), json!(""), json!("  "), json!("two\nlines"), json!(long)]),
        ("tags", vec![json!("a"), json!([""]), json!(vec!["x"; 65]), json!([long])]),
        ("tags[0]", vec![json!([1]), json!([null])]),
        ("project", vec![json!(1), json!(""), json!("a\u{7}b"), json!(long)]),
        ("anchors", vec![json!("a"), json!(vec![json!({"path": "x"}); 33])]),
        ("anchors[0].path", vec![json!([{}]), json!([{"path": 1}])]),
        ("anchors.path", vec![json!([{"path": ""}]), json!([{"path": "x".repeat(1001)}])]),
        ("anchors[0].line", vec![json!([{"path": "x", "line": 3}])]),
        ("source.type", vec![json!({}), json!({"type": "rumour"})]),
        ("source.ref", vec![json!({"type": "url", "ref": "x".repeat(2001)})]),
        ("source.from", vec![json!({"type": "url", "from": "x"})]),
        ("confidence", vec![json!("high"), json!(-0.1), json!(1.1), json!(1e300), json!(2)]),
        ("subject", vec![json!(1), json!(""), json!(long)]),
        ("visibility", vec![json!("public"), json!(1)]),
        (
            "valid_from",
            vec![json!("yesterday"), json!(1), json!("2026-13-01T00:00:00Z"), json!("2026-01-01"), json!("2026-01-01T00:00:00")],
        ),
        ("stale_after", vec![json!("soon"), json!("2026-02-30T00:00:00Z")]),
        ("expires_at", vec![json!(""), json!("2026-01-01T25:00:00Z")]),
        ("supersedes", vec![json!("x"), json!(1), json!("00000000-0000-0000-0000")]),
        ("session_id", vec![json!("x"), json!(1)]),
        ("colour", vec![json!("red")]),
    ] {
        for value in wrong {
            let top = field.split(['.', '[']).next().unwrap();
            let mut body = json!({"content": "fine"});
            body[top] = value;
            calm.refuses_field(body, field).await;
        }
    }
    calm.refuses_field(json!({}), "content").await;
    calm.refuses_field(json!({"Content": "case matters"}), "Content").await;
    calm.is_undisturbed().await;
}

#[tokio::test]
async fn extreme_dates_are_kept_or_refused() {
    let calm = calm().await;
    let coding = calm.house.workspace("coding").await;
    let mut kept = 0;
    for field in ["valid_from", "stale_after", "expires_at"] {
        for date in [
            "0000-01-01T00:00:00Z",
            "0001-01-01T00:00:00Z",
            "0000-01-01T00:00:00+23:59",
            "9999-12-31T23:59:59.999999999Z",
            "9999-12-31T23:59:59-23:59",
            "1969-12-31T23:59:59Z",
            "2026-06-30T23:59:60Z",
        ] {
            let reply = calm.agent.post("memories", json!({"content": format!("{field} {date}"), field: date})).await;
            assert!(matches!(reply.status, 201 | 422), "{field} {date}: {reply:?}");
            if reply.status == 201 {
                kept += 1;
                assert_eq!(calm.agent.reads(&reply.body).await, reply.body);
            }
            let as_of = calm.agent.get(&format!("{}?as_of={}", at(&calm.memory), date.replace('+', "%2B"))).await;
            assert!(matches!(as_of.status, 200 | 404 | 422), "as_of {date}: {as_of:?}");
            let cursor = |place: Value| BASE64_URL_SAFE_NO_PAD.encode(place.to_string());
            let created = cursor(json!({"created_at": date, "id": nobody()}));
            let at_version = cursor(json!({"at": date, "memory": nobody(), "version": 1}));
            let cursor = cursor(json!({"updated_at": date, "id": nobody()}));
            let sent = date.replace('+', "%2B");
            for list in [
                format!("memories?updated_after={sent}"),
                format!("memories?cursor={cursor}"),
                format!("/v1/memory_stores?page={created}"),
                format!("/v1/memory_stores/memstore_{coding}/memory_versions?page={at_version}"),
                format!("audit?from={sent}"),
                format!("audit?to={sent}"),
            ] {
                let reply = calm.agent.get(&list).await;
                let refused = if list.starts_with("/v1/memory_stores") { 400 } else { 422 };
                assert!(reply.status == 200 || reply.status == refused, "{list}: {reply:?}");
            }
            let key = calm.agent.post(&format!("agents/{}/keys", calm.agent.id), json!({"expires_at": date})).await;
            assert!(matches!(key.status, 201 | 422), "a key until {date}: {key:?}");
        }
    }
    assert!(kept >= 6, "ordinary dates are refused");
    assert_eq!(calm.agent.lists("memories").await.len(), kept + 1, "what was kept can be read");
}

#[tokio::test]
async fn a_body_that_cannot_be_read_says_so() {
    let calm = calm().await;
    let deep = format!("{{\"content\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
    let deep_tags = format!("{{\"content\": \"x\", \"tags\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for wrong in [
        "",
        "{",
        "not json",
        "{\"content\": \"x\"} and more",
        "{\"content\": \"x\",}",
        "{\"content\": \"\\ud800\"}",
        "{\"content\": 1e999999}",
    ] {
        calm.raw("application/json", wrong).await.refuses(400, "malformed");
    }
    for deep in [deep.clone(), deep_tags, deep.replace('1', "\"\\u0000\"")] {
        let reply = calm.raw("application/json", deep).await;
        assert!(matches!((reply.status, reply.code()), (400, "malformed") | (422, "invalid")), "{reply:?}");
    }
    calm.raw("application/json", b"{\"content\": \"\xff\xfe\"}".to_vec()).await.refuses(400, "malformed");
    calm.raw("application/json", b"\x00".to_vec()).await.refuses(400, "malformed");
    for wrong in ["[]", "null", "\"text\"", "3", "[{\"content\": \"x\"}]", "{\"content\": \"x\", \"content\": \"y\"}"] {
        calm.raw("application/json", wrong).await.refuses(422, "invalid");
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/xml", "jsonish"] {
        calm.raw(kind, "{\"content\": \"x\"}").await.refuses(415, "unsupported_media_type");
    }
    calm.agent.ask("POST", "memories").send().await.refuses(415, "unsupported_media_type");
    calm.raw("application/json", vec![b' '; 10 * 1024 * 1024 + 1]).await.refuses(413, "too_large");
    let with_key =
        calm.agent.ask("POST", "memories").header("Idempotency-Key", "k").bytes("application/json", vec![b'x'; 10 * 1024 * 1024 + 1]);
    with_key.send().await.refuses(413, "too_large");
    // Whoever is still sending hears why it was in vain, too.
    for _ in 0..20 {
        calm.raw("application/json", vec![b' '; 16 * 1024 * 1024]).await.refuses(413, "too_large");
        let stranger = calm.agent.showing_nothing();
        stranger
            .ask("POST", "memories")
            .bytes("application/json", vec![b' '; 9 * 1024 * 1024])
            .send()
            .await
            .refuses(401, "unauthenticated");
    }
    calm.is_undisturbed().await;
}

#[tokio::test]
async fn the_limits_are_where_they_are_said_to_be() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    agent.remembers(&"x".repeat(102_400)).await;
    let tags: Vec<_> = (0..64).map(|n| format!("tag {n}")).collect();
    let anchors: Vec<_> = (0..32).map(|n| json!({"path": format!("file {n}")})).collect();
    agent.remembers_all_of(json!({"content": "full", "tags": tags, "anchors": anchors})).await;
    let items = |count: usize| json!({"items": (0..count).map(|n| json!({"content": format!("item {n}")})).collect::<Vec<_>>()});
    for wrong in [0, 1001] {
        assert_eq!(agent.post("memories/batch", items(wrong)).await.refuses(422, "invalid").wrong_fields(), ["items"]);
    }
    assert_eq!(agent.post("memories/batch", items(1000)).await.expect(200)["data"].as_array().unwrap().len(), 1000);
    // As long and as strange as each may be: characters that do not compress, four bytes each.
    let strange =
        |count: u32, from: u32| (0..count).filter_map(|n| char::from_u32(0x1_0000 + (n * 7919 + from) % 0xf_0000)).collect::<String>();
    let widest = json!({"content": "wide", "anchors": [{"repo": strange(1000, 1), "path": strange(1000, 2), "symbol": strange(1000, 3)}], "subject": strange(300, 4),
        "tags": [strange(100, 5)], "title": strange(300, 6), "project": strange(200, 7)});
    let reply = agent.post("memories", widest).await;
    assert!(matches!(reply.status, 201 | 422), "{reply:?}");
}

#[tokio::test]
async fn absurd_text_comes_back_as_it_went_in() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    for text in [
        "\u{202e}backwards",
        "e\u{301}\u{301}\u{301}",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
        "\u{feff}bom",
        "\u{fffe}\u{ffff}",
        "\r\n\u{2028}\u{85}x",
        "\u{10ffff}",
        "'; drop table memories; --",
        "{{7*7}} ${x} %s \\x00 \\u0000",
        "\u{1}\u{7f}\u{9f}",
    ] {
        let made = agent.remembers(text).await;
        assert_eq!(made["content"], text);
        assert_eq!(agent.reads(&made).await["content"], text);
        let found = agent.ask("GET", &format!("memories?q={}", percent(text))).send().await;
        assert!(matches!(found.status, 200 | 422), "{text:?}: {found:?}");
    }
}

fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |text, byte| format!("{text}%{byte:02X}"))
}

#[tokio::test]
async fn a_malformed_id_is_simply_not_there() {
    let calm = calm().await;
    for id in ["x", "0", "null", "%00", "..%2f..", "0197a6a8-3f0c-7d70-a2c1", "{id}", "%ff%fe", "\u{1f980}", &"9".repeat(3000)] {
        for (method, end) in [("GET", ""), ("GET", "/versions"), ("DELETE", ""), ("POST", "/restore"), ("GET", "/versions/1")] {
            calm.agent.ask(method, &format!("memories/{id}{end}")).send().await.refuses(404, "not_found");
        }
        calm.agent.looking_at(id).get("memories").await.refuses(404, "not_found");
    }
    calm.agent.post(&format!("memories/{}/supersede", nobody()), json!({"content": "x"})).await.refuses(404, "not_found");
    calm.agent.get("/v1/nothing/here").await.refuses(404, "not_found");
    for (method, path) in
        [("PUT", "memories"), ("DELETE", "memories"), ("POST", &at(&calm.memory)[..]), ("PATCH", "/healthz"), ("TRACE", "memories")]
    {
        calm.agent.ask(method, path).send().await.refuses(405, "method_not_allowed");
    }
    calm.is_undisturbed().await;
}

#[tokio::test]
async fn a_query_that_is_not_understood_is_refused() {
    let calm = calm().await;
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=-1", "limit"),
        ("limit=x", "limit"),
        ("limit=99999999999999999999", "limit"),
        ("cursor=x", "cursor"),
        ("cursor=", "cursor"),
        ("cursor=bnVsbA", "cursor"),
        ("cursor=%00", "cursor"),
        ("cursor=eyJpZCI6MX0", "cursor"),
        ("kind=rumour", "kind"),
        ("state=gone", "state"),
        ("freshness=rotten", "freshness"),
        ("author=me", "author"),
        ("session_id=1", "session_id"),
        ("updated_after=yesterday", "updated_after"),
        ("q=%00", "q"),
        ("q=%ff", "q"),
        ("tag=a&tag=b", "tag"),
        ("colour=red", "colour"),
    ] {
        assert_eq!(calm.agent.get(&format!("memories?{query}")).await.refuses(422, "invalid").wrong_fields(), [field], "{query}");
    }
    assert_eq!(calm.agent.get(&format!("{}?as_of=then", at(&calm.memory))).await.refuses(422, "invalid").wrong_fields(), ["as_of"]);
    for list in ["audit", "deletion-requests", "agents"] {
        let word = calm.agent.get(&format!("{list}?limit=abc")).await.refuses(422, "invalid").body["errors"][0]["message"].clone();
        assert_eq!(word, "must be a whole number", "{list}");
        assert_eq!(calm.agent.get(&format!("{list}?limit=0")).await.refuses(422, "invalid").wrong_fields(), ["limit"], "{list}");
        assert_eq!(calm.agent.get(&format!("{list}?cursor=%C3%A4")).await.refuses(422, "invalid").wrong_fields(), ["cursor"], "{list}");
    }
    for (query, field) in [("actor=x", "actor"), ("target=x", "target"), ("from=x", "from"), ("to=x", "to"), ("colour=red", "colour")] {
        assert_eq!(calm.agent.get(&format!("audit?{query}")).await.refuses(422, "invalid").wrong_fields(), [field], "{query}");
    }
    calm.is_undisturbed().await;
}
