//! The demo's repository, as `cairn sync` would tell of it: names, lines and fingerprints. It is seen twice, so that some
//! memories no longer hold, and once more on a branch.

use super::{Failure, caller::Api, runs::Cast};
use crate::model::text::{hex, sha256};
use serde_json::{Value, json};

/// A file, and in it each symbol with how it is called and what it does.
type File = (&'static str, &'static [(&'static str, &'static str, &'static str, &'static str)]);

const FILES: &[File] = &[
    ("Cargo.toml", &[]),
    ("README.md", &[]),
    ("docs/settlement.md", &[]),
    (
        "src/auth/tokens.rs",
        &[
            ("Claims", "struct", "Claims { sub, exp }", "sub exp"),
            ("sign", "function", "sign(claims)", "rs256"),
            ("verify", "function", "verify(token) -> Claims", "check the key id"),
            ("KEY_ID", "constant", "KEY_ID: &str", "2026-03"),
        ],
    ),
    (
        "src/auth/keys.rs",
        &[
            ("KeyRing", "struct", "KeyRing { now, next }", "two keys"),
            ("KeyRing.rotate", "method", "rotate(&mut self)", "next becomes now"),
            ("KeyRing.public", "method", "public(&self) -> Jwks", "both"),
        ],
    ),
    ("src/auth/mod.rs", &[]),
    ("src/http/routes.rs", &[("routes", "function", "routes() -> Router", "v1"), ("jwks", "function", "jwks() -> Json", "public keys")]),
    ("src/http/mod.rs", &[]),
    (
        "src/ledger/amount.rs",
        &[
            ("Amount", "struct", "Amount { minor, currency }", "integers"),
            ("Amount.parse", "method", "parse(text) -> Amount", "minor units"),
            ("Amount.add", "method", "add(self, other) -> Amount", "same currency only"),
        ],
    ),
    ("src/ledger/export.rs", &[("export_month", "function", "export_month(month) -> Csv", "one file a month")]),
    (
        "src/problem.rs",
        &[
            ("Problem", "enum", "Problem", "status, code, detail"),
            ("Problem.into_response", "method", "into_response(self)", "problem+json"),
        ],
    ),
    (
        "src/settlement/retry.rs",
        &[
            ("Backoff", "struct", "Backoff { first, most }", "doubles"),
            ("Backoff.next", "method", "next(&mut self) -> Duration", "2 s to 64 s"),
            ("retry", "function", "retry(settlement)", "six times"),
        ],
    ),
    ("src/settlement/mod.rs", &[("settle", "function", "settle(batch)", "in order")]),
    ("src/upstream/pool.rs", &[("Pool", "struct", "Pool { idle }", "25 s"), ("Pool.get", "method", "get(&self)", "check, then lend")]),
    ("src/upstream/legacy.rs", &[("fetch", "function", "fetch(url)", "one connection a call")]),
    ("src/main.rs", &[("main", "function", "main()", "serve")]),
    ("tests/settlement.rs", &[("retries_are_idempotent", "function", "retries_are_idempotent()", "injected clock")]),
    ("tests/auth.rs", &[("old_tokens_hold", "function", "old_tokens_hold()", "across a rotation")]),
    ("tests/harness/postgres.rs", &[("Postgres", "struct", "Postgres", "private")]),
];

/// What came after: another signature, another body, a file that went.
const LATER: &[File] = &[
    (
        "src/settlement/retry.rs",
        &[
            ("Backoff", "struct", "Backoff { first, most }", "doubles"),
            ("Backoff.next", "method", "next(&mut self) -> Duration", "2 s to 64 s, with jitter"),
            ("retry", "function", "retry(settlement, key)", "six times, with the key"),
        ],
    ),
    ("src/upstream/legacy.rs", &[]),
];

const ON_A_BRANCH: &[File] = &[(
    "src/auth/tokens.rs",
    &[
        ("Claims", "struct", "Claims { sub, exp }", "sub exp"),
        ("sign", "function", "sign(claims, ring)", "the key of now"),
        ("verify", "function", "verify(token, ring) -> Claims", "either key"),
    ],
)];

/// The first picture, and what hangs on it.
pub async fn before(cast: &Cast<'_>, coder: &Api<'_>, grace: &Api<'_>) -> Result<(), Failure> {
    cast.post(coder, "code/snapshots", picture("main", "8c41f07", &[])).await?;
    for (by, body) in [
        (
            coder,
            json!({"kind": "discovery", "project": "gateway", "title": "retry() may be called twice for one settlement", "tags": ["settlement"],
            "content": "A settlement whose answer was lost comes to `retry` a second time; it must not be paid again.",
            "anchors": [{"repo": "gateway", "path": "src/settlement/retry.rs", "symbol": "retry"}, {"repo": "gateway", "path": "src/settlement/mod.rs", "symbol": "settle"}]}),
        ),
        (
            coder,
            json!({"kind": "fact", "project": "gateway", "title": "Pauses between retries", "tags": ["settlement"],
            "content": "The pause doubles from 2 s to 64 s.", "anchors": [{"repo": "gateway", "path": "src/settlement/retry.rs", "symbol": "Backoff.next"}]}),
        ),
        (
            coder,
            json!({"kind": "discovery", "project": "gateway", "title": "The legacy client opens a connection for every call", "tags": ["network"],
            "content": "`fetch` opens a connection for every call and closes it again; under load the ports run out.",
            "anchors": [{"repo": "gateway", "path": "src/upstream/legacy.rs", "symbol": "fetch"}]}),
        ),
        (
            coder,
            json!({"kind": "pattern", "project": "gateway", "title": "Verify tokens in one place", "tags": ["auth"],
            "content": "Handlers call `verify` and look at nothing in the token themselves.",
            "anchors": [{"repo": "gateway", "path": "src/auth/tokens.rs", "symbol": "verify"}, {"repo": "gateway", "path": "src/http/routes.rs", "symbol": "routes"}]}),
        ),
        (
            grace,
            json!({"kind": "decision", "project": "gateway", "title": "Keep two signing keys while rotating", "tags": ["auth", "security"],
            "content": "The ring holds the key of now and the next one; both are published a day before the change.\n\nWhy: sessions must not end.",
            "anchors": [{"repo": "gateway", "path": "src/auth/keys.rs", "symbol": "KeyRing.rotate"}, {"repo": "gateway", "path": "src/auth/keys.rs", "symbol": "KeyRing.public"}]}),
        ),
        (
            coder,
            json!({"kind": "pattern", "project": "ledger", "title": "Amounts are parsed, never built", "tags": ["ledger", "money"],
            "content": "Every amount comes from `Amount.parse`, so that the unit is never in doubt.",
            "anchors": [{"repo": "gateway", "path": "src/ledger/amount.rs", "symbol": "Amount.parse"}]}),
        ),
    ] {
        cast.post(by, "memories", body).await?;
    }
    Ok(())
}

/// What became of it.
pub async fn after(cast: &Cast<'_>, coder: &Api<'_>) -> Result<(), Failure> {
    cast.post(coder, "code/snapshots", picture("main", "3f2a1c9", LATER)).await?;
    cast.post(coder, "code/snapshots", picture("rotate-keys", "b07d5e2", ON_A_BRANCH)).await?;
    Ok(())
}

/// A complete picture: the files above, some of them as they are by then; one without symbols there is gone.
fn picture(branch: &str, commit: &str, changed: &[File]) -> Value {
    let now = |path: &str| changed.iter().find(|(one, _)| *one == path);
    let files = FILES.iter().filter_map(|file| match now(file.0) {
        Some((_, [])) => None,
        Some(changed) => Some(told(changed)),
        None => Some(told(file)),
    });
    json!({"repo": "gateway", "branch": branch, "commit": commit, "complete": true, "files": files.collect::<Vec<_>>()})
}

fn told((path, symbols): &File) -> Value {
    let known: Vec<Value> = (0..)
        .zip(*symbols)
        .map(|(place, (name, kind, signature, body)): (u32, _)| {
            json!({"name": name, "kind": kind, "signature_hash": print(signature), "body_hash": print(body),
                "start_line": 8 + 24 * place, "end_line": 28 + 24 * place})
        })
        .collect();
    json!({"path": path, "sha256": print(&format!("{path} {known:?}")), "symbols": known})
}

fn print(text: &str) -> String {
    hex(&sha256(text))[..32].to_owned()
}
