//! Rollbacks: whose, what it would do, what it did.

use super::{HOSTILE, NOW, Sample, authors, chrome, hostile_chrome};
use crate::{
    Actor, Chrome,
    dreams::Named,
    rollbacks::{Index, Item, New, Of, Outcome, Planned, Rollback, Show, Tally},
};
use time::Duration;

pub(super) fn samples() -> Vec<Sample> {
    let index = |chrome, word| Index {
        chrome,
        rollbacks: vec![rollback(word), Rollback { tally: Tally::default(), of: run(word), ..rollback(word) }],
        may_roll_back: true,
        continued: true,
        next_cursor: Some("x".into()),
    };
    let show = |chrome, word| Show { chrome, rollback: rollback(word), did: outcome(word), may_roll_back: true };
    let asked = New { planned: None, hours: "24".into(), ..new(chrome(), "coding-agent") };
    let mut nothing = new(chrome(), "coding-agent");
    nothing.planned = Some(Planned { of: run("a run"), fields: vec![("session_id", "018f-s".into())], would: Outcome::default() });
    vec![
        Sample { name: "rollbacks", html: index(chrome(), "what coding-agent wrote").html() },
        Sample { name: "rollbacks-hostile", html: index(hostile_chrome(), HOSTILE).html() },
        Sample { name: "rollbacks-empty", html: Index { rollbacks: Vec::new(), next_cursor: None, ..index(chrome(), "x") }.html() },
        Sample { name: "rollback", html: show(chrome(), "what coding-agent wrote").html() },
        Sample { name: "rollback-hostile", html: show(hostile_chrome(), HOSTILE).html() },
        Sample { name: "rollback-nothing", html: Show { did: Outcome::default(), ..show(chrome(), "a run") }.html() },
        Sample { name: "roll-back-whose", html: asked.html() },
        Sample { name: "roll-back", html: new(chrome(), "what coding-agent wrote").html() },
        Sample { name: "roll-back-hostile", html: new(hostile_chrome(), HOSTILE).html() },
        Sample { name: "roll-back-nothing", html: nothing.html() },
    ]
}

fn of(word: &str) -> Of {
    Of { said: word.into(), place: None, since: Some(NOW - Duration::days(1)) }
}

fn run(word: &str) -> Of {
    Of { said: word.into(), place: Some("sessions/018f-s".into()), since: None }
}

fn rollback(word: &str) -> Rollback {
    let by = Actor::person("Ada Quist");
    Rollback { id: word.into(), at: NOW - Duration::hours(2), by, of: of(word), tally: outcome(word).tally }
}

fn outcome(word: &str) -> Outcome {
    let item = |title: Option<&str>, outcome: &str, reason: Option<&str>| Item {
        memory: Named { id: "018f-m".into(), title: title.map(str::to_owned) },
        outcome: outcome.into(),
        reason: reason.map(str::to_owned),
    };
    Outcome {
        tally: Tally { restored: 12, unwound: 1, archived: 3, left: 1 },
        items: vec![item(Some(word), "restored", None), item(None, "left", Some("somebody changed it since"))],
        more: 11,
    }
}

fn new(chrome: Chrome, word: &str) -> New {
    let fields = vec![("agent_id", word.to_owned()), ("from", "2026-11-15T09:30:00Z".to_owned())];
    New {
        chrome,
        actors: authors(),
        actor: word.into(),
        hours: String::new(),
        planned: Some(Planned { of: of(word), fields, would: outcome(word) }),
    }
}
