//! Memories on code, with real commits and the real `cairn`: what changes under a memory is said, and only that.

use cairn_tests::{Agent, House, Program, Role, at, items};
use serde_json::{Value, json};
use std::{
    path::PathBuf,
    process::{Command, Output},
};
use tempfile::TempDir;

const SERVICE: &str = "import hashlib\n\n\ndef authenticate_user(name, password):\n    user = find(name)\n    return user if user and matches(user, password) else None\n\n\ndef find(name):\n    return USERS.get(name)\n";

/// A developer's machine with a repository.
struct Machine {
    home: TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { home: tempfile::tempdir().expect("a folder") };
        std::fs::create_dir_all(machine.repository().join("auth")).expect("a folder");
        machine.git(&["init", "-q", "-b", "main"]);
        machine.git(&["remote", "add", "origin", "git@host.example:acme/shop.git"]);
        machine
    }

    fn repository(&self) -> PathBuf {
        self.home.path().join("shop")
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.repository()).args(["-c", "user.name=A", "-c", "user.email=a@b.example"]).args(arguments);
        said(command.env("HOME", self.home.path()).output().expect("git"))
    }

    fn cairn(&self, arguments: &[&str]) -> Value {
        let mut command = Command::new(Program::path().with_file_name("cairn"));
        command.current_dir(self.repository()).env_clear().env("HOME", self.home.path()).env("PATH", "/usr/bin:/bin");
        serde_json::from_str(&said(command.args(arguments).output().expect("cairn: build it first with `cargo build --bin cairn`")))
            .unwrap_or_default()
    }

    /// Writes, commits, syncs; the commit and what the server said of it.
    fn commits(&self, path: &str, text: &str) -> (String, Value) {
        std::fs::write(self.repository().join(path), text).expect("a file");
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "change"]);
        let told = self.cairn(&["sync", "--json"]);
        assert_eq!(told["sent"], true, "{told}");
        (self.git(&["rev-parse", "HEAD"]), told["answer"].clone())
    }
}

#[track_caller]
fn said(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

async fn served() -> (House, Agent, Program, Machine) {
    let house = House::open().await;
    let agent = house.agent("coding", Role::Writer).await;
    let (app, owner) = (house.postgres().login_url(house.database()), house.postgres().owner_url(house.database()));
    let settings = [("CAIRN_DATABASE_URL", app.as_str()), ("CAIRN_MIGRATION_DATABASE_URL", owner.as_str())];
    let program = Program::serve(Program::free_port(), house.folder(), &settings).await;
    let machine = Machine::new();
    machine.cairn(&["login", "--url", &program.url, "--key", &agent.key]);
    (house, agent, program, machine)
}

async fn freshness(agent: &Agent, memory: &Value) -> (String, String) {
    let now = agent.get(&at(memory)).await.expect(200);
    let said = &now["freshness"];
    (said["state"].as_str().unwrap_or_default().to_owned(), said["reasons"].to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refactored_function_makes_its_memory_stale_and_verifying_makes_it_fresh() {
    let (house, agent, _program, machine) = served().await;
    machine.commits("auth/service.py", SERVICE);
    let anchored = agent
        .remembers_all_of(json!({"kind": "fact", "content": "authenticate_user takes name and password, nothing else.",
            "anchors": [{"repo": "acme/shop", "path": "auth/service.py", "symbol": "authenticate_user"}]}))
        .await;
    let other = agent
        .remembers_all_of(json!({"kind": "fact", "content": "authenticate_user takes name and password, from the login page.",
            "anchors": [{"repo": "acme/shop", "path": "auth/service.py", "symbol": "find"}]}))
        .await;
    assert_eq!(freshness(&agent, &anchored).await.0, "fresh");

    // Laid out anew and commented: nothing happened.
    let laid_out = SERVICE
        .replace("(name, password):", "(\n    name,\n    password,\n):  # who is it?")
        .replace("USERS.get(name)", "(USERS.get((name)))");
    let (_, answer) = machine.commits("auth/service.py", &laid_out);
    assert_eq!(answer["counts"], json!({"stale": 0, "suspect": 0, "moved": 0, "fresh": 0}), "{answer}");

    let (commit, answer) = machine.commits("auth/service.py", &SERVICE.replace("name, password):", "name, password, otp=None):"));
    assert_eq!(answer["stale"][0]["memory_id"], anchored["id"], "{answer}");
    let (state, reasons) = freshness(&agent, &anchored).await;
    assert_eq!(state, "stale");
    assert!(reasons.contains(&commit[..7]) && reasons.contains("auth/service.py") && reasons.contains("signature"), "{reasons}");
    let told = agent.asks(json!({"query": "what does authenticate_user take: name and password?", "detail": "full"})).await;
    let order: Vec<&Value> = items(&told).iter().map(|item| &item["memory_id"]).collect();
    let place = |memory: &Value| order.iter().position(|id| **id == memory["id"]);
    assert!(place(&other) < place(&anchored) && place(&other).is_some(), "the fresh one first: {told}");
    let marked = items(&told).iter().find(|item| item["memory_id"] == anchored["id"]).expect("told, and marked");
    assert_eq!(marked["freshness"]["state"], "stale");
    assert!(marked["freshness"]["reasons"].to_string().contains(&commit[..7]), "{marked}");

    house.person("coding", Role::Reviewer).await.post(&format!("{}/verify", at(&anchored)), json!({})).await.expect(200);
    assert_eq!(freshness(&agent, &anchored).await.0, "fresh");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_moves_takes_its_memory_along_and_a_revert_makes_it_fresh() {
    let (_house, agent, _program, machine) = served().await;
    machine.commits("auth/service.py", SERVICE);
    let memory = agent
        .remembers_all_of(json!({"kind": "fact", "content": "find looks a user up by name.",
            "anchors": [{"repo": "acme/shop", "path": "auth/service.py", "symbol": "find"}]}))
        .await;
    machine.commits("auth/service.py", &SERVICE.replace("USERS.get(name)", "USERS.get(name.lower())"));
    assert_eq!(freshness(&agent, &memory).await.0, "suspect");
    machine.git(&["revert", "--no-edit", "HEAD"]);
    machine.cairn(&["sync", "--json"]);
    assert_eq!(freshness(&agent, &memory).await.0, "fresh");

    let (before, moved) = SERVICE.split_at(SERVICE.find("def find").expect("find"));
    std::fs::write(machine.repository().join("auth/users.py"), moved).expect("a file");
    let (_, answer) = machine.commits("auth/service.py", before);
    assert_eq!((&answer["moved"][0]["path"], &answer["stale"]), (&json!("auth/users.py"), &json!([])), "{answer}");
    assert_eq!(freshness(&agent, &memory).await.0, "fresh");
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_feature_branch_one_is_told_what_holds_there() {
    let (_house, agent, _program, machine) = served().await;
    machine.commits("auth/service.py", SERVICE);
    let memory = agent
        .remembers_all_of(json!({"kind": "decision", "content": "Logging in takes name and password, nothing else.",
            "anchors": [{"repo": "acme/shop", "path": "auth/service.py", "symbol": "authenticate_user"}]}))
        .await;
    machine.git(&["checkout", "-q", "-b", "feature/otp"]);
    machine.commits("auth/service.py", &SERVICE.replace("name, password):", "name, password, otp=None):"));
    let told = machine.cairn(&["recall", "--json", "what does logging in take?"]);
    let item = items(&told).iter().find(|item| item["memory_id"] == memory["id"]).expect("told");
    assert_eq!((&item["freshness"]["state"], &told["branch"]), (&json!("stale"), &json!("feature/otp")), "{told}");
    let brief = machine.cairn(&["context", "--json"]);
    assert!(brief["markdown"].as_str().expect("a brief").contains("(auth/service.py on feature/otp)"), "{brief}");
    machine.git(&["checkout", "-q", "main"]);
    let told = machine.cairn(&["recall", "--json", "what does logging in take?"]);
    assert_eq!(items(&told)[0]["freshness"]["state"], "fresh", "{told}");
    assert!(!machine.cairn(&["context", "--json"])["markdown"].as_str().expect("a brief").contains("stale"));
}
