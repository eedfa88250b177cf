//! The trail.

use super::{HOSTILE, NOW, Sample, chrome, hostile_chrome};
use crate::{
    Actor,
    trail::{Check, Checkpoint, Entry, Filters, Index, Outcome, Target},
};
use time::Duration;

pub(super) fn samples() -> Vec<Sample> {
    let bare = Index { entries: Vec::new(), next_cursor: None, ..full() };
    let filters = Filters { actor: "018f-ada".into(), from: "2026-11-01".into(), ..Filters::default() };
    let none = Index { filters, until: Some((NOW - Duration::days(3), "x".into())), ..bare.clone() };
    let checking = Index { check: Some(checked(None)), until: Some((NOW - Duration::days(3), "x".into())), ..full() };
    let broken = Outcome::Broken { index: Some(41), why: "it is not what it was when it was sealed".into() };
    let broken = Index { check: Some(checked(Some(broken))), ..full() };
    vec![
        Sample { name: "trail", html: full().html() },
        Sample { name: "trail-empty", html: bare.html() },
        Sample { name: "trail-none-match", html: none.html() },
        Sample { name: "trail-checking", html: checking.html() },
        Sample { name: "trail-broken", html: broken.html() },
        Sample { name: "trail-hostile", html: hostile().html() },
    ]
}

fn full() -> Index {
    let (ada, agent) = (Actor::person("Ada Quist"), Actor::agent("code-agent on ada-laptop"));
    let memory = Target {
        kind: "memory".into(),
        id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b10".into(),
        title: Some("Tokens are signed with EdDSA, not RS256".into()),
    };
    let request = Target { kind: "deletion_request".into(), id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b11".into(), title: None };
    let member = Target { kind: "member".into(), id: "ben@example.org".into(), title: Some("Ben Okafor".into()) };
    let acts = [
        ("memory.verified", &ada, "reviewer", &memory),
        ("memory.revised", &agent, "writer", &memory),
        ("deletion_request.approved", &ada, "admin", &request),
        ("member.added", &ada, "admin", &member),
        ("memory.remembered", &agent, "writer", &memory),
    ];
    let entries = (0_i64..).zip(acts).map(|(place, (action, actor, role, target))| Entry {
        index: (place > 0).then_some(1804 - place),
        at: NOW - Duration::minutes(37 * place),
        actor: actor.clone(),
        role: role.into(),
        action: action.into(),
        target: Some(target.clone()),
        version: (target.kind == "memory").then_some(3),
        request_id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b12".into(),
        digest: Some("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into()),
        session_id: Some("018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b44".into()),
        details: vec![("role".into(), "reviewer".into())],
        actor_id: "018f-ada".into(),
    });
    Index {
        chrome: chrome(),
        filters: Filters::default(),
        actors: super::authors(),
        actions: vec!["memory.remembered".into(), "key.created".into()],
        entries: entries.collect(),
        checkpoint: Checkpoint {
            size: 1804,
            root: "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=".into(),
            signer: "cairn.example.org/trail".into(),
        },
        check: Some(checked(Some(Outcome::Holds { root: "CsUY".into(), took_ms: 41 }))),
        until: None,
        continued: false,
        next_cursor: Some("MTgwMA".into()),
    }
}

fn checked(outcome: Option<Outcome>) -> Check {
    Check { at: NOW - Duration::minutes(2), entries: 1200, size: 1804, outcome }
}

fn hostile() -> Index {
    let word = || HOSTILE.to_owned();
    let mut index = Index { chrome: hostile_chrome(), continued: true, next_cursor: Some(word()), ..full() };
    index.actions = vec![word()];
    index.checkpoint = Checkpoint { size: 1, root: word(), signer: word() };
    index.check = Some(checked(Some(Outcome::Broken { index: None, why: word() })));
    index.filters = Filters { actor: word(), action: word(), target: word(), from: word(), to: word() };
    let entry = &mut index.entries[0];
    entry.actor = Actor { name: word(), kind: word() };
    (entry.role, entry.action, entry.request_id) = (word(), word(), word());
    entry.digest = Some(word());
    (entry.session_id, entry.details, entry.actor_id) = (Some(word()), vec![(word(), word())], word());
    entry.target = Some(Target { kind: word(), id: word(), title: Some(word()) });
    index
}
