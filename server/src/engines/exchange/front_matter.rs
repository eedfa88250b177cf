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
    match said.strip_prefix('[').and_then(|said| said.strip_suffix(']')) {
        Some(list) => serde_json::from_str(said).unwrap_or_else(|_| items(list).map(item).collect()),
        None => item(said),
    }
}

/// What stands between commas; those inside of quotes belong to their item.
fn items(list: &str) -> impl Iterator<Item = &str> {
    let mut left = list.trim_start();
    let each = std::iter::from_fn(move || {
        let (item, rest) = left.split_at_checked(quoted(left).or_else(|| left.find(',')).unwrap_or(left.len()))?;
        left = rest.strip_prefix(',').unwrap_or_default().trim_start();
        (!item.is_empty() || !rest.is_empty()).then(|| item.trim_end())
    });
    each.filter(|item| !item.is_empty())
}

/// Where an item ends that begins with a quote; nothing if it is a word like `'tis`.
fn quoted(list: &str) -> Option<usize> {
    let quote = list.chars().next().filter(|sign| matches!(sign, '"' | '\''))?;
    let mut signs = list.char_indices().skip(1).peekable();
    while let Some((at, sign)) = signs.next() {
        let twice = sign == '\'' && signs.peek().is_some_and(|(_, next)| *next == sign);
        if sign == quote && !twice {
            let end = list.len() - list[at + 1..].trim_start().len();
            return (end == list.len() || list[end..].starts_with(',')).then_some(end);
        }
        if (quote == '\'' && twice) || (quote == '"' && sign == '\\') {
            signs.next();
        }
    }
    None
}

/// A word, a string or JSON. A list within a list is one only as JSON, so that nobody makes us go down without an end.
fn item(said: &str) -> Value {
    if said.starts_with(['"', '[', '{'])
        && let Ok(value) = serde_json::from_str(said)
    {
        return value;
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
