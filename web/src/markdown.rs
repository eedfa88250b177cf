//! Markdown that somebody else wrote, as markup that we made: nothing in it runs, loads or leaves by itself.

use askama::filters::HtmlSafe;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::fmt;

/// Rendered. Prints as HTML.
#[derive(Clone, Debug)]
pub struct Markdown(String);

impl HtmlSafe for Markdown {}

impl fmt::Display for Markdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Markdown {
    /// Its headings begin below the page's own.
    pub fn new(text: &str) -> Self {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let mut rendered = String::with_capacity(text.len() * 2);
        html::push_html(&mut rendered, Tamed::over(Parser::new_ext(text, options)));
        Self(rendered)
    }
}

/// Markup is shown and not obeyed, pictures are their description, only the web's own addresses are links.
struct Tamed<I> {
    events: I,
    /// The headings that we are under, as written; how many there are is what becomes of the next.
    under: Vec<HeadingLevel>,
    now: HeadingLevel,
    /// Links that are none.
    dropped: usize,
}

impl<'a, I: Iterator<Item = Event<'a>>> Tamed<I> {
    fn over(events: I) -> Self {
        Self { events, under: Vec::new(), now: HeadingLevel::H2, dropped: 0 }
    }

    fn heading(&mut self, level: HeadingLevel) -> HeadingLevel {
        while self.under.last().is_some_and(|above| *above >= level) {
            self.under.pop();
        }
        self.under.push(level);
        let levels = [HeadingLevel::H2, HeadingLevel::H3, HeadingLevel::H4, HeadingLevel::H5, HeadingLevel::H6];
        self.now = levels[(self.under.len() - 1).min(levels.len() - 1)];
        self.now
    }
}

impl<'a, I: Iterator<Item = Event<'a>>> Iterator for Tamed<I> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        loop {
            return Some(match self.events.next()? {
                Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
                Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
                Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
                Event::Start(Tag::Heading { level, .. }) => {
                    let level = self.heading(level);
                    Event::Start(Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() })
                }
                Event::End(TagEnd::Heading(_)) => Event::End(TagEnd::Heading(self.now)),
                Event::Start(Tag::Link { ref dest_url, .. }) if !is_web(dest_url) => {
                    self.dropped += 1;
                    continue;
                }
                Event::End(TagEnd::Link) if self.dropped > 0 => {
                    self.dropped -= 1;
                    continue;
                }
                // What we lack a class for needs no language.
                Event::Start(Tag::CodeBlock(_)) => Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)),
                Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => continue,
                other => other,
            });
        }
    }
}

fn is_web(address: &str) -> bool {
    address.starts_with("https://") || address.starts_with("http://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        Markdown::new(text).to_string()
    }

    #[test]
    fn nothing_of_a_strangers_text_becomes_markup_of_theirs() {
        let out = said(
            "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> [x](javascript:alert(1)) ![y](https://evil.example/y.png) [z](data:text/html,x)",
        );
        assert!(!out.contains("<script") && !out.contains("<img") && !out.contains("href") && !out.contains("evil.example"), "{out}");
        assert!(out.contains("&lt;script&gt;") && out.contains('y') && out.contains('x'), "{out}");
    }

    #[test]
    fn headings_begin_below_the_pages_own_and_skip_none() {
        assert_eq!(said("### a\n# b\n#### c\n###### d"), "<h2>a</h2>\n<h2>b</h2>\n<h3>c</h3>\n<h4>d</h4>\n");
    }

    #[test]
    fn the_webs_addresses_are_links() {
        assert_eq!(said("[a](https://a.example) [b](/w/x)"), "<p><a href=\"https://a.example\">a</a> b</p>\n");
        assert!(said("| a |\n|---|\n| b |").contains("<table>"));
    }
}
