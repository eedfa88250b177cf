//! Any byte sequence sent to any endpoint gets a 4xx with a reason or a correct 2xx.

use cairn_tests::{Actor, Document, House, Operation, Role};
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::{Value, json};

/// What to do to a body that fits.
#[derive(Clone, Debug)]
enum Twist {
    /// Bytes instead.
    Bytes(Vec<u8>),
    /// Some bytes of its text changed.
    Flipped(Vec<(usize, u8)>),
    /// A member set to something else.
    Set(usize, Value),
    /// A member more, with a strange name.
    More(String, Value),
    /// Cut short.
    Cut(usize),
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        any::<String>().prop_map(Value::from),
        prop::sample::select(vec![
            "",
            "/",
            "\u{0}",
            "9999-12-31T23:59:59-23:59",
            "0000-01-01T00:00:00Z",
            "\u{202e}",
            "00000000-0000-0000-0000-000000000000",
            "admin",
            "%s%n",
            "-1"
        ])
        .prop_map(Value::from),
        "[ -~]{200,400}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..3).prop_map(|members| json!(members)),
        ]
    })
}

fn twists() -> impl Strategy<Value = Twist> {
    prop_oneof![
        1 => prop::collection::vec(any::<u8>(), 0..200).prop_map(Twist::Bytes),
        2 => prop::collection::vec((any::<usize>(), any::<u8>()), 1..4).prop_map(Twist::Flipped),
        6 => (any::<usize>(), values()).prop_map(|(which, value)| Twist::Set(which, value)),
        2 => (any::<String>(), values()).prop_map(|(name, value)| Twist::More(name, value)),
        1 => any::<usize>().prop_map(Twist::Cut),
    ]
}

impl Twist {
    fn applied_to(&self, body: &Value, known: &[String]) -> Vec<u8> {
        let mut text = body.to_string().into_bytes();
        let mut twisted = body.clone();
        match self {
            Self::Bytes(bytes) => return bytes.clone(),
            Self::Flipped(flips) => {
                for (place, byte) in flips {
                    let length = text.len().max(1);
                    if let Some(old) = text.get_mut(place % length) {
                        *old ^= byte;
                    }
                }
                return text;
            }
            Self::Cut(place) => {
                text.truncate(place % text.len().max(1));
                return text;
            }
            Self::Set(which, value) if !known.is_empty() && twisted.is_object() => twisted[&known[which % known.len()]] = value.clone(),
            Self::Set(_, value) => twisted = value.clone(),
            Self::More(name, value) if twisted.is_object() => twisted[name] = value.clone(),
            Self::More(name, value) => twisted = json!({ name: value }),
        }
        twisted.to_string().into_bytes()
    }
}

/// Every member that the body of an operation may have.
fn members(document: &Document, operation: &Operation) -> Vec<String> {
    let schema = &operation.said["requestBody"]["content"]["application/json"]["schema"];
    let schema = schema["$ref"].as_str().and_then(|place| document.0.pointer(&place[1..])).unwrap_or(schema);
    schema["properties"].as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default()
}

#[test]
fn nothing_that_is_sent_breaks_the_server() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (_house, document, somebody, agent, memory) = runtime.block_on(async {
        let house = House::open().await;
        let admin = house.admin().await;
        house.workspace("coding").await;
        let memory = admin.remembers("to be aimed at").await["id"].as_str().unwrap().to_owned();
        let person = house.person("coding", Role::Admin).await;
        let agent = house.agent("coding", Role::Admin).await;
        (house, Document::read(&person).await, person, agent, memory)
    });
    // Changing a password or signing out would end the test rather than the server.
    let spared = |operation: &Operation| operation.path.ends_with("/password") || operation.path.ends_with("/logout");
    let takers: Vec<_> = document
        .operations()
        .into_iter()
        .filter(|one| one.writes() && one.body.is_some() && !spared(one))
        .map(|one| (members(&document, &one), one))
        .collect();
    assert!(takers.len() >= 8, "{takers:?}");
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 500, failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() });
    let aimed = (0..takers.len(), any::<bool>(), twists());
    runner
        .run(&aimed, |(which, real, twist)| {
            // Where the key decides the workspace no person is let in.
            let who: &Actor = if takers[which].1.is_of_the_key() { &agent } else { &somebody };
            runtime.block_on(survives(who, &takers[which], real.then_some(&memory), &twist))
        })
        .unwrap();
}

/// The default store, as the Memory Stores API names it.
async fn default_store(agent: &Actor) -> String {
    let stores = agent.get("/v1/memory_stores?include_archived=true&limit=100").await;
    let main = stores.data().iter().find(|store| store["name"] == "main").and_then(|store| store["id"].as_str());
    main.unwrap_or("memstore_none").to_owned()
}

async fn survives(
    somebody: &Actor,
    (known, operation): &(Vec<String>, Operation),
    memory: Option<&String>,
    twist: &Twist,
) -> Result<(), TestCaseError> {
    let mut operation = operation.clone();
    if let Some(memory) = memory.filter(|_| operation.path.contains("/memories/{id}")) {
        operation.path = operation.path.replace("{id}", memory);
    }
    if let Some(memory) = memory.filter(|_| operation.is_of_the_key()) {
        let store = default_store(somebody).await;
        operation.path = operation.path.replace("{memory_store_id}", &store).replace("{memory_id}", &format!("mem_{memory}"));
    }
    let body = twist.applied_to(operation.body.as_ref().unwrap_or(&Value::Null), known);
    let shown = String::from_utf8_lossy(&body).into_owned();
    let reply = somebody.ask(&operation.method, &operation.address("coding")).bytes("application/json", body).send().await;
    prop_assert!(reply.status < 500, "{} with {shown}: {reply:?}", operation.name());
    if reply.status >= 400 {
        prop_assert!(
            !reply.code().is_empty() && reply.body["request_id"] == reply.header("x-request-id"),
            "{} with {shown}: {reply:?}",
            operation.name()
        );
    }
    Ok(())
}

#[tokio::test]
async fn strange_headers_and_addresses_do_not_break_it_either() {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Admin).await;
    for header in [
        "authorization",
        "x-api-key",
        "idempotency-key",
        "if-match",
        "x-request-id",
        "content-type",
        "cookie",
        "accept",
        "user-agent",
        "accept-language",
    ] {
        for value in [&b""[..], b"\xff\xfe", b" ", &[b'x'; 4000], b"Bearer", b"Bearer ", b"Bearer cairn__", b"a=b; c", b"\"", b"*/*;q=x"] {
            let reply = agent.showing_nothing().ask("POST", "memories").header(header, value).bytes("application/json", "{}").send().await;
            assert!((400..500).contains(&reply.status), "{header}: {value:?}: {reply:?}");
        }
    }
    for address in [
        "/v1/%",
        "/v1/%zz",
        "/v1//",
        "/v1/workspaces/%2e%2e/memories",
        "/v1/workspaces//memories",
        "/v1/workspaces/coding/memories?%",
        "/v1/workspaces/coding/memories?&&=&a",
        "/v1/workspaces/coding/memories/%00?as_of",
    ] {
        let reply = agent.get(address).await;
        assert!(reply.status < 500, "{address}: {reply:?}");
    }
}
