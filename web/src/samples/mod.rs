//! A believable one of every page, with the empty, the broken, the long and the hostile, for the
//! gallery and its tests.

mod code;
mod deletion;
mod door;
mod glance;
mod memories;
mod memory;
mod review;
mod rollbacks;
mod runs;
mod team;
mod trail;

use crate::{Choice, Chrome, Docs, Flash, Guide, Problem, Sees, Theme, Viewer, Waiting, WayOut, Workspace};
use time::{OffsetDateTime, macros::datetime};

pub struct Sample {
    /// Fit for a file name.
    pub name: &'static str,
    pub html: String,
}

/// Text that must never become markup.
pub const HOSTILE: &str = r#""><script>alert(1)</script><img src=x onerror='alert(2)'>"#;
pub const RTL: &str = "قررنا تجميد النشر أيام الجمعة";

const NOW: OffsetDateTime = datetime!(2026-11-16 09:30:00 UTC);

pub fn all() -> Vec<Sample> {
    let mut samples = vec![
        Sample { name: "problem-not-found", html: not_found().html() },
        Sample { name: "problem-hostile", html: hostile_problem().html() },
        Sample { name: "docs", html: Docs::new(Theme::System).html() },
        Sample { name: "guide-problems", html: Guide::problems(Theme::System).html() },
        Sample { name: "guide-hostile", html: Guide::new(Theme::Dark, HOSTILE, &format!("# {HOSTILE}\n{HOSTILE}\n")).html() },
    ];
    samples.extend(door::samples());
    samples.extend(memories::samples());
    samples.extend(memory::samples());
    samples.extend(glance::samples());
    samples.extend(code::samples());
    samples.extend(runs::samples());
    samples.extend(trail::samples());
    samples.extend(review::samples());
    samples.extend(rollbacks::samples());
    samples.extend(team::samples());
    samples.extend(deletion::samples());
    samples
}

fn not_found() -> Problem {
    Problem {
        theme: Theme::System,
        status: 404,
        title: "There is nothing here for you".into(),
        detail: "The page does not exist, or it belongs to a workspace that you are not in. We do not tell which.".into(),
        request_id: "018f6a3e-7c1d-7b52-9a4e-0c2d4f6a8b10".into(),
        ways_out: vec![WayOut::new("/workspaces", "Your workspaces"), WayOut::new("/sign-in", "Sign in as someone else")],
    }
}

fn hostile_problem() -> Problem {
    let detail = format!("{HOSTILE} {}", "x".repeat(300));
    Problem { status: 422, title: HOSTILE.into(), detail, request_id: HOSTILE.into(), ..not_found() }
}

fn chrome() -> Chrome {
    let workspaces = workspaces();
    Chrome {
        workspace: workspaces[0].clone(),
        workspaces,
        viewer: viewer(),
        sees: Sees { writing: true, reviewing: true, auditing: true, governing: true, instance: true },
        waiting: Waiting { review: 3, deletion: 120 },
        here: "/w/coding/memories?q=deploy".into(),
        csrf: "c8f1a9".into(),
        theme: Theme::System,
        flash: None,
        now: NOW,
    }
}

/// Every word of the frame is an attack.
fn hostile_chrome() -> Chrome {
    let mut chrome = chrome();
    let word = || HOSTILE.to_owned();
    chrome.workspace = Workspace { slug: word(), name: word(), purpose: word(), role: word() };
    chrome.viewer = Viewer { name: word(), email: word() };
    chrome.flash = Some(Flash::bad(word()).or_undo(word(), &[(HOSTILE, HOSTILE)]));
    (chrome.here, chrome.csrf) = (word(), word());
    chrome
}

fn viewer() -> Viewer {
    Viewer { name: "Ada Quist".into(), email: "ada@example.org".into() }
}

fn authors() -> Vec<Choice> {
    vec![Choice::new("018f-ada", "Ada Quist"), Choice::new(HOSTILE, HOSTILE)]
}

fn workspaces() -> Vec<Workspace> {
    let workspace = |slug: &str, name: &str, purpose: &str, role: &str| Workspace {
        slug: slug.into(),
        name: name.into(),
        purpose: purpose.into(),
        role: role.into(),
    };
    vec![
        workspace("coding", "Coding", "What our coding agents know about the platform", "admin"),
        workspace("support", "Customer support", "Answers and customers' wishes", "reviewer"),
        workspace("research", "Research", "Notes of the model team", "reader"),
    ]
}
