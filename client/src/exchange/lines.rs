//! Lines of JSON cut where a memory ends, and lists cut anywhere.

use super::{LARGEST, MOST, Part};
use serde_json::{Map, Value, json};

/// Nothing for a file that is no lines with a header.
pub fn split(bytes: &[u8]) -> Option<Vec<Part>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (header, rest) = text.split_once('\n')?;
    if !is_header(header) {
        return None;
    }
    let mut cutter = Cutter::new(header);
    for line in rest.lines() {
        cutter.take(line);
    }
    Some(cutter.finish())
}

pub fn is_header(line: &str) -> bool {
    serde_json::from_str::<Value>(line).is_ok_and(|first| first["type"] == "header")
}

/// Gathers lines below one header.
pub struct Cutter {
    header: String,
    open: String,
    lines: usize,
    memory: Option<String>,
    parts: Vec<Part>,
}

impl Cutter {
    pub fn new(header: &str) -> Self {
        Self { header: format!("{header}\n"), open: String::new(), lines: 0, memory: None, parts: Vec::new() }
    }

    pub fn take(&mut self, line: &str) {
        // Where the memories of each part lie.
        if beginning(line).contains("\"type\":\"store\"") {
            self.header.push_str(line);
            self.header.push('\n');
            return;
        }
        let memory = memory_of(line).map(str::to_owned);
        let full = self.lines >= MOST || self.open.len() + line.len() > LARGEST;
        // Versions of one memory stay together, as long as a request can take them.
        let inside = memory.is_some() && memory == self.memory && self.open.len() + line.len() < 2 * LARGEST;
        if full && !inside {
            self.cut();
        }
        self.memory = memory;
        self.open.push_str(line);
        self.open.push('\n');
        self.lines += 1;
    }

    fn cut(&mut self) {
        if self.lines > 0 {
            let bytes = format!("{}{}", self.header, std::mem::take(&mut self.open)).into_bytes();
            self.parts.push(Part { name: None, weight: bytes.len() as u64, bytes });
            self.lines = 0;
        }
    }

    pub fn finish(mut self) -> Vec<Part> {
        self.cut();
        self.parts
    }
}

/// Without reading all of it: it may be long.
fn memory_of(line: &str) -> Option<&str> {
    let (_, rest) = beginning(line).split_once("\"memory_id\":\"")?;
    rest.split('"').next()
}

fn beginning(line: &str) -> &str {
    &line[..line.floor_char_boundary(200)]
}

/// Lists that others refer to.
const NEEDED: [&str; 1] = ["categories"];

/// A large export that is one object or one list: the same with fewer in it.
pub fn split_json(bytes: &[u8]) -> Option<Vec<Part>> {
    match serde_json::from_slice(bytes).ok()? {
        Value::Array(all) => Some(cut(&all, |some| json!(some))),
        Value::Object(whole) => {
            let is_cut = |(name, value): &(String, Value)| value.is_array() && !NEEDED.contains(&name.as_str());
            let (lists, others): (Map<_, _>, Map<_, _>) = whole.into_iter().partition(is_cut);
            let mut parts = Vec::new();
            for (name, list) in &lists {
                let with = |some: &[Value]| {
                    let mut part = others.clone();
                    // What makes it known as what it is.
                    part.extend(lists.keys().map(|name| (name.clone(), json!([]))));
                    part.insert(name.clone(), json!(some));
                    Value::Object(part)
                };
                parts.extend(cut(list.as_array()?, with));
            }
            Some(parts).filter(|parts| !parts.is_empty())
        }
        _ => None,
    }
}

fn cut(all: &[Value], with: impl Fn(&[Value]) -> Value) -> Vec<Part> {
    let (mut parts, mut start, mut size) = (Vec::new(), 0, 0);
    let mut push = |some: &[Value]| {
        if !some.is_empty() {
            let bytes = with(some).to_string().into_bytes();
            parts.push(Part { name: None, weight: bytes.len() as u64, bytes });
        }
    };
    for (n, one) in all.iter().enumerate() {
        let length = one.to_string().len();
        if n > start && (n - start >= MOST || size + length > LARGEST) {
            push(&all[start..n]);
            (start, size) = (n, 0);
        }
        size += length;
    }
    push(&all[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_not_cut_in_two() {
        let line = |memory: usize, version: usize| format!("{{\"type\":\"version\",\"memory_id\":\"m{memory}\",\"version\":{version}}}\n");
        let mut file = "{\"type\":\"header\",\"format\":\"cairn\"}\n".to_owned();
        for memory in 0..400 {
            file.extend((1..=3).map(|version| line(memory, version)));
        }
        let parts = split(file.as_bytes()).expect("parts");
        assert_eq!(parts.len(), 3);
        for part in &parts {
            let text = std::str::from_utf8(&part.bytes).expect("text");
            assert!(text.starts_with("{\"type\":\"header\"") && text.contains("\"version\":1}\n"));
            assert_eq!((text.lines().count() - 1) % 3, 0);
        }
        assert!(split(b"# no lines\n- of ours\n").is_none());
    }

    #[test]
    fn a_list_is_cut_and_stays_what_it_is() {
        let all: Vec<Value> = (0..1200).map(|n| json!({"id": n, "memory": "x"})).collect();
        let parts = split_json(json!({"version": "0.9", "memories": all, "lessons": [{"id": "l"}]}).to_string().as_bytes()).expect("parts");
        assert_eq!(parts.len(), 4);
        let first: Value = serde_json::from_slice(&parts[0].bytes).expect("JSON");
        assert!(first["version"] == "0.9" && first["memories"].is_array() && first["lessons"].is_array());
        assert!(split_json(json!({"memories": {"a": "x"}}).to_string().as_bytes()).is_none(), "nothing can be cut");
    }

    #[test]
    fn every_part_says_what_its_memories_lie_in() {
        let mut file = "{\"type\":\"header\",\"format\":\"cairn\"}\n{\"type\":\"store\",\"id\":\"s\",\"name\":\"research\"}\n".to_owned();
        file.extend((0..1200).map(|n| format!("{{\"type\":\"version\",\"memory_id\":\"m{n}\",\"path\":\"/{}.md\"}}\n", "決定".repeat(40))));
        let parts = split(file.as_bytes()).expect("parts");
        assert_eq!(parts.len(), 3);
        for part in &parts {
            let text = std::str::from_utf8(&part.bytes).expect("text");
            assert_eq!(text.lines().filter(|line| line.contains("\"store\"")).count(), 1);
        }
        assert_eq!(memory_of(file.lines().nth(2).expect("a line")), Some("m0"));
    }
}
