//! What a log keeps of something long: its beginning, its end, how long it was and its digest.

use crate::model::{
    sessions::{Cut, Event},
    text::{hex, sha256},
};
use serde_json::Value;

/// Of a tool's result, of what somebody said, and of one value in a tool's input.
const OUTPUT: usize = 8 * 1024;
const TEXT: usize = 64 * 1024;
const VALUE: usize = 4 * 1024;
/// More of a tool's input than this is not kept at all.
const INPUT: usize = 64 * 1024;

pub fn cut(event: &mut Event) {
    if let Some(output) = event.output.as_mut().filter(|output| output.len() > OUTPUT) {
        // Whoever cut it before us knows the whole.
        event.cut.get_or_insert_with(|| Cut { length: output.len() as u64, sha256: hex(&sha256(output)) });
        *output = excerpt(output, OUTPUT);
    }
    for text in [&mut event.text, &mut event.command].into_iter().flatten().filter(|text| text.len() > TEXT) {
        *text = excerpt(text, TEXT);
    }
    if let Some(input) = &mut event.input {
        shorten(input);
        let length = input.to_string().len();
        if length > INPUT {
            *input = Value::String(format!("[{length} bytes left out]"));
        }
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > VALUE => *text = excerpt(text, VALUE),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}

/// Two thirds from the beginning, one from the end: what was asked for stands first, and what went wrong last.
fn excerpt(text: &str, most: usize) -> String {
    let (head, tail) = (text.floor_char_boundary(most * 2 / 3), text.ceil_char_boundary(text.len() - most / 3));
    format!("{}\n… [{} bytes left out] …\n{}", &text[..head], tail - head, &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{clock, sessions::EventType};

    #[test]
    fn a_long_result_keeps_its_ends_its_length_and_its_digest() {
        let long = format!("first line\n{}\nlast line", "é".repeat(20_000));
        let mut event = Event {
            seq: 0,
            id: "1".to_owned(),
            kind: EventType::Command,
            at: clock::now(),
            text: None,
            tool: None,
            input: Some(serde_json::json!({"file": "x".repeat(10_000), "n": 1})),
            output: Some(long.clone()),
            path: None,
            command: None,
            exit_code: None,
            cut: None,
        };
        cut(&mut event);
        let kept = event.output.unwrap();
        assert!(kept.starts_with("first line") && kept.ends_with("last line") && kept.len() < 9 * 1024);
        assert_eq!(event.cut, Some(Cut { length: long.len() as u64, sha256: hex(&sha256(&long)) }));
        assert!(event.input.unwrap()["file"].as_str().unwrap().len() < 5_000);
    }
}
