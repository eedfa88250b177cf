//! Settings and policies of a workspace, and its end.

use super::super::{flash, forms::Posted, viewer::Viewer};
use crate::{
    acts,
    model::{
        Kind, Settings,
        access::{Mode, SecretPolicy},
        policies::{Policies, PolicyOfKind, Threshold, ThresholdWord},
        text,
        workspaces::{SettingsChange, WorkspaceChange},
    },
    problem::Problem,
    store::Governing,
};
use axum::response::Response;
use cairn_web::{
    Flash,
    team::{self as page, Field, KindPolicy},
};
use serde::Deserialize;

pub async fn show(viewer: Viewer<Governing>) -> Response {
    let workspace = viewer.scope.standing().workspace();
    let settings = &workspace.settings;
    let days = |days: Option<u32>| days.map(|days| days.to_string()).unwrap_or_default();
    let view = page::Settings {
        name: workspace.name.clone(),
        purpose: workspace.purpose.clone(),
        review_threshold: fraction(settings.review_threshold),
        capture_policy: word(settings.capture_policy).to_owned(),
        secret_policy: match settings.secret_policy {
            SecretPolicy::Redact => "redact",
            SecretPolicy::Reject => "reject",
        }
        .to_owned(),
        default_stale_after_days: days(settings.default_stale_after_days),
        dream_mode: word(settings.dream_mode).to_owned(),
        quota_memories: days(settings.quota_memories),
        retention: super::super::retention::in_a_sentence(settings),
        kinds: Kind::ALL.iter().map(|kind| policy(settings, *kind)).collect(),
        chrome: viewer.chrome(None),
    };
    viewer.sees(view.html())
}

fn policy(settings: &Settings, kind: Kind) -> KindPolicy {
    let set = settings.policies.get(&kind).copied().unwrap_or_default();
    KindPolicy {
        kind: kind.word().to_owned(),
        review_threshold: match set.review_threshold {
            None => String::new(),
            Some(Threshold::Word(ThresholdWord::Always)) => "always".to_owned(),
            Some(Threshold::Word(ThresholdWord::Never)) => "never".to_owned(),
            Some(Threshold::Below(least)) => fraction(least),
        },
        review_age_days: match set.review_age_days {
            None => String::new(),
            Some(None) => "never".to_owned(),
            Some(Some(days)) => days.to_string(),
        },
        dream_mode: set.dream_mode.map(word).unwrap_or_default().to_owned(),
    }
}

#[derive(Deserialize)]
pub struct Sent {
    name: Option<String>,
    purpose: Option<String>,
    review_threshold: Option<String>,
    capture_policy: Option<String>,
    secret_policy: Option<String>,
    default_stale_after_days: Option<String>,
    dream_mode: Option<String>,
    quota_memories: Option<String>,
}

impl Sent {
    fn read(&self) -> Result<WorkspaceChange, Problem> {
        Ok(WorkspaceChange {
            name: Some(text::line("name", self.name.as_deref().unwrap_or_default(), 200)?),
            purpose: Some(text::prose("purpose", self.purpose.as_deref().unwrap_or_default(), 2000)?),
            settings: SettingsChange {
                review_threshold: self.review_threshold.as_deref().map(|said| number("review_threshold", said)).transpose()?,
                capture_policy: self.capture_policy.as_deref().map(|said| mode("capture_policy", said)).transpose()?,
                secret_policy: match self.secret_policy.as_deref() {
                    None => None,
                    Some("redact") => Some(SecretPolicy::Redact),
                    Some("reject") => Some(SecretPolicy::Reject),
                    Some(_) => return Err(Problem::invalid("secret_policy", "must be redact or reject")),
                },
                default_stale_after_days: Some(
                    self.default_stale_after_days.as_deref().map(|said| number("default_stale_after_days", said)).transpose()?,
                ),
                retention_days: None,
                dream_mode: self.dream_mode.as_deref().map(|said| mode("dream_mode", said)).transpose()?,
                quota_memories: Some(self.quota_memories.as_deref().map(|said| number("quota_memories", said)).transpose()?),
            },
        })
    }
}

pub async fn update(viewer: Viewer<Governing>, Posted(form): Posted<Sent>) -> Result<Response, Problem> {
    let page = viewer.place("settings");
    let changed = async { acts::access::change_workspace(&viewer.app, &viewer.scope, &form.read()?).await };
    viewer.after(changed.await.map(|_| (page.clone(), Flash::good("Saved."))), &page)
}

/// All kinds at once; what retention says of them stays, for it has a page of its own.
pub async fn update_policies(viewer: Viewer<Governing>, Posted(form): Posted<Vec<(String, String)>>) -> Result<Response, Problem> {
    let page = viewer.place("settings");
    let changed = async {
        let policies = policies(&viewer.scope.standing().workspace().settings, &form)?;
        acts::policies::set(&viewer.app, &viewer.scope, policies).await
    };
    viewer.after(changed.await.map(|_| (page.clone(), Flash::good("Saved."))), &page)
}

fn policies(settings: &Settings, form: &[(String, String)]) -> Result<Policies, Problem> {
    let mut policies = Policies::new();
    for kind in Kind::ALL.iter().copied() {
        let said = |field: &str| {
            let name = Field::name(kind.word(), field);
            form.iter().find(|(sent, _)| *sent == name).map(|(_, value)| (name, value.trim())).filter(|(_, value)| !value.is_empty())
        };
        let policy = PolicyOfKind {
            review_threshold: match said("review_threshold") {
                None => None,
                Some((_, "always")) => Some(Threshold::ALWAYS),
                Some((_, "never")) => Some(Threshold::NEVER),
                Some((name, least)) => Some(Threshold::Below(
                    least.parse().map_err(|_| Problem::invalid(name, "must be always, never or a number from 0 to 1"))?,
                )),
            },
            review_age_days: match said("review_age_days") {
                None => None,
                Some((_, "never")) => Some(None),
                Some((name, days)) => Some(Some(number(&name, days)?)),
            },
            retention_days: settings.policies.get(&kind).and_then(|set| set.retention_days),
            dream_mode: said("dream_mode").map(|(name, said)| mode(&name, said)).transpose()?,
        };
        policies.insert(kind, policy);
    }
    Ok(policies)
}

#[derive(Deserialize)]
pub struct End {
    slug: Option<String>,
}

/// End the workspace, for somebody who has typed its name.
pub async fn end(viewer: Viewer<Governing>, Posted(form): Posted<End>) -> Result<Response, Problem> {
    let page = viewer.place("settings");
    let workspace = viewer.scope.standing().workspace();
    if form.slug.as_deref().map(str::trim) != Some(workspace.slug.as_str()) {
        let unconfirmed = Problem::conflict("unconfirmed", format!("Nothing was done: type {} to confirm.", workspace.slug));
        return viewer.after(Err(unconfirmed), &page);
    }
    match acts::access::delete_workspace(&viewer.app, &viewer.scope).await {
        Ok(()) => Ok(flash::then(&viewer.app, "/workspaces", &Flash::good(format!("{} has ended.", workspace.name)))),
        Err(problem) => viewer.after(Err(problem), &page),
    }
}

fn word(mode: Mode) -> &'static str {
    match mode {
        Mode::Off => "off",
        Mode::Review => "review",
        Mode::Auto => "auto",
    }
}

fn mode(field: &str, said: &str) -> Result<Mode, Problem> {
    match said {
        "off" => Ok(Mode::Off),
        "review" => Ok(Mode::Review),
        "auto" => Ok(Mode::Auto),
        _ => Err(Problem::invalid(field, "must be off, review or auto")),
    }
}

pub(in super::super) fn number<T: std::str::FromStr>(field: &str, said: &str) -> Result<T, Problem> {
    said.trim().parse().map_err(|_| Problem::invalid(field, "must be a number"))
}

/// As people write it: 0.7, not 0.699999988.
fn fraction(value: f32) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_reads_as_it_was_typed() {
        assert_eq!((fraction(0.7), fraction(1.0), fraction(0.0)), ("0.7".to_owned(), "1".to_owned(), "0".to_owned()));
    }

    #[test]
    fn policies_come_from_the_form_and_keep_what_retention_says() {
        let mut settings = Settings::default();
        settings.policies.insert(Kind::Fact, PolicyOfKind { retention_days: Some(Some(30)), ..PolicyOfKind::default() });
        let sent = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let form =
            [sent("fact.review_threshold", "always"), sent("fact.review_age_days", "never"), sent("decision.review_threshold", "0.4")];
        let read = policies(&settings, &form).unwrap();
        let fact = read[&Kind::Fact];
        assert_eq!(
            (fact.review_threshold, fact.review_age_days, fact.retention_days),
            (Some(Threshold::ALWAYS), Some(None), Some(Some(30)))
        );
        assert_eq!(read[&Kind::Decision].review_threshold, Some(Threshold::Below(0.4)));
        assert!(policies(&settings, &[sent("fact.review_age_days", "soon")]).is_err());
    }
}
