//! Code: a folder, a file, a symbol, what needs review.

use super::{HOSTILE, NOW, Sample, chrome, hostile_chrome};
use crate::{
    Actor, Choice, Chrome,
    code::{Chosen, Doubted, Entry, Picture, Review, Rope, Ropes, Show, Symbol, Tally, Tree},
    memories::{Freshness, Row},
};
use time::Duration;

pub(super) fn samples() -> Vec<Sample> {
    let nothing = Tree { chosen: None, entries: Vec::new(), ..tree(chrome()) };
    let lost =
        Show { symbols: None, symbol_count: 0, memories: Vec::new(), ropes: Ropes::default(), named_with: Vec::new(), ..show(chrome()) };
    let calm = Review { rows: Vec::new(), count: Some(0), next_cursor: None, ..review(chrome()) };
    vec![
        Sample { name: "code", html: tree(chrome()).html() },
        Sample { name: "code-first", html: nothing.html() },
        Sample { name: "code-counting", html: Tree { all: None, doubted: Vec::new(), ..tree(chrome()) }.html() },
        Sample { name: "code-hostile", html: hostile_tree().html() },
        Sample { name: "code-file", html: Show { symbol: String::new(), ..show(chrome()) }.html() },
        Sample { name: "code-symbol", html: show(chrome()).html() },
        Sample { name: "code-lost", html: lost.html() },
        Sample { name: "code-file-hostile", html: hostile_show().html() },
        Sample { name: "code-review", html: review(chrome()).html() },
        Sample { name: "code-review-calm", html: calm.html() },
        Sample { name: "code-review-hostile", html: hostile_review().html() },
    ]
}

const SOME: Tally = Tally { fresh: 12, suspect: 2, stale: 1 };

fn chosen() -> Chosen {
    Chosen {
        picture: Picture {
            repo: "gateway".into(),
            branch: "main".into(),
            commit: "3f2a1c9d0b7e44a1c2d3e4f5061728394a5b6c7d".into(),
            main: true,
            files: 1840,
            symbols: 21_400,
            at: NOW - Duration::minutes(7),
        },
        repos: vec![Choice::new("gateway", "gateway"), Choice::new("ledger:core", "core (project ledger)")],
        branches: vec![Choice::new("main", "main"), Choice::new("feature/login", "feature/login")],
    }
}

fn row() -> Row {
    Row {
        id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b10".into(),
        title: "Logging in is constant in time".into(),
        path: "/discoveries/logging-in.md".into(),
        kind: "discovery".into(),
        state: "active".into(),
        freshness: Freshness {
            state: "stale".into(),
            reasons: vec!["authenticate_user changed its signature in 3f2a1c9 (auth/service.py)".into()],
        },
        project: Some("gateway".into()),
        tags: vec!["auth".into()],
        private: false,
        version: 2,
        author: Actor::agent("code-agent"),
        updated_at: NOW - Duration::days(9),
    }
}

fn tree(chrome: Chrome) -> Tree {
    let entry = |path: &str, there, tally| Entry { path: path.into(), there, tally };
    Tree {
        chrome,
        chosen: Some(chosen()),
        folder: "src/auth/".into(),
        entries: vec![
            entry("src/auth/oidc/", true, SOME),
            entry("src/auth/service.py", true, Tally { stale: 1, ..Tally::default() }),
            entry("src/auth/tokens.py", true, Tally::default()),
            entry("src/auth/saml.py", false, Tally { stale: 2, ..Tally::default() }),
        ],
        all: Some(SOME),
        doubted: vec![row()],
        continued: false,
        next_cursor: Some("abc".into()),
        origin: "https://cairn.example.org".into(),
    }
}

fn show(chrome: Chrome) -> Show {
    let symbol = |name: &str, start, tally| Symbol { name: name.into(), kind: "function".into(), start, end: start + 20, tally };
    let rope = |path: &str, closeness, tally| Rope { path: path.into(), closeness, tally };
    Show {
        chrome,
        chosen: chosen(),
        path: "src/auth/service.py".into(),
        symbol: "Session.open".into(),
        symbols: Some(vec![
            symbol("Session", 4, Tally::default()),
            symbol("Session.open", 10, SOME),
            symbol("authenticate_user", 90, SOME),
        ]),
        symbol_count: 612,
        from: 0,
        memories: vec![row()],
        all: Some(SOME),
        ropes: Ropes {
            files: vec![
                rope("src/auth/tokens.py", 1.0, SOME),
                rope("tests/test_auth.py", 0.6, Tally::default()),
                rope("README.md", 0.1, SOME),
            ],
            ties: vec![(0, 1, 1.0), (0, 2, 0.3)],
        },
        named_with: vec![("src/auth/tokens.py".into(), Some("sign".into()), 2), ("docs/auth.md".into(), None, 1)],
    }
}

fn review(chrome: Chrome) -> Review {
    Review {
        chrome,
        order: String::new(),
        repo: "gateway".into(),
        count: Some(1204),
        weighed: Some(500),
        rows: vec![Doubted { row: row(), since: NOW - Duration::days(2), told: 31, told_in_doubt: 7 }],
        may_verify: true,
        continued: true,
        next_cursor: Some("abc".into()),
    }
}

fn hostile_row() -> Row {
    let word = || HOSTILE.to_owned();
    let mut row = row();
    (row.id, row.title, row.path, row.kind, row.project) = (word(), word(), word(), word(), Some(word()));
    row.freshness = Freshness { state: word(), reasons: vec![word()] };
    row
}

fn hostile_chosen() -> Chosen {
    let word = || HOSTILE.to_owned();
    let mut chosen = chosen();
    (chosen.picture.repo, chosen.picture.branch, chosen.picture.commit, chosen.picture.main) = (word(), word(), word(), false);
    chosen.repos.push(Choice::new(word(), word()));
    chosen.branches.push(Choice::new(word(), word()));
    chosen
}

fn hostile_tree() -> Tree {
    let entry = |path: String| Entry { path, there: true, tally: SOME };
    Tree {
        chosen: Some(hostile_chosen()),
        folder: format!("{HOSTILE}/"),
        entries: vec![entry(format!("{HOSTILE}/{HOSTILE}")), entry(format!("{HOSTILE}/{HOSTILE}/"))],
        doubted: vec![hostile_row()],
        next_cursor: Some(HOSTILE.into()),
        origin: HOSTILE.into(),
        ..tree(hostile_chrome())
    }
}

fn hostile_show() -> Show {
    let word = || HOSTILE.to_owned();
    let mut page = Show { chosen: hostile_chosen(), path: word(), symbol: word(), memories: vec![hostile_row()], ..show(hostile_chrome()) };
    page.symbols = Some(vec![Symbol { name: word(), kind: word(), start: 1, end: 1, tally: SOME }]);
    page.ropes.files[0].path = word();
    page.named_with = vec![(word(), Some(word()), 2), (word(), None, 1)];
    page
}

fn hostile_review() -> Review {
    let mut page = Review { order: HOSTILE.into(), repo: HOSTILE.into(), next_cursor: Some(HOSTILE.into()), ..review(hostile_chrome()) };
    page.rows[0].row = hostile_row();
    page
}
