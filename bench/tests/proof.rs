//! The small form of `make proof`: the same five tasks on a repository of a few files, held against bars of its own.

use serde_json::Value;
use std::{path::Path, process::Command};
use tempfile::TempDir;

/// The exit code and the report.
fn proves(arguments: &[&str]) -> (Option<i32>, Value) {
    let out = TempDir::new().expect("a folder");
    let tasks = Path::new(env!("CARGO_MANIFEST_DIR")).join("proof/small");
    let done = Command::new(env!("CARGO_BIN_EXE_cairn-bench"))
        .args(["proof", "--tasks"])
        .arg(tasks)
        .arg("--out")
        .arg(out.path())
        .args(arguments)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&done.stdout);
    let report = std::fs::read(out.path().join("proof.json")).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&done.stderr)));
    println!("{said}");
    let page = std::fs::read_to_string(out.path().join("proof.html")).expect("a page");
    assert!(!["http://", "https://", "src=", "url("].iter().any(|outside| page.contains(outside)), "the page asks for something outside");
    (done.status.code(), serde_json::from_slice(&report).expect("JSON"))
}

fn figure<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["figures"].get(name).unwrap_or_else(|| panic!("no figure {name}"))
}

#[test]
fn the_small_proof_holds_its_bars_and_every_figure_has_its_evidence() {
    let (code, report) = proves(&[]);
    assert_eq!((code, &report["held"]), (Some(0), &Value::Bool(true)), "a bar is missed: see above");
    for task in report["tasks"].as_array().expect("tasks") {
        for replay in ["cold", "warm"] {
            for (name, count) in task[replay]["counts"].as_object().expect("counts") {
                let shown = count["evidence"].as_array().is_some_and(|evidence| !evidence.is_empty());
                assert!(shown || count["value"] == 0, "{} {replay} {name}: {count}", task["name"]);
            }
        }
        let asked = task["warm"]["trace"].as_array().expect("a trace").iter().filter(|line| line["what"] == "recall");
        assert!(asked.clone().all(|line| line["receipt"].is_string()), "{}: a recall without its receipt", task["name"]);
    }
}

#[test]
fn the_same_seed_gives_the_same_figures() {
    let only = ["--only", "migration", "--seed", "7"];
    let figures = || {
        let (_, mut report) = proves(&only);
        let figures = report["figures"].as_object_mut().expect("figures");
        figures.retain(|_, figure| figure["exact"] == true);
        assert!(figures.len() > 20 && figures["tokens"]["warm"].as_u64() > Some(0));
        report["figures"].take()
    };
    assert_eq!(figures(), figures());
}

#[test]
fn without_sync_what_became_false_is_told_as_fresh_and_the_bar_is_missed() {
    let (code, report) = proves(&["--only", "refactoring", "--without-sync"]);
    assert!(figure(&report, "stale_as_fresh")["warm"].as_u64() > Some(0) && figure(&report, "wrong_acted_on")["warm"].as_u64() > Some(0));
    assert_eq!(code, Some(1), "a report that would not notice proves nothing");
}
