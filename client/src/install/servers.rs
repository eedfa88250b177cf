//! Our entry among a tool's MCP servers, in JSON or TOML, put in and taken out without touching what else is there.

use super::{
    Scope,
    json::{member, parse, unreadable},
};
use crate::failure::Failure;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use std::path::Path;
use toml_edit::{Array, DocumentMut, Item, Table, value};

const NAME: &str = "cairn";

/// `cairn mcp`, as a tool starts it.
pub struct Entry {
    program: String,
}

impl Entry {
    pub fn of(scope: &Scope) -> Result<Self, Failure> {
        Ok(Self {
            program: match scope {
                // A desktop program may not know the person's PATH.
                Scope::User => super::program()?,
                Scope::Project(_) => NAME.to_owned(),
            },
        })
    }

    pub fn added_to(&self, text: &str, path: &Path) -> Result<String, Failure> {
        if is_toml(path) { self.added_to_toml(text, path) } else { self.added_to_json(text, path) }
    }

    /// Without our entry, and without the list that was not in `before`. None if nothing is left and nothing was before.
    pub fn removed_from(text: &str, path: &Path, before: Option<&str>) -> Option<String> {
        if is_toml(path) { removed_from_toml(text, before) } else { removed_from_json(text, before) }
    }

    fn added_to_json(&self, text: &str, path: &Path) -> Result<String, Failure> {
        let root = parse(text).map_err(|wrong| unreadable(path, &wrong))?;
        let Some(object) = root.object_value_or_create() else { return Err(unreadable(path, "it is no JSON object")) };
        let Some(servers) = object.object_value_or_create("mcpServers") else {
            return Err(unreadable(path, "`mcpServers` is no object"));
        };
        if servers.get(NAME).is_some() {
            match json_command(&servers) {
                Some(command) if command == self.command() => return Ok(text.to_owned()),
                Some(command) if is_ours(&command) => return self.renewed(&root, &servers).ok_or_else(|| taken(path)),
                _ => return Err(taken(path)),
            }
        }
        let args = CstInputValue::Array(vec![CstInputValue::from("mcp")]);
        let entry = vec![("command".to_owned(), CstInputValue::from(self.program.clone())), ("args".to_owned(), args)];
        servers.append(NAME, CstInputValue::Object(entry));
        let mut after = root.to_string();
        if !after.ends_with('\n') && text.trim().is_empty() {
            after.push('\n');
        }
        Ok(after)
    }

    /// What a person added to the entry, such as an environment, stays.
    fn renewed(&self, root: &CstRootNode, servers: &CstObject) -> Option<String> {
        let entry = servers.object_value(NAME)?;
        entry.get("command")?.set_value(CstInputValue::from(self.program.clone()));
        let args = CstInputValue::Array(vec![CstInputValue::from("mcp")]);
        match entry.get("args") {
            Some(there) => there.set_value(args),
            None => drop(entry.append("args", args)),
        }
        Some(root.to_string())
    }

    fn added_to_toml(&self, text: &str, path: &Path) -> Result<String, Failure> {
        let mut root: DocumentMut = text.parse().map_err(|wrong: toml_edit::TomlError| unreadable(path, &wrong.to_string()))?;
        match toml_command(&root) {
            Some(command) if command == self.command() => return Ok(text.to_owned()),
            Some(command) if !is_ours(&command) => return Err(taken(path)),
            None if root.get("mcp_servers").and_then(|servers| servers.get(NAME)).is_some() => return Err(taken(path)),
            _ => {}
        }
        let servers = root.entry("mcp_servers").or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let Some(servers) = servers.as_table_like_mut() else { return Err(unreadable(path, "`mcp_servers` is no table")) };
        let entry = servers.entry(NAME).or_insert_with(|| Item::Table(Table::new()));
        let Some(entry) = entry.as_table_like_mut() else { return Err(taken(path)) };
        entry.insert("command", value(&self.program));
        entry.insert("args", value(Array::from_iter(["mcp"])));
        Ok(root.to_string())
    }

    fn command(&self) -> (String, Vec<String>) {
        (self.program.clone(), vec!["mcp".to_owned()])
    }
}

fn removed_from_json(text: &str, before: Option<&str>) -> Option<String> {
    let unchanged = || Some(text.to_owned());
    let Ok(root) = parse(text) else { return unchanged() };
    let Some(object) = root.object_value() else { return unchanged() };
    let Some(servers) = object.object_value("mcpServers") else { return unchanged() };
    if !json_command(&servers).is_some_and(|command| is_ours(&command)) {
        return unchanged();
    }
    servers.get(NAME)?.remove();
    let earlier = before.and_then(|before| parse(before).ok());
    let was_there = earlier.as_ref().is_some_and(|root| member(root, "mcpServers"));
    if servers.properties().is_empty() && !was_there {
        object.get("mcpServers")?.remove();
    }
    if before.is_none() && object.properties().is_empty() { None } else { Some(root.to_string()) }
}

fn removed_from_toml(text: &str, before: Option<&str>) -> Option<String> {
    let Ok(mut root) = text.parse::<DocumentMut>() else { return Some(text.to_owned()) };
    if !toml_command(&root).is_some_and(|command| is_ours(&command)) {
        return Some(text.to_owned());
    }
    let was_there = before.and_then(|before| before.parse::<DocumentMut>().ok()).is_some_and(|root| root.contains_key("mcp_servers"));
    let servers = root.get_mut("mcp_servers")?.as_table_like_mut()?;
    servers.remove(NAME);
    if servers.is_empty() && !was_there {
        root.remove("mcp_servers");
    }
    if before.is_none() && root.is_empty() { None } else { Some(root.to_string()) }
}

type Command = (String, Vec<String>);

/// Ours wherever the program lies.
fn is_ours((program, args): &Command) -> bool {
    Path::new(program).file_name().is_some_and(|name| name == NAME) && args.first().is_some_and(|first| first == "mcp")
}

fn json_command(servers: &CstObject) -> Option<Command> {
    let entry = servers.object_value(NAME)?;
    let text = |node: &jsonc_parser::cst::CstNode| node.as_string_lit()?.decoded_value().ok();
    let program = text(&entry.get("command")?.value()?)?;
    let args = entry.array_value("args").map(|args| args.elements()).unwrap_or_default();
    Some((program, args.iter().filter_map(text).collect()))
}

fn toml_command(root: &DocumentMut) -> Option<Command> {
    let entry = root.get("mcp_servers")?.get(NAME)?;
    let args =
        entry.get("args").and_then(Item::as_array).map(|args| args.iter().filter_map(|arg| arg.as_str().map(str::to_owned)).collect());
    Some((entry.get("command")?.as_str()?.to_owned(), args.unwrap_or_default()))
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "toml")
}

fn taken(path: &Path) -> Failure {
    unreadable(path, "it has another MCP server by the name of `cairn`; rename or remove it first")
}
