//! The report as one page: nothing is loaded from anywhere, and every figure leads to what shows it.

use super::{
    bounds::Bound,
    ledger::{Evidence, Ledger, Line},
    report::{GROUPS, Report, number, value},
};
use std::fmt::Write;

const STYLE: &str = include_str!("proof.css");

pub fn page(report: &Report) -> String {
    let mut body = String::new();
    let verdict = if report.held() { "<span class=held>every bar held</span>" } else { "<span class=missed>a bar was missed</span>" };
    let _ = write!(
        body,
        "<header><h1>What memory is worth</h1><p>{} recorded tasks, each replayed without a memory (cold) and with Cairn (warm), by the same scripted agent. Seed {}. {verdict}.</p></header>",
        report.outcomes.len(),
        report.seed
    );
    cards(report, &mut body);
    for group in GROUPS {
        let _ = write!(body, "<section><h2>{}</h2><table><thead><tr><th><th>cold<th>warm<th>of<th>bar</tr></thead><tbody>", group.title);
        for figure in report.of(group).filter(|figure| figure.cold.or(figure.warm).is_some()) {
            let class = if figure.held { "" } else { " class=missed" };
            let bar = figure.bound.map(Bound::words).unwrap_or_default();
            let _ = write!(
                body,
                "<tr{class}><th scope=row><a href=\"#{}\">{}</a><td>{}<td class=warm>{}<td>{}<td>{bar}</tr>",
                figure.shown.name,
                escape(figure.shown.title),
                number(figure.cold),
                number(figure.warm),
                number(figure.of)
            );
        }
        body.push_str("</tbody></table></section>");
    }
    by_task(report, &mut body);
    evidence(report, &mut body);
    traces(report, &mut body);
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width, initial-scale=1\"><meta name=color-scheme content=\"light dark\"><title>What memory is worth</title><style>{STYLE}</style></head><body><main>{body}</main></body></html>\n"
    )
}

/// The figures one looks for first.
fn cards(report: &Report, body: &mut String) {
    body.push_str("<div class=cards>");
    for (name, title) in [
        ("tokens", "tokens of context"),
        ("reads_again", "files read again"),
        ("items_twice", "items done twice"),
        ("decisions_violated", "decisions violated"),
        ("stale_as_fresh", "false told as fresh"),
        ("wrong_acted_on", "false acted upon"),
        ("bytes_left", "bytes left after erasure"),
        ("leaks", "leaks between workspaces"),
    ] {
        let Some(figure) = report.figures.iter().find(|figure| figure.shown.name == name && figure.warm.is_some()) else { continue };
        let beside = match (figure.cold, figure.of) {
            (Some(cold), _) => format!("cold: {}", number(Some(cold))),
            (None, Some(of)) => format!("of {}", number(Some(of))),
            _ => String::new(),
        };
        let _ = write!(body, "<a class=card href=\"#{name}\"><b>{}</b><span>{title}</span><i>{beside}</i></a>", number(figure.warm));
    }
    body.push_str("</div>");
}

fn by_task(report: &Report, body: &mut String) {
    body.push_str("<section><h2>By task</h2>");
    for outcome in &report.outcomes {
        let name = &outcome.task.name;
        let _ = write!(
            body,
            "<article id=\"{name}\"><h3>{}</h3><p>{}</p><table><thead><tr><th><th>cold<th>warm</tr></thead><tbody>",
            escape(&outcome.task.title),
            escape(&outcome.task.about)
        );
        for shown in GROUPS.iter().flat_map(|group| group.figures) {
            let (cold, warm) = (value(&outcome.cold.ledger, shown).filter(|_| shown.cold), value(&outcome.warm.ledger, shown));
            if cold.or(warm).is_none() {
                continue;
            }
            let cell = |mode: &str, value: Option<u64>| match value {
                Some(value) => format!("<a href=\"#{name}-{mode}-{}\">{}</a>", shown.name, number(Some(value))),
                None => number(None),
            };
            let _ = write!(
                body,
                "<tr><th scope=row>{}<td>{}<td class=warm>{}</tr>",
                escape(shown.title),
                cell("cold", cold),
                cell("warm", warm)
            );
        }
        body.push_str("</tbody></table></article>");
    }
    body.push_str("</section>");
}

/// Per figure, task and replay: what shows it.
fn evidence(report: &Report, body: &mut String) {
    body.push_str("<section><h2>Evidence</h2><p>Lines lead to the trace of the replay; a line of a warm one has the session, the place in its log, the receipt or the memory on the server. The JSON beside this page has the same.</p>");
    for shown in GROUPS.iter().flat_map(|group| group.figures) {
        let mut parts = String::new();
        for outcome in &report.outcomes {
            let replays = [("cold", &outcome.cold.ledger), ("warm", &outcome.warm.ledger)];
            for (mode, ledger) in replays.into_iter().filter(|(mode, _)| shown.cold || *mode == "warm") {
                let Some(count) = value(ledger, shown) else { continue };
                let name = &outcome.task.name;
                let _ = write!(
                    parts,
                    "<details id=\"{name}-{mode}-{}\"><summary>{name}, {mode}: {}</summary><p>",
                    shown.name,
                    number(Some(count))
                );
                shows(ledger, shown.name, &format!("{name}-{mode}"), &mut parts);
                if let Some(of) = shown.of {
                    let _ = write!(parts, "<p>Out of these ({of}): ");
                    shows(ledger, of, &format!("{name}-{mode}"), &mut parts);
                }
                parts.push_str("</details>");
            }
        }
        if !parts.is_empty() {
            let _ = write!(body, "<article id=\"{}\"><h3>{}</h3>{parts}</article>", shown.name, escape(shown.title));
        }
    }
    body.push_str("</section>");
}

fn shows(ledger: &Ledger, name: &str, replay: &str, body: &mut String) {
    let evidence = ledger.counts.get(name).map(|count| count.evidence.as_slice()).unwrap_or_default();
    if evidence.is_empty() {
        body.push_str("nothing was found.");
    }
    for one in evidence {
        let _ = match one {
            Evidence::Trace { line } => write!(body, "<a href=\"#{replay}-line-{line}\">{line}</a> "),
            Evidence::Record { kind, id, note } => {
                write!(body, "<span class=record>{kind} <code>{}</code> {}</span> ", escape(id), escape(note))
            }
        };
    }
}

fn traces(report: &Report, body: &mut String) {
    body.push_str("<section><h2>Traces</h2>");
    for outcome in &report.outcomes {
        for (mode, ledger) in [("cold", &outcome.cold.ledger), ("warm", &outcome.warm.ledger)] {
            let name = &outcome.task.name;
            let _ = write!(
                body,
                "<details><summary>{}, {mode}: {} lines</summary><table class=trace><thead><tr><th>line<th>run<th>what<th>about<th>tokens<th>on the server</tr></thead><tbody>",
                escape(&outcome.task.title),
                ledger.trace.len()
            );
            for line in &ledger.trace {
                let _ = write!(
                    body,
                    "<tr id=\"{name}-{mode}-line-{}\"><td>{}<td>{}<td>{}<td class=words>{}<td>{}<td class=ids>{}</tr>",
                    line.n,
                    line.n,
                    line.run,
                    line.what,
                    escape(&line.about.chars().take(300).collect::<String>()),
                    line.tokens,
                    on_server(line)
                );
            }
            body.push_str("</tbody></table></details>");
        }
    }
    body.push_str("</section>");
}

fn on_server(line: &Line) -> String {
    let mut ids = String::new();
    for (kind, id) in [("receipt", &line.receipt), ("memory", &line.memory)] {
        if let Some(id) = id {
            let _ = write!(ids, "{kind} <code>{}</code> ", escape(id));
        }
    }
    if let Some(session) = &line.session {
        let event = line.event.map(|event| format!(" event {event}")).unwrap_or_default();
        let _ = write!(ids, "session <code>{}</code>{event}", escape(session));
    }
    ids
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
