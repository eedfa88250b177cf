//! The way in.

use super::{HOSTILE, Sample, viewer, workspaces};
use crate::{ChoosePassword, LinkPurpose, SetUp, SignIn, Theme, Workspaces};

pub(super) fn samples() -> Vec<Sample> {
    let wrong = "Email and password do not fit together. Check both, or ask an admin for a one-time link.";
    let failed = SignIn { email: "ada@example.org".into(), error: Some(wrong.into()), ..sign_in() };
    let provided = SignIn { provider: Some("login.example.org".into()), ..sign_in() };
    let out = SignIn { notice: Some("You are signed out.".into()), ..sign_in() };
    let hostile =
        SignIn { email: HOSTILE.into(), next: HOSTILE.into(), error: Some(HOSTILE.into()), provider: Some(HOSTILE.into()), ..sign_in() };
    let reset = ChoosePassword { purpose: LinkPurpose::Reset, ..invited() };
    let alone = Workspaces { workspaces: Vec::new(), ..choose() };
    let first = Workspaces { instance_admin: true, ..alone.clone() };
    vec![
        Sample { name: "sign-in", html: out.html() },
        Sample { name: "sign-in-provider", html: provided.html() },
        Sample { name: "sign-in-failed", html: failed.html() },
        Sample { name: "sign-in-hostile", html: hostile.html() },
        Sample { name: "set-up", html: set_up().html() },
        Sample { name: "invitation", html: invited().html() },
        Sample { name: "password-reset", html: reset.html() },
        Sample { name: "workspaces", html: choose().html() },
        Sample { name: "workspaces-none", html: alone.html() },
        Sample { name: "workspaces-none-admin", html: first.html() },
    ]
}

fn sign_in() -> SignIn {
    SignIn { csrf: "c8f1a9".into(), next: "/w/coding/memories".into(), ..SignIn::default() }
}

fn set_up() -> SetUp {
    let short = "The password needs at least 12 characters; this one has 5.";
    SetUp {
        csrf: "c8f1a9".into(),
        token: "one-time".into(),
        email: "ada@example.org".into(),
        name: "Ada Quist".into(),
        password_min: 12,
        error: Some(short.into()),
        ..SetUp::default()
    }
}

fn invited() -> ChoosePassword {
    ChoosePassword {
        csrf: "c8f1a9".into(),
        token: "one/time".into(),
        purpose: LinkPurpose::Invitation { workspace: Some("Customer support".into()) },
        name: "Ben".into(),
        email: "ben@example.org".into(),
        password_min: 12,
        ..ChoosePassword::default()
    }
}

fn choose() -> Workspaces {
    Workspaces { theme: Theme::System, viewer: viewer(), csrf: "c8f1a9".into(), workspaces: workspaces(), instance_admin: false }
}
