//! One memory: trusted, in doubt, compared, erased and hostile; and written by hand.

use super::{HOSTILE, NOW, RTL, Sample, chrome, hostile_chrome};
use crate::{
    Actor, Flash,
    memories::{
        Anchor, Compare, DiffKind, DiffLine, Edit, FieldChange, Freshness, Look, May, Memory, Obstacle, Purpose, Related, Segment, Show,
        Source, Text, Told, Typed, Version,
    },
};
use time::{Duration, OffsetDateTime};

pub(super) fn samples() -> Vec<Sample> {
    let mut verified = show();
    verified.chrome.flash = Some(Flash::good("Verified. It counts as fresh from now on."));
    verified.memory.freshness = Freshness { state: "fresh".into(), reasons: Vec::new() };
    let compared = Show { compare: Some(compare()), ..show() };
    let written = Show { as_written: true, related: Vec::new(), told: Vec::new(), told_more: false, ..show() };
    let reader = Show { may: May::default(), versions: vec![version(1, "remembered", 400)], ..show() };
    vec![
        Sample { name: "memory", html: verified.html() },
        Sample { name: "memory-suspect-compared", html: compared.html() },
        Sample { name: "memory-as-written", html: written.html() },
        Sample { name: "memory-reader", html: reader.html() },
        Sample { name: "memory-erased", html: erased().html() },
        Sample { name: "memory-hostile", html: hostile().html() },
        Sample { name: "memory-new", html: edit(Purpose::New, None).html() },
        Sample {
            name: "memory-new-refused", html: edit(Purpose::New, Some(Obstacle::Said("“tags” must be at most 64".into()))).html()
        },
        Sample { name: "memory-edit", html: edit(revise(), None).html() },
        Sample { name: "memory-edit-meanwhile", html: edit(revise(), Some(Obstacle::Meanwhile { from: 2, to: 3 })).html() },
        Sample { name: "memory-supersede-contradicts", html: contradicting("Tokens are signed with RS256").html() },
        Sample { name: "memory-edit-hostile", html: Edit { chrome: hostile_chrome(), ..contradicting(HOSTILE) }.html() },
    ]
}

fn edit(purpose: Purpose, obstacle: Option<Obstacle>) -> Edit {
    let typed = Typed { title: RTL.into(), content: TEXT.into(), kind: "fact".into(), tags: "auth, keys".into(), ..Typed::default() };
    Edit { chrome: chrome(), purpose, typed, projects: vec!["billing".into(), HOSTILE.into()], obstacle }
}

fn revise() -> Purpose {
    Purpose::Revise { id: memory().id, seen: 3 }
}

fn contradicting(word: &str) -> Edit {
    let word = || word.to_owned();
    let obstacle = Obstacle::Decision { id: word(), title: word(), reason: word() };
    let typed = Typed {
        title: word(),
        content: format!("{}</textarea>{}", word(), word()),
        kind: word(),
        tags: word(),
        project: word(),
        reason: word(),
        private: true,
    };
    Edit { typed, ..edit(Purpose::Supersede { id: word(), title: word() }, Some(obstacle)) }
}

const TEXT: &str = "Access tokens are signed with EdDSA (Ed25519).\n\nWhy:\n  - keys and signatures are small\n  - \
    verification is fast on the edge\n  - no padding modes to get wrong\n\nRS256 was dropped because two clients \
    shipped without checking the padding.\n\n    let key = signing_keys.current();\n    sign(&key, claims)";

fn show() -> Show {
    let may = May { edit: true, supersede: true, verify: true, archive: true, restore: false, revert: true, ask_deletion: true };
    let versions = vec![
        Version { reason: Some("two clients skipped the padding check".into()), ..version(3, "revised", 0) },
        Version { text: Text::Redacted, by: Actor::agent("code-agent"), ..version(2, "revised", 12) },
        version(1, "remembered", 90),
    ];
    let told = Told {
        receipt_id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8c10".into(),
        to: Actor::agent("code-agent on ada-laptop"),
        at: ago(1),
        version: 2,
        query: Some("how do we sign tokens?".into()),
    };
    let unsaid = Told { query: None, ..told.clone() };
    let related = Related {
        id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8d10".into(),
        title: "The partner gateway cannot verify EdDSA".into(),
        kind: "discovery".into(),
        freshness: Freshness { state: "fresh".into(), reasons: Vec::new() },
    };
    Show {
        chrome: chrome(),
        memory: memory(),
        versions,
        continued: true,
        next_cursor: Some("abc".into()),
        compare: None,
        as_written: false,
        told: vec![told, unsaid],
        told_more: true,
        related: vec![related],
        may,
    }
}

fn memory() -> Memory {
    let reason = "sign_token changed its signature in 3f2a1c (auth/tokens.rs)";
    Memory {
        id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b10".into(),
        title: "Tokens are signed with EdDSA, not RS256".into(),
        path: "/decisions/use-eddsa.md".into(),
        kind: "decision".into(),
        state: "active".into(),
        version: 3,
        content: Some(TEXT.into()),
        freshness: Freshness { state: "suspect".into(), reasons: vec![reason.into()] },
        project: Some("api-gateway".into()),
        store: Some("Preferences of user 42".into()),
        tags: vec!["auth".into(), "keys".into()],
        private: false,
        subject: None,
        confidence: Some(0.9),
        source: Some(Source {
            kind: "commit".into(),
            reference: Some("3f2a1c9".into()),
            excerpt: Some("sign with Ed25519; RS256 verification stays until March".into()),
        }),
        session_id: Some("018f6a3e-1111-7b52-9a4e-0c2d4f6a8b10".into()),
        anchors: vec![anchor("sign_token", "suspect"), anchor("verify_token", "fresh")],
        created: look("code-agent on ada-laptop", 90),
        updated: Look { by: Actor::person("Ada Quist"), at: ago(0) },
        verified: Some(Look { by: Actor::person("Ben Okafor"), at: ago(5) }),
        valid_from: Some(ago(90)),
        stale_after: Some(NOW + Duration::days(9)),
        expires_at: None,
        supersedes: Some(("018f".into(), "Tokens are signed with RS256".into())),
        superseded_by: None,
    }
}

fn anchor(symbol: &str, state: &str) -> Anchor {
    let (repo, path) = (Some("api-gateway".into()), "src/auth/tokens.rs".into());
    Anchor { repo, path, symbol: Some(symbol.into()), state: state.into() }
}

fn look(agent: &str, days: i64) -> Look {
    Look { by: Actor::agent(agent), at: ago(days) }
}

fn ago(days: i64) -> OffsetDateTime {
    NOW - Duration::days(days) - Duration::minutes(20)
}

fn version(number: i32, operation: &str, days: i64) -> Version {
    let by = Actor::person("Ada Quist");
    Version { number, at: ago(days), by, operation: operation.into(), reason: None, text: Text::Kept }
}

fn compare() -> Compare {
    let part = |text: &str, emphasised| Segment { text: text.into(), emphasised };
    let change = |kind, old, new, word| DiffLine {
        kind,
        old,
        new,
        segments: vec![part("Access tokens are signed with ", false), part(word, true), part(".", false)],
    };
    let mut lines = vec![change(DiffKind::Delete, Some(1), None, "RS256"), change(DiffKind::Insert, None, Some(1), "EdDSA (Ed25519)")];
    lines.extend((2..14).map(|n| DiffLine::plain(DiffKind::Equal, Some(n), Some(n), "  - keys and signatures are small")));
    lines.push(DiffLine::plain(DiffKind::Insert, None, Some(14), RTL));
    let fields = vec![FieldChange { field: "tags".into(), from: "auth".into(), to: "auth, keys".into() }];
    Compare { from: 2, to: 3, fields, lines, note: None }
}

fn erased() -> Show {
    let mut show = show();
    (show.memory.content, show.memory.state) = (None, "archived".into());
    show.memory.title = "(erased)".into();
    show.versions.iter_mut().for_each(|version| version.text = Text::Erased);
    show.may = May::default();
    show.memory.freshness.state = "fresh".into();
    let note = "Version 2 was erased, so there is nothing to compare.";
    show.compare = Some(Compare { from: 2, to: 3, note: Some(note.into()), ..Compare::default() });
    show
}

fn hostile() -> Show {
    let word = || HOSTILE.to_owned();
    let mut show = Show { chrome: hostile_chrome(), compare: Some(compare()), ..show() };
    let memory = &mut show.memory;
    (memory.id, memory.path, memory.kind, memory.state) = (word(), word(), word(), word());
    memory.title = format!("{HOSTILE}{}", "unbroken".repeat(25));
    memory.content = Some(format!("{HOSTILE}\n</div></main>{}", "y".repeat(400)));
    memory.freshness = Freshness { state: "stale".into(), reasons: vec![word()] };
    (memory.tags, memory.project, memory.subject) = (vec![word()], Some(word()), Some(word()));
    memory.source = Some(Source { kind: word(), reference: Some("javascript:alert(1)".into()), excerpt: Some(word()) });
    memory.anchors = vec![Anchor { repo: Some(word()), path: word(), symbol: None, state: word() }];
    memory.superseded_by = Some((word(), word()));
    memory.session_id = Some(word());
    show.versions[0].reason = Some(word());
    show.versions[0].operation = word();
    (show.told[0].query, show.told[0].receipt_id) = (Some(word()), word());
    (show.related[0].title, show.related[0].id, show.related[0].kind) = (word(), word(), word());
    let compare = show.compare.get_or_insert_default();
    compare.fields = vec![FieldChange { field: word(), from: word(), to: word() }];
    compare.lines[0].segments[1].text = word();
    show
}
