//! Safety on the way in: what looks like a secret reaches neither the disk nor the log, on any door.

use crate::{
    App,
    audit::Audit,
    model::{
        NewMemory, Revision,
        access::SecretPolicy,
        sessions::{Checkpoint, Event, NewSession},
        stores::{NewStore, StoreChange},
        text::{Content, MemoryPath},
    },
    problem::{FieldError, Problem},
    store::{Permission, Scope},
};
use serde_json::{Map, Value};

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
/// More different ones in one request are no slip; each costs a walk over all of it.
const MOST_VALUES: usize = 64;
/// More findings than this are counted, not listed.
const MOST_FOUND: usize = 1000;
/// From here on it is done aside.
const LONG: usize = 64 * 1024;

impl Screen {
    /// Over all fields, and over those again in which something may stand that was found in others.
    fn over(&mut self, mut fields: impl FnMut(&mut Self) -> Result<(), Problem>) -> Result<(), Problem> {
        fields(self)?;
        if self.values.is_empty() { Ok(()) } else { fields(self) }
    }

    fn note(&mut self, field: &str, rule: &'static str, value: &str) {
        if self.found.len() < MOST_FOUND {
            self.found.push(Found { field: field.to_owned(), rule });
        }
        if value.len() >= TELLING && self.values.len() < MOST_VALUES && !self.values.iter().any(|(known, _)| known == value) {
            self.values.push((value.to_owned(), rule));
        }
    }

    fn text(&mut self, field: &str, text: &mut String) {
        if let Some(redacted) = cairn_secrets::redact(text) {
            for finding in &redacted.findings {
                self.note(field, finding.rule, &text[finding.start..finding.end]);
            }
            *text = redacted.text;
        }
        for (value, rule) in &self.values {
            if text.contains(value.as_str()) {
                *text = text.replace(value.as_str(), &format!("[redacted: {rule}]"));
                if self.found.len() < MOST_FOUND {
                    self.found.push(Found { field: field.to_owned(), rule });
                }
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
        self.text(field, &mut text);
        if text != content.as_str() {
            *content = Content::parse(text)?;
        }
        Ok(())
    }

    /// A place cannot be partly blackened.
    fn path(&self, path: Option<&MemoryPath>) -> Result<(), Problem> {
        path.map_or(Ok(()), |path| self.word("path", path.as_str()))
    }

    /// Something that is gone by: it is refused, whatever the policy.
    fn word(&self, field: &str, word: &str) -> Result<(), Problem> {
        let known = || self.values.iter().find(|(value, _)| word.contains(value.as_str())).map(|(_, rule)| *rule);
        match cairn_secrets::find(word).first().map(|finding| finding.rule).or_else(known) {
            Some(rule) => Err(refusal(&[Found { field: field.to_owned(), rule }])),
            None => Ok(()),
        }
    }

    fn json(&mut self, field: &str, name: Option<&str>, value: &mut Value) {
        match value {
            // What stands under a telling name is a secret there, and may not look like one alone.
            Value::String(text) => match name {
                Some(name) => self.under(field, name, text),
                None => self.text(field, text),
            },
            Value::Array(items) => items.iter_mut().for_each(|item| self.json(field, name, item)),
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    self.json(field, Some(name), member);
                }
                if members.keys().any(|name| cairn_secrets::redact(name).is_some()) {
                    let old = std::mem::take(members);
                    *members = old.into_iter().map(|(name, member)| (self.renamed(field, name), member)).collect::<Map<_, _>>();
                }
            }
            _ => {}
        }
    }

    /// A name and what stands under it.
    fn pair(&mut self, name: &str, value: &mut String) -> Result<(), Problem> {
        self.word("metadata", name)?;
        self.under("metadata", name, value);
        Ok(())
    }

    fn renamed(&mut self, field: &str, mut name: String) -> String {
        self.text(field, &mut name);
        name
    }

    fn under(&mut self, field: &str, name: &str, text: &mut String) {
        let before = text.len();
        self.text(field, text);
        if text.len() != before || text.is_empty() || text.len() > 4096 {
            return;
        }
        let said = format!("{name}={text}");
        let hidden = cairn_secrets::find(&said).into_iter().find(|finding| finding.start == name.len() + 1 && finding.end == said.len());
        if let Some(finding) = hidden {
            // By the field alone: the name is the sender's words, and the trail keeps none.
            self.note(field, finding.rule, text);
            *text = format!("[redacted: {}]", finding.rule);
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
        new.anchors.iter().try_for_each(|anchor| screen.word("anchors.path", &anchor.path))
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
        revision.anchors.iter().flatten().try_for_each(|anchor| screen.word("anchors.path", &anchor.path))
    })?;
    let found = judged(app, scope, screen.found).await?;
    Ok((revision, found))
}

/// A store: its name is refused rather than blackened, as everything is that one goes by.
pub(super) async fn admit_store<P: Permission>(app: &App, scope: &Scope<P>, mut new: NewStore) -> Result<(NewStore, Vec<Found>), Problem> {
    let mut screen = Screen::default();
    screen.over(|screen| {
        screen.word("name", &new.name)?;
        screen.text("description", &mut new.description);
        new.metadata.iter_mut().try_for_each(|(key, value)| screen.pair(key, value))
    })?;
    let found = judged(app, scope, screen.found).await?;
    Ok((new, found))
}

/// The same for a change of one.
pub(super) async fn admit_store_change<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    mut change: StoreChange,
) -> Result<(StoreChange, Vec<Found>), Problem> {
    let mut screen = Screen::default();
    screen.over(|screen| {
        change.name.as_deref().map_or(Ok(()), |name| screen.word("name", name))?;
        screen.maybe("description", change.description.as_mut());
        change.metadata.iter_mut().try_for_each(|(key, value)| value.as_mut().map_or(Ok(()), |value| screen.pair(key, value)))
    })?;
    let found = judged(app, scope, screen.found).await?;
    Ok((change, found))
}

/// The same for a run that begins.
pub(super) async fn admit_session<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    mut new: NewSession,
) -> Result<(NewSession, Vec<Found>), Problem> {
    let mut screen = Screen::default();
    screen.over(|screen| {
        screen.text("agent_tool", &mut new.agent_tool);
        screen.maybe("external_id", new.external_id.as_mut());
        screen.maybe("branch", new.branch.as_mut());
        screen.maybe("commit", new.commit.as_mut());
        screen.maybe("cwd", new.cwd.as_mut());
        new.task.as_deref().map_or(Ok(()), |task| screen.word("task", task))
    })?;
    let found = judged(app, scope, screen.found).await?;
    Ok((new, found))
}

/// The same for what a run sends.
pub(super) async fn admit_events<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    mut events: Vec<Event>,
) -> Result<(Vec<Event>, Vec<Found>), Problem> {
    let screened = tokio::task::spawn_blocking(move || {
        let mut screen = Screen::default();
        let done = screen.over(|screen| {
            for (n, event) in events.iter_mut().enumerate() {
                let field = |name: &str| format!("events[{n}].{name}");
                screen.text(&field("id"), &mut event.id);
                screen.maybe(&field("text"), event.text.as_mut());
                screen.maybe(&field("output"), event.output.as_mut());
                screen.maybe(&field("command"), event.command.as_mut());
                screen.maybe(&field("path"), event.path.as_mut());
                screen.maybe(&field("tool"), event.tool.as_mut());
                if let Some(input) = &mut event.input {
                    screen.json(&field("input"), None, input);
                }
            }
            Ok(())
        });
        done.map(|()| (events, screen.found))
    });
    let (events, found) = screened.await.map_err(Problem::internal)??;
    Ok((events, judged(app, scope, found).await?))
}

/// The same for a checkpoint that was sent in parts; what became memories is looked through once more as such.
pub(super) async fn admit_checkpoint<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    mut sent: Checkpoint,
) -> Result<(Checkpoint, Vec<Found>), Problem> {
    let mut screen = Screen::default();
    screen.over(|screen| {
        for line in &mut sent.decisions {
            screen.text("decisions", &mut line.text);
            screen.maybe("decisions", line.title.as_mut());
        }
        sent.discoveries.iter_mut().for_each(|line| screen.text("discoveries", &mut line.text));
        for item in &mut sent.progress {
            screen.text("progress", &mut item.item);
            screen.maybe("progress", item.note.as_mut());
        }
        screen.maybe("next_step", sent.next_step.as_mut().map(|line| &mut line.text));
        Ok(())
    })?;
    let found = judged(app, scope, screen.found).await?;
    Ok((sent, found))
}

/// Prose of any length.
pub(super) async fn admit_text<P: Permission>(
    app: &App,
    scope: &Scope<P>,
    field: &'static str,
    mut text: String,
) -> Result<(String, Vec<Found>), Problem> {
    let long = text.len() > LONG;
    let work = move || {
        let mut screen = Screen::default();
        screen.text(field, &mut text);
        (text, screen.found)
    };
    let (text, found) = if long { tokio::task::spawn_blocking(work).await.map_err(Problem::internal)? } else { work() };
    Ok((text, judged(app, scope, found).await?))
}

/// A name or a key, which is refused rather than blackened.
pub(super) fn refuse_in(field: &str, word: &str) -> Result<(), Problem> {
    Screen::default().word(field, word)
}

/// A question is kept in its receipt, and may be sent to an outside model.
pub(super) fn clean_question(query: &mut String) {
    if let Some(redacted) = cairn_secrets::redact(query) {
        *query = redacted.text;
    }
}

async fn judged<P: Permission>(app: &App, scope: &Scope<P>, found: Vec<Found>) -> Result<Vec<Found>, Problem> {
    if found.is_empty() || scope.settings().secret_policy == SecretPolicy::Redact {
        return Ok(found);
    }
    app.db().record(scope).await?.commit_entry(Audit::secrets("secrets.refused", None, &found)).await?;
    Err(refusal(&found))
}

fn refusal(found: &[Found]) -> Problem {
    const MOST: usize = 100;
    let errors = found.iter().take(MOST).map(|found| FieldError {
        field: found.field.clone(),
        message: format!("contains what looks like a secret ({}), which may not be kept here; take it out and send it again", found.rule),
    });
    Problem::Invalid(errors.collect())
}
