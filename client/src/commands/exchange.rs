//! Memories out into files, and files in.

use super::Here;
use crate::{
    arguments::{Export, ExportFormat, Import, word},
    exchange::{self, Part},
    failure::Failure,
    progress::Progress,
    server::{Server, escape},
    show,
};
use serde_json::{Value, json};
use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, IsTerminal, Write},
    path::Path,
    thread,
    time::Duration,
};

/// A large workspace takes its time.
const PATIENCE: Duration = Duration::from_mins(30);
/// How often a part is sent again that was not finished, and how often a server that is busy is waited for.
const MOST_TRIES: usize = 20;
const MOST_WAITS: usize = 60;

pub fn export(here: &Here, wish: Export) -> Result<(), Failure> {
    let format = wish.format.unwrap_or(ExportFormat::Ndjson);
    let mut query: Vec<(&str, String)> = Vec::new();
    query.extend(
        wish.project
            .or_else(|| if matches!(format, ExportFormat::Agents) { here.project(None) } else { None })
            .map(|project| ("project", project)),
    );
    let path = match format {
        ExportFormat::Agents => {
            query.extend(wish.budget.map(|budget| ("token_budget", budget.to_string())));
            "/export/agents.md"
        }
        ExportFormat::Ndjson | ExportFormat::Markdown => {
            query.push(("format", word(format)));
            query.extend(wish.kind.map(|kind| ("kind", word(kind))));
            query.extend(wish.state.map(|state| ("state", state)));
            "/export"
        }
    };
    let address = with(path, &query);
    let server = here.server_within(PATIENCE)?;
    match wish.out {
        None if matches!(format, ExportFormat::Markdown) && io::stdout().is_terminal() => {
            Err(Failure::Usage("a tar is nothing to look at: name a file or a folder with `--out`".to_owned()))
        }
        None => server.download(&address, &mut io::stdout().lock(), |_| {}).map(|_| ()),
        Some(out) if matches!(format, ExportFormat::Markdown) && (out.is_dir() || out.to_string_lossy().ends_with('/')) => {
            unpack(&server, &address, &out)
        }
        Some(out) => save(&server, &address, &out),
    }
}

/// It has its name only when it is whole.
fn save(server: &Server, address: &str, out: &Path) -> Result<(), Failure> {
    let part = out.with_file_name(format!("{}.part", out.file_name().unwrap_or_default().to_string_lossy()));
    let mut file = File::create(&part).map_err(|wrong| Failure::file("write", &part, &wrong))?;
    let written = told_on_the_way(server, address, &mut file);
    let done = written.and_then(|bytes| {
        file.sync_all().and_then(|()| fs::rename(&part, out)).map_err(|wrong| Failure::file("write", out, &wrong))?;
        Ok(bytes)
    });
    if done.is_err() {
        let _ = fs::remove_file(&part);
    }
    println!("{} in {}.", show::bytes(done?), out.display());
    Ok(())
}

fn unpack(server: &Server, address: &str, out: &Path) -> Result<(), Failure> {
    let mut tar = Vec::new();
    told_on_the_way(server, address, &mut tar)?;
    fs::create_dir_all(out).map_err(|wrong| Failure::file("write", out, &wrong))?;
    let mut archive = tar::Archive::new(tar.as_slice());
    let mut files = 0;
    for entry in archive.entries().map_err(|wrong| Failure::file("unpack into", out, &wrong))? {
        let unpacked = entry.and_then(|mut entry| entry.unpack_in(out));
        files += usize::from(unpacked.map_err(|wrong| Failure::file("unpack into", out, &wrong))?);
    }
    println!("{files} files in {}.", out.display());
    Ok(())
}

fn told_on_the_way(server: &Server, address: &str, into: &mut dyn Write) -> Result<u64, Failure> {
    let mut progress = Progress::open_ended("exporting");
    let done = server.download(address, into, |bytes| progress.at(bytes));
    progress.finish();
    done
}

pub fn import(here: &Here, wish: Import) -> Result<(), Failure> {
    let mut parts = Vec::new();
    for file in &wish.files {
        if file.is_file() && exchange::is_cut_off(file) {
            eprintln!("{}: it has no last line, so it was cut off; what is there goes in", file.display());
        }
        parts.extend(exchange::parts(file)?.into_iter().map(|part| (file.display().to_string(), part)));
    }
    let server = here.server_within(PATIENCE)?;
    let mut query: Vec<(&str, String)> = Vec::new();
    query.extend(wish.format.map(|format| ("format", format)));
    query.extend(here.project(wish.project).map(|project| ("project", project)));
    query.extend(wish.dry_run.then(|| ("dry_run", "true".to_owned())));
    let mut progress = Progress::new("importing", parts.iter().map(|(_, part)| part.weight).sum());
    let (mut told, mut sent) = (Told::default(), 0);
    for (file, part) in &parts {
        let report = send(&server, &query, part);
        if let Err(failure) = &report {
            progress.interrupt(&format!("{file}: {}", failure.short()));
        }
        told.add(file, parts.len() > 1, report?);
        sent += part.weight;
        progress.at(sent);
    }
    progress.finish();
    let text = if here.json { told.json() } else { told.text(wish.dry_run) };
    let _ = writeln!(io::stdout(), "{}", text.trim_end());
    if told.left > 0 { Err(Failure::Failed(format!("{} were left for want of time: run it again", told.left))) } else { Ok(()) }
}

/// Again as long as it gets further.
fn send(server: &Server, query: &[(&str, String)], part: &Part) -> Result<Vec<Value>, Failure> {
    let mut query = query.to_vec();
    query.extend(part.name.clone().map(|name| ("name", name)));
    let address = with("/import", &query);
    let mut reports: Vec<Value> = Vec::new();
    let mut waits = 0;
    while reports.len() < MOST_TRIES {
        let report = match server.upload(&address, &part.bytes) {
            Err(Failure::Refused(problem)) if problem.status == 429 && waits < MOST_WAITS => {
                waits += 1;
                thread::sleep(Duration::from_secs(problem.retry_after.unwrap_or(1).clamp(1, 60)));
                continue;
            }
            answer => answer?.json,
        };
        let (complete, further) = (report["complete"] != false, report["taken"] != 0 || report["updated"] != 0);
        reports.push(report);
        if complete || !further {
            break;
        }
    }
    Ok(reports)
}

fn with(path: &str, query: &[(&str, String)]) -> String {
    let query: Vec<String> = query.iter().map(|(name, value)| format!("{name}={}", escape(value))).collect();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{}", query.join("&")) }
}

/// What became of all of it.
#[derive(Default)]
struct Told {
    taken: u64,
    updated: u64,
    waiting: u64,
    redacted: u64,
    left: u64,
    items: Vec<(String, Value)>,
}

impl Told {
    fn add(&mut self, file: &str, many: bool, reports: Vec<Value>) {
        let times = reports.len();
        // What the last one left is left.
        self.left += reports.last().and_then(|report| report["reasons"]["left"].as_u64()).unwrap_or(0);
        for (n, report) in (1..).zip(reports) {
            self.taken += report["taken"].as_u64().unwrap_or(0);
            self.updated += report["updated"].as_u64().unwrap_or(0);
            for item in report["items"].as_array().into_iter().flatten() {
                // Of what was sent twice, what was taken the first time is known the second.
                let told = match item["reason"].as_str() {
                    Some("left") => n == times,
                    Some("known") => times == 1,
                    _ => true,
                };
                if !told {
                    continue;
                }
                self.waiting += u64::from(item["state"] == "proposed");
                self.redacted += u64::from(item["redacted"] == true);
                let place = item["place"].as_str().unwrap_or_default();
                let place = if many && !place.contains(file) { format!("{file}: {place}") } else { place.to_owned() };
                self.items.push((place, item.clone()));
            }
        }
    }

    fn skipped(&self) -> impl Iterator<Item = &(String, Value)> {
        self.items.iter().filter(|(_, item)| item["status"] == "skipped")
    }

    fn json(&self) -> String {
        let items: Vec<&Value> = self.items.iter().map(|(_, item)| item).collect();
        json!({"taken": self.taken, "updated": self.updated, "skipped": self.skipped().count(), "items": items}).to_string()
    }

    fn text(&self, dry_run: bool) -> String {
        let quiet = |item: &Value| matches!(item["reason"].as_str(), Some("known" | "duplicate" | "generated"));
        let rows: Vec<Vec<String>> = self
            .skipped()
            .filter(|(_, item)| !quiet(item))
            .map(|(place, item)| vec![show::one_line(place), show::cell(item, "reason"), show::cell(item, "detail")])
            .collect();
        let mut text = if rows.is_empty() { String::new() } else { show::table(&["not taken", "reason", ""], &rows) + "\n" };
        let known = self.skipped().filter(|(_, item)| quiet(item)).count();
        let would = if dry_run { "would be " } else { "" };
        let (taken, updated) = (self.taken, self.updated);
        let _ = writeln!(text, "{taken} {would}taken, {updated} {would}updated, {known} known already, {} not taken.", rows.len());
        if self.waiting > 0 {
            let _ = writeln!(text, "{} wait for review.", self.waiting);
        }
        if self.redacted > 0 {
            let _ = writeln!(text, "In {} something that looked like a secret was taken out.", self.redacted);
        }
        text
    }
}
