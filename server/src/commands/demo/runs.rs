//! What ran in the demo: sessions with their logs, tasks, questions, a review queue, a dream, a hold and an erasure.

use super::{Failure, caller::Api, code, text};
use crate::model::clock;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

/// Those who act, by the workspace's own lists.
pub struct Cast<'a> {
    pub base: String,
    pub admin: &'a Api<'a>,
    pub people: &'a [Api<'a>],
    pub agents: &'a [Api<'a>],
    /// What was remembered, in order.
    pub made: &'a [Value],
}

/// A run of the story, if the workspace has one.
pub async fn tell(slug: &str, cast: &Cast<'_>) -> Result<(), Failure> {
    match slug {
        "coding" => coding(cast).await,
        "support" => support(cast).await,
        _ => Ok(()),
    }
}

impl Cast<'_> {
    pub async fn post(&self, by: &Api<'_>, path: &str, body: Value) -> Result<Value, Failure> {
        by.post(&format!("{}/{path}", self.base), body).await
    }

    /// Begins a run and writes its log, events a minute apart, the last one a few minutes ago.
    async fn run(&self, by: &Api<'_>, begin: Value, log: &[Value]) -> Result<String, Failure> {
        let session = text(&self.post(by, "sessions", begin).await?["id"]);
        let count = i32::try_from(log.len()).unwrap_or_default();
        let events: Vec<Value> = (0..)
            .zip(log)
            .map(|(place, event): (i32, _)| {
                let mut event = event.clone();
                event["at"] = json!(moment(clock::now() - Duration::seconds(40) * (count - place)));
                event
            })
            .collect();
        self.post(by, &format!("sessions/{session}/events"), json!({ "events": events })).await?;
        Ok(session)
    }

    async fn ask(&self, by: &Api<'_>, query: &str, session: Option<&str>) -> Result<Value, Failure> {
        self.post(by, "recall", json!({"query": query, "limit": 5, "session_id": session})).await
    }

    /// Says of the best of an answer what it was worth.
    async fn judge(&self, by: &Api<'_>, answer: &Value, verdict: &str) -> Result<(), Failure> {
        if let Some(best) = answer["items"].get(0) {
            let path = format!("receipts/{}/feedback", text(&answer["receipt_id"]));
            self.post(by, &path, json!({"memory_id": best["memory_id"], "verdict": verdict})).await?;
        }
        Ok(())
    }
}

fn moment(at: OffsetDateTime) -> String {
    at.format(&Rfc3339).unwrap_or_default()
}

async fn coding(cast: &Cast<'_>) -> Result<(), Failure> {
    let [coder, ci] = cast.agents else { return Ok(()) };
    let [grace, mei] = cast.people else { return Ok(()) };
    for (key, title) in [
        ("settlement-retries", "Make settlement retries idempotent"),
        ("token-rotation", "Rotate the signing keys without ending sessions"),
        ("ledger-export", "Export the ledger for the auditors, month by month"),
        ("drop-docker", "Tests run without Docker"),
    ] {
        cast.post(coder, "tasks", json!({"key": key, "title": title, "project": "gateway"})).await?;
    }
    decisions(cast, grace).await?;
    code::before(cast, coder, grace).await?;
    settlement(cast, coder).await?;
    docker(cast, coder).await?;
    keys(cast, coder).await?;
    rotation(cast, coder).await?;
    code::after(cast, coder).await?;
    for (by, query, verdict) in [
        (coder, "how do we sign service tokens?", "helpful"),
        (coder, "which errors do handlers return", "used"),
        (ci, "how are the tests run", "helpful"),
        (coder, "idle connections reset by the load balancer", "used"),
        (coder, "are deploys allowed on friday", "helpful"),
        (ci, "are migrations reversible", "stale"),
        (coder, "in which unit are amounts kept", "used"),
        (coder, "how large may a pull request be", "used"),
        (grace, "what does the partner gateway support", "helpful"),
        (coder, "when was the staging certificate renewed", "wrong"),
    ] {
        let answer = cast.ask(by, query, None).await?;
        cast.judge(by, &answer, verdict).await?;
    }
    waiting(cast, coder, grace).await?;
    cast.post(
        mei,
        "holds",
        json!({"memory_ids": [cast.made[1]["id"]], "reason": "Dispute with the partner over failed settlements, matter 2026-14"}),
    )
    .await?;
    erasure(cast, coder, grace).await?;
    cast.post(
        coder,
        "deletion-requests",
        json!({"memory_ids": [cast.made[12]["id"]], "reason": "The partner has switched it off; nobody needs the address"}),
    )
    .await?;
    dream(cast).await
}

/// A dream, to its end: what follows finds the house at rest.
async fn dream(cast: &Cast<'_>) -> Result<(), Failure> {
    let id = text(&cast.post(cast.admin, "dreams", json!({"mode": "review"})).await?["id"]);
    for _ in 0..100 {
        let state = cast.admin.get(&format!("{}/dreams/{id}", cast.base)).await?;
        if state["state"] != "running" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    Ok(())
}

/// A decision that was changed twice, each time by another.
async fn decisions(cast: &Cast<'_>, grace: &Api<'_>) -> Result<(), Failure> {
    let first = json!({"kind": "decision", "project": "gateway", "title": "Retry a settlement three times",
        "content": "A failed settlement is retried three times, ten seconds apart.\n\nWhy: most failures were restarts of the partner's gateway.", "tags": ["settlement"]});
    let first = cast.post(grace, "memories", first).await?;
    let second = json!({"title": "Retry settlements with growing pauses",
        "content": "A failed settlement is retried up to six times; the pause doubles from 2 s to 64 s, with jitter.\n\nWhy: fixed pauses made all workers return at once after an outage."});
    let second = cast.post(grace, &format!("memories/{}/supersede", text(&first["id"])), second).await?;
    let third = json!({"title": "Retry settlements with an idempotency key",
        "content": "Retries keep the growing pauses and carry the settlement's id as `Idempotency-Key`.\n\nWhy: on 3 October eleven settlements were paid twice, because the first answer was lost and not the payment.\n\n| attempt | pause |\n|---|---|\n| 1 | 2 s |\n| 2 | 4 s |\n| 6 | 64 s |"});
    let third = cast.post(grace, &format!("memories/{}/supersede", text(&second["id"])), third).await?;
    cast.post(grace, &format!("memories/{}/verify", text(&third["id"])), json!({"note": "agreed with the partner"})).await?;
    Ok(())
}

async fn settlement(cast: &Cast<'_>, coder: &Api<'_>) -> Result<(), Failure> {
    let begin = json!({"agent_tool": "claude-code", "external_id": "demo-1", "project": "gateway", "task": "settlement-retries",
        "branch": "idempotent-retries", "commit": "3f2a1c9", "cwd": "/home/ada/gateway"});
    let log = [
        json!({"type": "prompt", "text": "The nightly build fails on settlement::retries_are_idempotent. Find out why and fix it."}),
        json!({"type": "file_read", "path": "src/settlement/retry.rs"}),
        json!({"type": "file_read", "path": "tests/settlement.rs"}),
        json!({"type": "command", "command": "cargo test -p gateway settlement", "exit_code": 101,
            "output": "test settlement::retries_are_idempotent ... FAILED\nassertion `left == right` failed\n  left: 2\n right: 1\n\nfailures:\n    settlement::retries_are_idempotent\n\ntest result: FAILED. 11 passed; 1 failed"}),
        json!({"type": "search", "text": "Idempotency-Key"}),
        json!({"type": "file_edit", "path": "src/settlement/retry.rs"}),
        json!({"type": "file_edit", "path": "tests/settlement.rs"}),
        json!({"type": "command", "command": "cargo test -p gateway settlement", "exit_code": 0, "output": "test result: ok. 12 passed; 0 failed"}),
        json!({"type": "prompt", "text": "No, do not sleep in the test: use the clock that the harness injects."}),
        json!({"type": "file_edit", "path": "tests/settlement.rs"}),
        json!({"type": "command", "command": "cargo test -p gateway settlement", "exit_code": 0, "output": "test result: ok. 12 passed; 0 failed"}),
        json!({"type": "message", "text": "The test read the wall clock; with the injected clock it passes 200 times in a row."}),
    ];
    let session = cast.run(coder, begin, &log).await?;
    cast.ask(coder, "how are settlements retried?", Some(&session)).await?;
    let said = "DECIDED: tests of the settlement use the injected clock, never the wall clock\n[x] find out why the nightly build fails\n[x] send the settlement's id as idempotency key\n[ ] measure retries on staging\nFOUND: the partner answers 409 to a repeated key within 24 hours, and 201 after that\nNEXT: run a day of retries on staging and compare the ledger";
    cast.post(coder, &format!("sessions/{session}/checkpoints"), json!({"text": said, "on_conflict": "propose"})).await?;
    cast.post(
        coder,
        &format!("sessions/{session}/end"),
        json!({"summary": "Retries carry an idempotency key; the nightly test no longer depends on the wall clock"}),
    )
    .await?;
    Ok(())
}

async fn docker(cast: &Cast<'_>, coder: &Api<'_>) -> Result<(), Failure> {
    let begin = json!({"agent_tool": "codex", "external_id": "demo-2", "project": "gateway", "task": "drop-docker", "branch": "no-docker"});
    let log = [
        json!({"type": "prompt", "text": "Let the tests start a private Postgres instead of a container."}),
        json!({"type": "file_edit", "path": "tests/harness/postgres.rs"}),
        json!({"type": "command", "command": "make test", "exit_code": 0, "output": "412 tests passed"}),
    ];
    let session = cast.run(coder, begin, &log).await?;
    cast.post(
        coder,
        &format!("sessions/{session}/checkpoints"),
        json!({"progress": [{"item": "start a private Postgres", "status": "completed"}]}),
    )
    .await?;
    cast.post(coder, &format!("sessions/{session}/end"), json!({"summary": "The tests start a private Postgres of their own"})).await?;
    cast.post(coder, "tasks/drop-docker/complete", json!({})).await?;
    Ok(())
}

/// One that looked around before the other began.
async fn keys(cast: &Cast<'_>, coder: &Api<'_>) -> Result<(), Failure> {
    let begin = json!({"agent_tool": "claude-code", "external_id": "demo-4", "project": "gateway", "task": "token-rotation", "branch": "rotate-keys"});
    let read = |path: &str| json!({"type": "file_read", "path": path});
    let log = [
        json!({"type": "prompt", "text": "Where are signing keys read, and what would two of them at once break?"}),
        read("src/auth/tokens.rs"),
        read("src/auth/keys.rs"),
        read("src/http/routes.rs"),
        read("tests/auth.rs"),
        json!({"type": "file_edit", "path": "src/auth/keys.rs"}),
        json!({"type": "file_edit", "path": "src/auth/tokens.rs"}),
        read("src/problem.rs"),
        json!({"type": "file_edit", "path": "tests/auth.rs"}),
        json!({"type": "command", "command": "cargo test -p gateway auth", "exit_code": 0, "output": "test result: ok. 31 passed; 0 failed"}),
    ];
    let session = cast.run(coder, begin, &log).await?;
    cast.ask(coder, "what depends on the signing key?", Some(&session)).await?;
    cast.post(coder, &format!("sessions/{session}/end"), json!({"summary": "Only tokens.rs and the key set read signing keys"})).await?;
    Ok(())
}

/// One that is still under way.
async fn rotation(cast: &Cast<'_>, coder: &Api<'_>) -> Result<(), Failure> {
    let begin = json!({"agent_tool": "claude-code", "external_id": "demo-3", "project": "gateway", "task": "token-rotation", "branch": "rotate-keys"});
    let log = [
        json!({"type": "prompt", "text": "Rotate the signing keys so that no session ends."}),
        json!({"type": "file_read", "path": "src/auth/tokens.rs"}),
        json!({"type": "tool_use", "tool": "recall", "input": {"query": "signing keys"}}),
        json!({"type": "file_edit", "path": "src/auth/keys.rs"}),
    ];
    let session = cast.run(coder, begin, &log).await?;
    cast.ask(coder, "how are service tokens signed, and since when?", Some(&session)).await?;
    let said = json!({"progress": [
        {"item": "keep two keys at once", "status": "completed"},
        {"item": "publish both in the key set", "status": "in_progress"},
        {"item": "retire the old key after a day", "status": "pending"}], "next_step": "serve both keys under /.well-known/jwks.json"});
    cast.post(coder, &format!("sessions/{session}/checkpoints"), said).await?;
    Ok(())
}

/// What a person has to look at: unsure, contradicting, suspicious.
async fn waiting(cast: &Cast<'_>, coder: &Api<'_>, grace: &Api<'_>) -> Result<(), Failure> {
    for body in [
        json!({"kind": "discovery", "project": "gateway", "title": "The partner may throttle at 50 requests a second", "confidence": 0.3,
            "content": "Two of nine bursts above 50 requests a second were answered with 429. It may be their limit, or chance.", "tags": ["partner"]}),
        json!({"kind": "decision", "title": "Deploy on Fridays until 16:00", "on_conflict": "propose",
            "content": "Deploys on Fridays are allowed until 16:00 UTC.\n\nWhy: the release train is too slow otherwise.", "tags": ["deploy"]}),
        json!({"kind": "discovery", "project": "ledger", "content": "Ledger tokens are signed with RS256."}),
        json!({"kind": "discovery", "project": "ledger", "content": "Ledger tokens are signed with HS256."}),
    ] {
        cast.post(coder, "memories", body).await?;
    }
    cast.post(grace, "conflicts/sweep", json!({"anew": true})).await?;
    Ok(())
}

/// Asked by an agent, approved and executed by a person, certified.
async fn erasure(cast: &Cast<'_>, coder: &Api<'_>, grace: &Api<'_>) -> Result<(), Failure> {
    let body = json!({"kind": "fact", "title": "Contact at the partner", "content": "Reach the partner's on-call engineer under +44 20 7946 0018.", "tags": ["partner"]});
    let memory = cast.post(coder, "memories", body).await?;
    let asked = json!({"memory_ids": [memory["id"]], "reason": "A private number, noted by mistake"});
    let request = text(&cast.post(coder, "deletion-requests", asked).await?["id"]);
    for step in ["approve", "execute"] {
        cast.post(grace, &format!("deletion-requests/{request}/{step}"), json!({})).await?;
    }
    Ok(())
}

async fn support(cast: &Cast<'_>) -> Result<(), Failure> {
    let [triage] = cast.agents else { return Ok(()) };
    cast.post(triage, "tasks", json!({"key": "double-charges", "title": "Find out where double charges come from"})).await?;
    let begin = json!({"agent_tool": "triage", "external_id": "demo-1", "task": "double-charges"});
    let log = [
        json!({"type": "prompt", "text": "Customer 20931 was charged twice for one order."}),
        json!({"type": "tool_use", "tool": "ledger.search", "input": {"order": "A-20931"}}),
        json!({"type": "tool_result", "tool": "ledger.search", "output": "2 charges, 41 s apart"}),
        json!({"type": "message", "text": "Refunded the later charge; told the customer it takes 3 to 5 working days."}),
    ];
    let session = cast.run(triage, begin, &log).await?;
    for query in ["how do I refund a double charge?", "in which language do we answer?", "why are customers charged twice"] {
        let answer = cast.ask(triage, query, Some(&session)).await?;
        cast.judge(triage, &answer, "used").await?;
    }
    cast.post(triage, &format!("sessions/{session}/checkpoints"), json!({"progress": [{"item": "refund order A-20931", "status": "completed"}], "next_step": "ask the shop to disable the button while paying"})).await?;
    cast.post(triage, &format!("sessions/{session}/end"), json!({"summary": "A double charge refunded; the back button again"})).await?;
    Ok(())
}
