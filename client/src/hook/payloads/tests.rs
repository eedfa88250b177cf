//! Whatever a tool sends, its hook reads it or leaves it alone: the examples, damaged in every way, and anything else.

use super::{Tool, read};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

/// Every example that we have, with the tool that sends it.
fn examples() -> Vec<(Tool, Value)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads");
    let mut all = Vec::new();
    for tool in Tool::ALL {
        let files = std::fs::read_dir(folder.join(tool.name())).expect("examples");
        for file in files.map(|file| file.expect("a file").path()).filter(|path| path.extension().is_some_and(|end| end == "json")) {
            let text = std::fs::read_to_string(&file).expect("a text");
            all.push((tool, serde_json::from_str(&text).expect("JSON")));
        }
    }
    assert!(all.len() > 20, "too few examples: {}", all.len());
    all
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        any::<String>().prop_map(Value::from),
        prop::sample::select(vec!["", "/", "..", "\u{0}", "Bash", "tool_use", "PostToolUse", "{\"a\":", "*** Begin Patch"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,14}", inner, 0..4).prop_map(|members| json!(members)),
        ]
    })
}

/// Puts a value in the place of the nth value within another.
fn replace(within: &mut Value, nth: &mut usize, with: &Value) {
    if *nth == 0 {
        *within = with.clone();
    }
    *nth = nth.wrapping_sub(1);
    match within {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, nth, with)),
        Value::Object(members) => members.values_mut().for_each(|member| replace(member, nth, with)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_payload_breaks_a_hook(which in any::<Index>(), changes in prop::collection::vec((0..40_usize, values()), 0..4), other in values(), tool in 0..Tool::ALL.len()) {
        let all = examples();
        let (of, mut payload) = all[which.index(all.len())].clone();
        for (mut nth, value) in changes {
            replace(&mut payload, &mut nth, &value);
        }
        let _ = read(of, &payload);
        let _ = read(Tool::ALL[tool], &payload);
        let _ = read(Tool::ALL[tool], &other);
    }
}
