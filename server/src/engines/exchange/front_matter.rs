//! Front matter: one `member: value` a line between two lines of dashes. Values are bare words, quoted strings, lists
//! (`[a, b]` or one `- item` a line) or JSON. It is what we write and what people edit, not all that YAML can be.

use serde_json::{Map, Value};

type Split<'a> = Result<(Map<String, Value>, &'a str), String>;

/// The members and what stands below them; nothing for a text that has none.
pub fn split(text: &str) -> Option<Split<'_>> {
    let rest = text.strip_prefix("---")?;
    let mut rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?;
    let (mut members, mut list, mut number): (_, Option<String>, _) = (Map::new(), None, 1);
    loop {
        number += 1;
        let (line, below) = rest.split_once('\n').unwrap_or((rest, ""));
        let line = line.trim_end();
        if line == "---" {
            return Some(Ok((members, below)));
        }
        if rest.is_empty() {
            return Some(Err("the front matter does not end".to_owned()));
        }
        rest = below;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let (Some(name), Some(item)) = (&list, line.trim_start().strip_prefix("- ")) {
            if let Some(Value::Array(items)) = members.get_mut(name) {
                items.push(value(item.trim()));
            }
            continue;
        }
        let Some((name, said)) = line.split_once(':').filter(|(name, _)| is_name(name)) else {
            return Some(Err(format!("line {number} is no `name: value`")));
        };
        let said = said.trim();
        list = said.is_empty().then(|| name.to_owned());
        members.insert(name.to_owned(), if said.is_empty() { Value::Array(Vec::new()) } else { value(said) });
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-'))
}

fn value(said: &str) -> Value {
    if said.starts_with(['"', '[', '{'])
        && let Ok(value) = serde_json::from_str(said)
    {
        return value;
    }
    if let Some(items) = said.strip_prefix('[').and_then(|said| said.strip_suffix(']')) {
        return items.split(',').map(str::trim).filter(|item| !item.is_empty()).map(value).collect();
    }
    if let Some(quoted) = said.strip_prefix('\'').and_then(|said| said.strip_suffix('\'')) {
        return Value::String(quoted.replace("''", "'"));
    }
    let bare = said.split_once(" #").map_or(said, |(bare, _)| bare.trim_end());
    if matches!(bare, "null" | "~") { Value::Null } else { Value::String(bare.to_owned()) }
}

/// A string as it may stand behind a member's name, quoted where it could be read as something else.
pub fn word(text: &str) -> String {
    let plain = text.starts_with(|sign: char| sign.is_ascii_alphanumeric() || sign == '/')
        && text.chars().all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | '.' | '/' | '+'))
        && !matches!(text, "null" | "true" | "false" | "yes" | "no" | "on" | "off")
        && text.parse::<f64>().is_err();
    if plain { text.to_owned() } else { Value::from(text).to_string() }
}
