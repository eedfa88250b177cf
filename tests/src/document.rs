//! The API document as a list of operations that can be called: who may, where, and with what body.

use crate::{Actor, Ask, nobody};
use serde_json::{Map, Value, json};

pub struct Document(pub Value);

/// One method on one path.
#[derive(Clone, Debug)]
pub struct Operation {
    pub method: String,
    pub path: String,
    /// What it says of itself.
    pub said: Value,
    /// A body that fits its schema, where it takes one.
    pub body: Option<Value>,
}

impl Document {
    /// As the server gives it to anyone.
    pub async fn read(anyone: &Actor) -> Self {
        Self(anyone.get("/openapi.json").await.expect(200))
    }

    pub fn operations(&self) -> Vec<Operation> {
        let mut all = Vec::new();
        for (path, item) in self.0["paths"].as_object().expect("paths") {
            for (method, said) in item.as_object().expect("a path") {
                if !["get", "put", "post", "delete", "patch"].contains(&method.as_str()) {
                    continue;
                }
                let schema = &said["requestBody"]["content"]["application/json"];
                let body = schema.get("example").cloned().or_else(|| schema.get("schema").map(|schema| self.sample(schema, 0)));
                all.push(Operation { method: method.to_uppercase(), path: path.clone(), said: said.clone(), body });
            }
        }
        assert!(all.len() > 10, "too few operations to be true");
        all
    }

    pub fn schemas(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0["components"]["schemas"].as_object().expect("schemas").iter()
    }

    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(place) => self.0.pointer(place.trim_start_matches('#')).unwrap_or_else(|| panic!("{place} leads nowhere")),
            None => schema,
        }
    }

    /// Something that fits: the example where there is one, else the required members only.
    fn sample(&self, schema: &Value, depth: usize) -> Value {
        let schema = self.resolve(schema);
        if let Some(example) = schema.get("example").or_else(|| schema["examples"].get(0)).or_else(|| schema["enum"].get(0)) {
            return example.clone();
        }
        if depth > 8 {
            return Value::Null;
        }
        if let Some(parts) = schema["allOf"].as_array() {
            let members = parts.iter().filter_map(|part| self.sample(part, depth + 1).as_object().cloned()).flatten();
            return Value::Object(members.collect());
        }
        if let Some(either) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
            let one = either.iter().find(|one| one["type"] != "null").unwrap_or(&Value::Null);
            return self.sample(one, depth + 1);
        }
        match schema["type"].as_str().or_else(|| schema["type"][0].as_str()) {
            Some("object") => {
                let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
                Value::Object(
                    required.map(|name| (name.to_owned(), self.sample(&schema["properties"][name], depth + 1))).collect::<Map<_, _>>(),
                )
            }
            Some("array") => json!([self.sample(&schema["items"], depth + 1)]),
            Some("integer") => json!(1),
            Some("number") => json!(0.5),
            Some("boolean") => json!(true),
            Some("string") => match schema["format"].as_str() {
                Some("uuid") => json!(nobody()),
                Some("date-time") => json!("2031-01-01T00:00:00Z"),
                _ => json!("something"),
            },
            _ => json!({}),
        }
    }
}

impl Operation {
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Who may call it; a route that does not say so is a mistake.
    pub fn access(&self) -> &str {
        self.said["x-access"].as_str().unwrap_or_else(|| panic!("{} does not say who may call it (x-access)", self.name()))
    }

    pub fn roles(&self) -> Vec<&str> {
        self.said["x-roles"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    }

    pub fn names_a_workspace(&self) -> bool {
        self.path.contains("{ws}")
    }

    /// The key that is shown decides the workspace.
    pub fn is_of_the_key(&self) -> bool {
        self.path.starts_with("/v1/memory_stores")
    }

    pub fn writes(&self) -> bool {
        self.method != "GET"
    }

    /// A call with ids that name nothing: whoever may call it is told 404 at most.
    pub fn asked_by(&self, actor: &Actor) -> Ask {
        let ask = actor.ask(&self.method, &self.address(&actor.workspace));
        match &self.body {
            Some(body) => ask.json(body),
            None => ask,
        }
    }

    /// Its path, and the parameters that it cannot do without.
    pub fn address(&self, workspace: &str) -> String {
        let mut path = self.path.replace("{ws}", workspace).replace("{n}", "1");
        for (name, word, end) in
            [("{memory_store_id}", "memstore_", ""), ("{memory_id}", "mem_", ""), ("{memory_version_id}", "memver_", "_1")]
        {
            path = path.replace(name, &format!("{word}{}{end}", nobody()));
        }
        while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
            path.replace_range(start..=end, &nobody().to_string());
        }
        let required =
            self.said["parameters"].as_array().into_iter().flatten().filter(|one| one["in"] == "query" && one["required"] == true);
        let mut query: Vec<String> = required.map(|one| format!("{}=1", one["name"].as_str().unwrap_or_default())).collect();
        // A stream is asked to end, for whoever reads it to its end.
        if self.said["responses"]["200"]["content"].get("text/event-stream").is_some() {
            query.push("seconds=1".to_owned());
        }
        if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
    }
}
