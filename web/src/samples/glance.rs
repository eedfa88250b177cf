//! The overview, search, receipts and decisions.

use super::{HOSTILE, NOW, Sample, authors, chrome, hostile_chrome};
use crate::{
    Actor, Chrome,
    chart::Columns,
    decisions,
    explain::Explained,
    memories::Freshness,
    overview::{Active, KindCount, Known, Needs, Newest, Overview, Recalled},
    receipts,
    search::{self, Search},
};
use time::Duration;

const ID: &str = "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b10";

pub(super) fn samples() -> Vec<Sample> {
    let calm = Overview { needs: Needs::default(), agents: Vec::new(), most_recalled: Vec::new(), decisions: Vec::new(), ..overview() };
    let counting = Overview { known: None, ..overview() };
    let first = Overview { known: Some(Known::default()), writes: columns("Writes", 0), ..overview() };
    let asking = Search { answer: None, filters: search::Filters::default(), ..search() };
    let mut nothing = search();
    nothing.answer = nothing.answer.map(|answer| search::Answer { hits: Vec::new(), as_of: None, ..answer });
    let none = receipts::Index { receipts: Vec::new(), next_cursor: None, memory: None, filters: receipts::Filters::default(), ..told() };
    let unmatched = receipts::Index { receipts: Vec::new(), next_cursor: None, ..told() };
    let undecided = decisions::Index { chains: Vec::new(), ..decisions(chrome()) };
    vec![
        Sample { name: "overview", html: overview().html() },
        Sample { name: "overview-calm", html: calm.html() },
        Sample { name: "overview-counting", html: counting.html() },
        Sample { name: "overview-first", html: first.html() },
        Sample { name: "overview-hostile", html: hostile_overview().html() },
        Sample { name: "search", html: search().html() },
        Sample { name: "search-asking", html: asking.html() },
        Sample { name: "search-nothing", html: nothing.html() },
        Sample { name: "search-hostile", html: hostile_search().html() },
        Sample { name: "receipts", html: told().html() },
        Sample { name: "receipts-empty", html: none.html() },
        Sample { name: "receipts-none-match", html: unmatched.html() },
        Sample { name: "receipt", html: receipt(chrome(), "how do we sign tokens?").html() },
        Sample { name: "receipt-hostile", html: receipt(hostile_chrome(), HOSTILE).html() },
        Sample { name: "decisions", html: decisions(chrome()).html() },
        Sample { name: "decisions-empty", html: undecided.html() },
        Sample { name: "decisions-hostile", html: hostile_decisions().html() },
    ]
}

fn columns(label: &'static str, most: u64) -> Columns {
    let day = |ago: i64| ((NOW - Duration::days(ago)).date(), most * ago.unsigned_abs() % 17);
    Columns { label, days: (0..30).rev().map(day).collect() }
}

fn fresh() -> Freshness {
    Freshness { state: "fresh".into(), reasons: Vec::new() }
}

fn doubtful() -> Freshness {
    Freshness { state: "suspect".into(), reasons: vec!["past its review date, 2026-11-01".into()] }
}

fn overview() -> Overview {
    let kind = |kind: &str, fresh, suspect, stale| KindCount { kind: kind.into(), fresh, suspect, stale };
    let recalled =
        |title: &str, times, freshness| Recalled { id: ID.into(), title: title.into(), kind: "pattern".into(), freshness, times };
    Overview {
        chrome: chrome(),
        known: Some(Known {
            kinds: vec![kind("decision", 41, 2, 0), kind("pattern", 120, 9, 3), kind("discovery", 512, 60, 44), kind("fact", 12, 0, 1)],
            tokens: 184_220,
        }),
        writes: columns("Writes", 7),
        recalls: columns("Recalls", 31),
        told: 91_200,
        needs: Needs {
            proposals: 3,
            conflicts: 1,
            to_approve: 120,
            to_execute: 1,
            doubtful: vec![recalled("Migrations are forward-only", 31, doubtful())],
        },
        most_recalled: vec![recalled("Errors are problem+json", 212, fresh()), recalled("Migrations are forward-only", 31, doubtful())],
        decisions: vec![Newest {
            id: ID.into(),
            title: "Sign service tokens with RS256".into(),
            by: Actor::person("Ada Quist"),
            at: NOW - Duration::hours(3),
            supersedes: true,
        }],
        agents: vec![Active {
            agent: Actor::agent("code-agent on ada-laptop"),
            last_seen: NOW - Duration::minutes(2),
            session: Some((ID.into(), "Retry failed checkouts".into())),
        }],
        origin: "https://cairn.example.org".into(),
    }
}

fn hostile_overview() -> Overview {
    let word = || HOSTILE.to_owned();
    let mut page = Overview { chrome: hostile_chrome(), ..overview() };
    (page.needs.doubtful[0].title, page.most_recalled[0].title, page.decisions[0].title) = (word(), word(), word());
    (page.most_recalled[0].kind, page.most_recalled[0].id) = (word(), word());
    page.agents[0].agent.name = word();
    page.agents[0].session = Some((word(), word()));
    page
}

fn why(open: bool) -> Explained {
    let parts = vec![("Keyword", "how well the words fit", 0.71), ("Meaning", "how near the meaning is", 0.6), ("Code", "code", 0.0)];
    Explained { score: 0.83, parts, open }
}

fn search() -> Search {
    let hit = |title: &str, freshness, open| search::Hit {
        id: ID.into(),
        version: 3,
        title: title.into(),
        path: "/decisions/sign-service-tokens-with-rs256.md".into(),
        kind: "decision".into(),
        state: "active".into(),
        excerpt: "Service tokens are signed with RS256 until the partner's gateway verifies EdDSA.".into(),
        freshness,
        tokens: 41,
        why: why(open),
    };
    Search {
        chrome: chrome(),
        filters: search::Filters { q: "how do we sign tokens?".into(), project: "gateway".into(), ..search::Filters::default() },
        projects: vec!["gateway".into()],
        tags: vec!["auth".into()],
        authors: authors(),
        days: 120,
        ago: 12,
        answer: Some(search::Answer {
            receipt_id: ID.into(),
            hits: vec![hit("Sign service tokens with RS256", fresh(), true), hit("Migrations are forward-only", doubtful(), false)],
            tokens: 412,
            omitted: 3,
            took_ms: 1.7,
            as_of: Some(NOW - Duration::days(12)),
            notes: vec!["The embeddings endpoint did not answer: only words counted.".into()],
        }),
    }
}

fn hostile_search() -> Search {
    let word = || HOSTILE.to_owned();
    let mut page = Search { chrome: hostile_chrome(), tags: vec![word()], ..search() };
    page.filters = search::Filters {
        q: word(),
        kind: word(),
        project: word(),
        tag: word(),
        freshness: word(),
        author: word(),
        as_of: word(),
        budget: word(),
    };
    if let Some(answer) = &mut page.answer {
        let hit = &mut answer.hits[0];
        (hit.title, hit.path, hit.excerpt, hit.kind, hit.state) = (word(), word(), word(), word(), word());
        hit.freshness = Freshness { state: word(), reasons: vec![word()] };
        answer.notes = vec![word()];
    }
    page
}

fn line(query: Option<&str>) -> receipts::Receipt {
    receipts::Receipt {
        id: ID.into(),
        at: NOW - Duration::minutes(9),
        actor: Actor::agent("code-agent on ada-laptop"),
        surface: "mcp".into(),
        query: query.map(str::to_owned),
        items: 4,
        tokens: 412,
        omitted: 1,
        took_ms: 1.7,
    }
}

fn told() -> receipts::Index {
    receipts::Index {
        chrome: chrome(),
        filters: receipts::Filters { memory_id: ID.into(), ..receipts::Filters::default() },
        memory: Some("Sign service tokens with RS256".into()),
        actors: authors(),
        receipts: vec![line(Some("how do we sign tokens?")), line(Some("")), line(None), line(Some(HOSTILE))],
        continued: false,
        next_cursor: Some("abc".into()),
    }
}

fn receipt(chrome: Chrome, said: &str) -> receipts::Show {
    let item = |title: Option<&str>| receipts::Told {
        memory_id: ID.into(),
        version: 2,
        title: title.map(str::to_owned),
        kind: title.map(|_| "decision".to_owned()),
        text: title.map(str::to_owned),
        is_cut: true,
        freshness: doubtful(),
        tokens: 41,
        why: why(false),
        verdicts: vec![(Actor::agent(said), "helpful".into())],
    };
    receipts::Show {
        chrome,
        receipt: line(Some(said)),
        session_id: Some(ID.into()),
        asked: vec![("Project".into(), said.into())],
        items: vec![item(Some(said)), item(None)],
        again: Some("/w/coding/search?q=x".into()),
    }
}

fn decisions(chrome: Chrome) -> decisions::Index {
    let link = |title: &str, state: &str, days: i64| decisions::Link {
        id: ID.into(),
        title: title.into(),
        state: state.into(),
        freshness: fresh(),
        project: Some("gateway".into()),
        by: Actor::person("Ada Quist"),
        at: NOW - Duration::days(days),
        verified: days == 3,
        gist: "Service tokens are signed with RS256 until the partner's gateway verifies EdDSA. Why: their library knows no other.".into(),
    };
    let chain = vec![
        link("Sign service tokens with RS256", "active", 3),
        link("Sign service tokens with EdDSA", "superseded", 80),
        link("Sign service tokens with HS256", "superseded", 300),
    ];
    decisions::Index {
        chrome,
        state: String::new(),
        project: String::new(),
        projects: vec!["gateway".into()],
        chains: vec![
            decisions::Chain { links: chain, cut: true },
            decisions::Chain { links: vec![link("No deploys on Fridays", "proposed", 12)], cut: false },
        ],
        continued: true,
        next_cursor: Some("abc".into()),
    }
}

fn hostile_decisions() -> decisions::Index {
    let word = || HOSTILE.to_owned();
    let mut page = decisions(hostile_chrome());
    let link = &mut page.chains[0].links[0];
    (link.title, link.state, link.gist, link.project) = (word(), word(), word(), Some(word()));
    (page.project, page.state, page.next_cursor) = (word(), word(), Some(word()));
    page
}
