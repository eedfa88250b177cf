//! The list of memories: full, filtered, empty and hostile.

use super::{HOSTILE, NOW, RTL, Sample, chrome, hostile_chrome};
use crate::{
    Actor, Chrome,
    memories::{Filters, Freshness, Index, Row},
};
use time::Duration;

pub(super) fn samples() -> Vec<Sample> {
    let filters = Filters {
        q: "deploy".into(),
        freshness: "suspect".into(),
        project: "api-gateway".into(),
        tag: "release".into(),
        author: "018f-ada".into(),
        ..Filters::default()
    };
    let none = Index { filters: filters.clone(), ..index(chrome(), Vec::new()) };
    let found = Index { filters, continued: true, ..index(chrome(), vec![suspect()]) };
    let hostile = Index { filters: hostile_filters(), ..index(hostile_chrome(), vec![hostile()]) };
    vec![
        Sample { name: "memories", html: full().html() },
        Sample { name: "memories-filtered", html: found.html() },
        Sample { name: "memories-none-match", html: none.html() },
        Sample { name: "memories-first", html: index(chrome(), Vec::new()).html() },
        Sample { name: "memories-hostile", html: hostile.html() },
    ]
}

fn index(chrome: Chrome, rows: Vec<Row>) -> Index {
    Index {
        chrome,
        filters: Filters::default(),
        authors: super::authors(),
        projects: vec!["api-gateway".into(), "billing".into()],
        tags: vec!["auth".into(), HOSTILE.into()],
        rows,
        continued: false,
        next_cursor: None,
        origin: "https://cairn.example.org".into(),
    }
}

fn full() -> Index {
    let patterns = [
        ("Services log JSON, one line an event", "pattern", "/patterns/logging.md", "billing"),
        ("How to roll back a migration", "procedure", "/procedures/roll-back-migration.md", "billing"),
        ("Ada wants small pull requests", "preference", "/preferences/ada.md", ""),
        ("Moved the job queue to Postgres", "episode", "/episodes/2026-11-12-queue.md", "billing"),
        ("The staging database is reset on Sundays", "fact", "/facts/staging-reset.md", ""),
    ];
    let mut rows = vec![row(), suspect(), stale(), proposed(), right_to_left(), unbroken()];
    rows.extend(patterns.into_iter().map(|(title, kind, path, project)| Row {
        title: title.into(),
        kind: kind.into(),
        path: path.into(),
        project: (!project.is_empty()).then(|| project.into()),
        tags: Vec::new(),
        updated_at: NOW - Duration::days(40),
        ..row()
    }));
    Index { next_cursor: Some("b2Zmc2V0".into()), ..index(chrome(), rows) }
}

fn row() -> Row {
    Row {
        id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b10".into(),
        title: "Tokens are signed with EdDSA, not RS256".into(),
        path: "/decisions/use-eddsa.md".into(),
        kind: "decision".into(),
        state: "active".into(),
        freshness: Freshness { state: "fresh".into(), reasons: Vec::new() },
        project: Some("api-gateway".into()),
        tags: vec!["auth".into(), "keys".into()],
        private: false,
        version: 3,
        author: Actor::person("Ada Quist"),
        updated_at: NOW - Duration::hours(3),
    }
}

fn suspect() -> Row {
    let reason = "authenticate_user changed its body in 3f2a1c (auth/service.py)";
    Row {
        title: "Deploys wait for the smoke test, which takes four minutes".into(),
        path: "/discoveries/smoke-test-before-deploy.md".into(),
        kind: "discovery".into(),
        freshness: Freshness { state: "suspect".into(), reasons: vec![reason.into()] },
        tags: vec!["release".into()],
        author: Actor::agent("code-agent on ada-laptop"),
        updated_at: NOW - Duration::days(2),
        ..row()
    }
}

fn stale() -> Row {
    let reasons = vec!["its file auth/legacy.py is gone since 91bd0e".into()];
    Row {
        title: "Legacy tokens are accepted until the end of the year".into(),
        path: "/decisions/legacy-tokens.md".into(),
        state: "superseded".into(),
        freshness: Freshness { state: "stale".into(), reasons },
        updated_at: NOW - Duration::days(400),
        ..row()
    }
}

fn proposed() -> Row {
    Row {
        title: "🪨 Retries of the payment call need an idempotency key".into(),
        path: "/proposals/payment-retries.md".into(),
        kind: "pattern".into(),
        state: "proposed".into(),
        author: Actor::agent("nightly-dream"),
        private: true,
        tags: ["payments", "retries", "idempotency", "http", "billing", "reliability"].map(String::from).into(),
        ..row()
    }
}

fn right_to_left() -> Row {
    Row { title: RTL.into(), author: Actor::person("ليلى"), tags: vec!["نشر".into()], ..row() }
}

fn unbroken() -> Row {
    Row { title: "Donaudampfschiff".repeat(13), path: format!("/{}", "segment/".repeat(20)), ..row() }
}

fn hostile() -> Row {
    let word = || HOSTILE.to_owned();
    Row {
        id: word(),
        title: word(),
        path: word(),
        kind: word(),
        state: word(),
        freshness: Freshness { state: word(), reasons: vec![word()] },
        project: Some(word()),
        tags: vec![word()],
        author: Actor { name: word(), kind: word() },
        ..row()
    }
}

fn hostile_filters() -> Filters {
    let word = || HOSTILE.to_owned();
    Filters {
        q: word(),
        kind: word(),
        tag: word(),
        project: word(),
        state: word(),
        freshness: word(),
        author: word(),
        path_prefix: word(),
        session_id: word(),
    }
}
