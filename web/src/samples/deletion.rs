//! Deletion requests in every state.

use super::{HOSTILE, NOW, Sample, chrome, hostile_chrome};
use crate::{
    Actor,
    deletion::{Certificate, Decision, FourEyes, Index, Items, May, Request, Show, Touched},
};
use time::Duration;

pub(super) fn samples() -> Vec<Sample> {
    let none = Index { requests: Vec::new(), next_cursor: None, ..index() };
    let none_blocked = Index { state: "blocked".into(), ..none.clone() };
    vec![
        Sample { name: "deletions", html: index().html() },
        Sample { name: "deletions-none", html: none.html() },
        Sample { name: "deletions-none-blocked", html: none_blocked.html() },
        Sample { name: "deletion-pending", html: pending().html() },
        Sample { name: "deletion-own", html: own(FourEyes::YouAsked).html() },
        Sample { name: "deletion-alone", html: own(FourEyes::AloneUntil(NOW + Duration::hours(20))).html() },
        Sample { name: "deletion-approved", html: approved().html() },
        Sample { name: "deletion-executed", html: executed().html() },
        Sample { name: "deletion-certificate", html: certificate().html() },
        Sample { name: "deletion-certificate-retention", html: by_rule().html() },
        Sample { name: "deletion-certificate-hostile", html: hostile_certificate().html() },
        Sample { name: "deletion-rejected", html: rejected().html() },
        Sample { name: "deletion-blocked", html: blocked().html() },
        Sample { name: "deletion-hostile", html: hostile().html() },
        Sample { name: "deletion-items", html: items().html() },
        Sample { name: "deletion-items-none", html: Items { touched: Vec::new(), stays: true, next_cursor: None, ..items() }.html() },
        Sample { name: "deletion-items-hostile", html: hostile_items().html() },
    ]
}

fn index() -> Index {
    let states = ["pending", "approved", "blocked", "executed", "rejected"];
    let requests = states.map(request).into();
    Index { chrome: chrome(), may_ask: true, state: String::new(), requests, continued: false, next_cursor: Some("bmV4dA".into()) }
}

fn request(state: &str) -> Request {
    Request {
        id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b11".into(),
        state: state.into(),
        reason: (state != "executed").then(|| "A customer asked to be forgotten (ticket 4711)".into()),
        asked_by: Actor::agent("support-desk"),
        asked_at: NOW - Duration::days(2),
        counts: vec![(12, "memories".into()), (31, "versions".into()), (2, "sessions".into())],
    }
}

fn pending() -> Show {
    let touched = |kind: &str, title: &str, detail: &str| Touched {
        kind: kind.into(),
        id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b10".into(),
        title: title.into(),
        detail: detail.into(),
        held: false,
    };
    Show {
        chrome: chrome(),
        request: request("pending"),
        asked_for: vec!["everything about subject customer-4711".into()],
        touched: vec![
            touched("memory", "Prefers to be called in the morning", "/preferences/4711.md · 3 versions"),
            touched("memory", "Moved house in May", "/facts/4711-address.md · 1 version"),
            touched("session", "Chat of 4 November", "48 events"),
        ],
        more: 11,
        more_copies: 3,
        copies: vec![touched("memory", "Notes of the call in May", "/episodes/call.md · 1 version")],
        approved: None,
        rejected: None,
        executed: None,
        holds: Vec::new(),
        four_eyes: None,
        may: May { approve: true, reject: true, execute: false },
        certificate: None,
    }
}

fn decision(name: &str, hours: i64, note: &str) -> Decision {
    Decision { by: Actor::person(name), at: NOW - Duration::hours(hours), note: (!note.is_empty()).then(|| note.into()) }
}

fn own(four_eyes: FourEyes) -> Show {
    let mut show = Show { four_eyes: Some(four_eyes), may: May::default(), ..pending() };
    show.request.asked_by = Actor::person("Ada Quist");
    show
}

fn approved() -> Show {
    let may = May { execute: true, reject: true, approve: false };
    let approved = Some(decision("Ben Okafor", 20, "checked against the ticket"));
    Show { request: request("approved"), approved, may, ..pending() }
}

fn executed() -> Show {
    let certificate = Some("/v1/workspaces/coding/deletion-requests/018f/certificate".into());
    let (request, executed) = (request("executed"), Some(decision("Ada Quist", 1, "")));
    Show {
        request,
        executed,
        touched: Vec::new(),
        copies: Vec::new(),
        more: 0,
        more_copies: 0,
        certificate,
        may: May::default(),
        ..approved()
    }
}

fn rejected() -> Show {
    let rejected = Some(decision("Ben Okafor", 20, "the ticket names another customer"));
    Show { request: request("rejected"), rejected, may: May::default(), ..pending() }
}

fn blocked() -> Show {
    let mut show = Show { request: request("blocked"), holds: vec!["Case 2026/118, until further notice".into()], ..approved() };
    (show.touched[0].held, show.may) = (true, May { reject: true, ..May::default() });
    show.four_eyes = Some(FourEyes::YourAgentAsked);
    show
}

fn hostile() -> Show {
    let word = || HOSTILE.to_owned();
    let mut show = Show { chrome: hostile_chrome(), asked_for: vec![word()], holds: vec![word()], ..approved() };
    let request = &mut show.request;
    (request.id, request.state) = (word(), word());
    request.reason = Some(format!("{HOSTILE}{}", "z".repeat(300)));
    request.counts = vec![(1, word())];
    show.touched = vec![Touched { kind: word(), id: word(), title: word(), detail: word(), held: true }];
    show.copies.clone_from(&show.touched);
    show.certificate = Some(word());
    show
}

fn items() -> Items {
    let Show { chrome, request, touched, .. } = pending();
    Items { chrome, request, stays: false, touched, continued: true, next_cursor: Some("bmV4dA".into()) }
}

fn hostile_items() -> Items {
    let Show { chrome, request, touched, .. } = hostile();
    Items { chrome, request, stays: true, touched, continued: true, next_cursor: Some(HOSTILE.to_owned()) }
}

fn certificate() -> Certificate {
    Certificate {
        chrome: chrome(),
        request: request("executed"),
        workspace_id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b00".into(),
        approved: Some(decision("Ben Okafor", 20, "")),
        executed: Some(decision("Ada Quist", 1, "")),
        lone_approver: true,
        rule: None,
        counts: vec![("memories".into(), 12), ("memory_versions".into(), 31)],
        erased: vec![("memory".into(), vec!["018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b10".into()])],
        matched_since: 2,
        note: "{\"certifies\":\"cairn erasure v1\"}\n\n— cairn.example.org/trail b5jTqg\n".into(),
        json: "/v1/workspaces/coding/deletion-requests/018f/certificate".into(),
    }
}

fn by_rule() -> Certificate {
    let rule = Some("episode memories, archived for 365 days".into());
    Certificate { rule, approved: None, lone_approver: false, matched_since: 0, ..certificate() }
}

fn hostile_certificate() -> Certificate {
    let word = || HOSTILE.to_owned();
    let (counts, erased) = (vec![(word(), 1)], vec![(word(), vec![word()])]);
    Certificate {
        chrome: hostile_chrome(),
        workspace_id: word(),
        rule: Some(word()),
        counts,
        erased,
        note: word(),
        json: word(),
        ..certificate()
    }
}
