//! A page of our documentation, as it stands in `docs/` and on GitHub, within the server.

use crate::Theme;
use askama::Template;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd, html};

#[derive(Clone, Debug, Template)]
#[template(path = "guide.html")]
pub struct Guide {
    pub theme: Theme,
    pub title: String,
    /// Made by us from Markdown; nothing else becomes markup.
    body: String,
}

impl Guide {
    /// Every problem and what to do about it; each code is an anchor.
    pub fn problems(theme: Theme) -> Self {
        Self::new(theme, "Problems", include_str!("../../docs/problems.md"))
    }

    pub(crate) fn new(theme: Theme, title: &str, markdown: &str) -> Self {
        let mut body = String::new();
        html::push_html(&mut body, ours(anchored(Parser::new(markdown))));
        Self { theme, title: title.to_owned(), body }
    }
}

/// Headings get the anchors that GitHub gives them: their own text, where that is one word.
fn anchored<'a>(events: impl Iterator<Item = Event<'a>>) -> Vec<Event<'a>> {
    let mut events: Vec<_> = events.collect();
    for n in 1..events.len() {
        let word = match &events[n] {
            Event::Text(text) if !text.contains(char::is_whitespace) => text.clone(),
            _ => continue,
        };
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[n - 1] {
            *id = Some(word);
        }
    }
    events
}

/// Markup in the text is shown, not obeyed; pictures, and links to neighbours that are not served, are just words.
fn ours<'a>(events: impl IntoIterator<Item = Event<'a>>) -> impl Iterator<Item = Event<'a>> {
    let mut leads_away = false;
    events.into_iter().filter_map(move |event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Link { dest_url, .. }) if !dest_url.starts_with(['#', '/']) => {
            leads_away = true;
            None
        }
        Event::End(TagEnd::Link) if leads_away => {
            leads_away = false;
            None
        }
        // The language of a block would be a class that nothing styles.
        Event::Start(Tag::CodeBlock(_)) => Some(Event::Start(Tag::CodeBlock(CodeBlockKind::Indented))),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        other => Some(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(markdown: &str) -> String {
        Guide::new(Theme::System, "A guide", markdown).body
    }

    #[test]
    fn a_code_is_an_anchor() {
        assert_eq!(
            rendered("## 404\n### not_found\nGone."),
            "<h2 id=\"404\">404</h2>\n<h3 id=\"not_found\">not_found</h3>\n<p>Gone.</p>\n"
        );
        assert_eq!(rendered("## Two words"), "<h2>Two words</h2>\n");
    }

    #[test]
    fn only_what_is_served_is_linked() {
        let said = rendered("[a](#x) [b](/docs) [c](roles.md) [d](https://example.org) [e](javascript:alert) ![f](f.png)");
        assert_eq!(said, "<p><a href=\"#x\">a</a> <a href=\"/docs\">b</a> c d e f</p>\n");
    }

    #[test]
    fn markup_is_shown_and_not_obeyed() {
        assert_eq!(rendered("<b>x</b>"), "<p>&lt;b&gt;x&lt;/b&gt;</p>\n");
    }
}
