//! JSON Schemas of what tools take and give, from the same derive as the API document. Nothing refers to anything: many
//! clients hand a schema to their model as it is.

use rmcp::model::JsonObject;
use serde_json::{Map, Value};
use std::{collections::HashMap, sync::Arc};
use utoipa::ToSchema;

const COMPONENTS: &str = "#/components/schemas/";

/// What a tool takes. That a field may be left out says enough; that it may be null would only be longer.
pub fn input<T: ToSchema>() -> Arc<JsonObject> {
    let mut schema = whole::<T>();
    schema.values_mut().for_each(without_null);
    Arc::new(schema)
}

/// What a tool gives.
pub fn output<T: ToSchema>() -> Arc<JsonObject> {
    Arc::new(whole::<T>())
}

fn whole<T: ToSchema>() -> JsonObject {
    let mut named = Vec::new();
    T::schemas(&mut named);
    let named: HashMap<String, Value> =
        named.into_iter().map(|(name, schema)| (name, serde_json::to_value(schema).unwrap_or_default())).collect();
    let mut schema = serde_json::to_value(T::schema()).unwrap_or_default();
    resolve(&mut schema, &named);
    let Value::Object(mut schema) = schema else { return Map::new() };
    schema.remove("description");
    schema
}

/// Puts what is referred to in its place. Our bodies have no cycles.
fn resolve(value: &mut Value, named: &HashMap<String, Value>) {
    if let Some(target) = value.get("$ref").and_then(Value::as_str).and_then(|to| named.get(to.strip_prefix(COMPONENTS)?)) {
        let mut target = target.clone();
        // What a field says of itself is nearer than what its type says of all of them.
        if let (Some(said), Value::Object(target)) = (value.get("description").cloned(), &mut target) {
            target.insert("description".to_owned(), said);
        }
        *value = target;
    }
    match value {
        Value::Object(members) => {
            members.remove("example");
            members.values_mut().for_each(|member| resolve(member, named));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| resolve(item, named)),
        _ => {}
    }
}

fn without_null(value: &mut Value) {
    if let Value::Object(members) = value {
        if let Some(Value::Array(kinds)) = members.get_mut("type") {
            kinds.retain(|kind| kind != "null");
            if let [only] = kinds.as_slice() {
                let only = only.clone();
                members.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(choices)) = members.get_mut("oneOf") {
            choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
            if let [Value::Object(only)] = choices.as_slice() {
                let only = only.clone();
                members.remove("oneOf");
                for (name, member) in only {
                    members.entry(name).or_insert(member);
                }
            }
        }
        members.values_mut().for_each(without_null);
    } else if let Value::Array(items) = value {
        items.iter_mut().for_each(without_null);
    }
}
