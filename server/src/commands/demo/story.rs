//! What happened in the demo: a coding team's payment gateway and its support desk.

pub struct Workspace {
    pub slug: &'static str,
    pub name: &'static str,
    pub purpose: &'static str,
    pub people: &'static [Person],
    pub agents: &'static [Agent],
    pub steps: &'static [Step],
}

pub struct Person {
    pub email: &'static str,
    pub name: &'static str,
    pub role: &'static str,
}

pub struct Agent {
    pub name: &'static str,
    pub project: Option<&'static str>,
}

pub enum By {
    Admin,
    Person(usize),
    Agent(usize),
}

/// One call: on nothing it remembers, on the n-th memory it does what the verb says.
pub struct Step {
    pub by: By,
    pub method: &'static str,
    pub on: Option<usize>,
    pub verb: &'static str,
    pub body: &'static str,
}

const fn remember(by: By, body: &'static str) -> Step {
    Step { by, method: "POST", on: None, verb: "", body }
}

const fn on(by: By, method: &'static str, memory: usize, verb: &'static str, body: &'static str) -> Step {
    Step { by, method, on: Some(memory), verb, body }
}

pub const WORKSPACES: &[Workspace] = &[CODING, SUPPORT];

const CODING: Workspace = Workspace {
    slug: "coding",
    name: "Harbor engineering",
    purpose: "What the coding agents know of the payment gateway",
    people: &[
        Person { email: "grace@harbor.example", name: "Grace Okafor", role: "reviewer" },
        Person { email: "mei@harbor.example", name: "Mei Tanaka", role: "auditor" },
    ],
    agents: &[Agent { name: "coding-agent", project: None }, Agent { name: "gateway-ci", project: Some("gateway") }],
    steps: &[
        remember(
            By::Person(0),
            r#"{"kind":"decision","project":"gateway","path":"/decisions/sign-service-tokens-with-eddsa.md","title":"Sign service tokens with EdDSA","content":"Service tokens are signed with EdDSA (Ed25519).\n\nWhy: smaller and quicker to verify than RSA, and every library we use supports it.\nAgreed in the security review of March.","tags":["auth","security"],"source":{"type":"message","ref":"security review, 12 March"},"anchors":[{"repo":"gateway","path":"src/auth/tokens.rs","symbol":"sign"}]}"#,
        ),
        remember(
            By::Agent(0),
            r#"{"kind":"discovery","project":"gateway","title":"The partner gateway cannot verify EdDSA","content":"The partner's gateway answers 401 to every token signed with EdDSA. Their library is from 2019 and knows RS256 and ES256 only.\n\nFound while tracing failed settlements: 214 of 214 calls with EdDSA failed, 0 of 50 with RS256.","tags":["auth","partner"],"confidence":0.95,"source":{"type":"session","ref":"settlement failures"}}"#,
        ),
        on(
            By::Person(0),
            "POST",
            0,
            "/supersede",
            r#"{"path":"/decisions/sign-service-tokens-with-rs256.md","title":"Sign service tokens with RS256","content":"Service tokens are signed with RS256 until the partner's gateway verifies EdDSA.\n\nWhy: their library knows RS256 and ES256 only (see the discovery on the partner gateway). Revisit when they upgrade, planned for next year."}"#,
        ),
        remember(
            By::Agent(0),
            r#"{"kind":"pattern","project":"gateway","title":"Errors are problem+json","content":"Every handler returns `Result<_, Problem>`; `Problem` becomes RFC 9457 problem+json in one place.\n\nDo not build error bodies by hand.","tags":["errors","api"],"anchors":[{"repo":"gateway","path":"src/problem.rs","symbol":"Problem"}]}"#,
        ),
        remember(
            By::Agent(0),
            r#"{"kind":"procedure","project":"gateway","title":"Run the gateway's tests","content":"make test\n\nStarts a throw-away Postgres by itself. For one area: cargo test -p gateway settlement.","tags":["tests"]}"#,
        ),
        on(
            By::Agent(0),
            "PATCH",
            4,
            "",
            r#"{"content":"make test\n\nStarts a throw-away Postgres by itself; needs no Docker any more. For one area: cargo test -p gateway settlement.","reason":"Docker is no longer needed since the move to the private Postgres"}"#,
        ),
        on(By::Person(0), "POST", 4, "/verify", r#"{"note":"ran it on a fresh checkout"}"#),
        remember(
            By::Agent(1),
            r#"{"kind":"episode","title":"Nightly build of 9 October","content":"Goal: green main.\nDid: 412 tests, 1 failed (settlement::retries_are_idempotent), passed on the second run.\nOpen: the test depends on the wall clock.","tags":["ci"]}"#,
        ),
        remember(
            By::Agent(0),
            r#"{"kind":"discovery","project":"gateway","title":"Idle upstream connections are dropped after 30 s","content":"The load balancer drops idle connections after 30 seconds; the first request on one fails with a reset.\n\nSetting `pool_idle_timeout = 25s` ends it.","tags":["network","timeouts"],"anchors":[{"repo":"gateway","path":"src/upstream/pool.rs"}]}"#,
        ),
        remember(
            By::Person(0),
            r#"{"kind":"preference","title":"Small pull requests","content":"Grace reviews pull requests of up to 300 changed lines the same day; larger ones wait. Split by slice, not by layer.","tags":["review"],"subject":"grace@harbor.example"}"#,
        ),
        remember(
            By::Admin,
            r#"{"kind":"decision","title":"No deploys on Fridays","content":"Nothing is deployed between Friday 12:00 and Monday 06:00 UTC, except for a fix that an incident asks for.\n\nWhy: three of the last four weekend incidents began with a Friday deploy.","tags":["deploy"]}"#,
        ),
        remember(
            By::Agent(0),
            r#"{"kind":"fact","project":"ledger","title":"Ledger amounts are in minor units","content":"All amounts in the ledger are integers in minor units (cents). The column `amount` has no currency; `currency` stands beside it.","tags":["ledger","money"]}"#,
        ),
        remember(
            By::Agent(0),
            r#"{"kind":"fact","project":"gateway","title":"The staging certificate","content":"The staging certificate was renewed by hand; the automation is paused until the DNS move is over.","tags":["tls"],"expires_at":"2026-10-01T00:00:00Z"}"#,
        ),
        remember(
            By::Agent(0),
            r#"{"kind":"pattern","project":"ledger","title":"Migrations are forward-only","content":"Migrations are numbered, forward-only and never edited after landing. Undo with a new one.","tags":["database"],"stale_after":"2026-11-01T00:00:00Z"}"#,
        ),
        remember(
            By::Agent(0),
            r#"{"kind":"fact","project":"gateway","title":"Old sandbox address","content":"The partner's sandbox lives at sandbox.partner.example.","tags":["partner"]}"#,
        ),
        on(By::Agent(0), "DELETE", 12, "", "{}"),
    ],
};

const SUPPORT: Workspace = Workspace {
    slug: "support",
    name: "Harbor support",
    purpose: "What the support agents know of customers and cases",
    people: &[
        Person { email: "tomas@harbor.example", name: "Tomás Rivera", role: "reviewer" },
        Person { email: "mei@harbor.example", name: "Mei Tanaka", role: "auditor" },
    ],
    agents: &[Agent { name: "triage-agent", project: None }],
    steps: &[
        remember(
            By::Agent(0),
            r#"{"kind":"procedure","title":"Refund a double charge","content":"1. Find both charges in the ledger by order id.\n2. Refund the later one; the reason is `duplicate`.\n3. Tell the customer it takes 3 to 5 working days.\n\nAbove 500 EUR ask Tomás first.","tags":["refunds"]}"#,
        ),
        remember(
            By::Agent(0),
            r#"{"kind":"discovery","title":"Double charges come from the back button","content":"17 of 20 double charges this month: the customer went back from the bank's page and paid again. The shop's button is not disabled meanwhile.","tags":["refunds","checkout"],"confidence":0.85}"#,
        ),
        remember(
            By::Person(0),
            r#"{"kind":"decision","title":"Answer in the customer's language","content":"Answers go out in the language of the first message; internal notes stay in English.\n\nWhy: satisfaction was 12 points lower where we answered in English.","tags":["tone"]}"#,
        ),
        remember(
            By::Agent(0),
            r#"{"kind":"preference","title":"Customer 4711 wants phone calls","content":"Prefers to be called, mornings only.","tags":["customers"],"subject":"customer-4711","visibility":"workspace"}"#,
        ),
        remember(
            By::Agent(0),
            r#"{"kind":"episode","title":"Case 20931: payment page blank","content":"Goal: payment page blank on an old tablet.\nDid: reproduced with an outdated browser; gave the customer the link for phones.\nOpen: no message tells them to update.","tags":["cases"]}"#,
        ),
        remember(
            By::Agent(0),
            r#"{"kind":"pattern","title":"Apologise once","content":"One apology at the top, then what happens next and when. No second apology at the end.","tags":["tone"]}"#,
        ),
        on(By::Agent(0), "POST", 3, "deletion", r#"{"reason":"The customer asked us to forget this (ticket 20977)."}"#),
    ],
};
