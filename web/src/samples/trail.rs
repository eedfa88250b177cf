//! The trail.

use super::{HOSTILE, NOW, Sample, chrome, hostile_chrome};
use crate::{
    Actor,
    trail::{Entry, Filters, Index, Target},
};
use time::Duration;

pub(super) fn samples() -> Vec<Sample> {
    let bare = Index { entries: Vec::new(), next_cursor: None, ..full() };
    let filters = Filters { actor: "018f-ada".into(), from: "2026-11-01".into(), ..Filters::default() };
    let none = Index { filters, ..bare.clone() };
    vec![
        Sample { name: "trail", html: full().html() },
        Sample { name: "trail-empty", html: bare.html() },
        Sample { name: "trail-none-match", html: none.html() },
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
    });
    Index {
        chrome: chrome(),
        filters: Filters::default(),
        actors: super::authors(),
        entries: entries.collect(),
        continued: false,
        next_cursor: Some("MTgwMA".into()),
    }
}

fn hostile() -> Index {
    let word = || HOSTILE.to_owned();
    let mut index = Index { chrome: hostile_chrome(), continued: true, next_cursor: Some(word()), ..full() };
    index.filters = Filters { actor: word(), action: word(), target: word(), from: word(), to: word() };
    let entry = &mut index.entries[0];
    entry.actor = Actor { name: word(), kind: word() };
    (entry.role, entry.action, entry.request_id) = (word(), word(), word());
    entry.digest = Some(word());
    entry.target = Some(Target { kind: word(), id: word(), title: Some(word()) });
    index
}
