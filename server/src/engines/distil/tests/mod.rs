//! Recorded runs and what is left of them.

use super::*;
use crate::model::sessions::EventType;
use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

macro_rules! log {
    ($name:literal) => {
        recorded(include_str!(concat!("../../../../../tests/data/logs/", $name, ".jsonl")))
    };
}

mod day;
mod pieces;

fn recorded(lines: &str) -> Vec<Event> {
    let read = |(index, line): (usize, &str)| {
        let fields: Value = serde_json::from_str(line).unwrap();
        let word = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        Event {
            seq: i64::try_from(index + 1).unwrap(),
            id: word("id").unwrap(),
            kind: word("type").unwrap().parse::<EventType>().unwrap(),
            at: OffsetDateTime::parse(&word("at").unwrap(), &Rfc3339).unwrap(),
            text: word("text"),
            tool: word("tool"),
            input: fields.get("input").cloned(),
            output: word("output"),
            path: word("path"),
            command: word("command"),
            exit_code: fields.get("exit_code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok()),
            cut: None,
        }
    };
    lines.lines().enumerate().map(read).collect()
}

fn run<'a>(events: &'a [Event], cwd: &'a str) -> Run<'a> {
    Run {
        tool: "claude-code",
        project: None,
        task: None,
        cwd: Some(cwd),
        events,
        decisions: &[],
        open: &[],
        next_step: None,
        summary: None,
    }
}

fn keys(distilled: &Distilled) -> Vec<&str> {
    distilled.findings.iter().map(|finding| finding.key.as_str()).collect()
}

fn found<'a>(distilled: &'a Distilled, key: &str) -> &'a Finding {
    distilled.findings.iter().find(|finding| finding.key == key).unwrap_or_else(|| panic!("{key} is not in {:#?}", keys(distilled)))
}

fn content(distilled: &Distilled) -> &str {
    &distilled.episode.as_ref().unwrap().content
}

#[test]
fn a_bug_fixed_in_rust() {
    let events = log!("rust-fix");
    let distilled = distil(&run(&events, "/home/ana/code/ledger"));
    assert_eq!(
        keys(&distilled),
        [
            "fix:cargo test:assertion left right failed the month ends on the local day",
            "command:test:cargo test",
            "command:lint:cargo clippy",
            "together:crates/report/src/period.rs+crates/report/tests/auckland.rs",
            "command:format:cargo fmt",
        ]
    );
    let fix = &distilled.findings[0];
    assert_eq!((fix.kind, fix.personal), (Kind::Discovery, false));
    assert_eq!(
        fix.content,
        "`cargo test -p report` failed: assertion `left == right` failed: the month ends on the local day\n\
         Fixed by changing crates/report/src/period.rs, crates/report/tests/auckland.rs.\n\
         Then `cargo test -p report` passed."
    );
    // Both failures are one fix, and the events show it: failures, edits, pass.
    assert_eq!(fix.evidence, ["rust-fix-008", "rust-fix-011", "rust-fix-010", "rust-fix-013", "rust-fix-014"]);
    assert_eq!(found(&distilled, "command:test:cargo test").content, "Run the tests with `cargo test --workspace`.");
    assert_eq!(distilled.pairs[0].a, "crates/report/src/period.rs");
    assert_eq!(distilled.pairs[0].b, "crates/report/tests/auckland.rs");
    let content = content(&distilled);
    assert!(content.starts_with("Goal: The monthly report is off by one day for customers in Auckland (#214)."), "{content}");
    assert!(content.contains("- `cargo test`: failed 2 times, then passed (test result: ok. 61 passed; 0 failed;"), "{content}");
    assert!(
        content.contains(
            "## Errors met\n- assertion `left == right` failed: the month ends on the local day\n- error[E0308]: mismatched types\n"
        ),
        "{content}"
    );
    assert!(!content.contains("Open ends"), "{content}");
}

#[test]
fn a_feature_in_python_with_checks() {
    let events = log!("python-feature");
    let distilled = distil(&run(&events, "/Users/jo/src/invoicer"));
    let tests = found(&distilled, "command:test:uv run pytest");
    assert_eq!(tests.content, "Run the tests with `uv run pytest -q`.\n`pytest -q` does not work here: zsh: command not found: pytest");
    assert_eq!(tests.kind, Kind::Procedure);
    assert!(keys(&distilled).contains(&"fix:uv run ruff check:f401 datetime datetime imported but unused"));
    assert!(keys(&distilled).contains(&"command:lint:uv run mypy"));
    // `pytest` was replaced: it is no open end.
    assert!(!content(&distilled).contains("Open ends"), "{}", content(&distilled));
}

#[test]
fn a_refactoring_in_javascript() {
    let events = log!("js-refactor");
    let distilled = distil(&run(&events, "C:\\work\\shop"));
    let tests = found(&distilled, "command:test:pnpm test");
    assert_eq!(tests.content, "Run the tests with `pnpm test`.\n`npm test` does not work here: Missing script: \"test\"");
    let said = found(&distilled, "correction:we use pnpm here not npm");
    assert_eq!((said.content.as_str(), said.kind, said.personal), ("And we use pnpm here, not npm.", Kind::Procedure, true));
    assert!(found(&distilled, "together:apps/web/src/layout/App.test.tsx+apps/web/src/layout/App.tsx").weight > 0.3);
    let both = |pair: &&Pair| pair.a.ends_with("Checkout.tsx") && pair.b.ends_with("OrderList.tsx");
    assert!(distilled.pairs.iter().find(both).is_some_and(|pair| pair.weight > 5.0));
    assert!(distilled.pairs.iter().all(|pair| pair.a < pair.b));
}

#[test]
fn what_a_person_corrected() {
    let events = log!("corrections");
    let distilled = distil(&run(&events, "/home/mia/api"));
    let said: Vec<(&str, Kind)> =
        distilled.findings.iter().filter(|finding| finding.personal).map(|finding| (finding.content.as_str(), finding.kind)).collect();
    assert_eq!(
        said,
        [
            ("Always run `make check` before you commit.", Kind::Procedure),
            ("From now on answer in English, even if I write German.", Kind::Preference),
            ("Remember that the staging database is shared: never run migrations against it from your machine.", Kind::Procedure),
            ("Wir verwenden immer UTC in der Datenbank.", Kind::Procedure),
            ("Stop pushing without asking me first.", Kind::Preference),
            ("Nein, nimm bitte `time` statt chrono.", Kind::Procedure),
            ("no, use the `Problem` type for errors, not anyhow\n(Said after a change of src/routes/mod.rs.)", Kind::Procedure),
        ]
    );
}

#[test]
fn an_exploration_leaves_pointers() {
    let events = log!("exploration");
    let distilled = distil(&run(&events, "/srv/search"));
    assert_eq!(keys(&distilled), ["repeated:search:parse_config", "repeated:read:src/walk.rs"]);
    assert_eq!(distilled.findings[0].title, "`parse_config` is in src/config.rs");
    assert_eq!(distilled.findings[0].evidence.len(), 4);
    assert!(content(&distilled).contains("## Read\n- src/walk.rs (5×)\n- src/config.rs (4×)\n"));
}

#[test]
fn what_was_looked_for_once_is_kept_for_other_runs() {
    let events = log!("exploration");
    let distilled = distil(&run(&events, "/srv/search"));
    let look = distilled.looks.iter().find(|look| look.key() == "repeated:search:parse_config").expect("it was looked for");
    let finding = look.in_runs(3);
    assert_eq!((finding.key.as_str(), finding.title.as_str()), ("repeated:search:parse_config", "`parse_config` is in src/config.rs"));
    assert!(finding.content.contains("in 3 runs"), "{}", finding.content);
    assert_eq!(finding.evidence.len(), 4);
}

#[test]
fn a_run_cut_off_says_what_is_open() {
    let events = log!("cut-off");
    let (decisions, open) = (["Templates are minijinja".to_owned()], ["invoice template".to_owned()]);
    let run =
        Run { decisions: &decisions, open: &open, next_step: Some("define `link` in reset.html"), ..run(&events, "/home/ana/code/mailer") };
    let distilled = distil(&run);
    assert!(distilled.findings.iter().all(|finding| finding.what != FindingKind::Fix), "nothing passed after the failure");
    let content = content(&distilled);
    assert!(content.contains("- `cargo test`: passed, then failed, a result is missing"), "{content}");
    assert!(
        content.contains("## Decisions\n- Templates are minijinja\n\n## Open ends\n- invoice template\n- `cargo test` still fails\n"),
        "{content}"
    );
    assert!(content.contains("\nNext: define `link` in reset.html\n"), "{content}");
}

#[test]
fn an_exit_code_behind_a_pipe_is_not_believed() {
    let events = log!("go-pipes");
    let distilled = distil(&run(&events, "/srv/src/gateway"));
    let fix = found(&distilled, "fix:go test:fail testtwoinstances limiter test go allowed requests want");
    assert!(fix.content.contains("Fixed by changing limit/redis.go, limit/limiter.go."), "{}", fix.content);
    assert!(content(&distilled).contains("- `go test`: failed 2 times, then passed\n"), "{}", content(&distilled));
    // What was set for a command is never shown.
    assert!(!format!("{distilled:?}").contains("hunter2"));
}

#[test]
fn a_run_in_which_nothing_happened_has_no_episode() {
    assert_eq!(distil(&run(&[], "/work")), Distilled::default());
    let greeting = &log!("rust-fix")[..2];
    assert_eq!(distil(&run(greeting, "/work")).episode, None);
    let told = Run { summary: Some("Talked about the plan"), ..run(greeting, "/work") };
    assert!(distil(&told).episode.is_some());
}

#[test]
fn several_runs_make_it_surer() {
    assert!(confidence(&[]).abs() < f32::EPSILON);
    assert!((confidence(&[0.3]) - 0.3).abs() < 1e-6);
    assert!((confidence(&[0.3, 0.3]) - 0.51).abs() < 1e-6);
    assert!((confidence(&[0.6; 20]) - 0.95).abs() < 1e-6);
    assert!((confidence(&[2.0, -1.0, f32::NAN]) - 0.95).abs() < 1e-6);
}
