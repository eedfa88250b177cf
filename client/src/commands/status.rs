//! `cairn status`: is memory really being written? This week's figures by tool, what waits here, and if nothing comes
//! in, why.

use super::Here;
use crate::{
    clock,
    failure::Failure,
    install,
    server::{Server, escape, only_workspace},
    show,
    spool::{Position, Spool, Waiting, rejected},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write};
use time::Duration;

/// Pages of 200 that are looked through at most.
const PAGES: usize = 10;

#[derive(Default)]
struct Week {
    sessions: u64,
    events: u64,
    memories: u64,
}

type ByTool = BTreeMap<String, Week>;

pub fn status(here: &Here) -> Result<(), Failure> {
    let profile = here.open();
    let server = profile.as_ref().ok().map(|_| here.server()).transpose()?;
    let me = server.as_ref().map(Server::me);
    let week = match (&server, &me) {
        (Some(server), Some(Ok(_))) => this_week(server),
        _ => Ok(ByTool::new()),
    };
    let spool = here.spool();
    let (position, waiting) = (Position::load(&spool), spool.waiting());
    let hooks = install::installed();
    let trouble = match (&profile, &me, &week) {
        (Err(failure), ..) | (_, Some(Err(failure)), _) | (_, _, Err(failure)) => Some((trouble(failure), failure.exit_code())),
        _ => None,
    };
    let week = week.unwrap_or_default();
    let exit_code = trouble.as_ref().map(|(_, code)| *code);
    let reasons = reasons(trouble.map(|(reason, _)| reason), &week, hooks.is_empty(), &position, &waiting, &spool);
    let hooks: Vec<Value> = hooks.iter().map(|(tool, path)| json!({"tool": tool.name(), "settings": path})).collect();
    let set_aside = rejected(&spool);
    // A refusal is an answer too.
    let answers =
        me.as_ref().is_some_and(|me| me.as_ref().map_or_else(|failure| failure.status().is_some() && !failure.is_away(), |_| true));
    let me = me.and_then(Result::ok).map(|me| me.json);
    let workspace = profile.as_ref().ok().and_then(|profile| profile.workspace.clone());
    let workspace = workspace.or_else(|| only_workspace(me.as_ref()?).ok());
    let report = json!({
        "profile": here.destination(),
        "server": profile.as_ref().ok().map(|profile| profile.url.clone()),
        "workspace": workspace,
        "actor": me.as_ref().map(|me| me["actor"]["name"].clone()),
        "reachable": answers,
        "week": week.iter().map(|(tool, week)| json!({"tool": tool, "sessions": week.sessions, "events": week.events, "memories": week.memories})).collect::<Vec<_>>(),
        "spool": {"records": waiting.records, "bytes": waiting.bytes, "delivered": position.delivered, "delivered_at": position.delivered_at,
            "last_failure": position.last_failure.as_ref().map(|failure| &failure.reason), "thinned": position.thinned, "dropped": position.dropped,
            "rejected": set_aside.len(), "last_rejection": set_aside.last().map(|one| &one.reason)},
        "hooks": hooks,
        "reasons": reasons,
    });
    let text = if here.json { report.to_string() } else { for_people(&report) };
    println!("{text}");
    exit_code.map_or(Ok(()), |code| Err(Failure::Told(code)))
}

fn trouble(failure: &Failure) -> String {
    match failure {
        away if away.is_away() => format!("The server does not answer: {}", away.short()),
        // With what to run.
        Failure::NotSignedIn(_) => failure.to_string().replace('\n', " "),
        other => other.short(),
    }
}

fn this_week(server: &Server) -> Result<ByTool, Failure> {
    let since = clock::written(clock::now() - Duration::days(7));
    let mut by_tool = ByTool::new();
    let mut tools: BTreeMap<String, String> = BTreeMap::new();
    pages(server, "/sessions?limit=200", |session| {
        let last = session["last_event_at"].as_str().or_else(|| session["started_at"].as_str()).unwrap_or_default();
        let tool = session["agent_tool"].as_str().unwrap_or("?").to_owned();
        tools.insert(session["id"].as_str().unwrap_or_default().to_owned(), tool.clone());
        if last >= since.as_str() {
            let week = by_tool.entry(tool).or_default();
            week.sessions += 1;
            week.events += session["event_count"].as_u64().unwrap_or(0);
        }
    })?;
    pages(server, &format!("/memories?limit=200&updated_after={}", escape(&since)), |memory| {
        let tool = memory["session_id"].as_str().and_then(|id| tools.get(id).cloned());
        let author = memory["created_by"]["name"].as_str().unwrap_or("?");
        by_tool.entry(tool.unwrap_or_else(|| author.to_owned())).or_default().memories += 1;
    })?;
    Ok(by_tool)
}

fn pages(server: &Server, path: &str, mut each: impl FnMut(&Value)) -> Result<(), Failure> {
    let mut cursor: Option<String> = None;
    for _ in 0..PAGES {
        let page = cursor.as_deref().map(|cursor| format!("&cursor={}", escape(cursor))).unwrap_or_default();
        let answer = server.get(&format!("{path}{page}"))?;
        answer.json["data"].as_array().into_iter().flatten().for_each(&mut each);
        cursor = answer.json["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    Ok(())
}

/// Why nothing is written, or not all of it; most likely cause first.
fn reasons(trouble: Option<String>, week: &ByTool, no_hooks: bool, position: &Position, waiting: &Waiting, spool: &Spool) -> Vec<String> {
    let mut reasons: Vec<String> = trouble.into_iter().collect();
    let events: u64 = week.values().map(|week| week.events).sum();
    if no_hooks {
        reasons.push("No tool has our hooks: `cairn install claude-code` (or codex, cursor, windsurf, gemini).".to_owned());
    } else if events == 0 && waiting.records == 0 && position.delivered == 0 {
        reasons.push("The hooks are installed and none was ever called: start a new session of the tool.".to_owned());
    }
    if let Some(failure) = &position.last_failure
        && waiting.records > 0
    {
        reasons.push(format!("The last delivery failed {}: {}", show::ago(Some(&failure.at)), failure.reason));
    }
    if let Some(last) = rejected(spool).last() {
        reasons.push(format!(
            "The server refused records, see {} (`cairn flush --rejected` sends them again): {}",
            spool.folder.join("rejected").display(),
            last.reason
        ));
    }
    if position.dropped > 0 || position.thinned > 0 {
        reasons.push(format!("The spool was full: {} results were thinned, {} records dropped.", position.thinned, position.dropped));
    }
    reasons
}

fn for_people(report: &Value) -> String {
    let spool = &report["spool"];
    let profile = show::cell(report, "profile");
    let mut text = if report["server"].is_null() {
        format!("Server    none\nSigned in nobody, profile {profile}\n")
    } else {
        let reachable = if report["reachable"] == true { "answers" } else { "does not answer" };
        let [server, actor, workspace] = ["server", "actor", "workspace"].map(|member| show::cell(report, member));
        let signed_in = if report["actor"].is_null() { "nobody".to_owned() } else { format!("{actor} in {workspace}") };
        format!("Server    {server} ({reachable})\nSigned in {signed_in}, profile {profile}\n")
    };
    let depth = show::bytes(spool["bytes"].as_u64().unwrap_or(0));
    let delivered = show::ago(spool["delivered_at"].as_str());
    let _ =
        writeln!(text, "Spool     {} records wait ({depth}); last delivery {delivered}, {} in all", spool["records"], spool["delivered"]);
    let hooks: Vec<String> = report["hooks"].as_array().into_iter().flatten().map(|hook| show::cell(hook, "tool")).collect();
    let _ = write!(text, "Hooks     {}\n\n", if hooks.is_empty() { "none".to_owned() } else { hooks.join(", ") });
    let rows: Vec<Vec<String>> = report["week"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| ["tool", "sessions", "events", "memories"].map(|name| show::cell(row, name)).into())
        .collect();
    text += &if rows.is_empty() {
        "Nothing was written this week.\n".to_owned()
    } else {
        show::table(&["this week by", "sessions", "events", "memories"], &rows)
    };
    for reason in report["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let _ = write!(text, "\n! {reason}");
    }
    text.trim_end().to_owned()
}
