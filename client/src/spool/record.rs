//! One line of the spool: what happened, in which session of which tool.

use crate::clock;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
pub struct Record {
    pub id: String,
    pub at: String,
    pub origin: Origin,
    #[serde(flatten)]
    pub what: What,
}

/// Where it comes from: enough to start the session on the server from any of its records.
#[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq)]
pub struct Origin {
    pub tool: String,
    /// The tool's own name of the session.
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The root of the repository, by which commands in the same one find the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
#[serde(tag = "what", content = "body", rename_all = "snake_case")]
pub enum What {
    Start,
    Event(Box<Event>),
    /// The body as the server takes it: `{text}` or the parts.
    Checkpoint(Value),
    End,
}

/// An event as the server takes it, but for `id` and `at`, which are the record's.
#[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq)]
pub struct Event {
    pub r#type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_length: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
}

impl Record {
    pub fn new(origin: Origin, what: What) -> Self {
        Self { id: clock::new_id().to_string(), at: clock::stamp(), origin, what }
    }

    /// The event as it goes over the wire.
    pub fn event_body(&self) -> Option<Value> {
        let What::Event(event) = &self.what else { return None };
        let mut body = serde_json::to_value(event).ok()?;
        body["id"] = Value::String(self.id.clone());
        body["at"] = Value::String(self.at.clone());
        Some(body)
    }

    /// `<length> <json>` on a line of its own. The newline before it ends whatever a killed writer left behind.
    pub fn line(&self) -> Option<Vec<u8>> {
        let json = serde_json::to_string(self).ok()?;
        Some(format!("\n{} {json}\n", json.len()).into_bytes())
    }

    /// None for what is torn.
    pub fn read(line: &[u8]) -> Option<Self> {
        let space = line.iter().position(|byte| *byte == b' ')?;
        let length: usize = std::str::from_utf8(&line[..space]).ok()?.parse().ok()?;
        let json = &line[space + 1..];
        (json.len() == length).then(|| serde_json::from_slice(json).ok())?
    }
}

impl Origin {
    /// Two tools may use the same id for different sessions.
    pub fn key(&self) -> (&str, &str) {
        (&self.tool, &self.session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn word() -> impl Strategy<Value = Option<String>> {
        prop::option::of(any::<String>())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_record_reads_back_and_torn_ones_are_none(
            (tool, session, id) in (any::<String>(), any::<String>(), any::<String>()),
            (cwd, text, output, command) in (word(), word(), word(), word()),
            exit_code in prop::option::of(any::<i64>()),
            noise in prop::collection::vec(any::<u8>(), 0..60),
            cut in any::<prop::sample::Index>(),
        ) {
            let origin = Origin { tool, session, cwd, ..Origin::default() };
            let event = Event { r#type: "command".to_owned(), text, output, command, exit_code, ..Event::default() };
            let record = Record { id, ..Record::new(origin, What::Event(Box::new(event))) };
            let line = record.line().expect("a line");
            let whole = &line[1..line.len() - 1];
            prop_assert!(!whole.contains(&b'\n'), "a record is one line");
            prop_assert_eq!(Record::read(whole).expect("reads back"), record);
            prop_assert!(Record::read(&whole[..cut.index(whole.len())]).is_none(), "torn");
            let _ = Record::read(&noise);
            let _ = Record::read(&[b"12 ", &noise[..]].concat());
        }
    }
}
