//! Agents, members, settings, connect, holds, retention, asking for deletion, the instance and the account.

use super::{HOSTILE, NOW, Sample, chrome, hostile_chrome, viewer};
use crate::{
    Actor, Choice, Flash, Theme, Viewer,
    deletion::{self, New},
    hall::{Account, Hall, Health, Index, Instance, Invited as Link, Job, Login, People, Person, Place, Workspaces},
    holds::{self, Hold, Holds},
    retention::{Retention, Rule},
    team::{Agent, AgentPage, Agents, Connect, Invited, Key, KindPolicy, Member, Members, NewKey, Settings},
};
use time::Duration;

pub(super) fn samples() -> Vec<Sample> {
    let no_agents = Agents { agents: Vec::new(), next_cursor: None, ..agents() };
    let no_keys = AgentPage { keys: Vec::new(), new_key: None, next_cursor: None, ..agent_page() };
    let no_holds = Holds { holds: Vec::new(), next_cursor: None, ..holds() };
    let rules = Retention { trying: false, ..retention() };
    let auditor = Retention { may_change: false, ..rules.clone() };
    let no_places = Workspaces { places: Vec::new(), next_cursor: None, ..workspaces() };
    let by_group = Account { has_password: false, ..account() };
    vec![
        Sample { name: "agents", html: agents().html() },
        Sample { name: "agents-empty", html: no_agents.html() },
        Sample { name: "agents-hostile", html: hostile_agents().html() },
        Sample { name: "agent", html: agent_page().html() },
        Sample { name: "agent-no-keys", html: no_keys.html() },
        Sample { name: "agent-hostile", html: hostile_agent_page().html() },
        Sample { name: "members", html: members().html() },
        Sample { name: "members-hostile", html: hostile_members().html() },
        Sample { name: "settings", html: settings().html() },
        Sample { name: "settings-hostile", html: hostile_settings().html() },
        Sample { name: "connect", html: connect().html() },
        Sample { name: "connect-hostile", html: Connect { chrome: hostile_chrome(), origin: HOSTILE.into(), governs: false }.html() },
        Sample { name: "holds", html: holds().html() },
        Sample { name: "holds-empty", html: no_holds.html() },
        Sample { name: "holds-hostile", html: hostile_holds().html() },
        Sample { name: "retention", html: rules.html() },
        Sample { name: "retention-trying", html: retention().html() },
        Sample { name: "retention-auditor", html: auditor.html() },
        Sample { name: "retention-hostile", html: hostile_retention().html() },
        Sample { name: "deletion-new", html: asking().html() },
        Sample { name: "deletion-new-hostile", html: hostile_asking().html() },
        Sample { name: "account", html: account().html() },
        Sample { name: "account-by-single-sign-on", html: by_group.html() },
        Sample { name: "account-hostile", html: hostile_account().html() },
        Sample { name: "instance", html: instance().html() },
        Sample { name: "instance-hostile", html: hostile_instance().html() },
        Sample { name: "instance-workspaces", html: workspaces().html() },
        Sample { name: "instance-workspaces-empty", html: no_places.html() },
        Sample { name: "instance-workspaces-hostile", html: hostile_workspaces().html() },
        Sample { name: "instance-people", html: people().html() },
        Sample { name: "instance-people-hostile", html: hostile_people().html() },
    ]
}

fn word() -> String {
    HOSTILE.to_owned()
}

fn agent(name: &str, keys: u64) -> Agent {
    Agent {
        id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b71".into(),
        name: name.into(),
        role: "writer".into(),
        project: (keys == 1).then(|| "billing".into()),
        owner: (keys == 1).then(|| Actor::person("Ada Quist")),
        made_by: Actor::person("Ada Quist"),
        created_at: NOW - Duration::days(40),
        keys,
        last_used_at: (keys > 0).then(|| NOW - Duration::minutes(3)),
    }
}

fn agents() -> Agents {
    Agents {
        chrome: chrome(),
        agents: vec![agent("claude-code on ada-laptop", 1), agent("nightly", 2), agent("old-bot", 0)],
        people: vec![Choice::new("018f-ada", "Ada Quist")],
        projects: vec!["billing".into()],
        continued: false,
        next_cursor: Some("x".into()),
    }
}

fn hostile_agents() -> Agents {
    let hostile = Agent { id: word(), role: word(), project: Some(word()), owner: Some(Actor::person(word())), ..agent(HOSTILE, 1) };
    let people = vec![Choice::new(word(), word())];
    Agents { chrome: hostile_chrome(), agents: vec![hostile], people, projects: vec![word()], continued: true, next_cursor: Some(word()) }
}

fn key(held: bool) -> Key {
    Key {
        id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b81".into(),
        created_at: NOW - Duration::days(20),
        expires_at: Some(NOW + Duration::days(70)),
        revoked_at: (!held).then(|| NOW - Duration::days(1)),
        last_used_at: held.then(|| NOW - Duration::hours(2)),
    }
}

fn agent_page() -> AgentPage {
    let run_out = Key { expires_at: Some(NOW - Duration::days(1)), ..key(true) };
    AgentPage {
        chrome: chrome(),
        agent: agent("claude-code on ada-laptop", 1),
        keys: vec![key(true), key(false), run_out, Key { expires_at: None, last_used_at: None, ..key(true) }],
        new_key: Some(NewKey { text: "cairn_0a1b2c_3d4e5f".into(), expires_at: Some(NOW + Duration::days(90)) }),
        continued: false,
        next_cursor: Some("x".into()),
    }
}

fn hostile_agent_page() -> AgentPage {
    let hostile = Agent { id: word(), role: word(), project: Some(word()), ..agent(HOSTILE, 1) };
    let new_key = Some(NewKey { text: word(), expires_at: None });
    let keys = vec![Key { id: word(), ..key(true) }];
    AgentPage { chrome: hostile_chrome(), agent: hostile, keys, new_key, continued: true, next_cursor: Some(word()) }
}

fn member(name: &str, role: &str) -> Member {
    Member {
        id: "018f-ben".into(),
        name: name.into(),
        email: "ben@example.org".into(),
        role: role.into(),
        since: NOW - Duration::days(12),
        you: role == "admin",
        by_group: role == "reviewer",
    }
}

fn members() -> Members {
    Members {
        chrome: chrome(),
        members: vec![member("Ada Quist", "admin"), member("Ben Okafor", "reviewer"), member("Cleo Diaz", "writer")],
        invited: Some(Invited {
            name: "Cleo Diaz".into(),
            email: "cleo@example.org".into(),
            link: "https://cairn.example.org/invitations/abc".into(),
        }),
        sso: true,
        continued: false,
        next_cursor: Some("x".into()),
    }
}

fn hostile_members() -> Members {
    let hostile = Member { id: word(), email: word(), role: word(), ..member(HOSTILE, "x") };
    let invited = Some(Invited { name: word(), email: word(), link: word() });
    Members { chrome: hostile_chrome(), members: vec![hostile], invited, continued: true, next_cursor: Some(word()), ..members() }
}

fn settings() -> Settings {
    let kind = |kind: &str, threshold: &str| KindPolicy {
        kind: kind.into(),
        review_threshold: threshold.into(),
        review_age_days: "never".into(),
        dream_mode: String::new(),
    };
    Settings {
        chrome: chrome(),
        name: "Coding".into(),
        purpose: "What our coding agents know about the platform".into(),
        review_threshold: "0.7".into(),
        capture_policy: "review".into(),
        secret_policy: "redact".into(),
        default_stale_after_days: "90".into(),
        dream_mode: "auto".into(),
        quota_memories: String::new(),
        retention: "archived memories are erased after 365 days; one kind differs.".into(),
        kinds: vec![kind("decision", "always"), kind("fact", ""), kind("episode", "0.4")],
    }
}

fn hostile_settings() -> Settings {
    let kind = KindPolicy { kind: word(), review_threshold: word(), review_age_days: word(), dream_mode: word() };
    Settings {
        chrome: hostile_chrome(),
        name: word(),
        purpose: word(),
        review_threshold: word(),
        capture_policy: word(),
        secret_policy: word(),
        default_stale_after_days: word(),
        dream_mode: word(),
        quota_memories: word(),
        retention: word(),
        kinds: vec![kind],
    }
}

fn connect() -> Connect {
    Connect { chrome: chrome(), origin: "https://cairn.example.org".into(), governs: true }
}

fn holds() -> Holds {
    let hold = Hold {
        id: "018f-hold".into(),
        reason: "Case 2026/118, until further notice.".into(),
        keeps: vec!["2 memories".into(), "everything by and about customer-4711".into()],
        placed_by: Actor::person("Ada Quist"),
        placed_at: NOW - Duration::days(3),
    };
    Holds { chrome: chrome(), holds: vec![hold], typed: holds::Typed::default(), continued: false, next_cursor: Some("x".into()) }
}

fn hostile_holds() -> Holds {
    let mut page = Holds { chrome: hostile_chrome(), continued: true, next_cursor: Some(word()), ..holds() };
    page.typed = holds::Typed { memory_ids: word(), session_ids: word(), subject: word(), reason: word() };
    let hold = &mut page.holds[0];
    (hold.id, hold.reason, hold.keeps, hold.placed_by) = (word(), word(), vec![word()], Actor::person(word()));
    page
}

fn retention() -> Retention {
    let rule = |kind: &str, days: Option<u32>, due: usize| Rule {
        kind: kind.into(),
        set: if due > 0 { "30".into() } else { "never".into() },
        days,
        due,
        held: due / 4,
        many: due >= 1000,
    };
    let kinds = vec![rule("decision", None, 0), rule("episode", Some(30), 12), rule("fact", Some(1), 1000)];
    Retention { chrome: chrome(), days: "365".into(), kinds, trying: true, may_change: true }
}

fn hostile_retention() -> Retention {
    let rule = Rule { kind: word(), set: word(), days: None, due: 0, held: 0, many: false };
    Retention { chrome: hostile_chrome(), days: word(), kinds: vec![rule], ..retention() }
}

fn asking() -> New {
    New { chrome: chrome(), typed: deletion::Typed::default(), error: None }
}

fn hostile_asking() -> New {
    let typed =
        deletion::Typed { memory_ids: word(), session_ids: word(), subject: word(), query: word(), include_copies: true, reason: word() };
    New { chrome: hostile_chrome(), typed, error: Some(word()) }
}

fn hall() -> Hall {
    Hall {
        viewer: viewer(),
        instance_admin: true,
        csrf: "c8f1a9".into(),
        theme: Theme::System,
        flash: Some(Flash::good("That sign-in has ended.")),
        now: NOW,
    }
}

fn hostile_hall() -> Hall {
    Hall { viewer: Viewer { name: word(), email: word() }, csrf: word(), flash: Some(Flash::bad(word())), ..hall() }
}

fn login(this_one: bool) -> Login {
    Login {
        id: "018f-login".into(),
        user_agent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0 Safari/537.36".into(),
        address: "192.0.2.7".into(),
        created_at: NOW - Duration::days(2),
        last_used_at: NOW - Duration::minutes(1),
        expires_at: NOW + Duration::days(28),
        this_one,
    }
}

fn account() -> Account {
    let logins = vec![login(true), login(false)];
    Account { hall: hall(), has_password: true, password_min: 12, logins, continued: false, next_cursor: Some("x".into()) }
}

fn hostile_account() -> Account {
    let logins = vec![Login { id: word(), user_agent: word(), address: word(), ..login(false) }];
    Account { hall: hostile_hall(), logins, continued: true, next_cursor: Some(word()), ..account() }
}

fn instance() -> Instance {
    let job = |name: &str, failed: bool| Job {
        name: name.into(),
        does: "adds new entries of the trails to their signed trees; one server at a time".into(),
        last_at: (!failed).then(|| NOW - Duration::seconds(2)),
        took_ms: 4,
        failures: u64::from(failed),
        failed,
    };
    Instance {
        hall: hall(),
        health: Health {
            version: "0.1.0".into(),
            public_url: "https://cairn.example.org".into(),
            database_ms: Some(0.84),
            database_version: "15.14".into(),
            migrations: 14,
            connections: (2, 8, 20),
            uptime: "3 days".into(),
            embeddings: "the built-in model".into(),
            single_sign_on: Some("https://login.example.org".into()),
        },
        jobs: vec![job("Sealing", false), job("Dreams", true)],
        indexes: vec![Index { workspace: "Coding".into(), memories: 1804, bytes: 3_400_000 }],
        cache: (3_400_000, 1_073_741_824),
    }
}

fn hostile_instance() -> Instance {
    let health = Health {
        version: word(),
        public_url: word(),
        database_version: word(),
        uptime: word(),
        embeddings: word(),
        single_sign_on: Some(word()),
        ..Health::default()
    };
    let indexes = vec![Index { workspace: word(), memories: 1, bytes: 1 }];
    Instance { hall: hostile_hall(), health, indexes, jobs: Vec::new(), ..instance() }
}

fn place(role: Option<&str>) -> Place {
    Place {
        slug: "coding".into(),
        name: "Coding".into(),
        purpose: "What our coding agents know".into(),
        created_at: NOW - Duration::days(90),
        role: role.map(str::to_owned),
    }
}

fn workspaces() -> Workspaces {
    Workspaces { hall: hall(), places: vec![place(Some("admin")), place(None)], continued: false, next_cursor: Some("x".into()) }
}

fn hostile_workspaces() -> Workspaces {
    let hostile = Place { slug: word(), name: word(), purpose: word(), role: Some(word()), ..place(None) };
    Workspaces { hall: hostile_hall(), places: vec![hostile], continued: true, next_cursor: Some(word()) }
}

fn person(you: bool) -> Person {
    Person {
        id: "018f-ada".into(),
        name: "Ada Quist".into(),
        email: "ada@example.org".into(),
        instance_admin: you,
        created_at: NOW - Duration::days(90),
        you,
    }
}

fn people() -> People {
    let invited = Some(Link { name: "Cleo Diaz".into(), link: "https://cairn.example.org/invitations/abc".into() });
    People { hall: hall(), people: vec![person(true), person(false)], invited, continued: false, next_cursor: Some("x".into()) }
}

fn hostile_people() -> People {
    let hostile = Person { id: word(), name: word(), email: word(), ..person(false) };
    let invited = Some(Link { name: word(), link: word() });
    People { hall: hostile_hall(), people: vec![hostile], invited, continued: true, next_cursor: Some(word()) }
}
