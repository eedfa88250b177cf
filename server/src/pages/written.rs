//! A memory as somebody wrote it into a form.

use crate::{
    model::{
        Kind, Memory, NewMemory, Project, Revision, Visibility,
        memory::{self, Source, SourceType},
        text::{self, Content},
    },
    problem::Problem,
};
use cairn_web::memories::Typed;
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Written {
    title: Option<String>,
    content: Option<String>,
    kind: Option<String>,
    tags: Option<String>,
    project: Option<String>,
    reason: Option<String>,
    private: Option<String>,
    propose: Option<String>,
    /// The version that was on the page.
    pub seen: Option<i32>,
    /// Where to go afterwards.
    pub back: Option<String>,
}

impl Written {
    /// Other words for what is there; the project and what nobody touched are left alone.
    pub fn revision(&self, before: &Memory) -> Result<Revision, Problem> {
        let content = self.content.clone().filter(|content| in_lines(content) != in_lines(&before.content));
        Ok(Revision {
            title: self.title()?,
            content: content.map(Content::parse).transpose()?,
            kind: self.kind()?,
            tags: if self.keeps_tags_of(before) { None } else { Some(self.tags()?) },
            reason: self.reason.as_deref().map(|reason| text::prose("reason", reason, 2000)).transpose()?,
            ..Revision::default()
        })
    }

    pub fn new_memory(&self) -> Result<NewMemory, Problem> {
        let content = Content::parse(self.content.clone().unwrap_or_default())?;
        Ok(NewMemory {
            title: self.title()?,
            tags: self.tags()?,
            project: self.project()?,
            source: Some(Source { kind: SourceType::Human, reference: None, excerpt: None }),
            visibility: if self.private.is_some() { Visibility::Private } else { Visibility::Workspace },
            propose_on_conflict: self.propose.is_some(),
            ..NewMemory::of(content, self.kind()?.unwrap_or(Kind::Fact))
        })
    }

    /// In the place of another: of its kind, and seen by whoever saw that one.
    pub fn instead_of(&self, old: &Memory) -> Result<NewMemory, Problem> {
        let tags = if self.keeps_tags_of(old) { old.tags.clone() } else { self.tags()? };
        Ok(NewMemory { kind: old.kind, visibility: old.visibility, tags, ..self.new_memory()? })
    }

    /// A tag may have a comma in it, which the form cannot tell from those between tags.
    fn keeps_tags_of(&self, before: &Memory) -> bool {
        self.tags.as_deref().unwrap_or_default() == tags_in_a_line(before)
    }

    pub fn project(&self) -> Result<Option<Project>, Problem> {
        self.project.as_deref().map(Project::parse).transpose()
    }

    /// Whether the text had a secret in it, which is not kept.
    pub fn has_secret(&self) -> bool {
        self.content.as_deref().is_some_and(|content| !cairn_secrets::find(content).is_empty())
    }

    /// As it was typed, for the form.
    pub fn typed(self) -> Typed {
        Typed {
            title: self.title.unwrap_or_default(),
            content: self.content.unwrap_or_default(),
            kind: self.kind.unwrap_or_default(),
            tags: self.tags.unwrap_or_default(),
            project: self.project.unwrap_or_default(),
            reason: self.reason.unwrap_or_default(),
            private: self.private.is_some(),
        }
    }

    fn title(&self) -> Result<Option<String>, Problem> {
        self.title.as_deref().map(|title| text::line("title", title, 300)).transpose()
    }

    fn kind(&self) -> Result<Option<Kind>, Problem> {
        self.kind.as_deref().map(str::parse).transpose()
    }

    fn tags(&self) -> Result<Vec<String>, Problem> {
        let tags = self.tags.as_deref().unwrap_or_default().split(',').map(str::trim).filter(|tag| !tag.is_empty());
        memory::tags(tags.map(str::to_owned).collect())
    }
}

/// Tags as a form shows them.
pub fn tags_in_a_line(memory: &Memory) -> String {
    memory.tags.join(", ")
}

/// A browser ends the lines of a text in one way, however they were ended.
fn in_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
