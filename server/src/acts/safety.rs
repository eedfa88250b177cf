//! Safety on the way in: what looks like a secret reaches neither the disk nor the log, on any door.

use crate::{
    App,
    audit::Audit,
    model::{
        NewMemory, Revision, Settings,
        access::SecretPolicy,
        sessions::Event,
        text::{Content, MemoryPath},
    },
    problem::Problem,
    store::{Permission, Scope},
};
use serde_json::Value;

/// Where something was found and by which rule; never what.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Found {
    pub field: String,
    pub rule: &'static str,
}

/// Replaces secrets, and remembers where they were.
#[derive(Default)]
struct Screen {
    found: Vec<Found>,
    /// What was found, while this lasts: alone in another field it may not look like a secret.
    values: Vec<(String, &'static str)>,
}

/// Shorter ones stand in other words by chance.
const TELLING: usize = 8;

impl Screen {
    /// Over all fields, and over those again in which something may stand that was found in others.
    fn over(&mut self, mut fields: impl FnMut(&mut Self) -> Result<(), Problem>) -> Result<(), Problem> {
        fields(self)?;
        if self.values.is_empty() { Ok(()) } else { fields(self) }
    }

    fn text(&mut self, field: &str, text: &mut String) {
        if let Some(redacted) = cairn_secrets::redact(text) {
            for finding in &redacted.findings {
                self.found.push(Found { field: field.to_owned(), rule: finding.rule });
                let value = &text[finding.start..finding.end];
                if value.len() >= TELLING {
                    self.values.push((value.to_owned(), finding.rule));
                }
            }
            *text = redacted.text;
        }
        for (value, rule) in &self.values {
            if text.contains(value.as_str()) {
                *text = text.replace(value.as_str(), &format!("[redacted: {rule}]"));
                self.found.push(Found { field: field.to_owned(), rule });
            }
        }
    }

    fn maybe(&mut self, field: &str, text: Option<&mut String>) {
        if let Some(text) = text {
            self.text(field, text);
        }
    }

    fn content(&mut self, field: &str, content: &mut Content) -> Result<(), Problem> {
        let mut text = content.as_str().to_owned();
        let before = self.found.len();
        self.text(field, &mut text);
        if self.found.len() > before {
            *content = Content::parse(text)?;
        }
        Ok(())
    }

    /// A place cannot be partly blackened.
    fn path(&self, path: Option<&MemoryPath>) -> Result<(), Problem> {
        let known = |path: &MemoryPath| self.values.iter().find(|(value, _)| path.as_str().contains(value)).map(|(_, rule)| *rule);
        let rule = |path: &MemoryPath| cairn_secrets::find(path.as_str()).first().map(|finding| finding.rule).or_else(|| known(path));
        match path.and_then(rule) {
            Some(rule) => Err(refusal(&[Found { field: "path".to_owned(), rule }])),
            None => Ok(()),
        }
    }

    fn json(&mut self, field: &str, value: &mut Value) {
        match value {
            Value::String(text) => self.text(field, text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.json(field, item)),
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    match member {
                        // What stands under a telling name is a secret there, and may not look like one alone.
                        Value::String(text) => self.under(field, name, text),
                        other => self.json(field, other),
                    }
                }
            }
            _ => {}
        }
    }

    fn under(&mut self, field: &str, name: &str, text: &mut String) {
        let before = self.found.len();
        self.text(field, text);
        if self.found.len() > before || text.is_empty() || text.len() > 4096 {
            return;
        }
        let said = format!("{name}={text}");
        let hidden = cairn_secrets::find(&said).into_iter().find(|finding| finding.start == name.len() + 1 && finding.end == said.len());
        if let Some(finding) = hidden {
            *text = format!("[redacted: {}]", finding.rule);
            self.found.push(Found { field: format!("{field}.{name}"), rule: finding.rule });
        }
    }
}

/// A new memory as it may be kept.
pub(super) async fn admit<P: Permission>(app: &App, scope: &Scope<P>, mut new: NewMemory) -> Result<(NewMemory, Vec<Found>), Problem> {
    let mut screen = Screen::default();
    screen.over(|screen| {
        screen.path(new.path.as_ref())?;
        screen.content("content", &mut new.content)?;
        screen.maybe("title", new.title.as_mut());
        new.tags.iter_mut().for_each(|tag| screen.text("tags", tag));
        screen.maybe("subject", new.subject.as_mut());
        if let Some(source) = &mut new.source {
            screen.maybe("source.ref", source.reference.as_mut());
            screen.maybe("source.excerpt", source.excerpt.as_mut());
        }
        Ok(())
    })?;
    let found = judged(app, scope, screen.found).await?;
    Ok((new, found))
}

/// The same for a change.
pub(super) async fn admit_change<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    mut revision: Revision,
) -> Result<(Revision, Vec<Found>), Problem> {
    let mut screen = Screen::default();
    screen.over(|screen| {
        screen.path(revision.path.as_ref())?;
        if let Some(content) = &mut revision.content {
            screen.content("content", content)?;
        }
        screen.maybe("title", revision.title.as_mut());
        revision.tags.iter_mut().flatten().for_each(|tag| screen.text("tags", tag));
        screen.maybe("subject", revision.subject.as_mut().and_then(Option::as_mut));
        if let Some(Some(source)) = &mut revision.source {
            screen.maybe("source.ref", source.reference.as_mut());
            screen.maybe("source.excerpt", source.excerpt.as_mut());
        }
        screen.maybe("reason", revision.reason.as_mut());
        Ok(())
    })?;
    let found = judged(app, scope, screen.found).await?;
    Ok((revision, found))
}

/// The same for what a run sends.
pub(super) async fn admit_events<P: Permission>(app: &App, scope: &Scope<P>, events: &mut [Event]) -> Result<Vec<Found>, Problem> {
    let mut screen = Screen::default();
    screen.over(|screen| {
        for (n, event) in events.iter_mut().enumerate() {
            let field = |name: &str| format!("events[{n}].{name}");
            screen.maybe(&field("text"), event.text.as_mut());
            screen.maybe(&field("output"), event.output.as_mut());
            screen.maybe(&field("command"), event.command.as_mut());
            screen.maybe(&field("path"), event.path.as_mut());
            screen.maybe(&field("tool"), event.tool.as_mut());
            if let Some(input) = &mut event.input {
                screen.json(&field("input"), input);
            }
        }
        Ok(())
    })?;
    judged(app, scope, screen.found).await
}

/// A line or two of prose.
pub(super) async fn admit_text<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    field: &str,
    mut text: String,
) -> Result<(String, Vec<Found>), Problem> {
    let mut screen = Screen::default();
    screen.text(field, &mut text);
    let found = judged(app, scope, screen.found).await?;
    Ok((text, found))
}

async fn judged<P: Permission>(app: &App, scope: &Scope<P>, found: Vec<Found>) -> Result<Vec<Found>, Problem> {
    if found.is_empty() || policy(scope.settings()) == SecretPolicy::Redact {
        return Ok(found);
    }
    app.db().record(scope).await?.commit_entry(Audit::secrets("secrets.refused", None, &found)).await?;
    Err(refusal(&found))
}

fn policy(settings: &Settings) -> SecretPolicy {
    settings.secret_policy
}

fn refusal(found: &[Found]) -> Problem {
    let errors = found.iter().map(|found| crate::problem::FieldError {
        field: found.field.clone(),
        message: format!("contains what looks like a secret ({}), which may not be kept here; take it out and send it again", found.rule),
    });
    Problem::Invalid(errors.collect())
}
