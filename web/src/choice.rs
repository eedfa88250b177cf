//! Something to pick from a list, as a part that renders itself.

use askama::{Template, filters::HtmlSafe};

/// A value for the URL and the words for it, such as an actor's id and name.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    pub value: String,
    pub label: String,
}

/// The options of a select, with one chosen. What was chosen and is not on offer stays.
#[derive(Template)]
#[template(
    source = r#"{% for choice in choices %}<option value="{{ choice.value }}"{% if choice.value == chosen %} selected{% endif %}>{{ choice.label }}</option>{% endfor %}{% if self.is_missing() %}<option selected>{{ chosen }}</option>{% endif %}"#,
    ext = "html"
)]
pub(crate) struct Options<'a> {
    choices: &'a [Choice],
    chosen: &'a str,
}

impl HtmlSafe for Options<'_> {}

impl Choice {
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into() }
    }

    pub(crate) fn options<'a>(choices: &'a [Self], chosen: &'a str) -> Options<'a> {
        Options { choices, chosen }
    }

    /// The words for a value, or the value itself.
    pub(crate) fn label<'a>(choices: &'a [Self], value: &'a str) -> &'a str {
        choices.iter().find(|choice| choice.value == value).map_or(value, |choice| &choice.label)
    }
}

impl Options<'_> {
    fn is_missing(&self) -> bool {
        !self.chosen.is_empty() && !self.choices.iter().any(|choice| choice.value == self.chosen)
    }
}
