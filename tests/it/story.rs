//! The whole story, with real processes: a run is cut off in the middle, and the next one, on another machine, goes on.

use cairn_tests::{Agent, House, Program, Role, until};
use serde_json::{Value, json};
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// A developer's machine: a HOME of its own, and a clone of the repository.
struct Machine {
    home: TempDir,
    run: &'static str,
}

impl Machine {
    fn new(run: &'static str) -> Self {
        let machine = Self { home: tempfile::tempdir().expect("a folder"), run };
        std::fs::create_dir_all(machine.repository().join(".git")).expect("a folder");
        std::fs::write(machine.repository().join(".git/HEAD"), "ref: refs/heads/main\n").expect("a file");
        std::fs::write(machine.repository().join(".cairn.toml"), "project = \"shop\"\n").expect("a file");
        machine
    }

    fn repository(&self) -> PathBuf {
        self.home.path().join("shop")
    }

    fn cairn(&self, arguments: &[&str], stdin: &str) -> Output {
        let program = Program::path().with_file_name("cairn");
        assert!(program.exists(), "{} is not there: build it first with `cargo build --bin cairn`", program.display());
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(self.repository())
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        // A program that does not read is not a failure.
        let _ = child.stdin.take().expect("a pipe").write_all(stdin.as_bytes());
        child.wait_with_output().expect("it ends")
    }

    #[track_caller]
    fn does(&self, arguments: &[&str]) -> String {
        let done = self.cairn(arguments, "");
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).expect("text")
    }

    fn asks(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.does(arguments)).expect("JSON")
    }

    /// A recorded payload, as this machine's tool would send it.
    fn hook(&self, name: &str, changes: &[(&str, Value)]) -> String {
        let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/tests/payloads/claude-code").join(name);
        let mut payload: Value = serde_json::from_str(&std::fs::read_to_string(recorded).expect("a recording")).expect("JSON");
        payload["session_id"] = json!(self.run);
        payload["cwd"] = json!(self.repository());
        payload["transcript_path"] = json!(self.transcript());
        for (path, value) in changes {
            *payload.pointer_mut(path).unwrap_or_else(|| panic!("{name} has no {path}")) = value.clone();
        }
        let done = self.cairn(&["hook", "claude-code"], &payload.to_string());
        assert!(done.status.success(), "a hook never fails");
        String::from_utf8(done.stdout).expect("text")
    }

    fn transcript(&self) -> PathBuf {
        self.home.path().join("transcript.jsonl")
    }
}

fn names(items: &Value) -> Vec<&str> {
    items.as_array().into_iter().flatten().filter_map(|item| item["item"].as_str()).collect()
}

async fn served() -> (House, Agent, Program) {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let (app, owner) = (house.postgres().login_url(house.database()), house.postgres().owner_url(house.database()));
    let settings = [("CAIRN_DATABASE_URL", app.as_str()), ("CAIRN_MIGRATION_DATABASE_URL", owner.as_str())];
    let program = Program::serve(Program::free_port(), house.folder(), &settings).await;
    (house, agent, program)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_cut_off_is_gone_on_with_on_another_machine() {
    let (house, agent, program) = served().await;
    let first = Machine::new("00893aaf-19fa-41d2-8238-13269b9b3ca0");
    first.does(&["login", "--url", &program.url, "--key", &agent.key]);
    first.does(&["task", "start", "shipping", "--title", "Totals include shipping"]);
    first.hook("session_start.json", &[]);
    first.hook("user_prompt_submit.json", &[]);
    first.hook("post_tool_use_read.json", &[]);
    first.hook("post_tool_use_edit.json", &[]);
    first.hook("post_tool_use_bash.json", &[]);
    let said = "Here is where I am.\nDECIDED: shipping is added by the Cart, not by the Checkout page\nDO NOT touch legacy/totals.py, the exporter depends on it\nCOMPLETED: add the shipping field\nIN PROGRESS: use it in the total\nNEXT: make test_total_with_shipping pass";
    let line = json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": said}]}});
    std::fs::write(first.transcript(), format!("{line}\n")).expect("a transcript");
    first.hook("pre_compact.json", &[]);
    first.hook("session_start_compact.json", &[]);
    first.hook(
        "post_tool_use_bash.json",
        &[("/tool_input/command", json!("pytest -q tests/test_total.py")), ("/tool_use_id", json!("toolu_late"))],
    );
    // And then the tool is killed: no stop, no end.
    first.does(&["flush", "--wait"]);
    let runs = agent.lists("sessions").await;
    assert_eq!((runs.len(), &runs[0]["state"], &runs[0]["task"]), (1, &json!("running"), &json!("shipping")), "{runs:?}");
    let log = format!("sessions/{}/events", runs[0]["id"].as_str().expect("an id"));
    let kinds: Vec<Value> = agent.lists(&log).await.iter().map(|event| event["type"].clone()).collect();
    assert_eq!(kinds, ["prompt", "file_read", "file_edit", "command", "compaction", "command"], "the log is whole and in order");

    let other = house.agent("coding", Role::Writer).await;
    let second = Machine::new("7f3c2b1a-5d4e-4f6a-8b9c-0d1e2f3a4b5c");
    second.does(&["login", "--url", &program.url, "--key", &other.key]);
    let told = second.asks(&["--json", "task", "resume", "shipping"]);
    let state = &told["state"];
    assert_eq!(names(&state["completed"]), ["add the shipping field"]);
    assert_eq!(names(&state["in_progress"]), ["use it in the total"]);
    assert_eq!(names(&state["pending"]), Vec::<&str>::new(), "nothing completed is pending again");
    assert_eq!(state["next_step"], "make test_total_with_shipping pass");
    let brief = told["markdown"].as_str().expect("a brief");
    assert!(brief.contains("legacy/totals.py") && brief.contains("add the shipping field"), "{brief}");
    let start = second.hook("session_start.json", &[]);
    let start: Value = serde_json::from_str(&start).expect("what the tool reads");
    let context = start["hookSpecificOutput"]["additionalContext"].as_str().expect("the brief").to_owned();
    for said in ["legacy/totals.py", "make test_total_with_shipping pass", "use it in the total"] {
        assert!(context.contains(said), "{said} is not in\n{context}");
    }

    let contradicts = "Shipping is not added by the Cart.";
    let refused = second.cairn(&["remember", "--kind", "decision", contradicts], "");
    assert_eq!(refused.status.code(), Some(5), "{}", String::from_utf8_lossy(&refused.stderr));
    let known = state["decisions"]
        .as_array()
        .expect("decisions")
        .iter()
        .find(|one| one["content"].as_str().is_some_and(|text| text.contains("Cart")));
    let known = known.expect("the decision")["id"].as_str().expect("an id").to_owned();
    let newer = second.asks(&["--json", "remember", "--kind", "decision", "--supersedes", &known, contradicts]);
    let older = agent.get(&format!("memories/{known}")).await.expect(200);
    assert_eq!((&older["state"], &older["superseded_by"], &newer["supersedes"]), (&json!("superseded"), &newer["id"], &json!(known)));
    let again = first.asks(&["--json", "task", "resume", "shipping"]);
    let texts = |list: &Value| list.as_array().into_iter().flatten().map(|one| one["content"].to_string()).collect::<String>();
    assert!(texts(&again["state"]["decisions"]).contains(contradicts), "what took its place binds");
    assert!(texts(&again["state"]["superseded"]).contains("added by the Cart"), "and the chain stays");
    program.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_heard_while_the_server_is_away_arrives_when_it_is_back_without_secrets() {
    let (house, agent, program) = served().await;
    let machine = Machine::new("run-without-server");
    machine.does(&["login", "--url", &program.url, "--key", &agent.key]);
    machine.hook("session_start.json", &[]);
    let port: u16 = program.url.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    program.kill().await;
    let secret = format!("gh{}_{}", "p", "q7Zr4Lm9Kx2Vb8Nc5Td1Wf6Hs3Jp0Yg4Ra7E");
    for n in 0..40 {
        machine.hook(
            "post_tool_use_bash.json",
            &[("/tool_input/command", json!(format!("echo {n} {secret}"))), ("/tool_use_id", json!(format!("t{n}")))],
        );
    }
    let (app, owner) = (house.postgres().login_url(house.database()), house.postgres().owner_url(house.database()));
    let settings = [("CAIRN_DATABASE_URL", app.as_str()), ("CAIRN_MIGRATION_DATABASE_URL", owner.as_str())];
    let program = Program::serve(port, house.folder(), &settings).await;
    machine.does(&["flush", "--wait"]);
    let runs = agent.lists("sessions").await;
    let log = format!("sessions/{}/events", runs[0]["id"].as_str().expect("an id"));
    until("everything arrives", async || agent.lists(&log).await.len() == 40).await;
    let commands: Vec<String> =
        agent.lists(&log).await.iter().map(|event| event["command"].as_str().expect("a command").to_owned()).collect();
    assert!(commands.iter().enumerate().all(|(n, command)| command.starts_with(&format!("echo {n} "))), "in order, once: {commands:?}");
    assert!(!house.dump().await.contains(&secret), "a secret is in the database");
    assert!(
        !std::fs::read_to_string(house.folder().join("server.log")).expect("a log").contains(&secret),
        "a secret is in the server's log"
    );
    let mut folders = vec![machine.home.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if let Ok(bytes) = std::fs::read(entry.path()) {
                assert!(!String::from_utf8_lossy(&bytes).contains(&secret), "a secret is in {}", entry.path().display());
            }
        }
    }
    program.kill().await;
}
